import { type Dirent, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageError } from '../errors.ts';
import { type Network, networks } from '../model/ids.ts';
import { identityFile } from './accounts/identity-schema.ts';
import { refuseLogAlone, sizeOf } from './connection.ts';
import { filesFolder } from './network-folders.ts';
import { databaseFile } from './network-store.ts';
import { isOnlyBegun } from './outdated.ts';
import { storing } from './storage-error.ts';

/**
 * To be called before a network's database is opened that may be made, or passed over because there is none: an empty one in the
 * place of one that was lost would look as if nothing had ever been written. @throws StorageError
 */
export function refuseLostNetwork(data: string, network: Network): void {
  storing(() => lookForNetwork(data, network));
}

function lookForNetwork(data: string, network: Network): void {
  const file = databaseFile(data, network);
  if (isThere(file)) return;
  refuseLogAlone(file);
  const witness = witnessOf(dirname(file));
  if (witness === null) return;
  throw new StorageError(
    `The database ${network}/archeion.db is not there or empty, but ${network}/${witness} is, which was made after it. ` +
      `Put the database back; where it is lost, move the data folder away and restore a backup. To begin this network anew, move the folder ${network} away.`,
  );
}

/** The same for accounts and keys: without them nobody would be the owner of what the networks have. @throws StorageError */
export function refuseLostIdentity(data: string): void {
  storing(() => lookForIdentity(data));
}

function lookForIdentity(data: string): void {
  if (isThere(join(data, identityFile))) return;
  const network = networks.find((it) => isThere(databaseFile(data, it)));
  if (network === undefined) return;
  throw new StorageError(
    `The database ${identityFile}, which has the accounts and keys, is not there or empty, but ${network}/archeion.db is, which was made ` +
      'after it. Put it back; where it is lost, move the data folder away and restore a backup.',
  );
}

/** Without its log, which has all of it at first, a database has no tables either. */
function isThere(file: string): boolean {
  return sizeOf(file) > 0 && !isOnlyBegun(file);
}

/** What is in a network's folder only after its database was made. */
function witnessOf(folder: string): string | null {
  const found = namesIn(folder).find((it) => it.isFile() && witnesses.test(it.name));
  return found?.name ?? (namesIn(filesFolder(folder)).length > 0 ? 'files' : null);
}

/** Of the copies before an upgrade those alone that are complete bear this name. */
const witnesses = /^(?:attest\.db|search\.db|archeion\.db\.before-\d+)$/;

function namesIn(folder: string): Dirent[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? readdirSync(folder, { withFileTypes: true }) : [];
}
