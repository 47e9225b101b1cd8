import { openDataFolder } from '../../src/server/data-folder.ts';
import { inProcessQueue } from '../../src/server/store/commit-queue.ts';
import { openWriter } from '../../src/server/store/connection.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { first, idOf, step } from '../helpers/store.ts';
import { addMark } from './recording.ts';
import type { Promised } from './store-promises.ts';

/**
 * A process that commits without a sync and ends as if it had been killed before that (`write`), and the next one, which
 * reads what is there and says so (`read`): `unsynced-writer.ts DATA write|read`.
 */
const [folder = '', part] = process.argv.slice(2);
const data = await openDataFolder(folder);
const version = first(idOf(7), { properties: { text: 'x'.repeat(5000) } });
const store = await NetworkStore.open(data, 'main', 'here');
if (part === 'write') {
  const queue = inProcessQueue(databaseFile(data, 'main'), (file) => {
    const connection = openWriter(file);
    connection.db.pragma('synchronous = OFF');
    return connection;
  });
  await queue.submit([step(null, version)]);
} else {
  const tip = store.read((db) => findTip(db, version.id));
  if (tip !== version.cid) throw new Error('what was written cannot be read');
  addMark(process.env.FAULT_LOG ?? '', JSON.stringify({ versions: [[version.id, tip]] } satisfies Promised));
}
process.kill(process.pid, 'SIGKILL');
