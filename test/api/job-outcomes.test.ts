import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findJob } from '../../src/server/store/jobs/jobs.ts';
import { ask, onBehalf, type Person, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, read } from '../helpers/entities.ts';
import { failed, JobScene, logBody, type Started } from '../helpers/job-scene.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

let scene: JobScene;
beforeAll(async () => {
  // Some answer nothing at all.
  scene = await JobScene.open({ env: { ARCHEION_JOB_TIMEOUT: '1' } });
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

const hour = 3_600_000;

/** An active klados that somebody else made, and that may be asked. */
async function kladosOf(maker: Person, home: string): Promise<Entity> {
  const given = { endpoint: `${scene.endpoint.url}/accept` };
  const { klados } = await activeKlados(scene.node, maker, home, given);
  const verified = { ...given, verified_at: scene.clock.ms, operators: true };
  scene.node.ctx.identity.verifications.putVerified(klados.id, verified);
  return klados;
}

describe('what a processor answers', () => {
  test.each([
    ['refuse', 'no work today', 60],
    ['marked', 'no work today', undefined],
    ['wordy', `half \ufffd ${'n'.repeat(492)}`, undefined],
    ['unavailable', 'no key', 60],
    ['fail', 'the processor answered 500: inner error', undefined],
    ['nested', 'no such model', undefined],
    ['html', 'the processor answered 200 with text/html instead of JSON', undefined],
    ['busy', 'the processor answered 503 with text/html instead of JSON', 90],
    ['honest', 'no model behind me', undefined],
    ['another', 'the processor answered for another job', undefined],
    ['redirect', 'the processor answered 307 instead of taking it: give the address that it leads to', undefined],
  ])('%s: it is rejected, and the job is an error', async (behaviour, error, retry_after) => {
    const { id } = await scene.klados(behaviour);
    const answer = await scene.invoke(id);
    expect(answer).toMatchObject({ status: 'rejected', error });
    expect(answer.retry_after).toBe(retry_after);
    // The grants stay (processors.md 2.4).
    const { relationships } = await read(scene.node, scene.who, scene.target.id);
    expect(relationships.some(({ peer }) => peer === id)).toBe(true);
    const [sent] = scene.endpoint.received;
    const job = String(sent?.body.job_id);
    expect(await scene.status(id, job)).toMatchObject({
      status: 'error',
      errors: [{ job_id: job, code: 'REJECTED', message: error, retryable: true }],
    });
    expect(scene.endpoint.received).toHaveLength(1);
  });

  test.each([
    ['hang', /did not answer in full/],
    ['break', /connection broke/],
    ['large', /answered more than/],
    ['gateway', /answered 502/],
    ['late', /answered 504/],
  ])('%s: nobody can tell, so it is not sent again, and has timed out when its time is up', async (behaviour, why) => {
    const { id } = await scene.klados(behaviour);
    const { status, job_id } = await scene.invoke(id);
    expect(status).toBe('started');
    expect(await scene.status(id, job_id)).toMatchObject({ status: 'pending', progress: { total: 1, pending: 1 } });
    const { jobs } = ok<{ jobs: object[] }>(await ask(scene.node, scene.who, `GET /node/jobs/${job_id}`));
    expect(jobs).toMatchObject([{ sending: 'unknown', sending_error: expect.stringMatching(why), error: null }]);
    const again = await ask(scene.node, scene.who, `POST /node/jobs/${job_id}/repeat`, {});
    expect([again.status, again.text]).toEqual([
      400,
      expect.stringMatching(/until 2026-\S+Z; it can be repeated then/),
    ]);
    scene.clock.ms += hour - 1;
    expect((await scene.status(id, job_id)).status).toBe('pending');
    scene.clock.ms += 1;
    expect(await scene.status(id, job_id)).toMatchObject({
      status: 'error',
      errors: [{ job_id, code: 'TIMEOUT', retryable: true, message: expect.stringContaining('wrote no log') }],
    });
    expect(scene.endpoint.received).toHaveLength(1);
  });

  test.each(['hang', 'html'])('%s, and it did the job: its log says so', async (behaviour) => {
    const { id, self } = await scene.klados(behaviour);
    await scene.invoke(id);
    const [sent] = scene.endpoint.received;
    const { job_id, job_collection } = (sent?.body ?? {}) as Record<'job_id' | 'job_collection', string>;
    await scene.log(self, { job_id, job_collection }, { status: 'done', completed_at: '2026-01-01T00:00:09.000Z' });
    expect(await scene.status(id, job_id)).toMatchObject({ status: 'done', progress: { done: 1 } });
  });

  test('no connection: it is tried again for a moment, then it is rejected', async () => {
    const gone = await startProcessorEndpoint();
    const { id } = await scene.klados('accept', { endpoint: `${gone.url}/accept` });
    await gone[Symbol.asyncDispose]();
    expect(await scene.invoke(id)).toMatchObject({ status: 'rejected', error: 'no connection (ECONNREFUSED)' });
  });

  test('is not asked for where its endpoint was verified elsewhere', async () => {
    const { id } = await scene.klados('accept');
    const elsewhere = { endpoint: 'https://elsewhere.test', verified_at: scene.clock.ms, operators: true };
    scene.node.ctx.identity.verifications.putVerified(id, elsewhere);
    const answer = await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke`, scene.invocation());
    expect([answer.status, answer.body]).toEqual([
      400,
      invalid(['id'], expect.stringContaining('verify its endpoint on this node first')),
    ]);
    expect(scene.endpoint.received).toEqual([]);
  });

  test('is not asked for by jobs that wait while its endpoint is another that nobody verifies, and they say so', async () => {
    const { id } = await scene.klados('later');
    const body = { invocations: [{ target_entity: scene.file.id }], target_collection: scene.target.id, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body),
    );
    await expect.poll(() => scene.endpoint.received.length).toBe(1);
    const { cid } = await read(scene.node, scene.who, id);
    const other = { expect_tip: cid, endpoint: `${scene.endpoint.url}/accept` };
    ok(await ask(scene.node, scene.who, `PUT /kladoi/${id}`, other));
    const store = await scene.node.ctx.networks.get('main');
    const job = String(scene.endpoint.received[0]?.body.job_id);
    const why = () => store.read((db) => findJob(db, job))?.sending.error;
    const message = 'this node has not verified the endpoint that the processor has now: verify it (POST .../verify)';
    await expect.poll(why).toBe(message);
    expect(await scene.status(id, dispatch_id)).toMatchObject({ status: 'pending' });
    scene.clock.ms += hour;
    const { errors } = await scene.status(id, dispatch_id);
    expect(errors).toMatchObject([{ code: 'TIMEOUT', message: expect.stringContaining(message) }]);
    expect(scene.endpoint.received).toHaveLength(1);
  });

  test.each(['empty', 'plain', 'list', 'nulls'])(
    'an answer of 200 that does not say otherwise counts as acceptance: %s',
    async (how) => {
      const { id } = await scene.klados(how);
      expect((await scene.invoke(id)).status).toBe('started');
      const job = String(scene.endpoint.received[0]?.body.job_id);
      const run = await ask(scene.node, scene.who, `GET /node/jobs/${job}`);
      expect(run.body).toMatchObject({ jobs: [{ sending: 'accepted' }] });
    },
  );
});

describe('the log of a job', () => {
  test('tells how far it is: running, failed, done', async () => {
    const { id, self } = await scene.klados('accept');
    const started = await scene.invoke(id);
    const log = await scene.log(self, started, { status: 'running' });
    expect(await scene.status(id, started.job_id)).toMatchObject({ status: 'running', progress: { running: 1 } });
    const change = (entry: object) => ({ properties: { ...entry, log_data: { entry } } });
    const write = async (entry: object) => {
      const { cid } = await read(scene.node, self, log.id);
      ok(await ask(scene.node, self, `PUT /entities/${log.id}`, { expect_tip: cid, ...change(entry) }));
    };
    await write({ status: 'error', error: failed });
    expect(await scene.status(id, started.job_id)).toMatchObject({ status: 'error', errors: [failed] });
    await write({ status: 'done' });
    expect(await scene.status(id, started.job_id)).toMatchObject({ status: 'done' });
  });

  test('of another klados, or in another name, counts for nothing', async () => {
    const [one, other] = [await scene.klados('accept'), await scene.klados('accept')];
    const started = await scene.invoke(one.id);
    const theirs = await scene.invoke(other.id);
    // Somebody else's job id, in a log of its own; and in the first one's name.
    await scene.log(other.self, { ...theirs, job_id: started.job_id }, { status: 'done' });
    await scene.log(other.self, { ...theirs, job_id: started.job_id }, { status: 'done', klados_id: one.id });
    expect(await scene.status(one.id, started.job_id)).toMatchObject({ status: 'pending' });
    expect(await scene.status(other.id, theirs.job_id)).toMatchObject({ status: 'pending' });
  });

  test('counts also by whoever made the klados, with a key of their own', async () => {
    const maker = await user(scene.node, 'maker');
    const home = await collection(scene.node, maker, { label: 'Theirs', roles: { public: ['*:view', '*:invoke'] } });
    const target = await collection(scene.node, maker, { label: 'Target' });
    const file = await create(scene.node, maker, { type: 'file', collection: target.id });
    const klados = await kladosOf(maker, home.id);
    const invoke = () => scene.invoke(klados.id, { target_collection: target.id, target_entity: file.id }, maker);
    const as = { klados_id: klados.id };
    const [done, broken] = [await invoke(), await invoke()];
    await scene.log(maker, done, { ...as, status: 'done' });
    const log = await scene.log(maker, broken, { ...as, status: 'error', error: failed });
    const status = async ({ job_id }: Started) =>
      (await ask(scene.node, maker, `GET /kladoi/${klados.id}/jobs/${job_id}/status`)).body;
    expect(await status(done)).toMatchObject({ status: 'done', progress: { done: 1 } });
    expect(await status(broken)).toMatchObject({ status: 'error', errors: [failed] });
    const run = ok<{ jobs: object[] }>(await ask(scene.node, scene.who, `GET /node/jobs/${broken.job_id}`));
    expect(run.jobs).toMatchObject([{ status: 'error', log: log.id }]);
    const again = await ask(scene.node, maker, `POST /kladoi/${klados.id}/reinvoke`, { log_id: log.id });
    expect(ok(again)).toMatchObject({ accepted: true });
    // Nobody else, whoever asked for the job and owns what it works in.
    const started = await scene.invoke(klados.id);
    await scene.log(scene.who, started, { ...as, status: 'done' });
    expect(await scene.status(klados.id, started.job_id)).toMatchObject({ status: 'pending' });
  });

  test('does not count by a service account, as which many write, where that has made the klados for nobody', async () => {
    const gate = service(scene.node);
    const klados = await kladosOf(gate, scene.home.id);
    const started = await scene.invoke(klados.id);
    const somebody = await user(scene.node, 'somebody');
    await enrol(scene.node, scene.who, started.job_collection, somebody, 'editor');
    await scene.log(onBehalf(gate, somebody), started, { klados_id: klados.id, status: 'done' });
    expect(await scene.status(klados.id, started.job_id)).toMatchObject({ status: 'pending' });
  });

  test('written twice is one job, and what came to an end counts', async () => {
    const { id, self } = await scene.klados('accept');
    const started = await scene.invoke(id);
    await scene.log(self, started, { status: 'done' });
    await scene.log(self, started, { status: 'error', error: failed });
    await scene.log(self, started, { status: 'running' });
    expect(await scene.status(id, started.job_id)).toMatchObject({ status: 'done', progress: { total: 1, done: 1 } });
  });

  test('counts on while somebody has deleted it, and when it is restored', async () => {
    const { id, self } = await scene.klados('accept');
    const [done, broken] = [await scene.invoke(id), await scene.invoke(id)];
    const logs = [
      await scene.log(self, done, { status: 'done' }),
      await scene.log(self, broken, { status: 'error', error: failed }),
    ] as const;
    const stands = async () => {
      expect((await scene.status(id, done.job_id)).status).toBe('done');
      expect(await scene.status(id, broken.job_id)).toMatchObject({ status: 'error', errors: [failed] });
    };
    const remove = async (log: string) => {
      const { cid } = await read(scene.node, scene.who, log);
      return ok<Entity>(await ask(scene.node, scene.who, `DELETE /entities/${log}`, { expect_tip: cid }));
    };
    const restore = async (log: string, { cid }: Entity) =>
      ok(await ask(scene.node, scene.who, `POST /entities/${log}/restore`, { expect_tip: cid }));
    const graves = [await remove(logs[0].id), await remove(logs[1].id)] as const;
    await stands();
    await restore(logs[0].id, graves[0]);
    await restore(logs[1].id, graves[1]);
    await stands();

    // As earlier programs left it: nothing is kept of a deleted one, and whoever restored it has written it.
    await using opened = new AsyncDisposableStack();
    const db = opened.adopt(new Database(join(scene.node.data, 'main', 'archeion.db')), (it) => void it.close());
    const deleted = await remove(logs[0].id);
    db.prepare('DELETE FROM job_log WHERE job = ?').run(done.job_id);
    db.prepare('UPDATE job_log SET author = ? WHERE job = ?').run(scene.who.id, broken.job_id);
    await restore(logs[0].id, deleted);
    await restore(logs[1].id, await remove(logs[1].id));
    await stands();
    const again = await ask(scene.node, scene.who, `POST /kladoi/${id}/reinvoke`, { log_id: logs[1].id });
    expect(ok(again)).toMatchObject({ accepted: true });
  });

  test('cannot be written, and nothing else, when the grants have ended', async () => {
    const { id, self } = await scene.klados('accept');
    const started = await scene.invoke(id, { expires_in: 60 });
    const log = await scene.log(self, started, { status: 'running' });
    scene.clock.ms += 60_000;
    const late = await ask(scene.node, self, 'POST /entities', logBody(scene, self, started, { status: 'done' }));
    expect([late.status, late.body]).toEqual([403, { error: 'Action not allowed: entity:create' }]);
    const update = { entity_id: log.id, properties: { status: 'done', log_data: { entry: { status: 'done' } } } };
    const added = await ask(scene.node, self, 'POST /updates/additive', { updates: [update] });
    expect([added.status, added.body]).toMatchObject([403, { error: 'Action not allowed: entity:update' }]);
    const output = { type: 'document', collection: scene.target.id };
    expect((await ask(scene.node, self, 'POST /entities', output)).status).toBe(403);
    expect(await scene.status(id, started.job_id)).toMatchObject({
      status: 'error',
      errors: [{ code: 'TIMEOUT', retryable: true }],
    });
  });
});
