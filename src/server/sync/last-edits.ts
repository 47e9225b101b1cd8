import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { isMadeFrom, lastHere } from '../store/last-here.ts';
import type { EntityState } from './state.ts';

/**
 * What an entity said here before it was deleted; null where that was not made from what a remote said last, as where another remote's
 * tombstone lies over what that one had: it would undo what the remote has, and no edit of anybody.
 */
export function lastEdits(db: Reader, id: string, { twin }: Pick<EntityState, 'twin'>): Manifest | null {
  const standing = findStanding(db, id);
  const last = standing?.deleted ? lastHere(db, standing, standing.manifest) : undefined;
  return last && (twin === null || isMadeFrom(db, last, twin)) ? last.manifest : null;
}
