import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { allow, command, ended, program, replying, within } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const env = { PATH: '/usr/bin:/bin' };

interface Begun {
  klados: string;
  job_id: string;
  job_collection: string;
  expires_at: string;
}

const logOf = async (node: TestNode, { job_collection }: Begun) =>
  (await within(node, operator(node), job_collection, 'klados_log'))[0]?.properties;

/** A node by a clock that can be put ahead, and a klados of a command that does not end before it is let `go`. */
async function startHeld(options: { at_once?: number } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const clock = { ahead: 0 };
  const node = opened.use(await startNode({ env, now: () => Date.now() + clock.ahead }));
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  const file = join(folder.path, 'go');
  const reply = `while (!require('node:fs').existsSync(${JSON.stringify(file)})) await new Promise((done) => setTimeout(done, 20));
    return {};`;
  await allow(node, { slow: replying(reply, options) });
  const { id } = await command(node, me, where.id, 'slow');
  const begin = async (expires_in?: number) => {
    const body = { target_entity: where.id, target_collection: where.id, confirm: true, expires_in };
    return ok<Omit<Begun, 'klados'>>(await ask(node, me, `POST /kladoi/${id}/invoke`, body));
  };
  const all = opened.move();
  const scene = { node, me, id, clock, begin, go: () => writeFile(file, '') };
  return { ...scene, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Jobs of two commands that do not end: one of each, and one that waits for its turn. The node has stopped in them. */
async function begun(data: string) {
  await using node = await startNode({ data, env });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  const text = 'setInterval(() => {}, 1000)';
  // The other is deaf to what asks it to end.
  const deaf = program(`process.on('SIGTERM', () => {}); ${text}`, { at_once: 1 });
  await allow(node, { slow: program(text, { at_once: 1 }), other: deaf });
  const begin = async (klados: string, expires_in: number) => {
    const body = { target_entity: where.id, target_collection: where.id, confirm: true, expires_in };
    const job = ok<Omit<Begun, 'klados'>>(await ask(node, me, `POST /kladoi/${klados}/invoke`, body));
    await expect.poll(() => logOf(node, { klados, ...job })).toMatchObject({ status: 'running' });
    return { klados, ...job };
  };
  const [one, two] = [await command(node, me, where.id, 'slow'), await command(node, me, where.id, 'other')];
  return { busy: await begin(one.id, 3600), waits: await begin(one.id, 60), runs: await begin(two.id, 60) };
}

test('a job that outlasts its permissions is stopped before they end, and its log says so, whether its command runs or waits', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const { busy, waits, runs } = await begun(data);
  // They begin anew with about fifteen seconds left.
  const ahead = Date.parse(waits.expires_at) - Date.now() - 15_000;
  await using node = await startNode({ data, env, now: () => Date.now() + ahead });
  await node.ctx.invocations.idle();
  for (const job of [waits, runs]) {
    const words = `The command ${job === runs ? 'other' : 'slow'} was stopped: the time of its job was up.`;
    const error = { code: 'TIMEOUT', message: words, retryable: true };
    await expect
      .poll(() => logOf(node, job), { timeout: 30_000 })
      .toMatchObject({ status: 'error', log_data: { entry: { status: 'error', error } } });
    const status = await ask(node, operator(node), `GET /kladoi/${job.klados}/jobs/${job.job_id}/status`);
    expect(ok(status)).toMatchObject({ status: 'error', errors: [error] });
  }
  expect(await logOf(node, busy)).toMatchObject({ status: 'running' });
});

test('a job whose permissions end before it comes to its turn is not begun, and nothing is said of it', async () => {
  await using scene = await startHeld({ at_once: 1 });
  const { node, me, id, clock, begin } = scene;
  const jobs: Omit<Begun, 'klados'>[] = [];
  for (let n = 0; n < 5; n++) jobs.push(await begin(60));
  const logs = async () =>
    (await Promise.all(jobs.map((job) => logOf(node, { klados: id, ...job })))).map((log) => !!log);
  // One runs, and two more have begun their logs.
  await expect.poll(logs).toEqual([true, true, true, false, false]);
  clock.ahead += 61_000;
  const last = await begin(3600);
  await scene.go();
  expect(await ended(node, me, `/kladoi/${id}/jobs/${last.job_id}/status`)).toMatchObject({ status: 'done' });
  const lines = node.logged.filter((line) => line.includes('"level":50') || line.includes('could not be written'));
  for (const { job_id } of jobs.slice(3)) expect(lines.join('\n')).not.toContain(job_id);
});

test('the log ends of a job that works on when its permissions have ended, as after a sleep of the machine', async () => {
  await using scene = await startHeld();
  const { node, id, clock, begin } = scene;
  const job = await begin();
  const log = () => logOf(node, { klados: id, ...job });
  await expect.poll(log).toMatchObject({ status: 'running' });
  clock.ahead += 7_200_000;
  await scene.go();
  await expect.poll(log).toMatchObject({ status: 'error', log_data: { entry: { error: { code: 'TIMEOUT' } } } });
  expect(node.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test('what comes to its turn shortly before its permissions end leaves no log without an end', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let path = '';
  let logs: (node: TestNode) => Promise<unknown[]> = async () => [];
  let expires = 0;
  {
    await using node = await startNode({ data, env });
    const me = operator(node);
    const where = await collection(node, me, { label: 'target' });
    await allow(node, { slow: program('setInterval(() => {}, 1000)', { at_once: 1 }) });
    const { id } = await command(node, me, where.id, 'slow');
    const invocations = Array.from({ length: 15 }, () => ({ target_entity: where.id }));
    const batch = { target_collection: where.id, invocations, confirm: true, expires_in: 60 };
    const sent = await ask(node, me, `POST /kladoi/${id}/invoke/batch`, batch);
    const { dispatch_id, job_collection, expires_at } = ok<Record<string, string>>(sent);
    path = `/kladoi/${id}/jobs/${dispatch_id}/status`;
    expires = Date.parse(expires_at ?? '');
    logs = async (of) =>
      (await within(of, operator(of), job_collection ?? '', 'klados_log')).map(({ properties }) => properties.status);
    await expect.poll(() => logs(node)).toHaveLength(3);
  }
  const ahead = expires - Date.now() - 20_000;
  await using node = await startNode({ data, env, now: () => Date.now() + ahead });
  // Where the first are stopped others begin, with four seconds left.
  const { progress } = await ended(node, operator(node), path);
  expect(progress).toMatchObject({ total: 15, error: 15 });
  expect(await logs(node)).not.toContain('running');
});
