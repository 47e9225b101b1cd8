import { lackingOf } from '../model/grants.ts';
import { isEntityId } from '../model/ids.ts';
import type { Json, JsonObject, Manifest, Relationship } from '../model/manifest.ts';
import { relationshipKey } from '../model/manifest.ts';
import { momentOf } from '../model/moments.ts';
import { equalJson } from '../model/properties.ts';
import { roleEntries, rolesOf } from '../model/roles.ts';
import { predictedBetween } from './predicted.ts';
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

/** Who sends it, and when. */
interface Sender {
  /** The remote's user; null where it is not known. */
  user: string | null;
  /** Epoch milliseconds, for how long memberships have left. */
  now: number;
  /** Of a request that says relationships. */
  query: string;
  /** The roots that lie in it there. */
  settable: ReadonlySet<string>;
  /** The peers that the remote is not known to have. */
  lacking: ReadonlySet<string>;
}

/**
 * What turns the remote's version of a collection into ours: roles and members by their endpoints, the rest by
 * PUT /collections. Times of granting are the remote's own and no difference. What is given comes before what is taken, so
 * that the collection has an owner all the time, and last what the sender itself loses, who may not manage it then. What is given
 * to whom the remote may not have, as to a processor of this node alone, holds up nothing else.
 */
export function updateCollection(
  theirs: Manifest,
  local: Manifest,
  { user, now, query, settable, lacking }: Sender,
): PushRequest[] {
  const [before, after] = [rolesOf(theirs), rolesOf(local)];
  const roles = new Set([...before.keys(), ...after.keys()]);
  const isMember = (r: Relationship) => roles.has(r.predicate) && isEntityId(r.peer) && r.peer_type !== 'group';
  const roots = local.relationships.filter(isRoot);
  // The endpoint takes only what lies in it, and leaves one alone of several, as somebody may have written them.
  const setsRoot = roots.length === 1 && roots.every((r) => settable.has(r.peer));
  const base = `/collections/${local.id}`;
  const isHeld = ({ of }: Access) => theirs.relationships.some((r) => r.predicate === of && r.peer === user);
  const takes = ({ of }: Access) => lackingOf(before.get(of) ?? [], after.get(of) ?? []).length > 0;
  const isOwn = ({ of }: Access) => of === user;
  const roleChanges = roleRequests(base, theirs, local);
  const held = [...roleChanges.changed, ...roleChanges.gone].filter(isHeld);
  const members = memberRequests(base, theirs, local, isMember, now);
  const isStrange = ({ of }: Access) => lacking.has(of);
  const given = except(members.given, isStrange);
  const owners = (m: Manifest) => m.relationships.filter((r) => isMember(r) && r.predicate === 'owner');
  // Where all owners are such the last one there stays for as long.
  const stay = new Set(owners(local).every(({ peer }) => lacking.has(peer)) ? owners(theirs).map((r) => r.peer) : []);
  const isLate = (request: Access) => isOwn(request) || stay.has(request.of);
  const access = [...except(roleChanges.changed, isHeld), ...given, ...except(members.taken, isLate)];
  const rest = {
    ...local,
    properties: withRoles(local, theirs),
    relationships: mixed(theirs, local, { isMember, setsRoot }),
  };
  return [
    ...access,
    ...contentRequests(`${base}${query}`, theirs, rest, access.length === 0),
    ...(setsRoot ? rootRequest(base, theirs, local) : []),
    ...except(roleChanges.gone, isHeld),
    ...except(held, takes),
    ...members.given.filter(isStrange),
    ...except(members.taken.filter(isLate), isOwn),
    ...held.filter(takes),
    ...members.taken.filter(isOwn),
  ];
}

/** A request about a role, or about memberships: which role it is, or whose memberships. */
interface Access extends PushRequest {
  of: string;
}

function except(requests: Access[], which: (request: Access) => boolean): Access[] {
  return requests.filter((request) => !which(request));
}

/** @param isFirst nothing is sent before of which only the remote says what it makes */
function contentRequests(path: string, theirs: Manifest, local: Manifest, isFirst: boolean): PushRequest[] {
  return predictedBetween(theirs, local).map(({ delta, makes, needs }) => ({
    method: 'PUT',
    path,
    body: (expect_tip) => ({ expect_tip, ...delta, ...(local.note !== undefined && { note: local.note }) }),
    makes: isFirst ? makes : null,
    needs,
  }));
}

function withRoles(local: Manifest, theirs: Manifest): JsonObject {
  const { roles: _roles, ...properties } = local.properties;
  return Object.hasOwn(theirs.properties, 'roles')
    ? { ...properties, roles: theirs.properties.roles as Json }
    : properties;
}

const isRoot = (r: Relationship): boolean => r.predicate === 'root';

/** Ours, but members and a root that is set have their own endpoints. */
function mixed(
  theirs: Manifest,
  local: Manifest,
  { isMember, setsRoot }: { isMember: (r: Relationship) => boolean; setsRoot: boolean },
): Relationship[] {
  const own = (r: Relationship) => isMember(r) || (setsRoot && isRoot(r));
  return [...local.relationships.filter((r) => !own(r)), ...theirs.relationships.filter(own)];
}

function rootRequest(base: string, theirs: Manifest, local: Manifest): PushRequest[] {
  const [root] = local.relationships.filter(isRoot).map((r) => r.peer);
  const there = theirs.relationships.filter(isRoot).map((r) => r.peer);
  if (there.length === 1 && there[0] === root) return [];
  return [
    { method: 'PUT', path: `${base}/root`, body: (expect_tip) => ({ expect_tip, entity_id: root }), makes: null },
  ];
}

function roleRequests(base: string, theirs: Manifest, local: Manifest): { changed: Access[]; gone: Access[] } {
  const [old, now] = [roleEntries(theirs), roleEntries(local)];
  const path = (role: string) => `${base}/roles/${encodeURIComponent(role)}`;
  const changed = Object.entries(now).flatMap(([role, actions]): Access[] => {
    if (!Object.hasOwn(old, role))
      return [{ of: role, method: 'POST', path: `${base}/roles`, body: () => ({ role, actions }), makes: null }];
    return equalJson(old[role], actions)
      ? []
      : [{ of: role, method: 'PUT', path: path(role), body: () => ({ actions }), makes: null }];
  });
  const gone = Object.keys(old)
    .filter((role) => !Object.hasOwn(now, role) && role !== 'public')
    .map((role): Access => ({ of: role, method: 'DELETE', path: path(role), body: () => undefined, makes: null }));
  return { changed, gone };
}

/** `given` are new, or last from now on; `taken` end some time, or now. */
function memberRequests(
  base: string,
  theirs: Manifest,
  local: Manifest,
  isMember: (r: Relationship) => boolean,
  now: number,
): { given: Access[]; taken: Access[] } {
  const members = (m: Manifest) => new Map(m.relationships.filter(isMember).map((r) => [relationshipKey(r), r]));
  const [old, current] = [members(theirs), members(local)];
  const left = rolesOf(local);
  const removed = [...old].filter(([key, r]) => !current.has(key) && left.has(r.predicate)).map(([, r]) => r);
  const changed = [...current].filter(([key, r]) => !sameExpiry(old.get(key), r)).map(([, r]) => r);
  const post = ({ peer, predicate, properties, peer_type = 'user' }: Relationship): Access => ({
    of: peer,
    method: 'POST',
    path: `${base}/members`,
    body: () => ({ user_id: peer, role: predicate, ...secondsLeft(properties, now) }),
    makes: null,
    stays: `The ${peer_type} ${peer} has the role ${predicate} here alone`,
  });
  const remove = ({ peer, predicate }: Relationship): Access => ({
    of: peer,
    method: 'DELETE',
    path: `${base}/members/${peer}?role=${encodeURIComponent(predicate)}`,
    body: () => undefined,
    makes: null,
  });
  const isGiven = (r: Relationship) => !old.has(relationshipKey(r)) || expiryOf(r) === null;
  return {
    given: changed.filter(isGiven).map(post),
    taken: [...changed.filter((r) => !isGiven(r)).map(post), ...removed.map(remove)],
  };
}

function expiryOf(r: Relationship | undefined): Json {
  return r?.properties?.expires_at ?? null;
}

function sameExpiry(old: Relationship | undefined, now: Relationship): boolean {
  return old !== undefined && endsAlike(expiryOf(old), expiryOf(now));
}

const offMs = 2000;

/** An end is sent as whole seconds from then on, and so stands a little off at the remote: sent again, it would move once more. */
export function endsAlike(here: Json | undefined, there: Json | undefined): boolean {
  if (typeof here !== 'string' || typeof there !== 'string') return here === there;
  return here === there || Math.abs(momentOf(here) - momentOf(there)) < offMs;
}

function secondsLeft(properties: JsonObject | undefined, now: number): { expires_in?: number } {
  const until = typeof properties?.expires_at === 'string' ? momentOf(properties.expires_at) : Number.NaN;
  return Number.isNaN(until) ? {} : { expires_in: Math.max(0, Math.round((until - now) / 1000)) };
}
