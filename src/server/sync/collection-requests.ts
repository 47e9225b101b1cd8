import { isEntityId } from '../model/ids.ts';
import type { Json, JsonObject, Manifest, Relationship } from '../model/manifest.ts';
import { relationshipKey } from '../model/manifest.ts';
import { momentOf } from '../model/moments.ts';
import { equalJson } from '../model/properties.ts';
import { roleEntries, rolesOf } from '../model/roles.ts';
import { deltasBetween } from './delta.ts';
import type { PushRequest } from './push-request.ts';

const described = ['label', 'description', 'display_image_url'] as const;

/** POST /collections. What it points at may not be there yet, so `relationships` are those that can be sent now. */
export function createCollection(local: Manifest, relationships: Relationship[]): PushRequest {
  const { roles: _roles, ...properties } = local.properties;
  for (const name of described) delete properties[name];
  const head = Object.fromEntries(
    described.flatMap((name) => (Object.hasOwn(local.properties, name) ? [[name, local.properties[name]]] : [])),
  );
  return {
    method: 'POST',
    path: '/collections',
    body: () => ({
      id: local.id,
      ...head,
      use_roles_default: false,
      roles: roleEntries(local),
      properties,
      relationships,
      ...(local.note !== undefined && { note: local.note }),
    }),
    makes: null,
  };
}

/**
 * What turns the remote's version of a collection into ours: roles and members by their endpoints, the rest by
 * PUT /collections. Times of granting are the remote's own and no difference.
 * @param now epoch milliseconds, for how long memberships have left
 */
export function updateCollection(theirs: Manifest, local: Manifest, now: number): PushRequest[] {
  const roles = new Set([...rolesOf(theirs).keys(), ...rolesOf(local).keys()]);
  const isMember = (r: Relationship) => roles.has(r.predicate) && isEntityId(r.peer) && r.peer_type !== 'group';
  const base = `/collections/${local.id}`;
  const { before, after } = roleRequests(base, theirs, local);
  const rest = { ...local, properties: withRoles(local, theirs), relationships: mixed(theirs, local, isMember) };
  const content = deltasBetween(theirs, rest).map(
    (delta): PushRequest => ({
      method: 'PUT',
      path: base,
      body: (expect_tip) => ({ expect_tip, ...delta, ...(local.note !== undefined && { note: local.note }) }),
      makes: null,
    }),
  );
  return [
    ...before,
    ...memberRequests(base, theirs, local, isMember, now),
    ...content,
    ...rootRequest(base, theirs, local),
    ...after,
  ];
}

function withRoles(local: Manifest, theirs: Manifest): JsonObject {
  const { roles: _roles, ...properties } = local.properties;
  return Object.hasOwn(theirs.properties, 'roles')
    ? { ...properties, roles: theirs.properties.roles as Json }
    : properties;
}

const isRoot = (r: Relationship): boolean => r.predicate === 'root';

/** Ours, but members and a root that is set have their own endpoints. */
function mixed(theirs: Manifest, local: Manifest, isMember: (r: Relationship) => boolean): Relationship[] {
  const rootChanges = local.relationships.some(isRoot);
  const own = (r: Relationship) => isMember(r) || (rootChanges && isRoot(r));
  return [...local.relationships.filter((r) => !own(r)), ...theirs.relationships.filter(own)];
}

function rootRequest(base: string, theirs: Manifest, local: Manifest): PushRequest[] {
  const [ours, there] = [local, theirs].map(({ relationships }) => relationships.filter(isRoot).map((r) => r.peer));
  const root = ours?.[0];
  // Of several there, as somebody may have written them, setting one leaves it alone.
  const isSet = root !== undefined && there?.includes(root) && (there.length === 1 || ours?.length !== 1);
  if (root === undefined || isSet) return [];
  return [
    { method: 'PUT', path: `${base}/root`, body: (expect_tip) => ({ expect_tip, entity_id: root }), makes: null },
  ];
}

function roleRequests(
  base: string,
  theirs: Manifest,
  local: Manifest,
): { before: PushRequest[]; after: PushRequest[] } {
  const [old, now] = [roleEntries(theirs), roleEntries(local)];
  const path = (role: string) => `${base}/roles/${encodeURIComponent(role)}`;
  const before = Object.entries(now).flatMap(([role, actions]): PushRequest[] => {
    if (!Object.hasOwn(old, role))
      return [{ method: 'POST', path: `${base}/roles`, body: () => ({ role, actions }), makes: null }];
    return equalJson(old[role], actions)
      ? []
      : [{ method: 'PUT', path: path(role), body: () => ({ actions }), makes: null }];
  });
  const gone = Object.keys(old).filter((role) => !Object.hasOwn(now, role) && role !== 'public');
  return {
    before,
    after: gone.map((role) => ({ method: 'DELETE', path: path(role), body: () => undefined, makes: null })),
  };
}

function memberRequests(
  base: string,
  theirs: Manifest,
  local: Manifest,
  isMember: (r: Relationship) => boolean,
  now: number,
): PushRequest[] {
  const members = (m: Manifest) => new Map(m.relationships.filter(isMember).map((r) => [relationshipKey(r), r]));
  const [old, current] = [members(theirs), members(local)];
  const left = rolesOf(local);
  const removed = [...old].filter(([key, r]) => !current.has(key) && left.has(r.predicate)).map(([, r]) => r);
  const added = [...current].filter(([key, r]) => !sameExpiry(old.get(key), r)).map(([, r]) => r);
  return [
    ...removed.map(
      ({ peer, predicate }): PushRequest => ({
        method: 'DELETE',
        path: `${base}/members/${peer}?role=${encodeURIComponent(predicate)}`,
        body: () => undefined,
        makes: null,
      }),
    ),
    ...added.map(
      ({ peer, predicate, properties }): PushRequest => ({
        method: 'POST',
        path: `${base}/members`,
        body: () => ({ user_id: peer, role: predicate, ...secondsLeft(properties, now) }),
        makes: null,
      }),
    ),
  ];
}

function expiryOf(r: Relationship | undefined): Json {
  return r?.properties?.expires_at ?? null;
}

function sameExpiry(old: Relationship | undefined, now: Relationship): boolean {
  return old !== undefined && equalJson(expiryOf(old), expiryOf(now));
}

function secondsLeft(properties: JsonObject | undefined, now: number): { expires_in?: number } {
  const until = typeof properties?.expires_at === 'string' ? momentOf(properties.expires_at) : Number.NaN;
  return Number.isNaN(until) ? {} : { expires_in: Math.max(0, Math.round((until - now) / 1000)) };
}
