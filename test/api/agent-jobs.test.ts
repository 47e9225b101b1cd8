import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAnsweringServer } from '../helpers/answering-server.ts';
import { ask, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { agent } from '../helpers/processors.ts';
import { activate, processorKey } from '../helpers/worker-processes.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

const hour = 3_600_000;

async function anAgent(behaviour: string, more: object = {}): Promise<{ id: string; self: Person }> {
  const given = { endpoint: `${scene.endpoint.url}/${behaviour}`, actions_required: ['entity:update'], ...more };
  const { id } = await activate(scene.node, scene.who, await agent(scene.node, scene.who, scene.home.id, given));
  const key = processorKey(scene.node, scene.who, id, 'agent');
  return { id, self: { id, headers: { Authorization: `ApiKey ${key}` } } };
}

interface Started {
  status: string;
  job_id: string;
  job_collection: string;
  grants: { agent_id: string; was_update: boolean }[];
  expires_at: string;
}
const invoke = async (id: string, more: object = {}, who = scene.who) =>
  ok<Started>(
    await ask(scene.node, who, `POST /agents/${id}/invoke`, { target: scene.target.id, confirm: true, ...more }),
  );
const statusOf = (id: string, job: string) => ask(scene.node, scene.who, `GET /agents/${id}/jobs/${job}/status`);

describe('an agent', () => {
  test('is sent its job, and gets its grants with all agents that it uses', async () => {
    const leaf = await anAgent('accept', { actions_required: ['entity:view'] });
    const middle = await anAgent('accept', { uses_agents: [{ pi: leaf.id }] });
    const whole = await anAgent('accept', { uses_agents: [{ pi: middle.id }, { pi: leaf.id }] });
    const started = await invoke(whole.id, { input: { depth: 1 } });
    expect(started.grants.map(({ agent_id }) => agent_id)).toEqual([whole.id, middle.id, leaf.id]);
    expect(scene.endpoint.received).toEqual([
      {
        behaviour: 'accept',
        body: {
          job_id: started.job_id,
          target: scene.target.id,
          job_collection: started.job_collection,
          input: { depth: 1 },
          api_base: scene.node.url,
          expires_at: new Date(scene.clock.ms + hour).toISOString(),
          network: 'main',
        },
      },
    ]);
    const { relationships } = await read(scene.node, scene.who, scene.target.id);
    expect(relationships.map(({ peer }) => peer)).toEqual(expect.arrayContaining([whole.id, middle.id, leaf.id]));
  });

  test('warns of those that it would grant to, whichever member names them, and is given no two for one', async () => {
    const named = await anAgent('accept');
    const whole = await anAgent('accept');
    const { cid } = await read(scene.node, scene.who, whole.id);
    const put = (uses_agents: object[]) =>
      ask(scene.node, scene.who, `PUT /entities/${whole.id}`, { expect_tip: cid, properties: { uses_agents } });
    const other = { pi: named.id, id: scene.target.id };
    for (const refused of [[other], [{ pi: named.id, id: 'x' }]])
      expect(await put(refused)).toMatchObject({
        status: 400,
        body: { details: { issues: [{ path: ['uses_agents', 0, 'id'] }] } },
      });
    const special = await ask(scene.node, scene.who, `PUT /agents/${whole.id}`, {
      expect_tip: cid,
      uses_agents: [other],
    });
    expect(special).toMatchObject({ status: 400, body: { details: { issues: [{ path: ['uses_agents', 0, 'id'] }] } } });
    ok(await put([{ id: named.id }, { pi: named.id, id: named.id }]));
    const told = await ask(scene.node, scene.who, `GET /agents/${whole.id}`);
    expect(told.body).toMatchObject({ warnings: [] });
    expect((await invoke(whole.id)).grants.map(({ agent_id }) => agent_id)).toEqual([whole.id, named.id]);
  });

  test('that orchestrates begins jobs of the others within its own collection', async () => {
    const { id } = await anAgent('accept');
    const whole = await anAgent('accept', { uses_agents: [{ pi: id }] });
    const { job_collection } = await invoke(whole.id);
    const sub = await invoke(id, { job_collection, expires_in: 7200 }, whole.self);
    expect(sub.status).toBe('started');
    const made: Entity = await read(scene.node, scene.who, sub.job_collection);
    expect(made.relationships[0]).toMatchObject({ predicate: 'collection', peer: job_collection });
    // Whoever owns the orchestrator owns what it makes.
    expect(made.relationships).toContainEqual(expect.objectContaining({ predicate: 'owner', peer: scene.who.id }));
    const elsewhere = await collection(scene.node, scene.who);
    const refused = await ask(scene.node, whole.self, `POST /agents/${id}/invoke`, {
      ...{ target: scene.target.id, job_collection: elsewhere.id, confirm: true },
    });
    expect(refused.status).toBe(403);
  });

  test('that orchestrates hands on to others that need more than itself, through those to more', async () => {
    const leaf = await anAgent('accept', { actions_required: ['entity:view', 'entity:create'] });
    const middle = await anAgent('accept', { uses_agents: [{ pi: leaf.id }] });
    const whole = await anAgent('accept', { actions_required: ['entity:view'], uses_agents: [{ pi: middle.id }] });
    const { job_id, job_collection, expires_at } = await invoke(whole.id);
    scene.clock.ms += 600_000;
    const sub = await invoke(middle.id, { job_collection, expires_in: 7200 }, whole.self);
    expect(sub.grants.map(({ agent_id }) => agent_id)).toEqual([middle.id, leaf.id]);
    expect(scene.endpoint.received.at(-1)?.body).toMatchObject({
      job_id: sub.job_id,
      job_collection: sub.job_collection,
      // The run's own end, whatever it asks for.
      expires_at,
    });
    const last = await invoke(leaf.id, { job_collection: sub.job_collection }, middle.self);
    const made = await read(scene.node, scene.who, last.job_collection);
    expect(made.properties.label).toBe(`Pipeline Job: ${last.job_id}`);
    // It is all one run.
    const { jobs } = ok<{ jobs: { job_id: string; parent: string | null }[] }>(
      await ask(scene.node, scene.who, `GET /node/jobs/${last.job_id}`),
    );
    expect(jobs.map(({ job_id, parent }) => [job_id, parent])).toEqual([
      [job_id, null],
      [sub.job_id, job_id],
      [last.job_id, sub.job_id],
    ]);
  });

  test('that orchestrates and leaves before it hears that another has begun is told of that when it asks again', async () => {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    await using worker = await startAnsweringServer(async () => {
      await taken;
      return { body: { accepted: true } };
    });
    const { id } = await anAgent('', { endpoint: worker.url });
    const whole = await anAgent('accept', { uses_agents: [{ pi: id }] });
    const { job_id, job_collection } = await invoke(whole.id);
    const body = { target: scene.target.id, job_collection, input: { page: 1 }, confirm: true };
    const asking = request(new URL(`/agents/${id}/invoke`, scene.node.url), {
      ...{ method: 'POST', agent: false, headers: { ...whole.self.headers, 'Content-Type': 'application/json' } },
    });
    asking.on('error', () => undefined);
    asking.end(JSON.stringify(body));
    await expect.poll(() => worker.seen).toHaveLength(1);
    const left = new Promise((resolve) => asking.once('close', resolve));
    asking.destroy();
    await left;
    await scene.node.fetch('/health');
    const again = invoke(id, { job_collection, input: { page: 1 } }, whole.self);
    const other = invoke(id, { job_collection, input: { page: 2 } }, whole.self);
    await expect.poll(() => worker.seen).toHaveLength(2);
    take();
    const jobs = async () =>
      ok<{ jobs: { job_id: string }[] }>(await ask(scene.node, scene.who, `GET /node/jobs/${job_id}`)).jobs.map(
        (one) => one.job_id,
      );
    const [first, second] = [await again, await other];
    expect(await jobs()).toEqual([job_id, first.job_id, second.job_id]);
    // Whoever has heard of it begins another one.
    const third = await invoke(id, { job_collection, input: { page: 1 } }, whole.self);
    expect(await jobs()).toEqual([job_id, first.job_id, second.job_id, third.job_id]);
  });

  test('that orchestrates gives no more than its run gave, and nowhere else', async () => {
    const { id } = await anAgent('accept');
    const stranger = await anAgent('accept');
    const whole = await anAgent('accept', { actions_required: ['entity:view'], uses_agents: [{ pi: id }] });
    const { job_collection } = await invoke(whole.id);
    const start = (of: string, more: object = {}) =>
      ask(scene.node, whole.self, `POST /agents/${of}/invoke`, {
        ...{ target: scene.target.id, job_collection, confirm: true },
        ...more,
      });
    const elsewhere = await collection(scene.node, scene.who);
    const refused = [
      await start(id, { target: elsewhere.id }),
      await start(id, { job_collection: undefined }),
      await start(stranger.id),
    ];
    expect((await start(id)).status).toBe(202);
    const role = `agent_${id.toLowerCase()}`;
    ok(await ask(scene.node, scene.who, `DELETE /collections/${scene.target.id}/members/${id}?role=${role}`));
    refused.push(await start(id));
    for (const { status, body } of refused)
      expect([status, body]).toMatchObject([
        403,
        { error: expect.stringMatching(/^Action not allowed: entity:update/) },
      ]);
  });

  test('that cannot be reached is a 502, and an error when the time of the job is up', async () => {
    const { id } = await anAgent('accept');
    const { job_id } = await invoke(id);
    const { cid } = await read(scene.node, scene.who, id);
    const moved = await ask(scene.node, scene.who, `PUT /agents/${id}`, {
      expect_tip: cid,
      endpoint: 'http://127.0.0.1:1',
    });
    await activate(scene.node, scene.who, ok<Entity>(moved));
    const unreachable = await statusOf(id, job_id);
    expect([unreachable.status, unreachable.body]).toEqual([
      502,
      { error: expect.stringMatching(/^Failed to reach agent: /) },
    ]);
    scene.clock.ms += hour;
    expect(ok(await statusOf(id, job_id))).toMatchObject({ job_id, status: 'error', error: { code: 'TIMEOUT' } });
  });

  test('that says for ever that it runs has timed out', async () => {
    const { id } = await anAgent('accept');
    const { job_id } = await invoke(id);
    const progress = { total: 2, pending: 1, done: 1, error: 0 };
    scene.endpoint.status = { job_id, status: 'running', progress, started_at: 'now', phase: 'reading' };
    expect(ok(await statusOf(id, job_id))).toEqual(scene.endpoint.status);
    scene.clock.ms += hour;
    expect(ok(await statusOf(id, job_id))).toMatchObject({ status: 'error', error: { code: 'TIMEOUT' }, progress });
    scene.endpoint.status = { job_id, status: 'done', progress, started_at: 'now', result: { pages: 3 } };
    expect(ok(await statusOf(id, job_id))).toEqual(scene.endpoint.status);
  });

  test('that says little of a job says no less than clients read, and nothing of another job', async () => {
    const { id } = await anAgent('accept');
    const { job_id } = await invoke(id);
    const started_at = new Date(scene.clock.ms).toISOString();
    const progress = { total: 0, pending: 0, done: 0, error: 0 };
    scene.endpoint.status = { status: 'running' };
    expect(ok(await statusOf(id, job_id))).toEqual({ job_id, status: 'running', progress, started_at });
    scene.endpoint.status = { job_id: 'job_OTHER', status: 'done', progress: { total: 3, done: 3 }, phase: 'over' };
    const over = { job_id, status: 'done', progress: { ...progress, total: 3, done: 3 }, started_at, phase: 'over' };
    expect(ok(await statusOf(id, job_id))).toEqual(over);
    scene.endpoint.status = { status: 'running', progress: 'half', started_at: null };
    expect(ok(await statusOf(id, job_id))).toEqual({ job_id, status: 'running', progress, started_at });
    scene.clock.ms += hour;
    expect(ok(await statusOf(id, job_id))).toMatchObject({ job_id, status: 'error', progress, started_at });
  });

  test('whose answer is nested without end is a 502', async () => {
    await using worker = await startAnsweringServer(({ path }) => ({
      body: path === '/process' ? {} : `{"status":"running","of":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    }));
    const { id } = await anAgent('', { endpoint: worker.url });
    const { job_id } = await invoke(id);
    const { status, body } = await statusOf(id, job_id);
    expect([status, body]).toEqual([502, { error: 'Failed to reach agent: its answer is nested too deeply' }]);
  });

  test('that refused a job is not asked for it', async () => {
    const { id } = await anAgent('refuse');
    expect(await invoke(id)).toMatchObject({ status: 'rejected', error: 'no work today' });
    const job = String(scene.endpoint.received[0]?.body.job_id);
    expect(ok(await statusOf(id, job))).toMatchObject({
      status: 'error',
      error: { code: 'REJECTED', message: 'no work today' },
    });
  });
});
