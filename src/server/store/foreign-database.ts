import { StorageError } from '../errors.ts';
import { idOn, type Network, networkOf } from '../model/ids.ts';
import type { Reader } from './connection.ts';
import type { NetworkStore } from './network-store.ts';

/**
 * Whether a database is of this network and of another node: then it has entities and not the user of this operator (an account's id
 * on main), who is written first to each.
 */
export function isOfOthers(db: Reader, network: Network, operator: string): boolean {
  if (networkIn(db) !== network) return false;
  return !db.get('SELECT 1 FROM entity WHERE id = ? AND tip IS NOT NULL', idOn(network, operator));
}

/** Which network a database is of; undefined where nothing is in it. */
function networkIn(db: Reader): Network | undefined {
  const first = db.get<{ id: string }>('SELECT id FROM entity WHERE tip IS NOT NULL ORDER BY key LIMIT 1');
  return first && networkOf(first.id);
}

export const notOfOneNode =
  'and identity.db, which has the accounts, are not of one node: one of them was exchanged. ' +
  'Put back what belongs here; where it is lost, move the data folder away and restore a backup.';

/**
 * To be called when a network has been opened, before anything is written to it: in a database of elsewhere this node would go on as
 * somebody else, and what is later could not be told apart. @throws StorageError
 */
export function refuseForeignDatabase(store: NetworkStore, operator: string): void {
  const { network } = store;
  const { found, isOther } = store.read((db) => ({
    found: networkIn(db) ?? network,
    isOther: isOfOthers(db, network, operator),
  }));
  const database = `Nothing was written. The database ${network}/archeion.db`;
  if (found !== network)
    throw new StorageError(
      `${database} is that of the ${found} network: the two were exchanged. Put back the one that belongs here.`,
    );
  if (isOther) throw new StorageError(`${database} ${notOfOneNode}`);
}
