import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, operator, user } from '../helpers/callers.ts';
import { ok, read } from '../helpers/entities.ts';
import { freePort } from '../helpers/free-port.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activate } from '../helpers/worker-processes.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

async function batch(id: string, count: number): Promise<string> {
  const invocations = Array.from({ length: count }, () => ({ target_entity: scene.file.id }));
  const body = { target_collection: scene.target.id, invocations, confirm: true };
  return ok<{ dispatch_id: string }>(await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body))
    .dispatch_id;
}

const sendings = async (run: string) => {
  const { jobs } = ok<{ jobs: { sending: string }[] }>(
    await ask(scene.node, scene.who, `GET /node/jobs/${run}?limit=1000`),
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(jobs, ({ sending }) => sending)).map(([state, some]) => [state, some?.length]),
  );
};

test('a batch whose service is down waits for it, and holds up nobody else', async () => {
  const port = await freePort();
  const down = await scene.klados('', { endpoint: `http://127.0.0.1:${port}/accept` });
  const up = await scene.klados('accept');
  const waiting = await batch(down.id, 30);
  const other = await batch(up.id, 30);
  await expect.poll(() => sendings(other)).toEqual({ accepted: 30 });
  await scene.node.ctx.invocations.idle();
  expect(await scene.status(down.id, waiting)).toMatchObject({
    status: 'pending',
    progress: { total: 30, pending: 30 },
  });
  await using endpoint = await startProcessorEndpoint(port);
  await expect.poll(() => sendings(waiting)).toEqual({ accepted: 30 });
  expect(new Set(endpoint.received.map(({ body }) => body.job_id)).size).toBe(30);
  expect(endpoint.received).toHaveLength(30);
});

test('a batch is found as soon as it is started, though its service is not asked for a while', async () => {
  const { id } = await scene.klados('', { endpoint: `http://127.0.0.1:${await freePort()}/accept` });
  await batch(id, 2);
  await scene.node.ctx.invocations.idle();
  const run = await batch(id, 3);
  const started = { job_id: run, kind: 'batch', status: 'pending', progress: { total: 3, pending: 3 } };
  expect((await ask(scene.node, scene.who, `GET /node/jobs/${run}`)).body).toMatchObject({ run: started });
  const listed = await ask(scene.node, scene.who, 'GET /node/jobs?limit=1');
  expect(listed.body).toMatchObject({ runs: [started] });
});

test('a batch that has not become jobs when its time is up has failed then, however long its service rests', async () => {
  const { id } = await scene.klados('unavailable');
  await batch(id, 12);
  await scene.node.ctx.invocations.idle();
  const run = await batch(id, 30);
  scene.clock.ms += 3_600_000;
  const late = { code: 'TIMEOUT', retryable: true };
  expect(await scene.status(id, run)).toMatchObject({
    status: 'error',
    progress: { total: 30, pending: 0, error: 30 },
    errors: [late, { ...late, job_id: run, message: expect.stringContaining('29 more jobs of the batch') }],
  });
});

test('a batch whose service asks to wait is sent once that takes it', async () => {
  const { id } = await scene.klados('later');
  const run = await batch(id, 12);
  await expect.poll(() => scene.endpoint.received.length).toBeGreaterThan(0);
  await scene.node.ctx.invocations.idle();
  expect(await scene.status(id, run)).toMatchObject({ status: 'pending', progress: { total: 12, pending: 12 } });
  scene.endpoint.become('later', 'accept');
  await expect.poll(() => sendings(run)).toEqual({ accepted: 12 });
});

const changed = async (id: string, more: object) => {
  const { cid } = await read(scene.node, scene.who, id);
  ok(await ask(scene.node, scene.who, `PUT /kladoi/${id}`, { expect_tip: cid, ...more }));
};

test.each([
  ['while it rests', 'unavailable', 0],
  ['after it has rested', '', 2_500],
])(
  'what waits for a klados whose endpoint is corrected is sent there once that is in use, %s',
  async (_, at, ms) => {
    const down = { endpoint: `http://127.0.0.1:${await freePort()}/accept` };
    const { id } = await scene.klados(at, at === '' ? down : {});
    const run = await batch(id, 12);
    await expect.poll(() => sendings(run)).toEqual({ queued: 12 });
    await scene.node.ctx.invocations.idle();
    const endpoint = `${scene.endpoint.url}/accept`;
    await changed(id, { endpoint });
    await setTimeout(ms);
    expect(await sendings(run)).toEqual({ queued: 12 });
    // As if it had shown its token.
    const { identity } = scene.node.ctx;
    identity.verifications.putVerified(id, { endpoint, verified_at: scene.clock.ms, operators: true });
    await activate(scene.node, scene.who, await read(scene.node, scene.who, id));
    await expect.poll(() => sendings(run)).toEqual({ accepted: 12 });
  },
  30_000,
);

test('what waits for a klados that is disabled is refused at once', async () => {
  const { id } = await scene.klados('unavailable');
  const run = await batch(id, 12);
  await expect.poll(() => sendings(run)).toEqual({ queued: 12 });
  await scene.node.ctx.invocations.idle();
  await changed(id, { status: 'disabled' });
  await expect.poll(() => sendings(run)).toEqual({ refused: 12 });
});

test('what a service asks to send after its permissions have ended is refused at once', async () => {
  const { id } = await scene.klados('tomorrow');
  const run = await batch(id, 12);
  await expect.poll(() => sendings(run)).toEqual({ refused: 12 });
  expect(scene.endpoint.received).toHaveLength(12);
  expect((await scene.status(id, run)).errors?.[0]).toMatchObject({ code: 'REJECTED', message: 'not today' });
});

test('what was never taken has timed out when its time is up, says why, and is repeated by its own id', async () => {
  const port = await freePort();
  const { id } = await scene.klados('', { endpoint: `http://127.0.0.1:${port}/accept` });
  const run = await batch(id, 1);
  await expect.poll(() => sendings(run)).toEqual({ queued: 1 });
  const again = (job: string) => ask(scene.node, operator(scene.node), `POST /node/jobs/${job}/repeat`, {});
  const [{ job_id }] = ok<{ jobs: [{ job_id: string }] }>(
    await ask(scene.node, scene.who, `GET /node/jobs/${run}`),
  ).jobs;
  const issue = (path: string, message: string) => ({
    ...{ status: 400, body: { details: { issues: [{ path: [path], message }] } } },
  });
  expect(await again(job_id)).toMatchObject(issue('job_id', 'the job has not failed'));
  await scene.node.ctx.invocations.idle();
  scene.clock.ms += 3_600_000;
  expect((await scene.status(id, run)).errors).toMatchObject([
    { job_id, code: 'TIMEOUT', retryable: true, message: expect.stringContaining('ECONNREFUSED') },
  ]);
  expect(await again('none')).toMatchObject({ status: 404, body: { error: 'Job not found' } });
  await using endpoint = await startProcessorEndpoint(port);
  const repeated = await again(job_id);
  expect(repeated).toMatchObject({ status: 202, body: { accepted: true, job_id: expect.any(String) } });
  expect(endpoint.received.map(({ body }) => body.job_id)).toEqual([(repeated.body as { job_id: string }).job_id]);
  expect(await scene.status(id, run)).toMatchObject({ status: 'running', progress: { total: 2, error: 1 } });
});

test('what a klados has refused without a log is repeated by its own id', async () => {
  const { id } = await scene.klados('fail');
  expect((await scene.invoke(id)).status).toBe('rejected');
  const job_id = String(scene.endpoint.received[0]?.body.job_id);
  scene.endpoint.become('fail', 'accept');
  const again = await ask(scene.node, operator(scene.node), `POST /node/jobs/${job_id}/repeat`, {});
  expect(again).toMatchObject({ status: 202, body: { accepted: true } });
  const ada = await user(scene.node, 'ada');
  expect((await ask(scene.node, ada, `POST /node/jobs/${job_id}/repeat`, {})).status).toBe(403);
});
