import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { stoppedMeanwhile } from '../../src/server/model/job-state.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, nowhere, ok, read } from '../helpers/entities.ts';
import { failed, JobScene, type Started, type Status } from '../helpers/job-scene.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { threadGate } from '../helpers/thread-gate.ts';
import { activate, activeKlados } from '../helpers/worker-processes.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

/** A workflow of two steps, begun: the first klados has written its log. */
async function begun() {
  const [first, second] = [await scene.klados('accept'), await scene.klados('accept')];
  const step = (id: string, then: object) => ({ klados: { id, type: 'klados' }, then });
  const flow = { a: step(first.id, { scatter: 'b' }), b: step(second.id, { done: true }) };
  const body = { label: 'r', version: '1', entry: 'a', flow, collection: scene.home.id };
  const rhiza = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
  const started = ok<Started>(await ask(scene.node, scene.who, `POST /rhizai/${rhiza.id}/invoke`, scene.invocation()));
  const log = await scene.log(first.self, started, { status: 'running', rhiza_id: rhiza.id });
  const context = (more: object = {}) => ({ id: rhiza.id, path: ['a', 'b'], parent_logs: [log.id], ...more });
  const handOn = (who: Person, rhizaContext: object, more: object = {}) =>
    ask(scene.node, who, `POST /kladoi/${second.id}/invoke`, {
      ...scene.invocation({ job_collection: started.job_collection, rhiza: rhizaContext, ...more }),
    });
  const status = async () =>
    ok<Status>(await ask(scene.node, scene.who, `GET /rhizai/${rhiza.id}/jobs/${started.job_id}/status`));
  const resume = async (body: object = {}) =>
    ok<{ resumed: number; skipped: number; jobs: { new_job_id: string }[] }>(
      await ask(scene.node, scene.who, `POST /rhizai/${rhiza.id}/jobs/${started.job_id}/resume`, body),
    );
  return { first, second, rhiza, started, log, context, handOn, status, resume };
}

describe('a handoff', () => {
  test('is let pass from a klados of the run, with what the run began with', async () => {
    const { first, context, handOn, started } = await begun();
    const batch = { id: nowhere, index: 1, total: 2 };
    const answer = ok<Started>(await handOn(first.self, context({ batch, recurse_depth: 3, mine: { a: [1] } })));
    expect(answer).toMatchObject({ status: 'started', job_collection: started.job_collection });
    // Members that the node does not know go on to the next one as they are.
    expect(scene.endpoint.received.at(-1)?.body).toMatchObject({
      job_id: answer.job_id,
      job_collection: started.job_collection,
      rhiza: context({ batch, recurse_depth: 3, mine: { a: [1] } }),
    });
    expect(answer.grants).toMatchObject([{ was_update: false }]);
  });

  test('that is sent twice is one job, at once or later', async () => {
    const { first, context, handOn } = await begun();
    const slot = (index: number) => context({ batch: { id: nowhere, index, total: 9 } });
    const all = await Promise.all([0, 0, 1, 0, 1].map((index) => handOn(first.self, slot(index))));
    const again = await handOn(first.self, slot(0));
    const ids = [...all, again].map((answer) => ok<Started>(answer).job_id);
    expect(new Set(ids).size).toBe(2);
    expect([ids[0], ids[1], ids[3], ids[5]].every((id) => id === ids[0])).toBe(true);
    expect(scene.endpoint.received).toHaveLength(3);
  });

  test('with another input is another job, whatever the order of its members', async () => {
    const { first, context, handOn } = await begun();
    const inputs = [{ page: 1, of: [{ a: 1, b: 2 }] }, { page: 2 }, undefined, { of: [{ b: 2, a: 1 }], page: 1 }];
    const ids: string[] = [];
    for (const input of inputs) ids.push(ok<Started>(await handOn(first.self, context(), { input })).job_id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[0]);
    const sent = scene.endpoint.received.slice(1).map(({ body }) => (body as { input?: object }).input);
    expect(sent).toEqual(inputs.slice(0, 3));
  });

  test('that was sent before an upgrade, when inputs were not told apart, is still known', async () => {
    const { first, context, handOn } = await begun();
    const { job_id } = ok<Started>(await handOn(first.self, context()));
    const [input, other] = [{ page: 1, of: 2 }, { page: 2 }];
    const db = new Database(join(scene.node.ctx.config.data, 'main', 'archeion.db'));
    db.prepare("UPDATE job SET request = json_set(request, '$.input', json(?)) WHERE id = ?").run(
      JSON.stringify(input),
      job_id,
    );
    db.close();
    expect(ok<Started>(await handOn(first.self, context(), { input: { of: 2, page: 1 } })).job_id).toBe(job_id);
    expect(ok<Started>(await handOn(first.self, context(), { input: other })).job_id).not.toBe(job_id);
  });

  test('of equal outputs of a scatter without a batch is as many jobs', async () => {
    const { first, context, handOn } = await begun();
    const [one, other] = [
      await handOn(first.self, context({ scatter_total: 2 })),
      await handOn(first.self, context({ scatter_total: 2 })),
    ];
    expect(ok<Started>(one).job_id).not.toBe(ok<Started>(other).job_id);
  });

  test('of equal outputs of a scatter without a batch, which a kill left without an answer, is told of each of their jobs once', async () => {
    const { first, context, handOn } = await begun();
    const next = async () => ok<Started>(await handOn(first.self, context({ scatter_total: 2 }))).job_id;
    const begunBefore = [await next(), await next()];
    const db = new Database(join(scene.node.ctx.config.data, 'main', 'archeion.db'));
    const left = db.prepare("UPDATE job SET state = 'unknown', error = ? WHERE id = ?");
    for (const id of begunBefore) left.run(stoppedMeanwhile, id);
    db.close();
    expect([await next(), await next()]).toEqual(begunBefore);
    expect(scene.endpoint.received).toHaveLength(3);
    expect(begunBefore).not.toContain(await next());
  });

  test('is refused to others, and to the klados itself when its time is up', async () => {
    const { first, context, handOn } = await begun();
    // Without the public right to invoke, only the run gives it.
    const { cid } = await read(scene.node, scene.who, scene.home.id);
    const closed = { expect_tip: cid, properties: { roles: { public: ['*:view'] } } };
    ok(await ask(scene.node, scene.who, `PUT /collections/${scene.home.id}`, closed));
    const stranger = await scene.klados('accept');
    expect((await handOn(stranger.self, context())).status).toBe(403);
    expect((await handOn(first.self, context())).status).toBe(202);
    // A klados that is not of the run.
    const elsewhere = await ask(scene.node, first.self, `POST /kladoi/${stranger.id}/invoke`, {
      ...scene.invocation({ rhiza: context() }),
    });
    expect(elsewhere.status).toBe(403);
    scene.clock.ms += 3_600_000;
    expect((await handOn(first.self, context({ recurse_depth: 1 }))).status).toBe(403);
    const { cid: now } = await read(scene.node, scene.who, scene.home.id);
    const open = { expect_tip: now, properties: { roles: { public: ['*:view', '*:invoke'] } } };
    ok(await ask(scene.node, scene.who, `PUT /collections/${scene.home.id}`, open));
  });

  test('gives no more than whoever began the run still holds', async () => {
    const person = await user(scene.node, crypto.randomUUID());
    await enrol(scene.node, scene.who, scene.target.id, person, 'editor');
    const [first, second] = [await scene.klados('accept'), await scene.klados('accept')];
    const flow = {
      a: { klados: { id: first.id }, then: { pass: 'b' } },
      b: { klados: { id: second.id }, then: { done: true } },
    };
    const body = { label: 'r', version: '1', entry: 'a', flow, collection: scene.home.id };
    const made = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
    ok(await ask(scene.node, scene.who, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, status: 'active' }));
    const started = ok<Started>(await ask(scene.node, person, `POST /rhizai/${made.id}/invoke`, scene.invocation()));
    const members = `/collections/${scene.target.id}/members/${person.id}?role=editor`;
    ok(await ask(scene.node, scene.who, `DELETE ${members}`));
    scene.clock.ms += 600_000;
    const context = { id: made.id, path: ['a', 'b'], parent_logs: [] };
    const answer = await ask(scene.node, first.self, `POST /kladoi/${second.id}/invoke`, {
      ...scene.invocation({ job_collection: started.job_collection, rhiza: context }),
    });
    expect([answer.status, answer.body]).toMatchObject([403, { error: expect.stringMatching(/^Action not allowed/) }]);
  });

  test('of one output is taken by a klados that accepts many, and the other way round', async () => {
    const many = await scene.klados('accept', { accepts: { types: ['*'], cardinality: 'many' } });
    await scene.invoke(many.id);
    expect(scene.endpoint.received[0]?.body).toMatchObject({ target_entities: [scene.file.id] });
    const one = await scene.klados('accept');
    await scene.invoke(one.id, { target_entity: undefined, target_entities: [scene.file.id] });
    expect(scene.endpoint.received[1]?.body).toMatchObject({ target_entity: scene.file.id });
  });
});

describe('a run', () => {
  test('is an error when a handoff was refused, and is resumed', async () => {
    const { first, second, context, handOn, log, status, resume } = await begun();
    const broken = await read(scene.node, scene.who, second.id);
    const { endpoint } = broken.properties as { endpoint: string };
    const move = async (to: string) => {
      const { cid } = await read(scene.node, scene.who, second.id);
      const moved = await ask(scene.node, scene.who, `PUT /kladoi/${second.id}`, { expect_tip: cid, endpoint: to });
      await activate(scene.node, scene.who, ok<Entity>(moved));
    };
    await move(endpoint.replace('accept', 'refuse'));
    expect(ok<Started>(await handOn(first.self, context({ scatter_total: 1 }))).status).toBe('rejected');
    const done = { properties: { status: 'done', log_data: { entry: { status: 'done' } } } };
    ok(await ask(scene.node, first.self, `PUT /entities/${log.id}`, { expect_tip: log.cid, ...done }));
    expect(await status()).toMatchObject({
      status: 'error',
      progress: { total: 2, done: 1, error: 1 },
      errors: [{ klados_id: second.id, code: 'REJECTED', retryable: true }],
    });
    await move(endpoint);
    const { jobs, resumed } = await resume();
    expect(resumed).toBe(1);
    await scene.node.ctx.invocations.idle();
    const sent = scene.endpoint.received.at(-1)?.body as { job_id: string; job_collection: string };
    expect(sent.job_id).toBe(jobs[0]?.new_job_id);
    expect(await status()).toMatchObject({ status: 'running', progress: { total: 3, pending: 1 } });
    await scene.log(second.self, sent, { status: 'done' });
    expect(await status()).toMatchObject({ status: 'done', progress: { total: 3, done: 2, error: 1 } });
  });

  test('is done once a handoff that was refused has been taken after all', async () => {
    const { first, second, context, handOn, log, status, resume } = await begun();
    scene.endpoint.become('accept', 'refuse');
    const batch = { id: nowhere, index: 0, total: 1 };
    expect(ok<Started>(await handOn(first.self, context({ batch }))).status).toBe('rejected');
    scene.endpoint.become('accept', 'accept');
    const taken = ok<Started>(await handOn(first.self, context({ batch })));
    expect(taken.status).toBe('started');
    await scene.log(second.self, taken, { status: 'done' });
    const done = { properties: { status: 'done', log_data: { entry: { status: 'done' } } } };
    ok(await ask(scene.node, first.self, `PUT /entities/${log.id}`, { expect_tip: log.cid, ...done }));
    expect(await status()).toMatchObject({ status: 'done', progress: { total: 3, done: 2, error: 1 } });
    expect((await status()).errors).toBeUndefined();
    expect(await resume()).toMatchObject({ resumed: 0, skipped: 0 });
  });

  test('is begun once where a refused handoff is resumed and sent again at once', async () => {
    const { first, context, handOn, status, resume } = await begun();
    scene.endpoint.become('accept', 'refuse');
    const batch = { id: nowhere, index: 0, total: 1 };
    expect(ok<Started>(await handOn(first.self, context({ batch }))).status).toBe('rejected');
    scene.endpoint.become('accept', 'accept');
    const [again, resumed] = await Promise.all([handOn(first.self, context({ batch })), resume()]);
    await scene.node.ctx.invocations.idle();
    expect(ok<Started>(again).status).toBe('started');
    expect(resumed.resumed).toBeLessThanOrEqual(1);
    expect(scene.endpoint.received).toHaveLength(3);
    expect((await status()).progress.total).toBe(3);
  });

  test('has its grants prolonged when it is resumed after their end', async () => {
    const { first, started, status, resume } = await begun();
    scene.clock.ms += 7_200_000;
    expect(await status()).toMatchObject({ status: 'error', errors: [{ code: 'TIMEOUT' }] });
    expect((await resume()).resumed).toBe(1);
    await scene.node.ctx.invocations.idle();
    const sent = scene.endpoint.received.at(-1)?.body as { job_id: string; job_collection: string; expires_at: string };
    expect(sent.job_collection).toBe(started.job_collection);
    expect(sent.expires_at).toBe(new Date(scene.clock.ms + 3_600_000).toISOString());
    const log = await scene.log(first.self, sent, { status: 'running' });
    expect(log.type).toBe('klados_log');
    // Twice at once resumes once.
    scene.clock.ms += 7_200_000;
    const both = await Promise.all([resume(), resume()]);
    expect(both.map(({ resumed }) => resumed).sort()).toEqual([0, 1]);
  });

  test.each(['one', 'many'])(
    'is not reinvoked while its target is deleted, and is when that is back, of %s',
    async (cardinality) => {
      const { id, self } = await scene.klados('accept', { accepts: { types: ['*'], cardinality } });
      const targets = { target_entity: undefined, target_entities: [scene.file.id] };
      const started = await scene.invoke(id, cardinality === 'many' ? targets : {});
      const log = await scene.log(self, started, { status: 'error', error: failed });
      const { cid } = await read(scene.node, scene.who, scene.file.id);
      const grave = ok<Entity>(
        await ask(scene.node, scene.who, `DELETE /entities/${scene.file.id}`, { expect_tip: cid }),
      );
      const sent = scene.endpoint.received.length;
      const again = () => ask(scene.node, scene.who, `POST /kladoi/${id}/reinvoke`, { log_id: log.id });
      const issue = {
        path: ['log_id'],
        message: `the target of its job is not here: there is no entity ${scene.file.id}`,
      };
      expect(await again()).toMatchObject({ status: 400, body: { details: { issues: [issue] } } });
      expect(scene.endpoint.received).toHaveLength(sent);
      ok(await ask(scene.node, scene.who, `POST /entities/${scene.file.id}/restore`, { expect_tip: grave.cid }));
      expect(await again()).toMatchObject({ status: 202, body: { accepted: true } });
    },
  );

  test('reinvoked by its log goes on as the same run', async () => {
    const { first, rhiza, started, log, status } = await begun();
    const error = { properties: { status: 'error', log_data: { entry: { status: 'error', error: failed } } } };
    ok(await ask(scene.node, first.self, `PUT /entities/${log.id}`, { expect_tip: log.cid, ...error }));
    const again = ok<{ job_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${first.id}/reinvoke`, { log_id: log.id, expires_in: 120 }),
    );
    expect(scene.endpoint.received.at(-1)?.body).toMatchObject({
      job_id: again.job_id,
      job_collection: started.job_collection,
      target_entity: scene.file.id,
      rhiza: { id: rhiza.id, path: ['a'], parent_logs: [log.id] },
    });
    expect(await status()).toMatchObject({ status: 'running', progress: { total: 2, pending: 1, error: 1 } });
  });
});

describe('a batch', () => {
  test('becomes jobs that are all sent, each with its own input', async () => {
    const { id, self } = await scene.klados('accept');
    const invocations = Array.from({ length: 450 }, (_, i) => ({
      target_entity: scene.file.id,
      ...(i % 2 === 0 && { input: { page: i } }),
    }));
    const body = { target_collection: scene.target.id, invocations, input: { lang: 'en', page: -1 }, confirm: true };
    const answer = ok<{ dispatch_id: string; job_collection: string; total: number }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body),
    );
    expect(answer.total).toBe(450);
    await scene.node.ctx.invocations.idle();
    expect(scene.endpoint.received).toHaveLength(450);
    const pages = scene.endpoint.received.map(({ body }) => (body.input as { page: number }).page);
    expect(pages.toSorted((a, b) => a - b).slice(-3)).toEqual([444, 446, 448]);
    expect(pages.filter((page) => page === -1)).toHaveLength(225);
    const status = await scene.status(id, answer.dispatch_id);
    expect(status).toMatchObject({ status: 'pending', progress: { total: 450, pending: 450 } });
    const jobs = scene.endpoint.received.map(({ body }) => body as { job_id: string; job_collection: string });
    expect(new Set(jobs.map(({ job_id }) => job_id)).size).toBe(450);
    await scene.log(self, jobs[0] as Started, { status: 'done' });
    expect(await scene.status(id, answer.dispatch_id)).toMatchObject({
      status: 'running',
      progress: { total: 450, pending: 449, done: 1 },
    });
  });

  test('gives a klados that accepts many each entity as a list', async () => {
    const { id } = await scene.klados('accept', { accepts: { types: ['*'], cardinality: 'many' } });
    const body = { target_collection: scene.target.id, invocations: [{ target_entity: scene.file.id }], confirm: true };
    ok(await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body));
    await expect.poll(() => scene.endpoint.received).toHaveLength(1);
    const { target_entity, target_entities } = scene.endpoint.received[0]?.body ?? {};
    expect([target_entity, target_entities]).toEqual([undefined, [scene.file.id]]);
  });

  test('for one that is slow holds up nobody else', async () => {
    await using endpoint = await startProcessorEndpoint();
    await using node = await startNode({ env: { ARCHEION_JOB_TIMEOUT: '600' } });
    const who = operator(node);
    const home = await collection(node, who);
    const target = await collection(node, who);
    const dispatch = async (behaviour: string, count: number) => {
      const { klados } = await activeKlados(node, who, home.id, { endpoint: `${endpoint.url}/${behaviour}` });
      const invocations = Array.from({ length: count }, () => ({ target_entity: target.id }));
      const body = { target_collection: target.id, invocations, confirm: true };
      ok(await ask(node, who, `POST /kladoi/${klados.id}/invoke/batch`, body));
    };
    const received = (behaviour: string) => endpoint.received.filter((job) => job.behaviour === behaviour).length;
    await dispatch('hang', 450);
    await expect.poll(() => received('hang')).toBe(10);
    await dispatch('accept', 450);
    await expect.poll(() => received('accept')).toBe(450);
    expect(received('hang')).toBe(10);
    expect(new Set(endpoint.received.map(({ body }) => body.job_id)).size).toBe(460);
  });

  test('of which very many are for one that is slow hold up nobody else', async () => {
    await using endpoint = await startProcessorEndpoint();
    await using node = await startNode({ env: { ARCHEION_JOB_TIMEOUT: '600' } });
    const who = operator(node);
    const target = await collection(node, who);
    const of = async (behaviour: string) => {
      const made = await activeKlados(node, who, target.id, { endpoint: `${endpoint.url}/${behaviour}` });
      return made.klados.id;
    };
    const [slow, quick] = [await of('hang'), await of('accept')];
    const dispatch = async (klados: string) => {
      const body = { target_collection: target.id, invocations: [{ target_entity: target.id }], confirm: true };
      ok(await ask(node, who, `POST /kladoi/${klados}/invoke/batch`, body));
    };
    for (let i = 0; i < 115; i++) await dispatch(slow);
    await dispatch(quick);
    const received = (behaviour: string) => endpoint.received.filter((job) => job.behaviour === behaviour).length;
    await expect.poll(() => received('accept')).toBe(1);
    expect(received('hang')).toBe(10);
  }, 60_000);

  test('is tried again at growing distances while the store does not take what becomes of it', async () => {
    await using folder = await temporaryFolder();
    await using endpoint = await startProcessorEndpoint();
    await using node = await startNode({ data: folder.path });
    const who = operator(node);
    const home = await collection(node, who);
    const { klados } = await activeKlados(node, who, home.id, { endpoint: `${endpoint.url}/accept` });
    await using opened = new AsyncDisposableStack();
    const db = opened.adopt(new Database(join(folder.path, 'main', 'archeion.db')), (it) => void it.close());
    db.exec("CREATE TRIGGER stuck BEFORE UPDATE ON job BEGIN SELECT RAISE(ABORT, 'no more'); END");
    const body = { target_collection: home.id, invocations: [{ target_entity: home.id }], confirm: true };
    ok(await ask(node, who, `POST /kladoi/${klados.id}/invoke/batch`, body));
    const failures = () => node.logged.filter((line) => line.includes('they are tried again')).length;
    await expect.poll(failures).toBeGreaterThan(2);
    // 100, 200, 400 ms and so on.
    await sleep(500);
    expect(failures()).toBeLessThan(8);
    expect(endpoint.received).toEqual([]);
    db.exec('DROP TRIGGER stuck');
    await expect.poll(() => endpoint.received.length).toBe(1);
  });

  test('says which items miss the schema', async () => {
    const input_schema = { required: ['page'], properties: { page: { type: 'integer' } } };
    const { id } = await scene.klados('accept', { input_schema });
    const invocations = [{ page: 1 }, {}, { page: 'x' }].map((input) => ({ target_entity: scene.file.id, input }));
    const answer = await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, {
      target_collection: scene.target.id,
      invocations,
    });
    expect(answer.body).toEqual({
      error: 'Validation failed',
      details: {
        issues: [
          { path: ['invocations', 1, 'input'], message: "must have required property 'page'" },
          { path: ['invocations', 2, 'input', 'page'], message: 'must be integer' },
        ],
      },
    });
  });
});

test('a schema that takes for ever to be checked is refused, and costs nobody else anything', async () => {
  const input_schema = { properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
  const { id } = await scene.klados('accept', { input_schema });
  const body = scene.invocation({ input: { text: `${'a'.repeat(40)}!` } });
  const slow = ask(scene.node, scene.who, `POST /kladoi/${id}/invoke`, body);
  ok(await ask(scene.node, scene.who, `GET /entities/${scene.file.id}`));
  const answer = await slow;
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('takes longer than 2 seconds')]);
  expect((await scene.invoke(id, { input: { text: 'aaa' } })).status).toBe('started');
});

describe('what changes while an input waits to be checked counts', () => {
  const input_schema = { properties: { text: { type: 'string' } } };
  afterEach(() => vi.restoreAllMocks());

  /** Bob's invocation, during whose check that of `lost` is taken away. */
  async function waiting(lost: (made: { klados: Entity; home: Entity; bob: Person }) => string) {
    const { node, who, target, endpoint } = scene;
    const bob = await user(node, 'bob');
    const home = await collection(node, who, { roles: { starter: ['klados:invoke'] } });
    const { klados } = await activeKlados(node, who, home.id, { endpoint: `${endpoint.url}/accept`, input_schema });
    const job_collection = (await scene.invoke(klados.id)).job_collection;
    await enrol(node, who, home.id, bob, 'starter');
    await enrol(node, who, target.id, bob, 'editor');
    await enrol(node, who, job_collection, bob, 'owner');
    const invoke = () =>
      ask(node, bob, `POST /kladoi/${klados.id}/invoke`, scene.invocation({ job_collection, input: { text: 'aaa' } }));
    ok(await invoke());
    const gate = threadGate('checkInputs');
    const answer = invoke();
    await expect.poll(() => gate.begun).toHaveLength(1);
    ok(await ask(node, who, `DELETE /collections/${lost({ klados, home, bob })}`));
    gate.open();
    return { klados, answer: await answer };
  }

  test('who starts it may not any more', async () => {
    const { answer } = await waiting(({ home, bob }) => `${home.id}/members/${bob.id}?role=starter`);
    expect(answer.status).toBe(403);
    expect(scene.endpoint.received).toHaveLength(2);
  });

  test('the klados has lost its grant, and gets it anew', async () => {
    const { klados, answer } = await waiting(
      (made) => `${scene.target.id}/members/${made.klados.id}?role=klados_${made.klados.id.toLowerCase()}`,
    );
    expect(answer).toMatchObject({ status: 202, body: { status: 'started', grants: [{ klados_id: klados.id }] } });
    const { relationships } = await read(scene.node, scene.who, scene.target.id);
    expect(relationships.map(({ peer }) => peer)).toContain(klados.id);
  });
});

test('a restart of the node sends what waits, and not what may have arrived', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await startProcessorEndpoint();
  const env = { ARCHEION_JOB_TIMEOUT: '600' };
  let ids: { klados: string; job: string; dispatch: string } | undefined;
  {
    await using node = await startNode({ data: folder.path, env });
    const who = operator(node);
    const home = await collection(node, who);
    const target = await collection(node, who);
    const hanging = await activeKlados(node, who, home.id, { endpoint: `${endpoint.url}/hang` });
    const body = { target_collection: target.id, target_entity: target.id, confirm: true };
    // It hangs until the node stops.
    void ask(node, who, `POST /kladoi/${hanging.klados.id}/invoke`, body).catch(() => undefined);
    while (endpoint.received.length < 1) await sleep(10);
    const invocations = Array.from({ length: 40 }, () => ({ target_entity: target.id }));
    const batch = { target_collection: target.id, invocations, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(
      await ask(node, who, `POST /kladoi/${hanging.klados.id}/invoke/batch`, batch),
    );
    while (endpoint.received.length < 11) await sleep(10);
    ids = { klados: hanging.klados.id, job: String(endpoint.received[0]?.body.job_id), dispatch: dispatch_id };
  }
  const before = endpoint.received.length;
  endpoint.become('hang', 'accept');
  await using node = await startNode({ data: folder.path, env });
  await node.ctx.invocations.idle();
  const look = async () =>
    ok<Status>(await ask(node, operator(node), `GET /kladoi/${ids?.klados}/jobs/${ids?.dispatch}/status`));
  expect((await look()).progress).toMatchObject({ total: 40, pending: 40 });
  const sent = endpoint.received.map(({ body }) => body.job_id);
  // Ten of the batch were under way, besides the single one; each job is sent once.
  expect(before).toBe(11);
  expect(sent).toHaveLength(41);
  expect(new Set(sent).size).toBe(41);
  // What waited is sent when processors can call back, and where: the node has another port now.
  const bases = endpoint.received.slice(before).map(({ body }) => body.api_base);
  expect(new Set(bases)).toEqual(new Set([node.url]));
});

test('what is begun while the node closes is sent when it starts again', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await startProcessorEndpoint();
  let started: Started | undefined;
  {
    await using node = await startNode({ data: folder.path });
    const who = operator(node);
    const home = await collection(node, who);
    const { klados } = await activeKlados(node, who, home.id, { endpoint: `${endpoint.url}/accept` });
    // Requests that have come by then are still answered.
    node.ctx.invocations.close();
    const body = { target_collection: home.id, target_entity: home.id, confirm: true };
    started = ok<Started>(await ask(node, who, `POST /kladoi/${klados.id}/invoke`, body));
    expect(endpoint.received).toEqual([]);
  }
  await using node = await startNode({ data: folder.path });
  await node.ctx.invocations.idle();
  expect(endpoint.received.map(({ body }) => body.job_id)).toEqual([started.job_id]);
});
