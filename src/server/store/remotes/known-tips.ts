import { cidText } from '../../blocks/cid.ts';
import type { Reader } from '../connection.ts';
import { isForgotten } from './remote-troubles.ts';
import type { Trouble } from './sync-rows.ts';

/** What is known of an entity of a remote, for comparing it. */
export interface KnownTip {
  id: string;
  /** Null where none could be read yet. */
  theirs: string | null;
  trouble: Trouble | null;
  /** It could not be read, and is asked for again by itself. */
  isAskedAgain: boolean;
  /** The remote was reset, and what it has of it has not been read since. */
  isForgotten: boolean;
}

interface PageRow {
  key: number;
  id: string;
  theirs: Uint8Array | null;
  trouble: Trouble | null;
  again: number;
  forgotten: number;
}

/** By the store's order; `next` is null on the last. */
export interface KnownPage {
  rows: KnownTip[];
  next: number | null;
}

/**
 * A page of everything that is known of a remote, from `after` on. It walks what is known of all remotes, so it runs on a reader
 * thread.
 */
export function knownPage(
  db: Reader,
  { remote, after, limit }: { remote: number; after: number; limit: number },
): KnownPage {
  const rows = db.all<PageRow>(
    `SELECT e.key, e.id, t.cid AS theirs, k.trouble, k.again IS NOT NULL AS again, ${isForgotten} AS forgotten
       FROM remote_entity k JOIN entity e ON e.key = k.entity
       LEFT JOIN block t ON t.key = k.theirs WHERE k.remote = ? AND k.entity > ? ORDER BY k.entity LIMIT ?`,
    remote,
    after,
    limit,
  );
  return {
    rows: rows.map(({ id, theirs, trouble, again, forgotten }) => ({
      ...{ id, theirs: theirs && cidText(theirs), trouble, isAskedAgain: again === 1, isForgotten: forgotten === 1 },
    })),
    next: rows.length === limit ? (rows.at(-1)?.key ?? null) : null,
  };
}

/** Ids of what is deleted here and not known of a remote; `next` is null on the last page. */
export interface DeletedPage {
  ids: string[];
  next: number | null;
}

/** A page of it, from a tip on. */
export function deletedPage(
  db: Reader,
  { remote, after, limit }: { remote: number; after: number; limit: number },
): DeletedPage {
  const rows = db.all<{ id: string; tip: number }>(
    `SELECT e.id, e.tip FROM entity e WHERE e.deleted = 1 AND e.tip > ? AND e.type <> 'user'
        AND NOT EXISTS (SELECT 1 FROM remote_entity k WHERE k.remote = ? AND k.entity = e.key) ORDER BY e.tip LIMIT ?`,
    after,
    remote,
    limit,
  );
  return { ids: rows.map(({ id }) => id), next: rows.length === limit ? (rows.at(-1)?.tip ?? null) : null };
}
