import type { Manifest } from '../model/manifest.ts';
import { rolesOf } from '../model/roles.ts';
import type { Reader } from '../store/connection.ts';
import { findKnown, otherUsers, type Remote } from '../store/remotes/remotes.ts';
import { lastLive } from '../store/versions.ts';

/** Who the operator is to a remote, and here. */
export interface Who {
  remote: Pick<Remote, 'key' | 'user'>;
  /** The operator's own ids here. */
  self: readonly string[];
}

/**
 * By whom else a collection may name the operator, beside the ids here: other remotes know him by users of theirs, and their versions
 * stand here. What this remote has heard of by itself is somebody there, and where it has the collection without its own user nobody is
 * to become a member for that.
 * @param theirs the remote's version of the collection, null where it has none
 */
export function ownNames(
  db: Reader,
  { key, user }: Who['remote'],
  { type }: Pick<Manifest, 'type'>,
  theirs: Manifest | null,
): string[] {
  if (type !== 'collection' || user === null) return [];
  // A tombstone names nobody: what it ends is what a restore brings back.
  const live = theirs?.deleted ? (lastLive(db, theirs)?.manifest ?? null) : theirs;
  const members = new Set(live && membersOf(live));
  if (live !== null && !members.has(user)) return [];
  const isStranger = (name: string) => name !== user && !members.has(name) && findKnown(db, key, name).theirs === null;
  return otherUsers(db, key).filter(isStranger);
}

/** By whom a collection may name the operator, by the ids here and by others. @param theirs see ownNames */
export function allNames(
  db: Reader,
  { remote, self }: Who,
  collection: Pick<Manifest, 'type'>,
  theirs: Manifest | null,
): string[] {
  return [...self, ...ownNames(db, remote, collection, theirs)];
}

function membersOf(manifest: Manifest): string[] {
  const roles = rolesOf(manifest);
  return manifest.relationships.filter(({ predicate }) => roles.has(predicate)).map(({ peer }) => peer);
}
