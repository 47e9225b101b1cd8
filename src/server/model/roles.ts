import type { Issue, IssuePath } from '../errors.ts';
import { actionListIssues } from './actions.ts';
import { lenientRelationship } from './lenient.ts';
import type { Json, Manifest, Relationship } from './manifest.ts';
import { momentOf } from './moments.ts';
import { isLonger } from './text-length.ts';

/** One membership of a collection: a relationship whose predicate is the name of a role. */
export interface Member {
  role: string;
  /** A user, a processor or a group; `*` for a wildcard. */
  peer: string;
  kind: 'member' | 'group' | 'wildcard';
  label?: string;
  /** Epoch milliseconds from which it gives nothing; null: permanent. One that can't be read has expired. */
  expires: number | null;
  /** The stored texts, for the member list. */
  expires_at?: string;
  granted_at?: string;
  granted_by?: string;
}

/** What a collection's manifest says about access (wire-contract.md 1.11). */
export interface CollectionAccess {
  roles: ReadonlyMap<string, readonly string[]>;
  members: readonly Member[];
  /** The ids of the groups among them. */
  groups: readonly string[];
}

/** Predicates that mean something else on a collection, so no role may be called so (decisions.md, role names). */
const reservedRoles: readonly string[] = ['collection', 'root', 'contains', 'in'];
const maxRoleName = 50;

/** Reads leniently what may come from anywhere: what is no role or no action is left out. */
export function accessOf(manifest: Pick<Manifest, 'properties' | 'relationships'>): CollectionAccess {
  const roles = rolesOf(manifest);
  const members = manifest.relationships.filter((r) => roles.has(r.predicate)).map(memberOf);
  const groups = members.filter((m) => m.kind === 'group').map((m) => m.peer);
  return { roles, members, groups: [...new Set(groups)] };
}

/** The roles that stand in `properties.roles`. */
export function rolesOf(manifest: Pick<Manifest, 'properties'>): Map<string, string[]> {
  return new Map(
    Object.entries(roleEntries(manifest)).flatMap(([name, list]) =>
      Array.isArray(list) && !reservedRoles.includes(name)
        ? [[name, list.filter((action) => typeof action === 'string')] as const]
        : [],
    ),
  );
}

/** `properties.roles` as it was written, empty where it is no object. */
export function roleEntries(manifest: Pick<Manifest, 'properties'>): { [name: string]: Json } {
  const roles = writtenRoles(manifest);
  return typeof roles === 'object' && roles !== null && !Array.isArray(roles) ? roles : {};
}

/** `properties.roles` whatever it is; undefined where there is none. */
export function writtenRoles({ properties }: Pick<Manifest, 'properties'>): Json | undefined {
  return Object.hasOwn(properties, 'roles') ? properties.roles : undefined;
}

/** A membership as its relationship says it. */
export function memberOf(relationship: Relationship): Member {
  const r = lenientRelationship(relationship);
  const value = (key: string) => (r.properties && Object.hasOwn(r.properties, key) ? r.properties[key] : undefined);
  const text = (key: string): string | undefined => {
    const found = value(key);
    return typeof found === 'string' ? found : undefined;
  };
  const expires_at = text('expires_at');
  const granted_at = text('granted_at');
  const granted_by = text('granted_by');
  return {
    role: r.predicate,
    peer: r.peer,
    kind: r.peer === '*' ? 'wildcard' : r.peer_type === 'group' ? 'group' : 'member',
    expires: expiry(value('expires_at')),
    ...(r.peer_label !== undefined && { label: r.peer_label }),
    ...(expires_at !== undefined && { expires_at }),
    ...(granted_at !== undefined && { granted_at }),
    ...(granted_by !== undefined && { granted_by }),
  };
}

/** When a membership ends, epoch milliseconds; infinite where it does not. */
export function endOfMembership(relationship: Relationship): number {
  return memberOf(relationship).expires ?? Number.POSITIVE_INFINITY;
}

function expiry(until: Json | undefined): number | null {
  if (until === undefined || until === null) return null;
  const time = typeof until === 'string' ? momentOf(until) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** Whether a membership gives nothing any more. */
export function isExpired(member: Member, nowMs: number): boolean {
  return member.expires !== null && member.expires <= nowMs;
}

/** What is wrong with a name for a role. */
export function roleNameIssues(name: string, path: IssuePath): Issue[] {
  if (name === '' || isLonger(name, maxRoleName))
    return [{ path, message: `must have 1 to ${maxRoleName} characters` }];
  if (!name.isWellFormed()) return [{ path, message: 'holds an unpaired surrogate' }];
  if (reservedRoles.includes(name)) return [{ path, message: `\`${name}\` can't be the name of a role` }];
  return [];
}

/** What is wrong with one role, its name and its actions, standing at `path`. */
export function roleIssues(name: string, list: unknown, path: IssuePath): Issue[] {
  return [...roleNameIssues(name, path), ...actionListIssues(list, path)];
}

/** What is wrong with a whole set of roles (interface.md, Default roles). */
export function roleSetIssues(roles: { [name: string]: Json }, path: IssuePath): Issue[] {
  return [
    ...Object.entries(roles).flatMap(([name, list]) => roleIssues(name, list, [...path, name])),
    ...publicRoleIssues(roles, path),
  ];
}

/** The role `public` must be there with `*:view`. */
export function publicRoleIssues(roles: { [name: string]: Json }, path: IssuePath): Issue[] {
  const list = Object.hasOwn(roles, 'public') ? roles.public : undefined;
  if (Array.isArray(list) && list.includes('*:view')) return [];
  return [{ path: [...path, 'public'], message: 'the public role with *:view must stay' }];
}
