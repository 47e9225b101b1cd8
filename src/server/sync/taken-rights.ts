import { lackingOf } from '../model/grants.ts';
import type { Json, Manifest, Relationship } from '../model/manifest.ts';
import { relationshipKey } from '../model/manifest.ts';
import { endOfMembership, memberOf, roleEntries, rolesOf } from '../model/roles.ts';

/**
 * What a remote's version of a collection says, less the rights that others have lost here. Groups keep theirs, and roles what they
 * give, where the remote's user does not own it without an end: then that one's rights may come by these.
 */
export function lessRights(theirs: Manifest, ours: Manifest, user: string | null): Manifest {
  const roles = rolesOf(theirs);
  const isOwner = theirs.relationships.some(
    (r) => r.predicate === 'owner' && r.peer === user && memberOf(r).expires === null,
  );
  const isHeld = (role: string) => theirs.relationships.some((r) => r.predicate === role && r.peer === user);
  const now = rolesOf(ours);
  const left = Object.entries(roleEntries(theirs)).flatMap(([role, said]): [string, Json][] => {
    const [given, here] = [roles.get(role), now.get(role)];
    if (!isOwner || isHeld(role) || given === undefined) return [[role, said]];
    if (here === undefined) return role === 'public' ? [[role, said]] : [];
    return [[role, lackingOf(given, here).length > 0 ? here : said]];
  });
  const kept = new Map(ours.relationships.map((r) => [relationshipKey(r), r]));
  const relationships = theirs.relationships.flatMap((r): Relationship[] => {
    const isOthers = roles.has(r.predicate) && r.peer !== user && (isOwner || memberOf(r).kind === 'member');
    if (!isOthers) return [r];
    const here = kept.get(relationshipKey(r));
    return here === undefined ? [] : [endOfMembership(here) < endOfMembership(r) ? here : r];
  });
  return { ...theirs, properties: { ...theirs.properties, roles: Object.fromEntries(left) }, relationships };
}
