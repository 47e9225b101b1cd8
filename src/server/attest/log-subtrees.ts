import { StorageError } from '../errors.ts';
import { subtreeHash } from '../store/attest-log.ts';
import type { Reader } from '../store/connection.ts';
import type { Subtrees } from './merkle.ts';

export const damagedLog =
  'The attestation log does not fit what is stored. Run `archeion verify`; then restore a backup, or move attest.db away for a new log.';

/** The log's hashes as the tree's functions take them. @throws StorageError where one is missing */
export function subtreesOf(log: Reader): Subtrees {
  return (level, index) => {
    const found = subtreeHash(log, level, index);
    if (!found) throw new StorageError(damagedLog);
    return found;
  };
}
