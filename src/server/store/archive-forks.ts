import type { Row } from './commit.ts';
import type { Reader } from './connection.ts';

/** Conflicts that an archive brought stand under this remote. */
export const archiveRemote = 0;

/** The other side of the conflict about an entity that an archive brought, as a CID; null where none is listed. */
export function listedFork(db: Reader, id: string): string | null {
  const sql = 'SELECT c.theirs FROM sync_conflict c JOIN entity e ON e.key = c.entity WHERE c.remote = ? AND e.id = ?';
  return db.get<{ theirs: string }>(sql, archiveRemote, id)?.theirs ?? null;
}

/** An entity's tip in an archive, beside the tip here and the fork that is listed. */
export interface ForkFacts {
  id: string;
  ours: string;
  tip: string;
  /** The archive's tip and the one here do not descend from each other, and say different things. */
  isFork: boolean;
  listed: string | null;
  /** The archive's chain holds the listed one. */
  holdsListed: boolean;
  /** The listed one descends from the archive's tip. */
  isBelowListed: boolean;
}

/**
 * What an archive changes about the fork that is listed of an entity; null for nothing. Of an entity one is listed: what has
 * nothing to do with the archive stays so, since nobody would see it any more.
 */
export function forkRow({ id, ours, tip, isFork, listed, holdsListed }: ForkFacts): Row | null {
  if (listed !== null && !holdsListed) return null;
  const theirs = isFork ? tip : null;
  return theirs === listed ? null : { kind: 'car_conflict', id, ours, theirs };
}

/** Whether a fork is not listed before the one that is has been decided. */
export function forkWaits({ isFork, listed, holdsListed, isBelowListed }: ForkFacts): boolean {
  return isFork && listed !== null && !holdsListed && !isBelowListed;
}
