import { setImmediate } from 'node:timers/promises';
import { BusyError, ConflictError, StorageError, ValidationError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { collectionsOf, type Json } from '../../model/manifest.ts';
import { type Stamp, tombstone } from '../../model/next-version.ts';
import { maxVersionsPerCommit, type Row } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity, type Standing, withManifest } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { isDamagedVersion } from '../../store/storage-error.ts';
import { unfinished } from '../../store/tasks.ts';
import { refuse, textIssues } from './body.ts';
import { type CascadeNode, type CascadeRules, isOthersEdit, planCascade, type Reached, skipReason } from './cascade.ts';
import { deletedView } from './service.ts';
import type { CascadeBody, CascadeView } from './wire.ts';
import { attempts, type EntityWrites, type Prepared, prepare } from './writes.ts';

/**
 * What is still to be deleted of a cascade that takes several commits; `actor`, `stamp` and `reason` are those of its request.
 * Tasks of earlier programs say neither `root`, what the cascade began with, nor `actor`.
 */
interface Remaining {
  root?: string;
  actor?: RegisteredActor;
  rules: CascadeRules;
  stamp: Stamp;
  reason?: string;
  /** Deepest first. */
  left: Reached[];
}

/** `author`: as which user of a remote the caller deletes it; null where it is itself. */
type Node = CascadeNode & Pick<EntityRow, 'cid'> & { author: string | null };

interface Grave {
  type: string;
  depth: number;
  step: Prepared;
}

type Result = Pick<CascadeView, 'deleted' | 'skipped'>;

/** How many entities are read or buried before everything else that waits has its turn. */
const perTurn = 50;

/** How often an entity that moved meanwhile is read again (wire-contract.md N23: once, then skipped). */
const retries = 1;

/** Deletion of an entity with what it leads to (interface.md, DELETE /entities/{id}/cascade). */
export class CascadeService {
  readonly #writes: EntityWrites;
  /** The tasks that somebody is at work on. */
  readonly #inHand = new Set<string>();

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /**
   * One permission check for the whole run, made again where a collection that decided on it moved before the first
   * commit; what a mirror decides on is looked at by itself. The first commit holds the root and the deepest thousand less one;
   * when there are more, it also holds the record of what is left, so that it is ended where the node stops or the disk is full
   * (decisions.md, Large and long).
   * @throws StorageError, BusyError also where only a part is deleted, which they say
   */
  async remove(caller: Caller, id: string, body: CascadeBody): Promise<CascadeView> {
    const actor = registered(caller);
    refuse(textIssues({ note: body.note, reason: body.reason }));
    const rules: CascadeRules = {
      collection: body.collection_id,
      predicates: body.cascade_predicates,
      maxDepth: body.max_depth ?? 10,
      ...(body.edited_by_filter === undefined ? {} : { editedBy: body.edited_by_filter }),
    };
    const store = await this.#writes.store(caller);
    const rooted = () => store.read((db) => this.#root(db, caller, id, body, rules));
    const root = rooted();
    const plan = await planCascade(root, rules, (peer) => store.read((db) => this.#node(db, peer, actor)));
    const doomed = plan.reached.toReversed().sort((a, b) => b.depth - a.depth);
    const stamp = this.#writes.stamp(actor, body.note);
    const reason = body.reason === undefined ? {} : { reason: body.reason };
    const now = doomed.slice(0, maxVersionsPerCommit - 1);
    const left = doomed.slice(now.length);
    const task = `cascade ${root.step.cid}`;
    const work: Remaining = { root: id, actor, rules, stamp, ...reason, left };
    this.#inHand.add(task);
    try {
      const first = await this.#slice(store, now, { root: root.step, again: () => rooted().step, task, work });
      const rest = await this.#finish(store, task, work).catch((error: unknown) => {
        throw inPart(error);
      });
      const deleted = [...first.deleted, ...rest.deleted];
      const skipped = [...plan.skipped, ...first.skipped, ...rest.skipped];
      return {
        root: deletedView(first.root ?? root.step),
        deleted,
        skipped,
        summary: {
          total_traversed: plan.traversed,
          total_deleted: deleted.length,
          total_skipped: skipped.length,
          max_depth_reached: plan.maxDepth,
        },
      };
    } finally {
      this.#inHand.delete(task);
    }
  }

  /**
   * Ends what a stop of the node, or a failing disk, left unfinished; where somebody has restored the root, the rest stays as
   * it is. `isLeft` tells those that nobody is at work on by what is left of each. Gives what went wrong: one cascade is not in
   * the way of another.
   */
  async resume(store: NetworkStore, isLeft: (task: string, left: number) => boolean): Promise<unknown[]> {
    const errors: unknown[] = [];
    const tasks = store.read((db) => unfinished(db, 'cascade'));
    for (const { id, state } of tasks) {
      const work = state as unknown as Remaining;
      if (!isLeft(id, work.left.length) || this.#inHand.has(id)) continue;
      this.#inHand.add(id);
      const { root } = work;
      try {
        const isWanted = root === undefined || store.read((db) => findEntity(db, root)?.deleted ?? true);
        if (isWanted) await this.#finish(store, id, work);
        else await this.#writes.attempt(store, [], [{ kind: 'task', id, task: null }]);
      } catch (error) {
        errors.push(error);
      } finally {
        this.#inHand.delete(id);
      }
    }
    return errors;
  }

  #root(db: Reader, caller: Caller, id: string, body: CascadeBody, rules: CascadeRules): Standing & { step: Prepared } {
    const base = this.#writes.standing(db, caller.network, id);
    const scope = this.#writes.standing(db, caller.network, body.collection_id, ['collection_id']);
    this.#writes.env.permissions.require(db, registered(caller), 'entity:delete', scope);
    const grave = tombstone(base.manifest, base.cid, body.reason, this.#writes.stamp(registered(caller), body.note));
    const step = this.#writes.step(db, caller, base, grave, body.expect_tip, { scopedDelete: true });
    if (scope.type !== 'collection') throw ValidationError.at(['collection_id'], 'is not a collection');
    if (!collectionsOf(base.manifest).includes(rules.collection))
      throw ValidationError.at(['collection_id'], 'the entity does not lie in this collection');
    if (isOthersEdit(base, rules))
      throw ValidationError.at(['edited_by_filter'], 'the entity itself was last edited by somebody else');
    return { ...base, step };
  }

  /** Slice after slice until nothing is left. */
  async #finish(store: NetworkStore, task: string, work: Remaining): Promise<Result> {
    const result: Result = { deleted: [], skipped: [] };
    for (let left = work.left; left.length > 0; ) {
      const now = left.slice(0, maxVersionsPerCommit);
      left = left.slice(maxVersionsPerCommit);
      const done = await this.#slice(store, now, { task, work: { ...work, left } });
      result.deleted.push(...done.deleted);
      result.skipped.push(...done.skipped);
    }
    return result;
  }

  /** One commit of what is there by now; whoever moved meanwhile is read again, and left out when it moved once more. */
  async #slice(
    store: NetworkStore,
    doomed: Reached[],
    { root: first, again, task, work }: { root?: Prepared; again?: () => Prepared; task: string; work: Remaining },
  ): Promise<Result & { root: Prepared | undefined }> {
    let root = first;
    const skipped: Result['skipped'] = [];
    const moved = new Map<string, number>();
    const graves = new Map<string, Grave>();
    for (const [i, { id, depth }] of doomed.entries()) {
      if (i % perTurn === perTurn - 1) await setImmediate();
      const node = store.read((db) => this.#found(db, id, work.actor));
      if (node) this.#bury(node, depth, work, graves, skipped);
    }
    const rows = taskRows(task, work, root !== undefined);
    for (let attempt = 1; ; ) {
      const steps = [...(root ? [root] : []), ...[...graves.values()].map((g) => g.step)];
      if (steps.length === 0 && rows.length === 0) break;
      const outcome = await this.#writes.attempt(store, steps, rows);
      if (outcome.committed) break;
      if (root?.preconditions.some(({ id }) => id === outcome.id) && again && attempt++ < attempts) {
        root = again();
        continue;
      }
      const late = graves.get(outcome.id);
      if (!late) throw new ConflictError(outcome.expected ?? '', outcome.actual ?? '');
      graves.delete(outcome.id);
      const times = (moved.get(outcome.id) ?? 0) + 1;
      moved.set(outcome.id, times);
      const current = times > retries ? undefined : store.read((db) => this.#node(db, outcome.id, work.actor));
      if (current) this.#bury(current, late.depth, work, graves, skipped);
      else skipped.push({ id: outcome.id, type: late.type, reason: 'cas_conflict' });
    }
    const deleted = [...graves].map(([id, { type, depth, step }]) => ({ id, cid: step.cid, type, depth }));
    return { root, deleted, skipped };
  }

  /** An entity, whether `actor` may take it along, and as whom; undefined for ids that are not here. */
  #node(db: Reader, id: string, actor: RegisteredActor | undefined): Node | undefined {
    const row = findEntity(db, id);
    if (!row) return undefined;
    const { permissions } = this.#writes.env;
    const barred = actor !== undefined && !permissions.mayCascade(db, actor, row);
    const author = actor === undefined ? null : permissions.remoteUser(db, actor, row);
    return { ...withManifest(db, row), barred, author };
  }

  #found(db: Reader, id: string, actor: RegisteredActor | undefined): Node | undefined {
    try {
      return this.#node(db, id, actor);
    } catch (error) {
      // What cannot be read any more is nothing to bury; the others are not kept from it.
      if (isDamagedVersion(error)) return undefined;
      throw error;
    }
  }

  #bury(node: Node, depth: number, work: Remaining, graves: Map<string, Grave>, skipped: Result['skipped']): void {
    const reason = skipReason(node, work.rules);
    if (reason !== null) skipped.push({ id: node.id, type: node.type, reason });
    else {
      const { stamp } = work;
      const edited_by = node.author === null ? stamp.edited_by : { ...stamp.edited_by, user_id: node.author };
      const grave = tombstone(node.manifest, node.cid, work.reason, { ...stamp, edited_by });
      graves.set(node.id, { type: node.type, depth, step: prepare(grave, node.cid) });
    }
  }
}

/** The error of a cascade whose first commit is made. */
function inPart(error: unknown): unknown {
  if (!(error instanceof StorageError || error instanceof BusyError)) return error;
  const reason = `${error.sentence} The entity and a part of what it leads to are deleted; the others will be as soon as that can be done.`;
  if (error instanceof BusyError) return new BusyError(error.retryAfter, reason);
  return new StorageError(reason, error.code === 'STORAGE_FULL');
}

/** The record of what is left after this slice; a cascade that fits into one commit needs none. */
function taskRows(id: string, work: Remaining, first: boolean): Row[] {
  if (work.left.length > 0) return [{ kind: 'task', id, task: { kind: 'cascade', state: work as unknown as Json } }];
  return first ? [] : [{ kind: 'task', id, task: null }];
}
