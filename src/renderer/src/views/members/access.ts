import type { components } from '../../api/schema.d.ts';
import { contentOf } from '../entity/model/content.ts';

export type CollectionNow = components['schemas']['CollectionView'];
type Stored = CollectionNow['relationships'][number];

/** One membership: who holds which role, until when. */
export interface Membership {
  role: string;
  /** A user, a processor, a group, or `*` for everybody who is registered. */
  peer: string;
  type: string;
  label: string | undefined;
  expiresAt: string | undefined;
  grantedAt: string | undefined;
  grantedBy: string | undefined;
}

/** A role's name, with the actions and wildcards that it was given. */
export type Roles = Record<string, string[]>;

/** The roles of a collection, in the order in which they are shown: the usual ones first, `public` last. */
export function rolesOf({ properties }: Pick<CollectionNow, 'properties'>): Roles {
  const stored = properties.roles;
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  const lists = Object.entries(stored as Record<string, unknown>).flatMap(([name, list]): [string, string[]][] =>
    Array.isArray(list) ? [[name, list.filter((one) => typeof one === 'string')]] : [],
  );
  return Object.fromEntries(lists.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)));
}

function rank(role: string): number {
  const place = ['owner', 'editor', 'viewer'].indexOf(role);
  return place >= 0 ? place : role === 'public' ? 99 : isGrantRole(role) ? 98 : 10;
}

/** Whether a role is what a processor was given for the time of a job. */
export function isGrantRole(role: string): boolean {
  return /^(?:agent|klados)_[0-9a-z]{26}$/.test(role);
}

/** Who holds a role; a membership is a relationship whose predicate is a role's name. */
export function membershipsOf(collection: CollectionNow): Membership[] {
  const roles = rolesOf(collection);
  return contentOf(collection)
    .relationships.filter(({ predicate }) => Object.hasOwn(roles, predicate))
    .map(membership);
}

/** Who is in a group, as its `member` relationships say it; one that has ended counts no more. */
export function groupMembersOf(group: Parameters<typeof contentOf>[0]): Membership[] {
  return contentOf(group)
    .relationships.filter(({ predicate, peer }) => predicate === 'member' && peer !== '*')
    .map(membership);
}

function membership({ predicate, peer, peer_type, peer_label, properties }: Stored): Membership {
  const text = (key: string) => {
    const value = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return {
    role: predicate,
    peer,
    type: peer_type ?? 'user',
    label: peer_label,
    expiresAt: inUtc(text('expires_at')),
    grantedAt: text('granted_at'),
    grantedBy: text('granted_by'),
  };
}

const withoutZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** Without a zone a time is one in UTC, as the node takes it, wherever the browser is. */
function inUtc(text: string | undefined): string | undefined {
  return text !== undefined && withoutZone.test(text) ? `${text.replace(' ', 'T')}Z` : text;
}

/** A membership as a collection keeps it, given now by `by`, until `end`; one that is there keeps no other end. */
export function given(
  of: { peer: string; type: string; label?: string | undefined },
  role: string,
  end: string | undefined,
  by?: string,
) {
  return {
    predicate: role,
    peer: of.peer,
    ...(of.peer === '*' ? {} : { peer_type: of.type, ...(of.label ? { peer_label: of.label } : {}) }),
    properties: {
      granted_at: new Date().toISOString(),
      ...(by ? { granted_by: by } : {}),
      ...(end === undefined ? {} : { expires_at: end }),
    },
    properties_remove: ['expires_at'],
  };
}

/** The end of a membership as the interface takes it for a new one: in how many seconds; nothing for none. */
export function expiresIn(end: Date | null): { expires_in?: number } {
  return end === null ? {} : { expires_in: Math.max(0, Math.round((end.getTime() - Date.now()) / 1000)) };
}

/** Whether a membership gives nothing any more; a time that cannot be read has passed. */
export function isExpired({ expiresAt }: Membership, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now);
}

/** Whether nothing stands between one look at it and another. */
function sameMembership(a: Membership, b: Membership): boolean {
  return a.role === b.role && a.peer === b.peer && a.expiresAt === b.expiresAt;
}

/** What somebody has done to roles and members between two versions of a collection. */
export type AccessChange =
  | { kind: 'joined' | 'left' | 'extended'; role: string; peer: string; label: string | undefined }
  | { kind: 'made' | 'dropped' | 'altered'; role: string };

export function accessChanges(before: CollectionNow, after: CollectionNow): AccessChange[] {
  const [old, now] = [rolesOf(before), rolesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const ofRoles = names.flatMap((role): AccessChange[] => {
    if (!Object.hasOwn(now, role)) return [{ kind: 'dropped', role }];
    if (!Object.hasOwn(old, role)) return [{ kind: 'made', role }];
    return sameActions(old[role] ?? [], now[role] ?? []) ? [] : [{ kind: 'altered', role }];
  });
  const [was, is] = [byKey(before), byKey(after)];
  const ofMembers = [...new Set([...was.keys(), ...is.keys()])].flatMap((key): AccessChange[] => {
    const [a, b] = [was.get(key), is.get(key)];
    if (a && b && sameMembership(a, b)) return [];
    const { role, peer, label } = (b ?? a) as Membership;
    return [{ kind: a && b ? 'extended' : b ? 'joined' : 'left', role, peer, label }];
  });
  return [...ofRoles, ...ofMembers];
}

function byKey(collection: CollectionNow): Map<string, Membership> {
  return new Map(membershipsOf(collection).map((one) => [`${one.peer} ${one.role}`, one]));
}

/** Whether two roles hold the same, whatever the order. */
export function sameActions(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
