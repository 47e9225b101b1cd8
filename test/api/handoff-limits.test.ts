import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import { JobScene, type Started } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

const role = (id: string) => `klados_${id.toLowerCase()}`;
const step = (id: string, then: object, type = 'klados') => ({ klados: { id, type }, then });

async function rhiza(entry: string, flow: object): Promise<Entity> {
  const body = { label: 'r', version: '1', entry, flow, collection: scene.home.id };
  const { id, cid } = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
  return ok<Entity>(await ask(scene.node, scene.who, `PUT /rhizai/${id}`, { expect_tip: cid, status: 'active' }));
}

/** A run whose first klados could not give the second what it needs. */
async function begun() {
  const first = await scene.klados('accept', { actions_required: ['entity:view'] });
  const second = await scene.klados('accept', { actions_required: ['entity:view', 'entity:update'] });
  const within = await rhiza('in', { in: step(second.id, { done: true }) });
  const whole = await rhiza('a', {
    a: step(first.id, { pass: 'b' }),
    b: step(within.id, { done: true }, 'rhiza'),
  });
  const started = ok<Started>(await ask(scene.node, scene.who, `POST /rhizai/${whole.id}/invoke`, scene.invocation()));
  const log = await scene.log(first.self, started, { status: 'running', rhiza_id: whole.id });
  const handOn = (more: object = {}, parent_logs = [log.id], who = first.self) =>
    ask(scene.node, who, `POST /kladoi/${second.id}/invoke`, {
      ...scene.invocation({ job_collection: started.job_collection }),
      rhiza: { id: within.id, path: ['in'], parent_logs },
      ...more,
    });
  const jobs = async () => {
    const answer = await ask(scene.node, scene.who, `GET /node/jobs/${started.job_id}`);
    return ok<{ jobs: { processor: { id: string } }[] }>(answer).jobs.map(({ processor }) => processor.id);
  };
  return { first, second, whole, started, handOn, jobs };
}

const roles = async () =>
  (await read(scene.node, scene.who, scene.target.id)).properties.roles as { [name: string]: string[] };
const takeAway = async ({ id }: { id: string }) => {
  const members = `/collections/${scene.target.id}/members/${id}?role=${role(id)}`;
  ok(await ask(scene.node, scene.who, `DELETE ${members}`));
};
const refused = (answer: { status: number; body: unknown }) =>
  expect([answer.status, answer.body]).toMatchObject([
    403,
    { error: expect.stringMatching(/^Action not allowed: entity:update/) },
  ]);

describe('a handoff', () => {
  test('reaches a klados of a workflow within, with the permissions of who began the run', async () => {
    const { handOn, jobs, first, second } = await begun();
    expect(ok<Started>(await handOn()).status).toBe('started');
    expect(await jobs()).toEqual([first.id, second.id]);
  });

  test('comes with the key of whoever made the klados, where they have written its log', async () => {
    const { first, second, whole, started, handOn, jobs } = await begun();
    const log = await scene.log({ ...scene.who, id: first.id }, started, { status: 'running', rhiza_id: whole.id });
    expect(ok<Started>(await handOn({}, [log.id], scene.who)).status).toBe('started');
    expect(await jobs()).toEqual([first.id, second.id]);
    expect(ok<Started>(await handOn({}, [log.id], scene.who)).status).toBe('started');
    expect(await jobs()).toEqual([first.id, second.id]);
  });

  test('ends with the permissions of the run, however long it asks for', async () => {
    const { id, self } = await scene.klados('accept');
    const { expires_at, target_cid, job_collection } = await scene.invoke(id, { expires_in: 60 });
    scene.clock.ms += 30_000;
    for (const step of ['x', 'y']) {
      const rhiza = { id: scene.home.id, path: [step], parent_logs: [] };
      const answer = await scene.invoke(id, { job_collection, rhiza, expires_in: 86_400 }, self);
      expect(answer).toMatchObject({ status: 'started', expires_at, target_cid, grants: [{ expires_at }] });
    }
    for (const place of [scene.target.id, job_collection]) {
      const { relationships } = await read(scene.node, scene.who, place);
      const members = relationships.filter(({ peer }) => peer === id);
      expect(members).toMatchObject([{ properties: { expires_at } }]);
    }
    scene.clock.ms += 30_000;
    const rhiza = { id: scene.home.id, path: ['z'], parent_logs: [] };
    const late = scene.invocation({ job_collection, rhiza });
    expect((await ask(scene.node, self, `POST /kladoi/${id}/invoke`, late)).status).toBe(403);
  });

  test('gains nothing from a longer run of the same processors', async () => {
    const { id, self } = await scene.klados('accept');
    const short = await scene.invoke(id, { expires_in: 60 });
    const long = await scene.invoke(id, { expires_in: 86_400 });
    const { job_collection, expires_at } = short;
    expect(long.expires_at > expires_at).toBe(true);
    const rhiza = { id: scene.home.id, path: ['x'], parent_logs: [] };
    expect(await scene.invoke(id, { job_collection, rhiza, expires_in: 86_400 }, self)).toMatchObject({ expires_at });
    scene.clock.ms += 60_000;
    const late = scene.invocation({ job_collection, rhiza: { ...rhiza, path: ['y'] } });
    expect((await ask(scene.node, self, `POST /kladoi/${id}/invoke`, late)).status).toBe(403);
  });

  test('gives nothing in a collection that the run does not work in', async () => {
    const { handOn, jobs, first } = await begun();
    const other = await collection(scene.node, scene.who, { label: 'Other' });
    const file = await create(scene.node, scene.who, { type: 'file', collection: other.id });
    const sent = scene.endpoint.received.length;
    refused(await handOn({ target_collection: other.id, target_entity: file.id }));
    expect((await read(scene.node, scene.who, other.id)).cid).toBe(other.cid);
    expect(scene.endpoint.received).toHaveLength(sent);
    expect(await jobs()).toEqual([first.id]);
  });

  test.each(['first', 'second'] as const)('ends when the role of the %s is taken away', async (which) => {
    const run = await begun();
    await takeAway(run[which]);
    refused(await run.handOn());
    expect(await run.jobs()).toEqual([run.first.id]);
  });

  test('gives what the run gave, not what the klados asks for since then', async () => {
    const { handOn, second } = await begun();
    const { cid } = await read(scene.node, scene.who, second.id);
    const more = { expect_tip: cid, actions_required: ['entity:view', 'entity:update', 'entity:create'] };
    ok(await ask(scene.node, scene.who, `PUT /kladoi/${second.id}`, more));
    scene.clock.ms += 600_000;
    expect(ok<Started>(await handOn()).grants).toMatchObject([{ was_update: false }]);
    expect((await roles())[role(second.id)]).toEqual(['entity:view', 'entity:update']);
  });

  test('is let pass again when the run was resumed after its permissions had ended', async () => {
    const { handOn, jobs, first, second, whole, started } = await begun();
    scene.clock.ms += 7_200_000;
    refused(await handOn());
    ok(await ask(scene.node, scene.who, `POST /rhizai/${whole.id}/jobs/${started.job_id}/resume`, {}));
    await scene.node.ctx.invocations.idle();
    expect(ok<Started>(await handOn({}, [])).status).toBe('started');
    expect(await jobs()).toEqual([first.id, first.id, second.id]);
  });
});
