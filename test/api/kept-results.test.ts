import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { allow, command, replying, within } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

const env = { PATH: '/usr/bin:/bin' };
const kept = (data: string) => readdir(join(data, 'work'));

/** Stops a node that has written half of what a command came to; when the job's permissions end, epoch milliseconds. */
async function stopped(data: string): Promise<number> {
  await using node = await startNode({ data, env });
  const me = operator(node);
  const where = await collection(node, me, { label: 'target' });
  await allow(node, {
    many: replying('return { outputs: Array.from({ length: 4 }, () => ({ type: "note", properties: {} })) }'),
  });
  const klados = await command(node, me, where.id, 'many');
  using opened = new DisposableStack();
  const db = opened.adopt(new Database(join(data, 'main', 'archeion.db')), (it) => void it.close());
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON entity WHEN (SELECT count(*) FROM entity WHERE type = 'note') >= 2
    BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  const started = await ask(node, me, `POST /kladoi/${klados.id}/invoke`, body);
  await expect.poll(async () => (await within(node, me, where.id, 'note')).length).toBe(2);
  return Date.parse(ok<{ expires_at: string }>(started).expires_at);
}

test('what a command came to goes at the start after the permissions of its job have ended', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await stopped(data);
  expect(await kept(data)).toHaveLength(2);
  await using _ = await startNode({ data, env, now: () => Date.now() + 2 * 3_600_000 });
  expect(await kept(data)).toEqual([]);
});

test('and where its job is not run again, when they end while the node runs', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const expires = await stopped(data);
  await allow({ data }, {});
  const ahead = expires - Date.now() - 3000;
  await using _ = await startNode({ data, env, now: () => Date.now() + ahead });
  await expect.poll(() => kept(data)).toEqual([]);
});
