import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import type { Started, Status } from '../helpers/job-scene.ts';
import { allow, command, ended, replying, workflow } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { lastLine, operate } from '../helpers/node-archives.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

const env = { ARCHEION_JOB_TIMEOUT: '600' };
const hour = 3_600_000;

const statusOf = async (node: TestNode, path: string) =>
  ok<Status>(await ask(node, operator(node), `GET ${path}/status`));

test('a node that is restored from a backup sends and runs nothing again that had not ended, until it is told to', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await startProcessorEndpoint();
  const clock = { ms: Date.now() };
  const now = () => clock.ms;
  const at = (name: string) => join(folder.path, name);
  const slow = `
    require('node:fs').appendFileSync(${JSON.stringify(at('runs'))}, 'run ');
    return job.input?.wait ? new Promise(() => setInterval(() => {}, 1000)) : { outputs: [] };`;
  const paths = { done: '', waiting: '', run: '', dispatch: '' };
  {
    await using node = await startNode({ data: at('first'), env, now });
    const who = operator(node);
    await allow(node, { slow: replying(slow) });
    const place = await collection(node, who);
    const target = { target_entity: place.id, target_collection: place.id, confirm: true };
    const start = async (path: string, more: object = {}) => {
      const { job_id } = ok<Started>(await ask(node, who, `POST ${path}/invoke`, { ...target, ...more }));
      return `${path}/jobs/${job_id}`;
    };
    const of = await command(node, who, place.id, 'slow');
    paths.done = await start(`/kladoi/${of.id}`);
    await ended(node, who, `${paths.done}/status`);
    paths.waiting = await start(`/kladoi/${of.id}`, { input: { wait: true } });
    // What another one says of it does not count.
    const ends = { klados_id: of.id, job_id: paths.waiting.split('/').at(-1), status: 'done' };
    await create(node, who, {
      ...{ type: 'klados_log', collection: place.id },
      properties: { ...ends, log_data: { entry: ends } },
    });
    const { klados } = await activeKlados(node, who, place.id, { endpoint: `${endpoint.url}/hang` });
    const flow = await workflow(node, who, place.id, { a: { klados, then: { done: true } } });
    // It hangs until the node stops.
    void start(`/rhizai/${flow.id}`).catch(() => undefined);
    await expect.poll(() => endpoint.received.length).toBe(1);
    paths.run = `/rhizai/${flow.id}/jobs/${endpoint.received[0]?.body.job_id}`;
    const invocations = Array.from({ length: 450 }, () => ({ target_entity: place.id }));
    const batch = { target_collection: place.id, invocations, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(
      await ask(node, who, `POST /kladoi/${klados.id}/invoke/batch`, batch),
    );
    paths.dispatch = `/kladoi/${klados.id}/jobs/${dispatch_id}`;
    await expect.poll(() => endpoint.received.length).toBe(11);
    await expect.poll(() => existsSync(at('runs')) && readFile(at('runs'), 'utf8')).toBe('run run ');
    await lastLine(await operate(node, 'POST /node/backup', { dir: at('backup') }));
  }

  const told = await commandLine(at('second'), ['restore', at('backup'), '--json']);
  expect(JSON.parse(told.out)).toMatchObject({ held_jobs: 452 });
  expect((await commandLine(at('third'), ['restore', at('backup')])).out).toContain(
    '452 jobs had not ended when the backup was made.',
  );
  // A list that says no time, or none that has been, is damaged: nobody knows then what had ended.
  const list = await readFile(at('backup/backup.json'), 'utf8');
  for (const [i, time] of ['no time', '2426-11-28T00:00:00.000Z'].entries()) {
    await writeFile(at('backup/backup.json'), JSON.stringify({ ...JSON.parse(list), time }));
    const of = await commandLine(at(`damaged ${i}`), ['restore', at('backup'), '--json']);
    expect(JSON.parse(of.out)).toMatchObject({ held_jobs: 452 });
  }
  endpoint.become('hang', 'accept');
  await allow({ data: at('second') }, { slow: replying(slow) });
  await using node = await startNode({ data: at('second'), env, now });
  await node.ctx.invocations.idle();
  expect(endpoint.received).toHaveLength(11);
  const sending = async (path: string) => {
    const told = await ask(node, operator(node), `GET /node/jobs/${path.split('/').at(-1)}`);
    return ok<{ jobs: { sending: string }[] }>(told).jobs[0]?.sending;
  };
  expect([await sending(paths.done), await sending(paths.waiting)]).toEqual(['accepted', 'unknown']);
  expect(await statusOf(node, paths.done)).toMatchObject({ status: 'done' });
  const waiting = { status: 'pending', progress: { total: 450, pending: 450 } };
  expect(await statusOf(node, paths.dispatch)).toMatchObject(waiting);

  clock.ms += hour;
  const late = { code: 'TIMEOUT', retryable: true, message: expect.stringContaining('was restored from a backup') };
  const over = await statusOf(node, paths.dispatch);
  expect([over.status, over.progress.error, new Set(over.errors?.map(({ job_id }) => job_id)).size]).toEqual([
    ...['error', 450, 450],
  ]);
  expect(over.errors?.at(-1)).toMatchObject({ ...late, message: expect.stringContaining('repeat it once') });
  expect(await statusOf(node, paths.run)).toMatchObject({ status: 'error', errors: [late] });
  expect(ok(await ask(node, operator(node), `POST ${paths.run}/resume`, {}))).toMatchObject({ resumed: 1 });
  await node.ctx.invocations.idle();
  expect(endpoint.received).toHaveLength(12);
  // Jobs of a batch, which has no resume, are repeated each by itself.
  const one = over.errors?.at(-1)?.job_id ?? '';
  expect(ok(await ask(node, operator(node), `POST /node/jobs/${one}/repeat`, {}))).toMatchObject({ accepted: true });
  expect(endpoint.received).toHaveLength(13);
  expect(await readFile(at('runs'), 'utf8')).toBe('run run ');
});
