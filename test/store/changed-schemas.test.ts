import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityMigrations } from '../../src/server/store/accounts/identity-schema.ts';
import { attestMigrations } from '../../src/server/store/attest-log.ts';
import { chatMigrations } from '../../src/server/store/chats/chat-schema.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { type Migration, migrate, migrations } from '../../src/server/store/migrations/migrate.ts';
import { isOfStorage } from '../../src/server/store/storage-error.ts';
import { checkDatabase } from '../../src/server/store/verify/verify-databases.ts';
import { Findings } from '../../src/server/store/verify/verify-findings.ts';

// A byte of what says how a table is made, changed to another letter: SQLite believes it.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-schemas-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Whether a check finds something, or cannot read the database at all. */
function isFound(file: string, steps: readonly Migration[]): boolean {
  const findings = new Findings();
  try {
    const db = openReader(file);
    try {
      checkDatabase(db, findings, steps);
    } finally {
      db.close();
    }
  } catch (error) {
    if (isOfStorage(error)) return true;
    throw error;
  }
  return !findings.report().ok;
}

test.each<[string, readonly Migration[]]>([
  ['identity.db', identityMigrations],
  ['chat.db', chatMigrations],
  ['attest.db', attestMigrations],
  ['archeion.db', migrations],
])('any letter that has changed in how the tables of %s are made is found', (name, steps) => {
  const file = join(folder, name);
  const db = new Database(file);
  migrate(db, steps);
  const made = db.prepare<[], { sql: string }>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  db.close();
  const whole = readFileSync(file);
  const places = made.flatMap(({ sql }) => {
    // What steps have written anew lies here and there as it was before.
    const starts: number[] = [];
    for (let at = whole.indexOf(sql); at !== -1; at = whole.indexOf(sql, at + 1)) starts.push(at);
    const plain = sql.replace(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));
    return starts.length === 0 ? [] : [...plain.matchAll(/\w/g)].map(({ index }) => starts.map((it) => it + index));
  });
  expect(isFound(file, steps)).toBe(false);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.constantFrom(...'aeksxTEI_7'), (copies, letter) => {
      const bytes = Buffer.from(whole);
      for (const place of copies) bytes.write(letter, place, 'latin1');
      writeFileSync(file, bytes);
      return bytes.equals(whole) || isFound(file, steps);
    }),
    { seed: 11, numRuns: 60 },
  );
});
