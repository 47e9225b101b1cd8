import { existsSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeBackup } from '../../src/server/store/backup/backup.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, operate } from '../helpers/node-archives.ts';

/** The data folder of a node that had something on a network and was stopped as it should be. */
async function stopped(folder: string, network: 'main' | 'test'): Promise<string> {
  const data = join(folder, 'data');
  await using node = await startNode({ data });
  if (network === 'main') await create(node, 'Ada');
  else expect(await onTest(node)).toBe(201);
  await expect.poll(() => existsSync(join(data, network, 'attest.db'))).toBe(true);
  return data;
}

const onTest = async (node: TestNode): Promise<number> =>
  (await operate(node, 'POST /collections', { label: 'Trials' }, 'test')).status;

const lost = (network: string) =>
  `The database ${network}/archeion.db is not there or empty, but ${network}/attest.db is`;

const backup = (data: string, to: string) =>
  makeBackup({ data, to, instance: 'i', version: '1', time: new Date().toISOString(), openFiles: {} }, () => undefined);

function withoutTables(file: string): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.close();
}

test.each(['missing', 'empty', 'without tables'])(
  'a database that is %s after a clean stop is not made anew',
  async (how) => {
    await using folder = await temporaryFolder();
    const data = await stopped(folder.path, 'main');
    const file = join(data, 'main', 'archeion.db');
    await cp(file, join(folder.path, 'away.db'));
    await rm(file);
    if (how === 'empty') await writeFile(file, '');
    // As without its log, where that had all of it yet.
    if (how === 'without tables') withoutTables(file);
    await expect(startNode({ data })).rejects.toMatchObject({ reason: expect.stringContaining(lost('main')) });
    expect(await commandLine(data, ['verify'])).toMatchObject({ code: 1, err: expect.stringContaining(lost('main')) });
    await expect(backup(data, join(folder.path, 'backup'))).rejects.toMatchObject({
      reason: expect.stringContaining(lost('main')),
    });
    await cp(join(folder.path, 'away.db'), file);
    await using node = await startNode({ data });
    const { body } = await node.fetch('/events');
    expect(body).toMatchObject({ events: [{ id: 2 }, { id: 1 }] });
  },
);

test('nor is one of the other network, of which the first goes on', async () => {
  await using folder = await temporaryFolder();
  const data = await stopped(folder.path, 'test');
  await rm(join(data, 'test', 'archeion.db'));
  await using node = await startNode({ data });
  expect(await onTest(node)).toBe(503);
  expect(existsSync(join(data, 'test', 'archeion.db'))).toBe(false);
  await create(node, 'Ada');
});

test('without the accounts nobody begins anew as the owner of nothing', async () => {
  await using folder = await temporaryFolder();
  const data = await stopped(folder.path, 'main');
  await rm(join(data, 'identity.db'));
  const words = 'The database identity.db, which has the accounts and keys, is not there or empty';
  await expect(startNode({ data })).rejects.toMatchObject({ reason: expect.stringContaining(words) });
  expect(await commandLine(data, ['verify'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('identity.db is not there'),
  });
  await expect(backup(data, join(folder.path, 'backup'))).rejects.toMatchObject({
    reason: expect.stringContaining(words),
  });
  expect(await commandLine(data, ['status'])).toMatchObject({ code: 1, err: expect.stringContaining(words) });
  withoutTables(join(data, 'identity.db'));
  await expect(startNode({ data })).rejects.toMatchObject({ reason: expect.stringContaining(words) });
  await rm(join(data, 'main', 'archeion.db'));
  expect(await commandLine(data, ['verify'])).toMatchObject({ code: 1, err: expect.stringContaining(lost('main')) });
});

test.each([['status'], ['verify'], ['search', 'x']])(
  'of a folder that cannot be looked at "%s" says why in a sentence',
  async (...args) => {
    // Another user's folder answers so as well, but not to root.
    const data = join('/', 'n'.repeat(256));
    const { code, err } = await commandLine(data, args);
    expect({ code, lines: err.split('\n').length, err }).toMatchObject({
      code: 1,
      lines: 1,
      err: expect.stringContaining('archeion: The file system reported an error: ENAMETOOLONG'),
    });
  },
);
