import { ForbiddenError, type Issue, NotFoundError, UnauthorizedError } from '../../errors.ts';
import { actionFor, actionsOn, isWrite, permissionMetadata } from '../../model/actions.ts';
import type { Actor, RegisteredActor } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { getOrMake } from '../../model/get-or-make.ts';
import { togetherUntil } from '../../model/grants.ts';
import { countsAsGroup, type GroupMembers, groupMembersOf } from '../../model/groups.ts';
import { type GuardOptions, required } from '../../model/guards.ts';
import { type Network, networkOf } from '../../model/ids.ts';
import { collectionsOf, type Manifest } from '../../model/manifest.ts';
import {
  allowed,
  allowedUntil,
  idsOf,
  isOpenToAll,
  type Placement,
  requireAction,
  roleOf,
} from '../../model/permissions.ts';
import { processorTypes } from '../../model/processor-types.ts';
import { RecentMap } from '../../model/recent-map.ts';
import { accessOf, type CollectionAccess } from '../../model/roles.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity } from '../../store/entities.ts';
import { FolderTree } from '../../store/folders.ts';
import { grantsIn, longestGrantIn } from '../../store/jobs/jobs.ts';
import { lastHere } from '../../store/last-here.ts';
import type { Networks } from '../../store/networks.ts';
import { mirrorOf, otherUsers } from '../../store/remotes/remotes.ts';
import { creatorOf, versionByKey } from '../../store/versions.ts';
import { gone } from '../entities/gone.ts';
import { checkNetwork } from '../entities/writes.ts';
import { claimIssues } from './content-claims.ts';
import { takenIssues } from './taken-ids.ts';
import type { EntityPermissionsView, PermissionMetadataView } from './wire.ts';

/** Where an entity's permissions are resolved: its type, its id and its first collection. */
export type Placed = Pick<EntityRow, 'id' | 'type' | 'collection'>;

export interface StepOptions extends GuardOptions {
  /** A cascade whose one check of `entity:delete` on its collection covers this deletion (wire-contract.md N23), but in a mirror. */
  scopedDelete?: boolean;
  /** CIDs of content whose bytes came with this write. */
  sent?: readonly string[];
  /** The node has just made the id of what is created, so it is nobody's. */
  newId?: boolean;
}

/** What else this node has: whether its files of a network include the bytes of a CID, and whose account an id is. */
export interface Surroundings {
  hasBytes: (network: Network, cid: string) => boolean;
  isAccount: (id: string) => boolean;
}

function isContentDelete(action: string): boolean {
  return action.endsWith(':delete') && action !== 'collection:delete';
}

/**
 * In a mirrored collection only the operator writes, as the remote's user and under that user's roles, because the
 * remote would refuse the push of anything else (decisions.md, Writes into a mirror). The version here may be another remote's,
 * to which the collection was brought, and which names the operator by its own user. `refusal`: why nobody or somebody else may not.
 */
function actingIn<A extends Actor>(
  db: Reader,
  actor: A,
  placement: Placement | null,
): { acting: A; refusal: string | null } {
  if (placement?.method !== 'collection' || placement.mirrored !== true) return { acting: actor, refusal: null };
  const mirror = mirrorOf(db, placement.collection_id);
  if (!mirror) return { acting: actor, refusal: null };
  const where = `The collection is mirrored from "${mirror.name}"`;
  const user = pushedAs(mirror);
  const isOperator = actor.kind === 'user' && actor.operator;
  if (user === null && (isOperator || actor.kind === 'processor'))
    return {
      acting: actor,
      refusal: `${where}, to which nothing is pushed: give it a key (archeion remote set ${mirror.name} --key KEY --direction both), or write at ${mirror.url}.`,
    };
  if (user === null || !isOperator)
    return { acting: actor, refusal: `${where}: only the operator of this node writes there. Write at ${mirror.url}.` };
  const isNamed = placement.access?.members.some(({ peer }) => peer === user) === true;
  return { acting: { ...actor, ids: [user, ...(isNamed ? [] : otherUsers(db, mirror.key))] }, refusal: null };
}

/** As which user of its remote what is written in a mirror is pushed; null where nothing is. */
function pushedAs({ pushes, user }: NonNullable<ReturnType<typeof mirrorOf>>): string | null {
  return pushes ? user : null;
}

/** Whether the collection that decides on an entity's permissions came from a remote. */
function isMirrored(db: Reader, { collection }: Placed): boolean {
  return collection !== null && findEntity(db, collection)?.mirror != null;
}

/** Decides, from what the store says now, whether an actor may do something. */
export class PermissionsService {
  readonly #now: () => number;
  readonly #networks: Pick<Networks, 'get'>;
  readonly #around: Surroundings;
  /** What collections say about access, and groups of their members, by id and the key of the version that says it. */
  readonly #access = new RecentMap<string, CollectionAccess>(500);
  readonly #groups = new RecentMap<string, GroupMembers>(500);

  constructor(now: () => number, networks: Pick<Networks, 'get'>, around: Surroundings) {
    this.#now = now;
    this.#networks = networks;
    this.#around = around;
  }

  /** Every action and what implies what. */
  metadata(): PermissionMetadataView {
    return permissionMetadata;
  }

  /** What the caller may do with a live entity, and why. */
  async describe(caller: Caller, id: string): Promise<EntityPermissionsView> {
    const actor = registered(caller);
    checkNetwork(caller.network, id, ['id']);
    const store = await this.#networks.get(caller.network);
    return store.read((db) => {
      const row = findEntity(db, id);
      if (!row) throw new NotFoundError();
      const placement = this.placement(db, row);
      const now = this.#now();
      requireAction(actor, 'entity:view', placement, now);
      const { acting } = actingIn(db, actor, placement);
      if (row.deleted) throw gone(row);
      const role = roleOf(acting, placement, now);
      return {
        entity_id: id,
        entity_type: row.type,
        allowed_actions: actionsOn(row.type).filter((action) => this.#allows(db, actor, action, placement)),
        resolution: {
          method: placement.method,
          ...(placement.method === 'collection' && { collection_id: placement.collection_id }),
          ...(role !== undefined && { role }),
        },
      };
    });
  }

  placement(db: Reader, entity: Placed): Placement {
    if (entity.type === 'user') return { method: 'self', user_id: entity.id };
    const creator = processorTypes.includes(entity.type) ? { creator: creatorOf(db, entity.id) ?? '' } : {};
    const collection = entity.type === 'collection' ? entity.id : entity.collection;
    if (collection === null) return { method: 'open_season', ...creator };
    const row = findEntity(db, collection);
    const mirrored = row?.mirror == null ? {} : { mirrored: true };
    return {
      method: 'collection',
      collection_id: collection,
      access: this.#accessOf(db, row),
      groups: this.#groupsIn(db),
      ...mirrored,
      ...creator,
    };
  }

  /** What a collection says about access; null where it is not here. */
  accessIn(db: Reader, collection: string): CollectionAccess | null {
    return this.#accessOf(db, findEntity(db, collection));
  }

  #accessOf(db: Reader, row: EntityRow | undefined): CollectionAccess | null {
    if (row?.type !== 'collection') return null;
    return getOrMake(this.#access, `${row.id} ${row.tip}`, () => accessOf(this.#lastContent(db, row)));
  }

  /** Members of groups, each looked up once. */
  #groupsIn(db: Reader): (id: string) => GroupMembers | undefined {
    const found = new Map<string, GroupMembers | undefined>();
    return (id) => {
      if (!found.has(id)) found.set(id, this.#groupOf(db, id));
      return found.get(id);
    };
  }

  #groupOf(db: Reader, id: string): GroupMembers | undefined {
    const row = findEntity(db, id);
    if (!row || !countsAsGroup(row)) return undefined;
    return getOrMake(this.#groups, `${id} ${row.tip}`, () => groupMembersOf(this.#lastContent(db, row)));
  }

  /**
   * The groups through which the actor may hold roles in these collections: what they let pass holds only as long as
   * they stay as they are.
   */
  groupsBehind(db: Reader, actor: Actor, collections: readonly string[]): string[] {
    const groups = new Set<string>();
    for (const id of collections) {
      const access = this.#accessOf(db, findEntity(db, id));
      if (!access || access.groups.length === 0) continue;
      const { acting } = actingIn(db, actor, this.placement(db, this.#collection(db, id)));
      const ids = idsOf(acting) ?? [];
      for (const group of access.groups) {
        const members = this.#groupOf(db, group);
        if (ids.some((one) => members?.has(one))) groups.add(group);
      }
    }
    return [...groups];
  }

  /** A deleted collection keeps the roles it had, so that whoever could delete it can restore it. */
  #lastContent(db: Reader, row: EntityRow): Manifest {
    const version = versionByKey(db, row.tip);
    if (!version) throw new Error(`the tip of ${row.id} is missing`);
    const { manifest } = version;
    return manifest.deleted ? (lastHere(db, row, manifest)?.manifest ?? manifest) : manifest;
  }

  /** @throws UnauthorizedError, ForbiddenError (see model/permissions.ts), for a mirror with the way out */
  require(db: Reader, actor: Actor, action: string, entity: Placed | null): void {
    if (entity !== null && isOpenToAll(action)) return;
    const placement = entity && this.placement(db, entity);
    if (this.#grantedInMirror(db, actor, action, placement) > 0) return;
    const { acting, refusal } = actingIn(db, actor, placement);
    if (refusal !== null && actor.kind !== 'anonymous' && isWrite(action)) throw new ForbiddenError(refusal);
    requireAction(acting, action, placement, this.#now());
  }

  /** Whether the actor may; never throws. */
  may(db: Reader, actor: Actor, action: string, entity: Placed): boolean {
    return isOpenToAll(action) || this.#allows(db, actor, action, this.placement(db, entity));
  }

  #allows(db: Reader, actor: Actor, action: string, placement: Placement): boolean {
    if (this.#grantedInMirror(db, actor, action, placement) > 0) return true;
    const { acting, refusal } = actingIn(db, actor, placement);
    return (refusal === null || !isWrite(action)) && allowed(acting, action, placement, this.#now());
  }

  /**
   * Whether a cascade that may delete in its own collection may delete an entity of it: where another one decides on that which
   * is mirrored, only who may delete it by itself, since its remote would refuse the push (decisions.md, Writes into a mirror).
   */
  mayCascade(db: Reader, actor: Actor, entity: Placed): boolean {
    return !isMirrored(db, entity) || this.may(db, actor, actionFor(entity.type, 'delete'), entity);
  }

  /**
   * Until when the actor may give others that permission: a processor as long as it holds it itself, or temporary grants would
   * prolong themselves; anybody else who may, for any time. Epoch milliseconds; 0 where it may not.
   */
  heldUntil(db: Reader, actor: Actor, action: string, entity: Placed): number {
    if (!this.may(db, actor, action, entity)) return 0;
    if (actor.kind !== 'processor' || isOpenToAll(action)) return Number.POSITIVE_INFINITY;
    const [placement, now] = [this.placement(db, entity), this.#now()];
    const granted = this.#grantedInMirror(db, actor, action, placement);
    return Math.max(granted, allowedUntil(actor, action, placement, now));
  }

  /**
   * Until when jobs' grants in a mirrored collection give an action, epoch milliseconds; 0 where they do not. They stay on this
   * node: they stand in no version (decisions.md, Processors). Where nothing is pushed any more they let nobody write.
   */
  #grantedInMirror(db: Reader, actor: Actor, action: string, placement: Placement | null): number {
    if (actor.kind !== 'processor' || placement?.method !== 'collection' || placement.mirrored !== true) return 0;
    const [collection, now] = [placement.collection_id, this.#now()];
    const mirror = isWrite(action) && mirrorOf(db, collection);
    if (mirror && pushedAs(mirror) === null) return 0;
    const longest = longestGrantIn(db, collection, actor.id, now);
    if (!longest) return 0;
    // There may be thousands, and nearly always the longest one gives what is asked for.
    return togetherUntil([longest], action) || togetherUntil(grantsIn(db, collection, actor.id, now), action);
  }

  /** In a mirror the operator is the remote's user, which the stamp could not know (decisions.md, Sync). */
  #sign(db: Reader, actor: RegisteredActor, entity: Placed, next: Manifest): void {
    const user_id = this.remoteUser(db, actor, entity);
    if (user_id !== null) next.edited_by = { ...next.edited_by, user_id };
  }

  /** As which user of a remote an actor writes there; null where it is itself. */
  remoteUser(db: Reader, actor: RegisteredActor, entity: Placed): string | null {
    if (actor.kind !== 'user' || !actor.operator) return null;
    const { acting } = actingIn(db, actor, this.placement(db, entity));
    return acting === actor ? null : (acting.ids[0] ?? null);
  }

  /**
   * Lets pass a step from `base` to `next` that the actor may make, whatever door it came through. `entity` is where
   * the base stands, null for a creation. Gives what is wrong with the step's meaning, to be refused after the tip is
   * compared (decisions.md, Order of checks). In a mirror `next` is given the author that it must have there.
   * @throws UnauthorizedError, ForbiddenError
   */
  allow(
    db: Reader,
    actor: Actor,
    step: { entity: Placed | null; base: Manifest | null; next: Manifest; options?: StepOptions },
  ): Issue[] {
    if (actor.kind === 'anonymous') throw new UnauthorizedError();
    const { demands, refusals } = required(step.base, step.next, {
      ...step.options,
      operator: actor.kind === 'user' && actor.operator,
      surroundings: step.options?.surroundings ?? new FolderTree(db),
    });
    const placed = step.entity ?? { id: step.next.id, type: step.next.type, collection: null };
    const [collection = null] = collectionsOf(step.next);
    this.#sign(db, actor, step.entity ?? { ...placed, collection }, step.next);
    for (const { action, on } of demands) {
      const isCovered = step.options?.scopedDelete && on === 'entity' && isContentDelete(action);
      if (isCovered && !isMirrored(db, placed)) continue;
      const where = on === 'entity' ? placed : this.#collection(db, on.collection);
      this.require(db, actor, action, where);
    }
    const closed = demands.flatMap(({ action, on }) =>
      on !== 'entity' && action.endsWith(':create') ? this.#closed(db, on.collection, step) : [],
    );
    const forbidden = refusals.find((r) => r.kind === 'forbidden');
    if (forbidden) throw new ForbiddenError(forbidden.message);
    const invalid = refusals.filter((r) => r.kind === 'validation').map(({ path, message }) => ({ path, message }));
    return [...invalid, ...closed, ...this.#taken(db, actor, step), ...this.#claims(db, actor, step)];
  }

  /** Each account has its user on both networks, also where it has not used one yet: its id is for that alone. */
  #taken(
    db: Reader,
    actor: RegisteredActor,
    { base, next, options }: { base: Manifest | null; next: Manifest; options?: StepOptions },
  ): Issue[] {
    if (base !== null || next.type === 'user' || options?.newId) return [];
    if (this.#around.isAccount(next.id)) return [{ path: ['id'], message: 'is the id of a user of this node' }];
    return takenIssues(db, next.id, {
      mayWriteIn: (id) => this.may(db, actor, 'entity:update', { id, type: 'entity', collection: id }),
      may: (action, holder) => this.may(db, actor, action, holder),
      hasMember: (holder, id) => this.#hasMember(db, holder, id),
    });
  }

  #hasMember(db: Reader, holder: EntityRow, id: string): boolean {
    if (holder.type !== 'collection') return this.#groupOf(db, holder.id)?.has(id) === true;
    return this.#accessOf(db, holder)?.members.some(({ peer }) => peer === id) === true;
  }

  /** The operator has the disk that all bytes are on. */
  #claims(db: Reader, actor: Actor, step: { base: Manifest | null; next: Manifest; options?: StepOptions }): Issue[] {
    if (actor.kind === 'user' && actor.operator) return [];
    return claimIssues(db, step, {
      hasBytes: (cid) => this.#around.hasBytes(networkOf(step.next.id), cid),
      sent: step.options?.sent ?? [],
    });
  }

  /**
   * Nothing new comes into a deleted collection, although its roles go on (so that it can be restored), nor into what is none:
   * no listing would show it, and nobody but the operator could edit it.
   */
  #closed(db: Reader, id: string, { next, options }: { next: Manifest; options?: StepOptions }): Issue[] {
    const row = findEntity(db, id);
    if (row && row.type !== 'collection' && !options?.elsewhere) {
      const at = next.relationships.findIndex((r) => r.predicate === 'collection' && r.peer === id);
      const message = `must be a collection, and ${id} has the type \`${row.type}\``;
      return [{ path: ['relationships', at, 'peer'], message }];
    }
    return row?.deleted ? [{ path: ['relationships'], message: `the collection ${id} is deleted` }] : [];
  }

  #collection(db: Reader, id: string): Placed {
    const row = findEntity(db, id);
    return row?.type === 'collection' ? row : { id, type: 'entity', collection: id };
  }
}
