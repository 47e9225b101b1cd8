import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StorageError } from '../../src/server/errors.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { openLogWriter } from '../../src/server/store/attest-log.ts';
import { ChatStore } from '../../src/server/store/chats/chats.ts';
import { openReader, openWriter } from '../../src/server/store/connection.ts';
import { isOutdated } from '../../src/server/store/outdated.ts';
import { asStorageError } from '../../src/server/store/storage-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-alone-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openers: [name: string, open: (folder: string) => { close(): void }][] = [
  ['archeion.db', (at) => openWriter(join(at, 'archeion.db'))],
  ['attest.db', (at) => openLogWriter(join(at, 'attest.db'))],
  ['identity.db', (at) => new Identity(at, { now: () => 0, randomBytes: (size) => new Uint8Array(size) })],
  ['chat.db', (at) => new ChatStore(join(at, 'chat.db'))],
];

/** The files of a database as a kill leaves them, with what was written last in the log alone. */
function killed(name: string, open: (folder: string) => { close(): void }): void {
  const alive = mkdtempSync(join(folder, 'alive-'));
  open(alive).close();
  const db = new Database(join(alive, name));
  db.exec('CREATE TABLE last (n); INSERT INTO last VALUES (1)');
  for (const end of ['', '-wal']) copyFileSync(join(alive, `${name}${end}`), join(folder, `${name}${end}`));
  db.close();
}

test.each(openers)('%s is not made anew, and its log deleted, where it is moved away or empty', (name, open) => {
  killed(name, open);
  const file = join(folder, name);
  copyFileSync(file, `${file}.away`);
  const refused = () => refusedBy(() => open(folder).close());
  rmSync(file);
  expect(refused()).toContain(`${name} is not there, but its log ${name}-wal is`);
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, '');
  expect(refused()).toContain(`${name} is not there, but its log ${name}-wal is`);
  copyFileSync(`${file}.away`, file);
  open(folder).close();
  const db = new Database(file, { readonly: true });
  expect(db.prepare('SELECT n FROM last').all()).toEqual([{ n: 1 }]);
  db.close();
});

test('nor is its log deleted where it is only read, empty as it is', () => {
  killed(...(openers[0] as (typeof openers)[0]));
  const file = join(folder, 'archeion.db');
  copyFileSync(file, `${file}.away`);
  writeFileSync(file, '');
  expect(isOutdated(file)).toBe(false);
  expect(() => openReader(file).close()).toThrow(StorageError);
  copyFileSync(`${file}.away`, file);
  const db = new Database(file, { readonly: true });
  expect(db.prepare('SELECT n FROM last').all()).toEqual([{ n: 1 }]);
  db.close();
});

function refusedBy(attempt: () => void): string {
  try {
    attempt();
    return 'opened';
  } catch (error) {
    return asStorageError(error).reason;
  }
}
