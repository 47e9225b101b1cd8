import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import { allow, command, replying, within, workflow } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const env = { PATH: '/usr/bin:/bin' };

/** A fault of a node's database until it is undone. */
function fault(data: string, when: string): Disposable {
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.exec(`CREATE TRIGGER fault ${when} BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  return {
    [Symbol.dispose]() {
      db.exec('DROP TRIGGER fault');
      db.close();
    },
  };
}

interface Started {
  job_id: string;
  job_collection: string;
}

/** A workflow of one command that is started. */
async function started(
  node: TestNode,
  me: Person,
  reply: string,
): Promise<Started & { klados: Entity; where: string }> {
  const where = await collection(node, me, { label: 'target' });
  await allow(node, { quick: replying(reply) });
  const klados = await command(node, me, where.id, 'quick');
  const flow = await workflow(node, me, where.id, { only: { klados, then: { done: true } } });
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  return { klados, where: where.id, ...ok<Started>(await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body)) };
}

const statusOf = async (node: TestNode, me: Person, { job_collection }: Started) =>
  (await within(node, me, job_collection, 'klados_log'))[0]?.properties.status;
const saidOf = async (node: TestNode, me: Person, { job_collection }: Started) =>
  (await read(node, me, job_collection)).relationships
    .map(({ predicate }) => predicate)
    .filter((predicate) => /^(log|final)_/.test(predicate));

test('that a job has ended is said in its collection wherever a stop of the node comes', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let of: Started;
  {
    using opened = new DisposableStack();
    await using node = await startNode({ data, env });
    const me = operator(node);
    of = await started(node, me, 'await new Promise((done) => setTimeout(done, 300)); return {}');
    await expect.poll(() => saidOf(node, me, of)).toEqual(['log_started']);
    opened.use(fault(data, "BEFORE INSERT ON additive WHEN NEW.body LIKE '%log_done%'"));
    await expect.poll(() => existsSync(join(data, 'work', of.job_id, 'done')), { timeout: 20_000 }).toBe(true);
    // Until it has tried to write the end.
    for (let n = 0; n < 20; n++) await statusOf(node, me, of);
  }
  await using node = await startNode({ data, env });
  const me = operator(node);
  await expect.poll(() => statusOf(node, me, of), { timeout: 20_000 }).toBe('done');
  await expect.poll(() => saidOf(node, me, of)).toEqual(['log_started', 'log_done', 'final_output']);
});

test('and where its klados is disabled before that', async () => {
  await using node = await startNode({ env });
  const me = operator(node);
  const of = await started(node, me, 'await new Promise((done) => setTimeout(done, 300)); return {}');
  await expect.poll(() => saidOf(node, me, of)).toEqual(['log_started']);
  {
    using _ = fault(node.data, `BEFORE UPDATE ON entity WHEN OLD.id = '${of.job_collection}'`);
    await expect.poll(() => statusOf(node, me, of), { timeout: 20_000 }).toBe('done');
    const { id, cid } = of.klados;
    ok(await ask(node, me, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'disabled' }));
  }
  await expect
    .poll(() => saidOf(node, me, of), { timeout: 20_000 })
    .toEqual(['log_started', 'log_done', 'final_output']);
});

test.each([
  'return {}',
  'return { error: { code: "TOO_DARK", message: "scan again" } }',
  // Nothing can be kept of it.
  'require("node:fs").writeFileSync(job.folder + "/in/result", ""); return {}',
])('the end of a log that its collection does not take is written once it does: %s', async (reply) => {
  await using node = await startNode({ env });
  const me = operator(node);
  const first = `await new Promise((done) => setTimeout(done, 300)); require('node:fs').appendFileSync(${JSON.stringify(join(node.data, 'runs'))}, '1'); `;
  const of = await started(node, me, first + reply);
  await expect.poll(() => saidOf(node, me, of)).toEqual(['log_started']);
  const role = `klados_${of.klados.id.toLowerCase()}`;
  const members = `/collections/${of.job_collection}/members`;
  ok(await ask(node, me, `DELETE ${members}/${of.klados.id}?role=${role}`));
  const refused = () => node.logged.some((line) => line.includes('the log of a job could not be written'));
  await expect.poll(refused, { timeout: 20_000 }).toBe(true);
  expect(await statusOf(node, me, of)).toBe('running');
  await enrol(node, me, of.job_collection, { id: of.klados.id, headers: {} }, role);
  const end = reply.includes('error') ? 'error' : 'done';
  await expect.poll(() => statusOf(node, me, of), { timeout: 20_000 }).toBe(end);
  expect(readFileSync(join(node.data, 'runs'), 'utf8')).toBe('1');
});

test('what a command came to is written once its collections take it, and not the refusal of before', async () => {
  await using node = await startNode({ env });
  const me = operator(node);
  const reply = 'await new Promise((done) => setTimeout(done, 500)); return { outputs: [{ type: "note" }] }';
  const of = await started(node, me, reply);
  await expect.poll(() => saidOf(node, me, of)).toEqual(['log_started']);
  const role = `klados_${of.klados.id.toLowerCase()}`;
  // The second one takes the end of the log.
  const places = [of.where, of.job_collection];
  for (const id of places) ok(await ask(node, me, `DELETE /collections/${id}/members/${of.klados.id}?role=${role}`));
  const refused = () => node.logged.some((line) => line.includes('the log of a job could not be written'));
  await expect.poll(refused, { timeout: 20_000 }).toBe(true);
  for (const id of places) await enrol(node, me, id, { id: of.klados.id, headers: {} }, role);
  await expect.poll(() => statusOf(node, me, of), { timeout: 20_000 }).toBe('done');
  expect(await within(node, me, of.where, 'note')).toHaveLength(1);
});
