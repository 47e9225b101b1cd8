import { ForbiddenError, UnauthorizedError } from '../errors.ts';
import { actions, defaultRoles, implies, isWrite } from './actions.ts';
import type { Actor, RegisteredActor } from './actor.ts';
import { type GroupMembers, isInGroup } from './groups.ts';
import { processorTypes } from './processor-types.ts';
import { type CollectionAccess, isExpired, type Member } from './roles.ts';

/** Where permission for an entity is resolved (wire-contract.md, N24). */
export type Placement =
  | {
      method: 'collection';
      collection_id: string;
      /** null: that collection is not on this node; everyone reads, only the operator and service accounts write. */
      access: CollectionAccess | null;
      /** The members of a group that holds roles there; undefined where it does not count (model/groups.ts). */
      groups?: (id: string) => GroupMembers | undefined;
      /** Pulled from a remote: only the operator writes, under the roles that the collection gives (decisions.md). */
      mirrored?: boolean;
      /** `edited_by.user_id` of version 1, where the entity is an agent, klados or rhiza (decisions.md, G4). */
      creator?: string;
    }
  /** A user entity: everyone views it, that user updates it, nobody deletes it. */
  | { method: 'self'; user_id: string }
  /** An entity in no collection: every registered user edits it, processors don't. */
  | { method: 'open_season'; creator?: string };

/** The ids under which an actor holds roles; null for the anonymous and for a service account in system mode. */
export function idsOf(actor: Actor): readonly string[] | null {
  switch (actor.kind) {
    case 'user':
      return actor.ids;
    case 'processor':
      return [actor.id];
    case 'service':
      return actor.onBehalfOf?.ids ?? null;
    case 'anonymous':
      return null;
  }
}

const isOperator = (actor: Actor): boolean => actor.kind === 'user' && actor.operator;
const isSystem = (actor: Actor): boolean => actor.kind === 'service' && actor.onBehalfOf === null;
/** A user, or a service account on a user's behalf. */
const isUser = (actor: Actor): boolean =>
  actor.kind === 'user' || (actor.kind === 'service' && actor.onBehalfOf !== null);

/**
 * Whether everybody may do this wherever an entity stands: `public` always holds `*:view` (interface.md, Default roles),
 * and users and entities in no collection are seen by everyone. It spares reads the look at the collection. Only what the wire has
 * another word for, which no answer has as yet, still asks: `vis` of an attestation, and `forbidden` of versions as blocks.
 */
export function isOpenToAll(action: string): boolean {
  return implies('*:view', action);
}

/** What needs no role: open to everyone, to whoever is registered, or to users, whatever the placement. */
const standing = new Map<string, (actor: Actor) => boolean>([
  ['entity:tip', () => true],
  ['permissions:read', () => true],
  ['events:list', () => true],
  ['catalog:list', () => true],
  ['attestation:view', () => true],
  ['attestation:verify', () => true],
  ['search:query', isRegistered],
  ['search:similar', isRegistered],
  ['search:execute', isRegistered],
  ['query:execute', isRegistered],
  ['graph:query', isRegistered],
  ['collection:create', actsForUsers],
  ['chat:send', actsForUsers],
  ['chat:view', actsForUsers],
  ['chat:delete', actsForUsers],
]);

function isRegistered(actor: Actor): boolean {
  return actor.kind !== 'anonymous';
}

function actsForUsers(actor: Actor): boolean {
  return actor.kind === 'user' || actor.kind === 'service';
}

/** What no processor may do, whatever its role (decisions.md, Identity and authorship: only users may). */
const usersOnly = new Set([
  ...['collection:create', 'collection:manage', 'agent:manage', 'klados:manage', 'user:create', 'user:update'],
  ...['user:credentials', 'chat:send', 'chat:view', 'chat:delete'],
]);

const selfViews = ['entity:view', 'user:view'];
const selfUpdates = ['entity:update', 'user:update', 'user:credentials'];
const creatorsActions = processorTypes.flatMap((type) => [`${type}:manage`, `${type}:invoke`]);

/**
 * Whether the actor may do that there. `placement` null: an operation on no entity, such as a search.
 * Pure: `nowMs` decides which memberships have expired.
 */
export function allowed(actor: Actor, action: string, placement: Placement | null, nowMs: number): boolean {
  const open = standing.get(action);
  if (open) return open(actor);
  if (actor.kind === 'processor' && usersOnly.has(action)) return false;
  if (placement === null) return isOperator(actor) || isSystem(actor);
  switch (placement.method) {
    case 'self':
      return allowedOnSelf(actor, action, placement.user_id);
    case 'open_season':
      return isOperator(actor) || isSystem(actor) || held(openSeason(actor, placement.creator), action);
    case 'collection':
      return allowedInCollection(actor, action, placement, nowMs);
  }
}

/**
 * Until when the actor may do that there, as its memberships say it now: epoch milliseconds, `Infinity` where that is for
 * good, 0 where it may not.
 */
export function allowedUntil(actor: Actor, action: string, placement: Placement, nowMs: number): number {
  if (!allowed(actor, action, placement, nowMs)) return 0;
  const ends = placement.method === 'collection' ? endsOf(actor, placement) : [];
  const later = ends.filter((end) => end > nowMs).sort((a, b) => a - b);
  return later.find((end) => !allowed(actor, action, placement, end)) ?? Number.POSITIVE_INFINITY;
}

/** When memberships of the actor end, those that do; where it is in a group, also when it leaves that. */
function endsOf(actor: Actor, { access, groups }: InCollection): number[] {
  const ids = idsOf(actor) ?? [];
  const all = (access?.members ?? []).flatMap(({ kind, peer, expires }) => {
    if (kind === 'member' && !ids.includes(peer)) return [];
    const inGroup = kind === 'group' ? ids.map((id) => groups?.(peer)?.get(id) ?? null) : [];
    return [expires, ...inGroup];
  });
  return all.filter((end) => end !== null);
}

function allowedOnSelf(actor: Actor, action: string, userId: string): boolean {
  if (selfViews.includes(action)) return true;
  if (action === 'user:credentials') return actor.kind === 'user' && actor.ids.includes(userId);
  const own = isUser(actor) && idsOf(actor)?.includes(userId) === true;
  return selfUpdates.includes(action) && (own || isOperator(actor) || isSystem(actor));
}

function openSeason(actor: Actor, creator: string | undefined): readonly string[] {
  const edits = isUser(actor) ? defaultRoles.editor : defaultRoles.public;
  return [...(edits ?? []), ...(isCreator(actor, creator) ? creatorsActions : [])];
}

type InCollection = Extract<Placement, { method: 'collection' }>;

function allowedInCollection(actor: Actor, action: string, placement: InCollection, nowMs: number): boolean {
  const writesMirror = placement.mirrored === true && isWrite(action);
  if (writesMirror && !isOperator(actor)) return false;
  if (!writesMirror && (isOperator(actor) || isSystem(actor))) return true;
  if (implies('*:view', action)) return true;
  const { access } = placement;
  if (access === null) return held(defaultRoles.public ?? [], action);
  const granted = rolesHeld(actor, access, nowMs, placement.groups).flatMap((role) => access.roles.get(role) ?? []);
  const made = !writesMirror && isCreator(actor, placement.creator) ? creatorsActions : [];
  return held([...granted, ...made], action);
}

const held = (granted: readonly string[], action: string): boolean => granted.some((g) => implies(g, action));

function isCreator(actor: Actor, creator: string | undefined): boolean {
  return creator !== undefined && idsOf(actor)?.includes(creator) === true;
}

/** The roles that the actor holds in a collection now, `public` always among them, last. */
export function rolesHeld(
  actor: Actor,
  access: CollectionAccess,
  nowMs: number,
  groups: InCollection['groups'] = () => undefined,
): string[] {
  const ids = idsOf(actor);
  const holds = ({ kind, peer }: Member): boolean => {
    if (kind === 'wildcard') return actor.kind !== 'anonymous';
    if (ids === null) return false;
    return kind === 'member' ? ids.includes(peer) : isInGroup(groups(peer) ?? new Map(), ids, nowMs);
  };
  const mine = access.members.filter((m) => access.roles.has(m.role) && !isExpired(m, nowMs) && holds(m));
  return [...new Set([...mine.map((m) => m.role).filter((role) => role !== 'public'), 'public'])];
}

/** The role that the answer of GET /entities/{id}/permissions names: of those held, the one that allows the most. */
export function roleOf(actor: Actor, placement: Placement, nowMs: number): string | undefined {
  if (placement.method !== 'collection' || placement.access === null) return undefined;
  const { roles } = placement.access;
  const reach = (role: string): number => actions.filter((action) => held(roles.get(role) ?? [], action)).length;
  const ranked = rolesHeld(actor, placement.access, nowMs, placement.groups).map((role) => ({
    role,
    reach: reach(role),
  }));
  return ranked.reduce((best, next) => (next.reach > best.reach ? next : best)).role;
}

/**
 * Lets pass only who may.
 * @throws UnauthorizedError where nobody is signed in, ForbiddenError `Only users can ...` or `Action not allowed: ...`
 */
export function requireAction(actor: Actor, action: string, placement: Placement | null, nowMs: number): void {
  if (allowed(actor, action, placement, nowMs)) return;
  if (actor.kind === 'anonymous') throw new UnauthorizedError();
  if (actor.kind === 'processor' && usersOnly.has(action)) throw new ForbiddenError(`Only users can do ${action}`);
  throw new ForbiddenError(`Action not allowed: ${action}`);
}

/** Who acts as a user: the ids that count for permissions, the first of which new memberships carry. */
export interface UserIdentity {
  id: string;
  ids: readonly string[];
}

/**
 * Lets pass users, service accounts on a user's behalf (as that user) and those in system mode. With `credentials`,
 * the user alone: nobody manages keys for another.
 * @throws UnauthorizedError for the anonymous, ForbiddenError `Only users can <what>` for the others
 */
export function requireUser(actor: Actor, what: string, options: { credentials?: boolean } = {}): UserIdentity {
  if (actor.kind === 'anonymous') throw new UnauthorizedError();
  if (actor.kind === 'processor' || (options.credentials && actor.kind !== 'user'))
    throw new ForbiddenError(`Only users can ${what}`);
  return identityOf(actor);
}

function identityOf(actor: RegisteredActor): UserIdentity {
  if (actor.kind === 'user') return { id: actor.id, ids: actor.ids };
  if (actor.kind === 'service' && actor.onBehalfOf) return actor.onBehalfOf;
  return { id: actor.id, ids: [actor.id] };
}
