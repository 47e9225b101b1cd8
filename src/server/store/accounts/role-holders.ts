import { fromJson } from '../../model/from-json.ts';
import { groupMembersOf, isInGroup } from '../../model/groups.ts';
import type { Member } from '../../model/roles.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../connection.ts';
import { groupsNaming } from '../listings/listings.ts';

/** Under which peers of collections somebody may hold roles, and whether a membership is theirs; expired ones too. */
export interface RoleHolder {
  peers: string[];
  holds(member: Member): boolean;
}

/** How many groups of somebody are looked at. */
const mostGroups = 500;

/** Somebody by name alone. */
export function byName(ids: readonly string[]): RoleHolder {
  return { peers: [...ids], holds: ({ kind, peer }) => kind === 'member' && ids.includes(peer) };
}

/** Somebody as permissions see them: by name, through groups that they are in at `now`, and as everyone who is registered. */
export function byAnyWay(db: Reader, ids: readonly string[], who: { registered: boolean; now: number }): RoleHolder {
  const groups = new Set(
    groupsNaming(db, ids, mostGroups)
      .filter(({ json }) => isInGroup(groupMembersOf(fromJson(json) as WireManifest), ids, who.now))
      .map(({ id }) => id),
  );
  const ways: Record<Member['kind'], (peer: string) => boolean> = {
    member: (peer) => ids.includes(peer),
    group: (peer) => groups.has(peer),
    wildcard: () => who.registered,
  };
  return {
    peers: [...ids, ...groups, ...(who.registered ? ['*'] : [])],
    holds: ({ kind, peer }) => ways[kind](peer),
  };
}
