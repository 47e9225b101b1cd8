import { existsSync } from 'node:fs';
import { UsageError } from '../../config.ts';
import type { Network } from '../../model/ids.ts';
import { refuseLostNetwork } from '../../store/lost-database.ts';
import { databaseFile } from '../../store/network-store.ts';

/** A network's database, which is there. @throws UsageError; StorageError where it was lost */
export function writtenIn(data: string, network: Network): string {
  const database = databaseFile(data, network);
  refuseLostNetwork(data, network);
  if (existsSync(database)) return database;
  const other = network === 'main' ? 'test' : 'main';
  throw new UsageError(
    `Nothing was ever written on the ${network} network of ${data}; --network ${other} names the other one.`,
  );
}
