import { actionsOn, implies } from '../model/actions.ts';
import { processorTypes } from '../model/processor-types.ts';
import { accessOf, isExpired } from '../model/roles.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { findKnown, type Remote } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { PushContext } from './push-context.ts';
import type { Need, PushRequest } from './push-request.ts';
import type { RemoteAnswer } from './remote.ts';
import { FailedAnswerError } from './remote-errors.ts';
import { readAllowed, saysDeleted } from './wire.ts';

/**
 * Why of several requests a later one would be refused, in words: after the first the entity would lie elsewhere, and could not go on
 * from there. null where the remote does not say that it would. @throws UnreachableError, also where it fails at saying so and nothing
 * here vouches for it
 */
export async function refusedHalfWay(
  { client, store, remote, now }: PushContext,
  [, ...later]: readonly PushRequest[],
): Promise<string | null> {
  const known = new Map<string, RemoteAnswer>();
  for (const need of later.flatMap(({ needs = [] }) => needs)) {
    const { collection } = need;
    if (store.read((db) => isUntold(db, need, { user: remote.user, nowMs: now() }))) continue;
    let said = known.get(collection);
    try {
      said ??= await client.read(`/entities/${collection}/permissions`);
    } catch (error) {
      // What it said of its collection is as new as its feed, and tells as much but for groups.
      if (error instanceof FailedAnswerError && store.read((db) => isGiven(db, need, remote, now()))) continue;
      throw error;
    }
    known.set(collection, said);
    const why = refusalOf(need, said);
    if (why !== null)
      return `${why}. It would take more than one change there, and a later one needs that: none was sent`;
  }
  return null;
}

/** Whoever does not tell, or has no such collection, may take it. */
function refusalOf({ action, collection }: Need, { status, body }: RemoteAnswer): string | null {
  if (saysDeleted(status, body) && action.endsWith(':create')) return `The collection ${collection} is deleted there`;
  const allowed = status === 200 ? readAllowed(body) : null;
  return allowed === null || isAllowed(allowed, action)
    ? null
    : `Action not allowed: ${action} in the collection ${collection}`;
}

/**
 * Whether a remote does not say of a collection whether the key's user may do that: a role of his may give it for one type of entity
 * alone, and who made a processor may change it without any. Who is in a group there nobody knows here.
 */
function isUntold(
  db: Reader,
  { action, collection }: Need,
  { user, nowMs }: { user: string | null; nowMs: number },
): boolean {
  const [type = ''] = action.split(':');
  if (type === 'entity' || type === 'collection') return false;
  if (processorTypes.includes(type)) return true;
  const here = findStanding(db, collection);
  if (!here) return false;
  const { roles, members } = accessOf(here.manifest);
  const held = members.filter((one) => !isExpired(one, nowMs) && (one.kind !== 'member' || one.peer === user));
  return ['public', ...held.map(({ role }) => role)].some((role) =>
    roles.get(role)?.some((one) => one.startsWith(`${type}:`)),
  );
}

/**
 * Whether a role that the key's user holds, by what a remote said last of a collection, gives him an action there. Of one that is only
 * pushed to that may be old.
 */
function isGiven(db: Reader, { action, collection }: Need, { key, user, direction }: Remote, nowMs: number): boolean {
  const theirs = findVersion(db, findKnown(db, key, collection).theirs ?? '')?.manifest;
  if (!theirs || direction === 'push') return false;
  const { roles, members } = accessOf(theirs);
  return members
    .filter((one) => one.kind === 'member' && one.peer === user && !isExpired(one, nowMs))
    .some(({ role }) => roles.get(role)?.some((granted) => implies(granted, action)));
}

/** Of a collection a remote lists what may be done with entities as such, from which follows what may be done with those of each type. */
function isAllowed(allowed: readonly string[], action: string): boolean {
  const [type, verb] = action.split(':');
  const told = type === 'collection' ? action : `entity:${verb}`;
  return !tells.has(told) || allowed.some((granted) => implies(granted, action) || implies(granted, told));
}

const tells = new Set(actionsOn('collection'));
