import { StorageError } from '../errors.ts';
import { idOn, networkOf } from '../model/ids.ts';
import type { NetworkStore } from './network-store.ts';

/**
 * To be called when a network has been opened, before anything is written to it. What is written first to each is the user of its
 * operator (an account's id on main), so that a database which has others alone is of elsewhere: this node would go on in it as
 * somebody else, and of both what is later could not be told apart. @throws StorageError
 */
export function refuseExchanged(store: NetworkStore, operator: string): void {
  const { network } = store;
  const { first, isOwn } = store.read((db) => ({
    first: db.get<{ id: string }>('SELECT id FROM entity WHERE tip IS NOT NULL ORDER BY key LIMIT 1')?.id,
    isOwn: db.get('SELECT 1 FROM entity WHERE id = ? AND tip IS NOT NULL', idOn(network, operator)) !== undefined,
  }));
  if (first === undefined || isOwn) return;
  const database = `The database ${network}/archeion.db`;
  const way =
    'Nothing was written. Put back what belongs here; where it is lost, move the data folder away and restore a backup.';
  throw new StorageError(
    networkOf(first) === network
      ? `${database} and identity.db, which has the accounts, are not of one node: one of them was exchanged. ${way}`
      : `${database} is that of the ${networkOf(first)} network: the two were exchanged. ${way}`,
  );
}
