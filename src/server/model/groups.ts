import type { Manifest } from './manifest.ts';
import { memberOf } from './roles.ts';

/** Who is in a group, by id, and until when: epoch milliseconds, null for good. */
export type GroupMembers = ReadonlyMap<string, number | null>;

/** The predicate of a group's relationships to its members. */
const predicate = 'member';

export function groupMembersOf(manifest: Pick<Manifest, 'relationships'>): GroupMembers {
  const members = manifest.relationships.filter((r) => r.predicate === predicate && r.peer !== '*');
  return new Map(members.map((r) => [r.peer, memberOf(r).expires]));
}

/** Whether one of the ids is a member now. */
export function isInGroup(members: GroupMembers, ids: readonly string[], nowMs: number): boolean {
  return ids.some((id) => {
    const expires = members.get(id);
    return expires === null || (expires !== undefined && expires > nowMs);
  });
}

/**
 * Whether an entity counts as a group: it is live and lies in a collection, whose roles say who changes it. What is in
 * no collection anybody may edit, so it gives nothing.
 */
export function countsAsGroup(entity: { type: string; deleted: boolean; collection: string | null }): boolean {
  return entity.type === 'group' && !entity.deleted && entity.collection !== null;
}
