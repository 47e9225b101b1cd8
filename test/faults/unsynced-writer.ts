import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentCid } from '../../src/server/blocks/encode.ts';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { openDataFolder } from '../../src/server/data-folder.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { inProcessQueue } from '../../src/server/store/commit-queue.ts';
import { openWriter } from '../../src/server/store/connection.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { first, step } from '../helpers/store.ts';
import { addMark } from './recording.ts';
import type { Promised } from './store-promises.ts';

/**
 * A process that commits, and names a file, without a sync and ends as if it had been killed before that (`write`), and the
 * next one, which reads what is there and says so (`read`): `unsynced-writer.ts DATA write|read`.
 */
const [folder = '', part] = process.argv.slice(2);
const data = await openDataFolder(folder);
const identity = new Identity(data, { now: Date.now, randomBytes });
const { account } = identity.ensureOperator();
identity.close();
// What a node writes first.
const version = first(account.id, { properties: { text: 'x'.repeat(5000) } });
const bytes = Buffer.from('y'.repeat(3000));
const cid = contentCid(createHash('sha256').update(bytes).digest());
const store = await NetworkStore.open(data, 'main', { writer: 'here' });
const files = new FileStore(filesFolder(store.folder));
if (part === 'write') {
  const queue = inProcessQueue(databaseFile(data, 'main'), (file) => {
    const connection = openWriter(file);
    connection.db.pragma('synchronous = OFF');
    return connection;
  });
  await queue.submit([step(null, version)]);
  const path = join(filesFolder(store.folder), files.place(cid).path);
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(store.folder, 'temporary');
  writeFileSync(temporary, bytes, { flush: true });
  renameSync(temporary, path);
} else {
  const tip = store.read((db) => findTip(db, version.id));
  if (tip !== version.cid) throw new Error('what was written cannot be read');
  if (!files.has(cid)) throw new Error('the file that was named is not there');
  for (const promised of [{ versions: [[version.id, tip]] }, { file: cid }] satisfies Promised[])
    addMark(process.env.FAULT_LOG ?? '', JSON.stringify(promised));
}
process.kill(process.pid, 'SIGKILL');
