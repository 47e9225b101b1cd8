import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { boundLog, Connection } from '../../src/server/store/connection.ts';
import { temporaryFolder } from '../helpers/node.ts';

const megabyte = 2 ** 20;
const most = 4 * megabyte;

/** The longest log of 40 writes of a megabyte each while somebody reads all the time. */
async function longestLog(after: (db: Connection) => void): Promise<number> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'index.db');
  const db = new Connection(new Database(file));
  db.db.pragma('journal_mode = WAL');
  db.db.exec('CREATE TABLE part (bytes BLOB NOT NULL)');
  const reader = new Worker(new URL('../helpers/constant-reader.ts', import.meta.url), { workerData: { file } });
  await once(reader, 'message');
  let longest = 0;
  for (let i = 0; i < 40; i++) {
    db.run('INSERT INTO part (bytes) VALUES (?)', randomBytes(megabyte));
    after(db);
    longest = Math.max(longest, statSync(`${file}-wal`).size);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  reader.postMessage('end');
  await once(reader, 'exit');
  db.close();
  return longest;
}

test('a log stays short though somebody reads at every moment', async () => {
  expect(await longestLog((db) => boundLog(db, most))).toBeLessThan(3 * most);
});

// By chance a reader begins when all is copied, and the log begins anew: no rule, as often as one likes.
test('without that it grows with all that is written', { retry: 3 }, async () => {
  expect(await longestLog(() => undefined)).toBeGreaterThan(3 * most);
});
