import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { maxAttempts } from '../../src/server/model/job-state.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { allow, command, many, program, replying, within, workflow } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const env = { PATH: '/usr/bin:/bin' };

interface Started {
  klados: Entity;
  job_id: string;
  job_collection: string;
  expires_at: string;
}

/** A job of a command that does not end, which has begun its log. */
async function started(node: TestNode, me: Person): Promise<Started> {
  const where = await collection(node, me, { label: 'target' });
  await allow(node, { slow: program('setInterval(() => {}, 1000)') });
  const klados = await command(node, me, where.id, 'slow');
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  const job = ok<Omit<Started, 'klados'>>(await ask(node, me, `POST /kladoi/${klados.id}/invoke`, body));
  await expect.poll(() => within(node, me, job.job_collection, 'klados_log')).toHaveLength(1);
  return { klados, ...job };
}

const ways: Record<string, (node: TestNode, me: Person, klados: Entity) => Promise<unknown>> = {
  disabled: async (node, me, { id, cid }) =>
    ok(await ask(node, me, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'disabled' })),
  deleted: async (node, me, { id, cid }) => ok(await ask(node, me, `DELETE /entities/${id}`, { expect_tip: cid })),
  'not allowed any more': (node) => allow(node, { other: replying('return {}') }),
};

/** What the one log of a job says, and what the run of that does. */
async function told(node: TestNode, me: Person, { job_id, job_collection }: Started) {
  const [log] = await within(node, me, job_collection, 'klados_log');
  const { jobs } = ok<{ jobs: { sending: string; status: string; error: { message: string } | null }[] }>(
    await ask(node, me, `GET /node/jobs/${job_id}`),
  );
  const [job] = jobs;
  const { status, log_data } = (log?.properties ?? {}) as { status: string; log_data: { entry: object } };
  return { status, entry: log_data.entry, run: [job?.sending, job?.status, job?.error?.message] };
}

test.each(Object.keys(ways))(
  'the log ends of a job that a stop of the node interrupted, where its klados is %s before it is begun anew',
  async (how) => {
    await using folder = await temporaryFolder();
    const data = folder.path;
    let of: Started;
    {
      await using node = await startNode({ data, env });
      of = await started(node, operator(node));
    }
    // While the list cannot be read nothing is begun.
    await writeFile(join(data, 'processors.json'), '{', { mode: 0o600 });
    await using node = await startNode({ data, env });
    const me = operator(node);
    await node.ctx.invocations.idle();
    expect(await told(node, me, of)).toMatchObject({ status: 'running', run: ['queued', 'running', undefined] });
    await ways[how]?.(node, me, of.klados);
    await expect
      .poll(() => told(node, me, of), { timeout: 20_000 })
      .toMatchObject({
        status: 'error',
        entry: { status: 'error', error: { code: 'REJECTED', retryable: true } },
        run: ['refused', 'error', expect.any(String)],
      });
    const { entry, run } = await told(node, me, of);
    expect(run[2]).toBe((entry as { error: Error }).error.message);
  },
);

/** From here on no log can be ended. */
function stuck(data: string): Disposable {
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.exec(`CREATE TRIGGER stuck BEFORE UPDATE ON entity WHEN OLD.type = 'klados_log'
    BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  return {
    [Symbol.dispose]() {
      db.exec('DROP TRIGGER stuck');
      db.close();
    },
  };
}

test.each(['in use', 'disabled', 'deleted'])(
  'the log ends of a job that stops of the node have given up, where its klados is %s and one of them came before the end',
  async (how) => {
    await using folder = await temporaryFolder();
    const data = folder.path;
    let of: Started;
    {
      await using opened = new AsyncDisposableStack();
      {
        await using node = await startNode({ data, env });
        const me = operator(node);
        of = await started(node, me);
        opened.use(stuck(data));
        const db = new Database(join(data, 'main', 'archeion.db'));
        db.prepare('UPDATE job SET attempts = ?').run(maxAttempts);
        db.close();
        await ways[how]?.(node, me, of.klados);
      }
      await using node = await startNode({ data, env });
      await node.ctx.invocations.idle();
    }
    await using node = await startNode({ data, env });
    const me = operator(node);
    const message = `the node stopped ${maxAttempts} times while it ran`;
    await expect
      .poll(() => told(node, me, of), { timeout: 20_000 })
      .toMatchObject({
        status: 'error',
        entry: { status: 'error', error: { code: 'REJECTED', message } },
        run: ['refused', 'error', message],
      });
  },
);

test.each(Object.keys(ways))(
  'a job is done that has handed on before a stop of the node, where its klados is %s before its log says so',
  async (how) => {
    await using folder = await temporaryFolder();
    const data = folder.path;
    const commands = { first: replying('return { outputs: [{ type: "note" }] }'), second: replying('return {}') };
    let of: Started;
    let where: Entity;
    {
      await using opened = new AsyncDisposableStack();
      await using node = await startNode({ data, env });
      const me = operator(node);
      where = await collection(node, me, { label: 'target' });
      await allow(node, commands);
      const klados = await command(node, me, where.id, 'first', { accepts: many('*') });
      const behind = await command(node, me, where.id, 'second', { accepts: many('*') });
      const flow = await workflow(node, me, where.id, {
        first: { klados, then: { pass: 'second' } },
        second: { klados: behind, then: { done: true } },
      });
      opened.use(stuck(data));
      const body = { target_entities: [where.id], target_collection: where.id, confirm: true };
      const started = await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body);
      of = { klados, ...ok<Omit<Started, 'klados'>>(started) };
      // What the second came to is kept, which began once the first had handed on.
      const kept = async () => (await readdir(join(data, 'work'))).filter((name) => name.endsWith('.json'));
      await expect.poll(async () => (await kept()).length, { timeout: 20_000 }).toBe(2);
    }
    await writeFile(join(data, 'processors.json'), '{', { mode: 0o600 });
    await using node = await startNode({ data, env });
    const me = operator(node);
    await node.ctx.invocations.idle();
    await ways[how]?.(node, me, of.klados);
    if (how !== 'not allowed any more') await allow(node, commands);
    const run = async () =>
      ok<{ jobs: { status: string; sending: string; error: object | null }[] }>(
        await ask(node, me, `GET /node/jobs/${of.job_id}`),
      ).jobs;
    await expect
      .poll(async () => (await run()).map(({ status }) => status), { timeout: 20_000 })
      .toEqual(['done', 'done']);
    // Said once the log has ended.
    await expect.poll(async () => (await run()).map(({ sending }) => sending)).toEqual(['accepted', 'accepted']);
    expect((await run()).map(({ error }) => error)).toEqual([null, null]);
    const logs = await within(node, me, of.job_collection, 'klados_log');
    expect(logs.map(({ properties }) => properties.status)).toEqual(['done', 'done']);
    expect(await within(node, me, where.id, 'note')).toHaveLength(1);
  },
);

test('a node that runs for one command gives up no job, which it might not bring to its end', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let of: Started;
  {
    await using node = await startNode({ data, env });
    of = await started(node, operator(node));
  }
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.prepare("UPDATE job SET attempts = ?, state = 'accepted'").run(maxAttempts);
  db.close();
  {
    await using node = await startNode({ data, env, lent: true });
    for (let n = 0; n < 20; n++)
      expect(await told(node, operator(node), of)).toMatchObject({
        status: 'running',
        run: ['accepted', 'running', undefined],
      });
  }
  await using node = await startNode({ data, env });
  await expect.poll(() => told(node, operator(node), of), { timeout: 20_000 }).toMatchObject({ status: 'error' });
});

/** A workflow that scatters to `behind`, of which no more than one job can be recorded until `opened` is disposed of. */
async function scattering(node: TestNode, me: Person, where: Entity, opened: DisposableStack) {
  const klados = await command(node, me, where.id, 'first', { accepts: many('*') });
  const behind = await command(node, me, where.id, 'second', { accepts: many('*') });
  const flow = await workflow(node, me, where.id, {
    first: { klados, then: { scatter: 'second' } },
    second: { klados: behind, then: { done: true } },
  });
  const db = opened.adopt(new Database(join(node.data, 'main', 'archeion.db')), (it) => {
    it.exec('DROP TRIGGER full');
    it.close();
  });
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON job WHEN (SELECT count(*) FROM job) >= 2
      BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  const body = { target_entities: [where.id], target_collection: where.id, confirm: true };
  const job = ok<Omit<Started, 'klados'>>(await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body));
  return { of: { klados, ...job }, behind, resume: `POST /rhizai/${flow.id}/jobs/${job.job_id}/resume` };
}

test.each(['its klados', 'the one behind it'])(
  'a job that had handed on a part before a stop of the node is not resumed, which would begin that part once more: %s is disabled',
  async (whose) => {
    await using folder = await temporaryFolder();
    const data = folder.path;
    const commands = {
      first: replying('return { outputs: [{ type: "note" }, { type: "note" }] }'),
      second: replying('return {}'),
    };
    let of: Started;
    let behind: Entity;
    let resume = '';
    {
      using opened = new DisposableStack();
      await using node = await startNode({ data, env });
      const me = operator(node);
      const where = await collection(node, me, { label: 'target' });
      await allow(node, commands);
      ({ of, behind, resume } = await scattering(node, me, where, opened));
      const logs = () => within(node, me, of.job_collection, 'klados_log');
      const states = async () => (await logs()).map(({ properties }) => properties.status).sort();
      await expect.poll(states, { timeout: 20_000 }).toEqual(['done', 'running']);
    }
    await writeFile(join(data, 'processors.json'), '{', { mode: 0o600 });
    await using node = await startNode({ data, env });
    const me = operator(node);
    await node.ctx.invocations.idle();
    const isOwn = whose === 'its klados';
    const { id, cid } = isOwn ? of.klados : behind;
    const out = ok<Entity>(await ask(node, me, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'disabled' }));
    if (!isOwn) await allow(node, commands);
    const run = async () =>
      ok<{ jobs: { error: object | null }[] }>(await ask(node, me, `GET /node/jobs/${of.job_id}`)).jobs;
    await expect
      .poll(async () => (await run())[0]?.error, { timeout: 20_000 })
      .toMatchObject(
        isOwn
          ? { code: 'REJECTED', message: expect.stringContaining('begins once more'), retryable: false }
          : { code: 'HANDOFF_REFUSED', retryable: false },
      );
    await allow(node, commands);
    ok(await ask(node, me, `PUT /kladoi/${id}`, { expect_tip: out.cid, status: 'active' }));
    expect(ok(await ask(node, me, resume, {}))).toMatchObject({ resumed: 0 });
    expect(await run()).toHaveLength(2);
  },
);

test('a job that had handed on only what nobody took before a stop of the node can be resumed', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const first = replying('return { outputs: [{ type: "note" }, { type: "note" }] }');
  let of: Started;
  let resume = '';
  {
    using opened = new DisposableStack();
    await using node = await startNode({ data, env });
    const me = operator(node);
    const where = await collection(node, me, { label: 'target' });
    await allow(node, { first, second: replying('return {}') });
    ({ of, resume } = await scattering(node, me, where, opened));
    await allow(node, { first });
    const run = async () =>
      ok<{ jobs: { sending: string }[] }>(await ask(node, me, `GET /node/jobs/${of.job_id}`)).jobs;
    await expect.poll(async () => (await run())[1]?.sending, { timeout: 20_000 }).toBe('refused');
  }
  await writeFile(join(data, 'processors.json'), '{', { mode: 0o600 });
  await using node = await startNode({ data, env });
  const me = operator(node);
  await node.ctx.invocations.idle();
  const { id, cid } = of.klados;
  ok(await ask(node, me, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'disabled' }));
  await expect
    .poll(() => told(node, me, of), { timeout: 20_000 })
    .toMatchObject({ entry: { error: { code: 'REJECTED', retryable: true } } });
  expect(ok(await ask(node, me, resume, {}))).toMatchObject({ resumed: 1 });
});

test('the log of a job ends whose permissions ended while the node was down, as of then', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let of: Started;
  {
    await using node = await startNode({ data, env });
    of = await started(node, operator(node));
  }
  await using node = await startNode({ data, env, now: () => Date.now() + 2 * 3_600_000 });
  const me = operator(node);
  await expect
    .poll(() => told(node, me, of), { timeout: 20_000 })
    .toMatchObject({ status: 'error', entry: { status: 'error', error: { code: 'TIMEOUT', retryable: true } } });
  const { entry, run } = await told(node, me, of);
  expect(run).toEqual(['accepted', 'error', (entry as { error: Error }).error.message]);
  expect(entry).toMatchObject({ completed_at: of.expires_at });
});
