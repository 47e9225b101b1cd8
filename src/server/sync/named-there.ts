import { type Manifest, type Relationship, relationshipKey } from '../model/manifest.ts';
import { rolesOf } from '../model/roles.ts';
import type { Reader } from '../store/connection.ts';
import { endsAlike } from './collection-requests.ts';
import type { Sides } from './merge.ts';
import { allNames, type Who } from './own-names.ts';
import { asTheirs } from './requests.ts';

/**
 * What is here and the base may name the operator as another remote does, who was given each role at times of its own: compared as
 * they are with a version that names him as this one does, no role that either side took from him would be seen to be taken, and it
 * would come back.
 */
export function asNamedThere(db: Reader, sides: Sides, who: Who): Sides {
  const { base, ours, theirs } = sides;
  const { user } = who.remote;
  if (theirs.type !== 'collection') return sides;
  const self = allNames(db, who, ours, theirs);
  // A tombstone has no roles.
  const roles = new Set([ours, theirs].flatMap((one) => [...rolesOf(one).keys()]));
  const isOwn = (r: Relationship) => r.peer === user && roles.has(r.predicate);
  const named = (one: Manifest, ...likes: Manifest[]): Manifest => ({
    ...one,
    relationships: asTheirs(one, { self, user }).map((r) => (isOwn(r) ? asGivenIn(likes, r) : r)),
  });
  const before = base && named(base, theirs);
  return { ...sides, base: before, ours: named(ours, theirs, ...(before ? [before] : [])) };
}

/** A role as the first of these versions that has it says when it was given, unless that ends at another time. */
function asGivenIn(versions: Manifest[], role: Relationship): Relationship {
  const key = relationshipKey(role);
  const found = versions.flatMap(({ relationships }) => relationships).find((r) => relationshipKey(r) === key);
  const isSame = found && endsAlike(found.properties?.expires_at, role.properties?.expires_at);
  return isSame ? { ...role, ...(found.properties && { properties: found.properties }) } : role;
}
