import { BusyError, ForbiddenError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { type Grantee, type GrantPlan, planGrant, togetherAccess } from '../../model/grants.ts';
import { applyUpdate } from '../../model/next-version.ts';
import type { CollectionAccess } from '../../model/roles.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findStanding } from '../../store/entities.ts';
import { grantsIn } from '../../store/jobs/jobs.ts';
import { grantor, membership } from '../collections/members.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';

/** What a processor needs where its logs lie (processors.md 2.5). */
export const loggingActions = [
  'entity:create',
  'entity:view',
  'entity:update',
  'collection:view',
  'collection:update',
] as const;

export interface GrantOptions {
  /** Who holds what is granted; the one who asks, or for a handoff the one who began the run. */
  authority: RegisteredActor;
  now: number;
  wantedMs: number;
}

/** What processors need in a collection, against what they have there. Nothing is prepared yet. */
export function planGrants(
  { env }: EntityWrites,
  db: Reader,
  collection: EntityRow,
  grantees: readonly Grantee[],
  { authority, now, wantedMs }: GrantOptions,
): GrantPlan[] {
  const { id } = collection;
  const place = { id, type: 'collection', collection: id };
  const access = env.permissions.accessIn(db, id) ?? nobody;
  const known = new Map<string, number>();
  const heldUntil = (action: string): number => {
    const until = known.get(action) ?? env.permissions.heldUntil(db, authority, action, place);
    known.set(action, until);
    return until;
  };
  return grantees.map((grantee) => {
    // In a mirror the grants that stand on this node count alone. What the collection itself gives counts at the remote, where
    // no job of this node changes it.
    const separate = collection.mirror !== null;
    const given = separate ? togetherAccess(grantsIn(db, id, grantee.id, now), grantee) : access;
    return planGrant(given, grantee, { now, wanted: wantedMs, heldUntil, separate });
  });
}

const nobody: CollectionAccess = { roles: new Map(), members: [], groups: [] };

/**
 * @throws ForbiddenError where a plan would give what whoever asks does not hold there
 * @throws BusyError where it ends too soon to begin with
 */
export function requireHeld(plans: readonly GrantPlan[], collection: Pick<EntityRow, 'id' | 'label'>): void {
  const lacking = plans.find(({ refused }) => refused.length > 0);
  const waiting = plans.find(({ wait }) => wait !== null);
  if (!lacking && waiting) throw new BusyError(waiting.wait ?? 1, waitText(waiting, collection));
  if (!lacking) return;
  const { grantee, refused, lastingLacks } = lacking;
  if (lastingLacks.length > 0)
    throw new ForbiddenError(`Action not allowed: ${lastingLacks.join(', ')}. ${lastingText(lacking, collection)}`);
  throw new ForbiddenError(
    `Action not allowed: ${refused.join(', ')}. ${grantee.label || grantee.id} needs it in the collection ` +
      `${collection.label || collection.id}, and you can only grant what you hold there (a processor, while it holds it ` +
      'itself): ask an owner of the collection to start it, or to give you a role with it.',
  );
}

/** Why a processor with a grant that never ends gets no more, and the way out. */
export function lastingText(
  { grantee, role, lastingLacks }: GrantPlan,
  { id, label }: Pick<EntityRow, 'id' | 'label'>,
): string {
  return (
    `${grantee.label || grantee.id} has the role ${role} in the collection ${label || id} without an end, which lacks ` +
    `${lastingLacks.join(', ')}, and which starting it does not change: ask an owner of the collection to add that to the ` +
    'role, or to take the role away from it, so that it gets one that ends.'
  );
}

/** Why a run does not begin with what little is left of a grant, and the way out. */
export function waitText({ grantee, wait }: GrantPlan, { id, label }: Pick<EntityRow, 'id' | 'label'>): string {
  return (
    `${grantee.label || grantee.id} holds more in the collection ${label || id}, from another run, which you cannot prolong, ` +
    `and which ends in ${wait} seconds: too soon to begin with. Try again then.`
  );
}

/** The new version of the collection with what the plans write; null where they write nothing, or it is a mirror. */
export function grantStep(
  writes: EntityWrites,
  db: Reader,
  caller: Caller,
  collection: EntityRow,
  plans: readonly GrantPlan[],
): Prepared | null {
  // A grant in a mirror stays on this node (decisions.md, Processors): the table of grants has it.
  if (collection.mirror !== null) return null;
  const writing = plans.flatMap(({ grantee, role, write }) => (write === null ? [] : [{ grantee, role, ...write }]));
  if (writing.length === 0) return null;
  const actor = registered(caller);
  const by = grantor(actor);
  const update = {
    properties: { roles: Object.fromEntries(writing.map(({ role, actions }) => [role, actions])) },
    relationships_add: writing.map(({ grantee, role, expires }) =>
      membership({ role, peer: grantee.id, peerType: grantee.type, by, at: writes.env.now(), expires }),
    ),
  };
  const base = findStanding(db, collection.id);
  if (!base) throw new Error(`the collection ${collection.id} is gone within one read`);
  const next = applyUpdate(base.manifest, base.cid, update, writes.stamp(actor));
  return writes.step(db, caller, base, next, undefined, { granting: true });
}
