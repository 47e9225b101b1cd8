import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { maxAttempts } from '../../src/server/model/job-state.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { allow, command, ended, program, replying, within } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

test('many jobs of one command hold up no other command', async () => {
  await using folder = await temporaryFolder();
  const began = join(folder.path, 'began');
  await using node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  const slow = `require('node:fs').writeFileSync(${JSON.stringify(began)}, ''); setInterval(() => {}, 1000)`;
  await allow(node, { slow: program(slow, { at_once: 1 }), quick: replying('return {}') });
  const [many, one] = [await command(node, me, where.id, 'slow'), await command(node, me, where.id, 'quick')];
  const invocations = Array.from({ length: 70 }, () => ({ target_entity: where.id }));
  const batch = { target_collection: where.id, invocations, confirm: true };
  ok(await ask(node, me, `POST /kladoi/${many.id}/invoke/batch`, batch));
  await node.ctx.invocations.idle();
  while (!existsSync(began)) await pause(20);
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  const { job_id } = ok<{ job_id: string }>(await ask(node, me, `POST /kladoi/${one.id}/invoke`, body));
  expect(await ended(node, me, `/kladoi/${one.id}/jobs/${job_id}/status`)).toMatchObject({ status: 'done' });
}, 30_000);

test('a job comes to its end that the store takes nothing of for a moment', async () => {
  await using node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  await allow(node, {
    quick: replying('return { updates: [{ entity_id: job.target_entity, properties: { seen: 1 } }] }'),
  });
  const quick = await command(node, me, where.id, 'quick', { actions_required: ['entity:view', 'collection:update'] });
  await using opened = new AsyncDisposableStack();
  const db = opened.adopt(new Database(join(node.data, 'main', 'archeion.db')), (it) => void it.close());
  db.exec("CREATE TRIGGER stuck BEFORE INSERT ON additive BEGIN SELECT RAISE(ABORT, 'no more'); END");
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  const { job_id, job_collection } = ok<{ job_id: string; job_collection: string }>(
    await ask(node, me, `POST /kladoi/${quick.id}/invoke`, body),
  );
  await expect.poll(() => within(node, me, job_collection, 'klados_log')).toHaveLength(1);
  db.exec('DROP TRIGGER stuck');
  expect(await ended(node, me, `/kladoi/${quick.id}/jobs/${job_id}/status`)).toMatchObject({ status: 'done' });
}, 30_000);

test('stops of the node give up what ran each time, and nothing that waited', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let dispatch = '';
  for (let run = 1; run <= maxAttempts + 1; run++) {
    await using node = await startNode({ data, env: { PATH: '/usr/bin:/bin' } });
    const me = operator(node);
    if (run === 1) {
      const where = await collection(node, me, { label: 'target' });
      await allow(node, { slow: program('setInterval(() => {}, 1000)', { at_once: 1 }) });
      const of = await command(node, me, where.id, 'slow');
      const invocations = Array.from({ length: 8 }, () => ({ target_entity: where.id }));
      const batch = { target_collection: where.id, invocations, confirm: true };
      const sent = await ask(node, me, `POST /kladoi/${of.id}/invoke/batch`, batch);
      dispatch = ok<{ dispatch_id: string }>(sent).dispatch_id;
    }
    await node.ctx.invocations.idle();
    type Job = { sending: string; status: string; log: string | null; error: object | null };
    const jobs = async () => ok<{ jobs: Job[] }>(await ask(node, me, `GET /node/jobs/${dispatch}`)).jobs;
    const running = async () => (await jobs()).filter((one) => one.status === 'running').length;
    // One runs its command, and two more have begun their logs.
    await expect.poll(running, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    const [failed, others] = [[], []] as [Job[], Job[]];
    for (const one of await jobs()) (one.status === 'error' ? failed : others).push(one);
    const why = { code: 'REJECTED', message: `the node stopped ${maxAttempts} times while it ran`, retryable: true };
    const given = { sending: 'refused', log: expect.any(String), error: why };
    expect(failed).toMatchObject(Array.from({ length: run <= maxAttempts ? 0 : 3 }, () => given));
    expect(new Set(others.map(({ sending }) => sending))).toEqual(new Set(['accepted']));
  }
}, 60_000);
