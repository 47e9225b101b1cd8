import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logSize, openLogReader, openLogWriter } from '../../src/server/store/attest-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-half-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A database as a power cut leaves it in the middle of its first transaction: some of its pages, and their journal. */
function halfMade(file: string): void {
  const db = new Database(join(folder, 'making.db'));
  db.pragma('cache_size = 1');
  db.exec('BEGIN; CREATE TABLE leaf (seq, hash)');
  const insert = db.prepare('INSERT INTO leaf VALUES (?, zeroblob(3000))');
  for (let n = 0; n < 200; n++) insert.run(n);
  for (const end of ['', '-journal']) copyFileSync(join(folder, `making.db${end}`), `${file}${end}`);
  db.close();
}

test('a log that a power cut left half made is none, whoever reads it first, and is made then', () => {
  const file = join(folder, 'attest.db');
  halfMade(file);
  expect(openLogReader(file)).toBeNull();
  openLogWriter(file).close();
  const log = openLogReader(file);
  expect(log && logSize(log)).toBe(0);
  log?.close();
});
