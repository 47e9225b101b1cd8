import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { maxAttempts } from '../../src/server/model/job-state.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, read } from '../helpers/entities.ts';
import { allow, command, ended, many, program, replying, within, workflow } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

test('many jobs of one command hold up no other command', async () => {
  await using folder = await temporaryFolder();
  const began = join(folder.path, 'began');
  await using node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  const slow = `require('node:fs').writeFileSync(${JSON.stringify(began)}, ''); setInterval(() => {}, 1000)`;
  await allow(node, { slow: program(slow, { at_once: 1 }), quick: replying('return {}') });
  const [busy, one] = [await command(node, me, where.id, 'slow'), await command(node, me, where.id, 'quick')];
  const invocations = Array.from({ length: 70 }, () => ({ target_entity: where.id }));
  const batch = { target_collection: where.id, invocations, confirm: true };
  ok(await ask(node, me, `POST /kladoi/${busy.id}/invoke/batch`, batch));
  await node.ctx.invocations.idle();
  while (!existsSync(began)) await pause(20);
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  const { job_id } = ok<{ job_id: string }>(await ask(node, me, `POST /kladoi/${one.id}/invoke`, body));
  expect(await ended(node, me, `/kladoi/${one.id}/jobs/${job_id}/status`)).toMatchObject({ status: 'done' });
});

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
});

/** From here on additive updates are queued, and none is applied. */
function stuck(data: string): Disposable {
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.exec("CREATE TRIGGER stuck BEFORE UPDATE ON additive BEGIN SELECT RAISE(ABORT, 'no more'); END");
  return {
    [Symbol.dispose]() {
      db.exec('DROP TRIGGER stuck');
      db.close();
    },
  };
}

test('a step reads what the one before it has added to entities, however long the queue of additions is', async () => {
  await using node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  const file = await create(node, me, { type: 'file', collection: where.id });
  await allow(node, {
    first: replying(`const [entity_id] = job.target_entities;
      const many = Array.from({ length: 1500 }, (_, n) => ({ entity_id, properties: { seen: { n, ['k' + n]: 1 } } }));
      return { updates: many, outputs: [entity_id] };`),
    second: replying('return { outputs: [{ type: "note", properties: job.entities[0].properties.seen }] }'),
  });
  const more = { accepts: many('*') };
  const [one, two] = [
    await command(node, me, where.id, 'first', more),
    await command(node, me, where.id, 'second', more),
  ];
  const flow = await workflow(node, me, where.id, {
    first: { klados: one, then: { pass: 'second' } },
    second: { klados: two, then: { done: true } },
  });
  using _ = stuck(node.data);
  const body = { target_entities: [file.id], target_collection: where.id, confirm: true };
  ok(await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body));
  const notes = () => within(node, me, where.id, 'note');
  await expect.poll(async () => (await notes()).length).toBe(1);
  expect((await notes())[0]?.properties).toMatchObject({ n: 1499, k0: 1, k1499: 1 });
  const { body: now } = await ask(node, me, `GET /entities/${file.id}`);
  // A thousand of them are one version.
  expect(now).toMatchObject({ ver: 3 });
});

test('a command that has ended is not run again after a stop, however long the queue of additions is', async () => {
  await using folder = await temporaryFolder();
  const [data, runs] = [join(folder.path, 'data'), join(folder.path, 'runs')];
  const env = { PATH: '/usr/bin:/bin' };
  let path = '';
  await using opened = new AsyncDisposableStack();
  {
    await using node = await startNode({ data, env });
    const me = operator(node);
    const where = await collection(node, me, { label: 'target' });
    await allow(node, {
      quick: replying(`require('node:fs').appendFileSync(${JSON.stringify(runs)}, 'run '); return {}`),
    });
    const quick = await command(node, me, where.id, 'quick');
    opened.use(stuck(data));
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    const started = await ask(node, me, `POST /kladoi/${quick.id}/invoke`, body);
    const { job_id, job_collection } = ok<{ job_id: string; job_collection: string }>(started);
    path = `/kladoi/${quick.id}/jobs/${job_id}/status`;
    // That it has ended is said in the collection last.
    const queue = () => ask(node, me, `GET /updates/queue/${job_collection}`);
    await expect.poll(async () => JSON.stringify((await queue()).body)).toContain('log_done');
  }
  await using node = await startNode({ data, env });
  await node.ctx.invocations.idle();
  expect(await ended(node, operator(node), path)).toMatchObject({ status: 'done' });
  expect(await readFile(runs, 'utf8')).toBe('run ');
});

test('a stop of the node mixes nothing of two runs of a command, which come to different results', async () => {
  await using folder = await temporaryFolder();
  const [data, runs] = [join(folder.path, 'data'), join(folder.path, 'runs')];
  const env = { PATH: '/usr/bin:/bin' };
  const reply = `const fs = require('node:fs');
    fs.appendFileSync(${JSON.stringify(runs)}, 'run ');
    const label = fs.readFileSync(${JSON.stringify(runs)}, 'utf8');
    fs.mkdirSync(job.folder + '/sub');
    fs.writeFileSync(job.folder + '/sub/text', label, { mode: 0o400 });
    const outputs = Array.from({ length: label.length }, () =>
      ({ type: 'note', properties: { label }, content: [{ path: 'sub/text', content_type: 'text/plain' }] }));
    return { outputs, messages: [{ message: label }] };`;
  let path = '';
  let place = '';
  {
    await using node = await startNode({ data, env });
    const me = operator(node);
    const where = await collection(node, me, { label: 'target' });
    place = where.id;
    await allow(node, { fickle: replying(reply) });
    const fickle = await command(node, me, where.id, 'fickle');
    using opened = new DisposableStack();
    const db = opened.adopt(new Database(join(data, 'main', 'archeion.db')), (it) => void it.close());
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON entity WHEN (SELECT count(*) FROM entity WHERE type = 'note') >= 2
      BEGIN SELECT RAISE(ABORT, 'no more'); END`);
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    const { job_id } = ok<{ job_id: string }>(await ask(node, me, `POST /kladoi/${fickle.id}/invoke`, body));
    path = `/kladoi/${fickle.id}/jobs/${job_id}/status`;
    await expect.poll(async () => (await within(node, me, where.id, 'note')).length).toBe(2);
  }
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.exec('DROP TRIGGER full');
  db.close();
  await using node = await startNode({ data, env });
  const me = operator(node);
  expect(await ended(node, me, path)).toMatchObject({ status: 'done' });
  expect(await readFile(runs, 'utf8')).toBe('run ');
  const notes = await within(node, me, place, 'note');
  expect(notes.map(({ properties }) => properties.label)).toEqual(['run ', 'run ', 'run ', 'run ']);
  for (const { id } of notes) expect((await ask(node, me, `GET /entities/${id}/content`)).text).toBe('run ');
  await expect.poll(() => readdir(join(data, 'work'))).toEqual([]);
});

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
    const isFailed = (one: Job) => one.status === 'error';
    await expect.poll(async () => (await jobs()).filter(isFailed).length).toBe(run <= maxAttempts ? 0 : 3);
    // One runs its command, and two more have begun their logs.
    await expect.poll(running).toBeGreaterThanOrEqual(3);
    const [failed, others] = [[], []] as [Job[], Job[]];
    for (const one of await jobs()) (isFailed(one) ? failed : others).push(one);
    const why = { code: 'REJECTED', message: `the node stopped ${maxAttempts} times while it ran`, retryable: true };
    const given = { sending: 'refused', log: expect.any(String), error: why };
    expect(failed).toMatchObject(Array.from({ length: run <= maxAttempts ? 0 : 3 }, () => given));
    for (const { log } of failed)
      await expect
        .poll(async () => (await read(node, me, log ?? '')).properties)
        .toMatchObject({ status: 'error', log_data: { entry: { status: 'error', error: why } } });
    expect(new Set(others.map(({ sending }) => sending))).toEqual(new Set(['accepted']));
  }
});
