import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseForeignLogs } from '../../src/server/store/foreign-log.ts';
import { asStorageError } from '../../src/server/store/storage-error.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode } from '../helpers/node.ts';

let data: string;
let copies: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'archeion-foreign-'));
  copies = mkdtempSync(join(tmpdir(), 'archeion-copies-'));
  await using _node = await startNode({ data });
});
afterEach(() => {
  for (const folder of [data, copies]) rmSync(folder, { recursive: true, force: true });
});

/** Puts a copy as a backup has it in the place of a database whose node was killed. @returns what lies there then */
function replaced(path: string): Buffer {
  const [file, copy] = [join(data, path), join(copies, path)];
  mkdirSync(dirname(copy), { recursive: true });
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.prepare('VACUUM INTO ?').run(copy);
  db.exec('CREATE TABLE last (n); INSERT INTO last VALUES (1)');
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  db.close();
  renameSync(copy, file);
  renameSync(`${copy}-wal`, `${file}-wal`);
  return readFileSync(file);
}

function refusal(): string {
  try {
    refuseForeignLogs(data);
    return '';
  } catch (error) {
    return asStorageError(error).reason;
  }
}

test.each([['main/archeion.db'], ['main/attest.db'], ['identity.db'], ['chat.db']])(
  '%s of a backup is not mixed with the log of the one that it was put in the place of',
  async (path) => {
    if (!existsSync(join(data, path))) new Database(join(data, path)).exec('CREATE TABLE one (n)').close();
    expect(refusal()).toBe('');
    const before = replaced(path);
    const log = `${join(data, path)}-wal`;
    expect(refusal()).toMatch(/the log \S+-wal beside it is of another one/);
    const started = startNode({ data }).catch((error: unknown) => asStorageError(error).reason);
    expect(await started).toContain('beside it is of another one');
    expect(readFileSync(join(data, path)).equals(before)).toBe(true);
    expect(existsSync(log)).toBe(true);
    renameSync(log, join(copies, 'log'));
    expect(refusal()).toBe('');
  },
);

test('verify says it, too', async () => {
  replaced('main/archeion.db');
  const { code, err } = await commandLine(data, ['verify']);
  expect(code).not.toBe(0);
  expect(err).toContain('the log archeion.db-wal beside it is of another one');
});
