import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { operate } from '../helpers/node-archives.ts';
import { search } from '../helpers/searches.ts';

/**
 * Another program, which wants a database for itself alone. One that has it, as earlier releases of SQLite believe when they close
 * the last connection, deletes the log that somebody else goes on writing.
 */
const take = `
const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 });
db.pragma('locking_mode = EXCLUSIVE');
try {
  db.prepare('SELECT count(*) FROM sqlite_master').get();
  console.log('taken');
} catch (error) {
  console.log(error.code);
}
db.close();`;

test('no other program gets a database for itself while a node has it', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const me = operator(node);
  await create(node, me, { type: 'letter', properties: { label: 'To Ada', text: 'x'.repeat(1000) } });
  await search(node, me, 'entities', { query: 'Ada' });
  for (const [request, body] of [
    ['POST /node/verify', undefined],
    ['POST /node/backup', { dir: join(folder.path, 'backup') }],
    ['GET /node/export-car', undefined],
    ['GET /node/status', undefined],
  ] as const)
    await (await operate(node, request, body)).text();
  await create(node, me, { type: 'letter', properties: { label: 'To Charles' } });
  for (const name of ['main/archeion.db', 'identity.db']) {
    const said = execFileSync(process.execPath, ['-e', take, join(node.data, name)], { encoding: 'utf8' });
    expect([name, said.trim()]).toEqual([name, 'SQLITE_BUSY']);
  }
});
