import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../src/server/errors.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { logged, openLogWriter } from '../../src/server/store/attest-log.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { storing } from '../../src/server/store/storage-error.ts';
import { first, idOf, step } from '../helpers/store.ts';

type Write = (n: number) => unknown;

/** What writes to each of the databases. */
const writers: Record<string, (data: string) => Promise<Write>> = {
  network: async (data) => {
    const store = await NetworkStore.open(data, 'main');
    return (n) => store.submit([step(null, first(idOf(n)))]);
  },
  identity: async (data) => {
    const identity = new Identity(data, { now: () => 0, randomBytes: (size) => new Uint8Array(size) });
    return (n) => identity.setSetting(`setting ${n}`, 'kept');
  },
  attest: async (data) => {
    const log = openLogWriter(join(data, 'attest.db'));
    return (n) =>
      storing(() => logged(log, () => log.run('INSERT INTO node (place, hash) VALUES (?, ?)', n, new Uint8Array([n]))));
  },
};

/** Writes once, and once more while syncs fail; says what it is told, and is killed: `failing-sync-writer.ts DATA once|always WHAT`. */
const [data = '', times, what = ''] = process.argv.slice(2);
const write = await writers[what]?.(data);
await write?.(1);
writeFileSync(process.env.FAILING_SYNCS ?? '', times === 'once' ? '' : 'always');
const told = await Promise.resolve()
  .then(() => write?.(2))
  .then(
    () => 'kept',
    (error: unknown) => (error instanceof StorageError ? error.reason : String(error)),
  );
writeFileSync(1, told);
process.kill(process.pid, 'SIGKILL');
