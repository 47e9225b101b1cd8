import type { Row } from '../commit.ts';
import type { Reader } from '../connection.ts';

/** Conflicts that an archive brought stand under this remote; what else is listed beside that without a remote, under those below it. */
export const archiveRemote = 0;
/** The name of the first one, which no remote may have; the others have a number behind it. */
export const archiveName = 'car';

/** The name of a row `c` of sync_conflict without a remote, as SQL; null where it has one. */
export const forkNameSql = `CASE WHEN c.remote = ${archiveRemote} THEN '${archiveName}' WHEN c.remote < ${archiveRemote} THEN '${archiveName}:' || (1 - c.remote) END`;

/** Whether a conflict of that name has no remote. */
export function isArchiveName(name: string): boolean {
  return name === archiveName || name.startsWith(`${archiveName}:`);
}

/** A version that is listed without a remote as the other side of a conflict about an entity. */
export interface ListedFork {
  remote: number;
  theirs: string;
}

/** All of an entity, by its key; few entities have several. */
export function forksOf(db: Reader, entity: number): ListedFork[] {
  const least = db.get<{ least: number | null }>('SELECT min(remote) AS least FROM sync_conflict')?.least ?? 1;
  const forks: ListedFork[] = [];
  for (let remote = archiveRemote; remote >= least; remote--) {
    const sql = 'SELECT remote, theirs FROM sync_conflict WHERE remote = ? AND entity = ?';
    const fork = db.get<ListedFork>(sql, remote, entity);
    if (fork) forks.push(fork);
  }
  return forks;
}

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
  return theirs === listed ? null : { kind: 'car_conflict', id, ours, theirs, listed };
}

/** Whether a fork is not listed before the one that is has been decided. */
export function forkWaits({ isFork, listed, holdsListed, isBelowListed }: ForkFacts): boolean {
  return isFork && listed !== null && !holdsListed && !isBelowListed;
}
