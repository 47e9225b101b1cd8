import { writeFileSync } from 'node:fs';
import { StorageError } from '../../src/server/errors.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { first, idOf, step } from '../helpers/store.ts';

/** Writes an entity, and another one while syncs fail; says what it is told, and is killed: `failing-sync-writer.ts DATA once|always`. */
const [data = '', times] = process.argv.slice(2);
const store = await NetworkStore.open(data, 'main', 'thread');
await store.submit([step(null, first(idOf(1)))]);
writeFileSync(process.env.FAILING_SYNCS ?? '', times === 'once' ? '' : 'always');
const told = await store.submit([step(null, first(idOf(2)))]).then(
  () => 'kept',
  (error: unknown) => (error instanceof StorageError ? error.reason : String(error)),
);
writeFileSync(1, told);
process.kill(process.pid, 'SIGKILL');
