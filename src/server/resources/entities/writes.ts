import { encodeManifest } from '../../blocks/encode.ts';
import {
  BusyError,
  ConflictError,
  type Issue,
  type IssuePath,
  NotFoundError,
  StorageError,
  ValidationError,
} from '../../errors.ts';
import { actionFor } from '../../model/actions.ts';
import { authorship, type RegisteredActor } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { addsLinks } from '../../model/folder-rules.ts';
import type { GuardOptions } from '../../model/guards.ts';
import { type Network, networkOf } from '../../model/ids.ts';
import { isoTime } from '../../model/iso-time.ts';
import { collectionsOf, type EditedBy, type EditMethod, type Manifest } from '../../model/manifest.ts';
import type { Stamp } from '../../model/next-version.ts';
import { type WireManifest, wireManifest } from '../../model/wire-manifest.ts';
import type { Change, Outcome, Precondition, Row } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity, findTip, type Standing, withManifest } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Networks } from '../../store/networks.ts';
import type { PermissionsService, StepOptions } from '../permissions/service.ts';
import { Authors } from './authors.ts';

/** One entity's step to another version, checked and hashed, not yet written. */
export interface Prepared {
  change: Change;
  /** What was read to decide on it, as it was: collections for their roles. */
  preconditions: Precondition[];
  next: Manifest;
  cid: string;
}

/**
 * `state` is what the entity must be in; `path` says which member of the request names the entity, `locate` where in the
 * request an issue about the new version comes from.
 */
export interface SettleOptions {
  state?: 'live' | 'deleted';
  path?: IssuePath;
  locate?: (issue: Issue) => Issue;
}

/** A step that the caller may make, or that is in the wrong state, which `settle` refuses. */
export interface Permit {
  /** What is wrong with its meaning. */
  issues: Issue[];
  /** What may have decided on it: collections, and groups of their members. */
  deciding: string[];
}

/** What every write takes from outside. */
export interface WriteEnvironment {
  networks: Pick<Networks, 'get'>;
  permissions: PermissionsService;
  now: () => number;
  newId: (network: Network) => string;
  /** The schema name of manifests, `<service>/eidos@v1`. */
  schema: string;
  /** Resolves when the search index has passed what is committed by now, or after some seconds without it. */
  passed: (store: NetworkStore) => Promise<void>;
  /** Makes the user entities of an author and of the one it acts for, where they are this node's and missing. */
  ensureAuthor: (store: NetworkStore, author: EditedBy) => Promise<void>;
}

/** The way from a body to a durable version, shared by every resource that writes entities. */
export class EntityWrites {
  readonly env: WriteEnvironment;
  /** Who has written: each of them has a user entity from then on. */
  readonly authors: Authors;
  /** The queue of each entity that is written without `expect_tip`: its end, and how many are in it. */
  readonly #queues = new Map<string, { tail: Promise<unknown>; length: number }>();
  #queued = 0;

  constructor(env: WriteEnvironment) {
    this.env = env;
    this.authors = new Authors(env.ensureAuthor);
  }

  store(caller: Caller): NetworkStore | Promise<NetworkStore> {
    return this.env.networks.get(caller.network);
  }

  stamp(actor: RegisteredActor, note?: string, method?: EditMethod): Stamp {
    return {
      schema: this.env.schema,
      ts: isoTime(this.env.now()),
      edited_by: authorship(actor, method),
      ...(note === undefined ? {} : { note }),
    };
  }

  /** @throws NotFoundError where the entity is not here, ValidationError for an id of the other network (decisions.md, G13). */
  row(db: Reader, network: Network, id: string, path: (string | number)[] = ['id']): EntityRow {
    checkNetwork(network, id, path);
    const row = findEntity(db, id);
    if (!row) throw new NotFoundError();
    return row;
  }

  /** The same with its manifest. */
  standing(db: Reader, network: Network, id: string, path: (string | number)[] = ['id']): Standing {
    return withManifest(db, this.row(db, network, id, path));
  }

  /**
   * A change of an entity that is here. Checks in the order of decisions.md: permission (403), tip (409), state and
   * meaning (400). `expected` is the tip that the client states; undefined where the endpoint takes none.
   */
  step(
    db: Reader,
    caller: Caller,
    base: Standing,
    next: Manifest,
    expected: string | undefined,
    options: StepOptions & SettleOptions = {},
  ): Prepared {
    return this.settle(db, base, next, expected, this.permit(db, caller, base, next, options), options);
  }

  /**
   * The first half of a step, for writes of several entities: may the caller make it? In the wrong state it is the action of
   * the endpoint that counts.
   */
  permit(
    db: Reader,
    caller: Caller,
    base: Standing,
    next: Manifest,
    { state = 'live', ...options }: StepOptions & SettleOptions = {},
  ): Permit {
    if (base.deleted !== (state === 'deleted')) {
      const verb = next.deleted ? 'delete' : state === 'deleted' ? 'restore' : 'update';
      this.env.permissions.require(db, registered(caller), actionFor(base.type, verb), base);
      return { issues: [], deciding: [] };
    }
    const actor = registered(caller);
    const deciding = this.#deciding(db, actor, base, next);
    const issues = this.env.permissions.allow(db, actor, { entity: base, base: base.manifest, next, options });
    return { issues, deciding };
  }

  /** The second half: the tip, the state, and what the permit says. */
  settle(
    db: Reader,
    base: Standing,
    next: Manifest,
    expected: string | undefined,
    { issues, deciding }: Permit,
    { state = 'live', path = ['id'], locate = (issue) => issue }: SettleOptions = {},
  ): Prepared {
    if (expected !== undefined && expected !== base.cid) throw new ConflictError(expected, base.cid);
    if (base.deleted !== (state === 'deleted'))
      throw ValidationError.at(path, base.deleted ? 'the entity is deleted' : 'the entity is not deleted');
    if (issues.length > 0) throw new ValidationError(issues.map(locate));
    return decided(db, base, next, deciding);
  }

  /** A new entity's version 1. */
  creation(db: Reader, caller: Caller, next: Manifest, options: GuardOptions = {}): Prepared {
    const issues = this.env.permissions.allow(db, registered(caller), { entity: null, base: null, next, options });
    if (issues.length > 0) throw new ValidationError(issues);
    return this.prepareFirst(db, registered(caller), next);
  }

  /** Version 1 that has been let pass, hashed, with what decided on it. */
  prepareFirst(db: Reader, actor: RegisteredActor, next: Manifest): Prepared {
    return decided(db, null, next, this.#deciding(db, actor, null, next));
  }

  /** The collections whose roles decide on a step, and the groups through which these are held. */
  #deciding(db: Reader, actor: RegisteredActor, base: Standing | null, next: Manifest): string[] {
    const collections = roleGiving(base, next);
    if (collections.length === 0) return collections;
    const groups = this.env.permissions.groupsBehind(db, actor, collections);
    return [...collections, ...groups].filter((id) => id !== next.id);
  }

  /**
   * Prepares and writes. What decided on permission is compared again in the commit; when it has moved meanwhile, all
   * is prepared anew, so that a role that was taken away in between counts. `again`: whether also when one of the
   * entities themselves has moved; the preparation then meets the tips that were stated. Without steps nothing is written.
   * @throws ConflictError with the tip that was there instead
   */
  async write<T extends { steps: Prepared[] }>(
    store: NetworkStore,
    prepareSteps: (db: Reader) => T,
    again = false,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const prepared = store.read(prepareSteps);
      if (prepared.steps.length === 0) return prepared;
      const outcome = await this.attempt(store, prepared.steps);
      if (outcome.committed) return prepared;
      if (attempt === attempts || (!again && prepared.steps.some((step) => step.change.id === outcome.id)))
        throw new ConflictError(outcome.expected ?? '', outcome.actual ?? '');
    }
  }

  /** The same for a single step. */
  async writeOne(store: NetworkStore, prepareStep: (db: Reader) => Prepared): Promise<Prepared> {
    const { step } = await this.write(store, (db) => {
      const step = prepareStep(db);
      return { step, steps: [step] };
    });
    return step;
  }

  /**
   * Prepares and writes a new entity; prepared again when somebody was quicker with that id (the same request, sent twice, or
   * another one), or when what decided on permission has moved. `created` is false for what was there already.
   * @throws ConflictError with the tip that was there instead
   */
  async created(
    store: NetworkStore,
    prepareNew: (db: Reader) => Prepared | { existing: WireManifest },
  ): Promise<{ created: boolean; manifest: WireManifest }> {
    for (let attempt = 1; ; attempt++) {
      const prepared = store.read(prepareNew);
      if ('existing' in prepared) return { created: false, manifest: prepared.existing };
      const outcome = await this.attempt(store, [prepared]);
      if (outcome.committed) return { created: true, manifest: wireManifest(prepared.cid, prepared.next) };
      if (attempt === attempts) throw new ConflictError('', outcome.actual ?? '');
    }
  }

  /**
   * Writes the steps together, all or none, with what belongs to the same moment; resolves when they are on disk.
   * @throws ConflictError with the tip that was there instead
   */
  async commit(store: NetworkStore, steps: Prepared[], rows: Row[] = []): Promise<void> {
    const outcome = await this.attempt(store, steps, rows);
    if (!outcome.committed) throw new ConflictError(outcome.expected ?? '', outcome.actual ?? '');
  }

  /** The same, for callers that go on after a conflict. `relies`: what decided beside that on which the steps did. */
  async attempt(
    store: NetworkStore,
    steps: Prepared[],
    rows: Row[] = [],
    relies: Precondition[] = [],
  ): Promise<Outcome> {
    const newcomers = this.authors.present(store, authorsOf(steps));
    if (newcomers) await newcomers;
    const changes = steps.map((s) => s.change);
    const stated = [...steps.flatMap((step) => step.preconditions), ...relies];
    const preconditions = [...new Map(stated.map((one) => [one.id, one])).values()];
    const [outcome] = await store.submit([{ changes, preconditions, rows, origin: 'local', time: this.env.now() }]);
    if (!outcome) throw new Error('the store gave no outcome');
    if (!outcome.committed && outcome.refused !== undefined) throw new StorageError(outcome.refused);
    return outcome;
  }

  /**
   * For endpoints without `expect_tip`: one prepared and committed at a time for an entity, and a conflict with
   * somebody else's write is prepared again, so that they hardly ever answer 409 (decisions.md).
   * @throws BusyError where too many wait already; ConflictError where somebody else was quicker twenty times
   */
  async queued<T>(store: NetworkStore, id: string, write: () => Promise<T>): Promise<T> {
    const key = `${store.network} ${id}`;
    const queue = this.#queues.get(key) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= maxQueuedOfOne || this.#queued >= maxQueued) throw new BusyError();
    const mine = queue.tail.then(() => untilCommitted(write));
    queue.tail = mine.catch(() => undefined);
    queue.length++;
    this.#queued++;
    this.#queues.set(key, queue);
    try {
      return await mine;
    } finally {
      this.#queued--;
      if (--queue.length === 0) this.#queues.delete(key);
    }
  }
}

/** Whoever makes its own entity need not be there before. */
function authorsOf(steps: Prepared[]): EditedBy[] {
  return steps.filter(({ next }) => next.id !== next.edited_by.user_id).map(({ next }) => next.edited_by);
}

/** How many writes without `expect_tip` may wait for one entity, and for all together. */
const maxQueuedOfOne = 1000;
const maxQueued = 10_000;

/** How often a write is prepared again before the caller is told of the conflict. */
export const attempts = 20;

/** Writes anew where something moved meanwhile. @throws ConflictError where it did so each time */
export async function untilCommitted<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === attempts) throw error;
    }
  }
}

/** A version as a change of the store, without any check. */
export function prepare(next: Manifest, expect: string | null): Prepared {
  const block = encodeManifest(next);
  return { change: { id: next.id, expect, tip: block.cid, blocks: [block] }, preconditions: [], next, cid: block.cid };
}

/**
 * A step with its preconditions: what decided on it at the tips that were read. Where a folder stands is looked at again in the
 * commit.
 */
function decided(db: Reader, base: Standing | null, next: Manifest, deciding: string[]): Prepared {
  const prepared = prepare(next, base?.cid ?? null);
  prepared.change.placed = addsLinks(base?.manifest ?? null, next);
  prepared.preconditions = deciding.map((id) => ({ id, tip: findTip(db, id) ?? null }));
  return prepared;
}

/** The collections whose roles decide on a step: where the entity lies, where it goes, and itself where it is one. */
function roleGiving(base: Standing | null, next: Manifest): string[] {
  const before = base ? collectionsOf(base.manifest) : [];
  const after = collectionsOf(next);
  const entered = after.filter((id, i) => i === 0 || !before.includes(id));
  const ids = [...before.slice(0, 1), ...entered, ...gone(before, after)];
  if (base?.deleted && base.collection !== null) ids.push(base.collection);
  if (base?.type === 'collection') ids.push(base.id);
  return ids.length < 2 ? ids : [...new Set(ids)];
}

function gone(before: string[], after: string[]): string[] {
  return before.filter((id) => !after.includes(id));
}

/** @throws ValidationError where the id belongs to the other network */
export function checkNetwork(network: Network, id: string, path: (string | number)[]): void {
  if (networkOf(id) !== network) throw ValidationError.at(path, `is not an id of the ${network} network`);
}
