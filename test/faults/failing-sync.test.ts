import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { canFail, failingDisk } from './failing-disk.ts';

const writer = fileURLToPath(new URL('./failing-sync-writer.ts', import.meta.url));

/** How many of the two writes each database has. */
const kept: Record<string, [file: string, sql: string]> = {
  network: ['main/archeion.db', 'SELECT count(*) FROM entity'],
  identity: ['identity.db', "SELECT count(*) FROM setting WHERE name LIKE 'setting %'"],
  attest: ['attest.db', 'SELECT count(*) FROM node'],
};

/** What the writer is told of the second write, and how many there are after a kill. */
function written(what: string, times: 'once' | 'always'): { told: string; count: unknown } {
  const place = mkdtempSync(join(tmpdir(), 'archeion-syncs-'));
  try {
    const data = join(place, 'data');
    mkdirSync(data);
    const env = { ...process.env, ...failingDisk(place) };
    const { stdout } = spawnSync(process.execPath, [writer, data, times, what], { env, encoding: 'utf8' });
    const [file, sql] = kept[what] ?? ['', ''];
    const db = new Database(join(data, file));
    const count = db.prepare(sql).pluck().get();
    db.close();
    return { told: stdout, count };
  } finally {
    rmSync(place, { recursive: true });
  }
}

// A commit whose sync fails stands whole in the log, and SQLite takes it for one when the database is next opened.
test.runIf(canFail()).each(Object.keys(kept))('nothing is kept of a write whose sync fails (%s)', (what) => {
  const { told, count } = written(what, 'once');
  expect(told).toContain('nothing of this write was kept');
  expect(count).toBe(1);
});

test.runIf(canFail()).each(Object.keys(kept))('that nobody knows is said where every sync fails (%s)', (what) => {
  expect(written(what, 'always').told).toContain('it is not known whether this write was kept');
});
