import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import { failed, JobScene, type Started, type Status } from '../helpers/job-scene.ts';
import { threadGate } from '../helpers/thread-gate.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterEach(() => vi.restoreAllMocks());
afterAll(() => scene[Symbol.asyncDispose]());

/** A workflow of a scatter and what gathers it, begun by somebody. */
async function begun(by = scene.who, ofSecond: object = {}) {
  const first = await scene.klados('accept');
  const second = await scene.klados('accept', ofSecond);
  const step = (id: string, then: object) => ({ klados: { id, type: 'klados' }, then });
  const flow = {
    a: step(first.id, { scatter: 'b' }),
    b: step(second.id, { gather: 'c' }),
    c: step(first.id, { done: true }),
  };
  const body = { label: 'r', version: '1', entry: 'a', flow, collection: scene.home.id };
  const { id, cid } = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
  const active = { expect_tip: cid, status: 'active' };
  const rhiza = ok<Entity>(await ask(scene.node, scene.who, `PUT /rhizai/${id}`, active));
  const started = ok<Started>(await ask(scene.node, by, `POST /rhizai/${rhiza.id}/invoke`, scene.invocation()));
  const { job_collection } = started;
  const path = `/rhizai/${rhiza.id}/jobs/${started.job_id}`;
  return {
    ...{ first, second, rhiza, started },
    status: async () => ok<Status>(await ask(scene.node, scene.who, `GET ${path}/status`)),
    resume: () => ask(scene.node, scene.who, `POST ${path}/resume`, {}),
    log: ({ self }: { self: Person }, job_id: string, entry: object) =>
      scene.log(self, { job_id, job_collection }, { rhiza_id: rhiza.id, ...entry }),
    /** Hands on to the second. */
    handOn: ({ self }: { self: Person }, log: Entity, context: object = {}, input?: object) =>
      ask(scene.node, self, `POST /kladoi/${second.id}/invoke`, {
        ...scene.invocation({ job_collection, ...(input && { input }) }),
        rhiza: { id: rhiza.id, path: ['a', 'b'], parent_logs: [log.id], ...context },
      }),
  };
}

/** What came of the one that was resumed. */
const repetition = (answer: { status: number; body: unknown }) =>
  ok<{ jobs: { new_job_id: string }[] }>(answer as Parameters<typeof ok>[0]).jobs[0]?.new_job_id ?? '';

async function fail(who: Person, { id }: Entity): Promise<void> {
  const { cid, properties } = await read(scene.node, who, id);
  const { log_data } = properties as { log_data: { entry: object } };
  const entry = { ...log_data.entry, status: 'error', error: failed };
  const body = { expect_tip: cid, properties: { status: 'error', log_data: { ...log_data, entry } } };
  ok(await ask(scene.node, who, `PUT /entities/${id}`, body));
}

test('a scatter that broke off leaves nothing open once its repetition is done', async () => {
  const { first, second, started, status, resume, log, handOn } = await begun();
  const broken = await log(first, started.job_id, { status: 'running' });
  const batch = await create(scene.node, first.self, {
    ...{ type: 'batch', collection: started.job_collection },
    properties: { job_id: started.job_id, status: 'pending', total: 2, gather_klados: first.id },
  });
  const slot = ok<Started>(await handOn(first, broken, { batch: { id: batch.id, index: 0, total: 2 } }));
  await log(second, slot.job_id, { status: 'done' });
  await fail(first.self, broken);
  await log(first, repetition(await resume()), { status: 'done' });
  expect(await status()).toMatchObject({ status: 'done', progress: { total: 3, done: 2, error: 1 } });
});

test('a job that has been repeated hands on no more: its repetition does', async () => {
  const { first, started, status, resume, log, handOn } = await begun();
  const old = await log(first, started.job_id, { status: 'running' });
  await fail(first.self, old);
  const again = repetition(await resume());
  const own = await log(first, again, { status: 'running' });
  const late = await handOn(first, old);
  expect([late.status, late.text]).toEqual([403, expect.stringContaining(`has been repeated as ${again}`)]);
  expect(ok<Started>(await handOn(first, own))).toMatchObject({ status: 'started' });
  expect(await status()).toMatchObject({ progress: { total: 3 } });
});

test('a job that is repeated while the input is checked of what it hands on hands that on no more', async () => {
  const input_schema = { properties: { text: { type: 'string' } } };
  const { first, started, status, resume, log, handOn } = await begun(scene.who, { input_schema });
  const old = await log(first, started.job_id, { status: 'running' });
  const checks = threadGate('checkInputs');
  const handing = handOn(first, old, {}, { text: 'aaa' });
  await expect.poll(() => checks.begun).toHaveLength(1);
  await fail(first.self, old);
  const again = repetition(await resume());
  checks.open();
  const late = await handing;
  expect([late.status, late.text]).toEqual([403, expect.stringContaining(`has been repeated as ${again}`)]);
  const own = await log(first, again, { status: 'running' });
  expect(ok<Started>(await handOn(first, own, {}, { text: 'aaa' }))).toMatchObject({ status: 'started' });
  expect(await status()).toMatchObject({ progress: { total: 3 } });
});

test.each(['resumed', 'reinvoked'])(
  'a run that is %s gives what it gave, not what its kladoi ask for since then',
  async (how) => {
    const { first, second, started, resume, log } = await begun();
    const given = ['entity:view', 'entity:create'];
    const failing = await log(first, started.job_id, { status: 'error', error: failed });
    for (const { id } of [first, second]) {
      const { cid } = await read(scene.node, scene.who, id);
      const more = { expect_tip: cid, actions_required: ['*:view', '*:update', '*:create'] };
      ok(await ask(scene.node, scene.who, `PUT /kladoi/${id}`, more));
    }
    scene.clock.ms += 600_000;
    if (how === 'resumed') repetition(await resume());
    else ok(await ask(scene.node, scene.who, `POST /kladoi/${first.id}/reinvoke`, { log_id: failing.id }));
    const { roles } = (await read(scene.node, scene.who, scene.target.id)).properties as { roles: object };
    for (const { id } of [first, second]) expect(roles).toMatchObject({ [`klados_${id.toLowerCase()}`]: given });
    const store = await scene.node.ctx.networks.get('main');
    const granted = store.read((db) =>
      db.all<{ actions: string }>('SELECT DISTINCT actions FROM job_grant WHERE run = ?', started.job_id),
    );
    expect(granted).toEqual([{ actions: JSON.stringify(given) }]);
  },
);

test('what is repeated hands on with the permissions of whoever repeated it, as often as it takes', async () => {
  const alice = await user(scene.node, crypto.randomUUID());
  await enrol(scene.node, scene.who, scene.target.id, alice, 'editor');
  const { first, second, started, resume, log, handOn } = await begun(alice);
  const old = await log(first, started.job_id, { status: 'error', error: failed });
  ok(await ask(scene.node, scene.who, `DELETE /collections/${scene.target.id}/members/${alice.id}?role=editor`));
  expect((await handOn(first, old)).status).toBe(403);
  const again = await log(first, repetition(await resume()), { status: 'running' });
  const { job_id } = ok<Started>(await handOn(first, again));
  const next = await log(second, job_id, { status: 'running' });
  expect(ok<Started>(await handOn(second, next))).toMatchObject({ status: 'started' });
});

test('a workflow that is disabled is not resumed, as it is not invoked', async () => {
  const { first, rhiza, started, resume, log } = await begun();
  await log(first, started.job_id, { status: 'error', error: failed });
  const put = (body: object) => ask(scene.node, scene.who, `PUT /rhizai/${rhiza.id}`, body);
  const { cid } = ok<Entity>(await put({ expect_tip: rhiza.cid, status: 'disabled' }));
  const sent = scene.endpoint.received.length;
  const invoked = await ask(scene.node, scene.who, `POST /rhizai/${rhiza.id}/invoke`, scene.invocation());
  const refused = await resume();
  expect([refused.status, refused.body]).toEqual([400, invoked.body]);
  expect(scene.endpoint.received).toHaveLength(sent);
  ok(await put({ expect_tip: cid, status: 'active' }));
  expect(repetition(await resume())).toMatch(/^job_/);
});
