import { ConflictError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { tombstone } from '../../model/merge.ts';
import { maxVersionsPerCommit } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, type Standing } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse, textIssues } from './body.ts';
import { type CascadePlan, type CascadeRules, planCascade, skipReason } from './cascade.ts';
import { deletedView } from './service.ts';
import type { CascadeBody, CascadeView } from './wire.ts';
import type { EntityWrites, Prepared } from './writes.ts';

type Deleted = CascadeView['deleted'][number];

/** Deletion of an entity with what it leads to (interface.md, DELETE /entities/{id}/cascade). */
export class CascadeService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** One permission check for the whole run; the root goes last, so that a stopped run can be repeated. */
  async remove(caller: Caller, id: string, body: CascadeBody): Promise<CascadeView> {
    registered(caller);
    refuse(textIssues({ note: body.note, reason: body.reason }));
    const rules: CascadeRules = {
      collection: body.collection_id,
      predicates: body.cascade_predicates,
      editedBy: body.edited_by_filter,
      maxDepth: body.max_depth ?? 10,
    };
    const store = await this.#writes.store(caller);
    const { root, plan } = store.read((db) => {
      const base = this.#root(db, caller, id, body, rules);
      return { root: base, plan: planCascade(base, rules, (peer) => findStanding(db, peer)) };
    });
    const { deleted, skipped } = await this.#children(store, caller, plan, rules, body);
    await this.#writes.commit(store, [root.step]);
    return {
      root: deletedView(root.step),
      deleted,
      skipped: [...plan.skipped, ...skipped],
      summary: {
        total_traversed: plan.traversed,
        total_deleted: deleted.length,
        total_skipped: plan.skipped.length + skipped.length,
        max_depth_reached: plan.maxDepth,
      },
    };
  }

  #root(db: Reader, caller: Caller, id: string, body: CascadeBody, rules: CascadeRules): Standing & { step: Prepared } {
    const base = this.#writes.standing(db, caller.network, id);
    const scope = this.#writes.standing(db, caller.network, body.collection_id, ['collection_id']);
    this.#writes.env.permissions.require(db, registered(caller), 'entity:delete', scope);
    const step = this.#writes.step(db, caller, base, this.#grave(caller, base, body), body.expect_tip);
    if (scope.type !== 'collection') throw ValidationError.at(['collection_id'], 'is not a collection');
    if (!collectionsOf(base.manifest).includes(rules.collection))
      throw ValidationError.at(['collection_id'], 'the entity does not lie in this collection');
    if (skipReason(base, rules) === 'edited_by_mismatch')
      throw ValidationError.at(['edited_by_filter'], 'the entity itself was last edited by somebody else');
    return { ...base, step };
  }

  #grave(caller: Caller, base: Standing, body: CascadeBody) {
    return tombstone(base.manifest, base.cid, body.reason, this.#writes.stamp(registered(caller), body.note));
  }

  /** Deepest first, in commits of at most 1,000; a child that moved is read again and tried once more, then skipped. */
  async #children(
    store: NetworkStore,
    caller: Caller,
    plan: CascadePlan<Standing>,
    rules: CascadeRules,
    body: CascadeBody,
  ): Promise<Pick<CascadeView, 'deleted' | 'skipped'>> {
    const deepestFirst = plan.reached.toReversed().sort((a, b) => b.depth - a.depth);
    const deleted: Deleted[] = [];
    const skipped: CascadeView['skipped'] = [];
    for (let at = 0; at < deepestFirst.length; at += maxVersionsPerCommit) {
      const slice = deepestFirst.slice(at, at + maxVersionsPerCommit);
      const graves = slice.map(({ node, depth }) => ({ node, depth, step: this.#step(store, caller, node, body) }));
      if (await this.#together(store, graves)) {
        deleted.push(...graves.map(({ node, depth, step }) => line(node, step, depth)));
        continue;
      }
      for (const { node, depth } of slice) {
        const outcome = await this.#alone(store, caller, node, depth, rules, body);
        if ('cid' in outcome) deleted.push(outcome);
        else skipped.push(outcome);
      }
    }
    return { deleted, skipped };
  }

  #step(store: NetworkStore, caller: Caller, node: Standing, body: CascadeBody): Prepared {
    return store.read((db) =>
      this.#writes.step(db, caller, node, this.#grave(caller, node, body), undefined, { scopedDelete: true }),
    );
  }

  async #together(store: NetworkStore, graves: { step: Prepared }[]): Promise<boolean> {
    try {
      await this.#writes.commit(
        store,
        graves.map((g) => g.step),
      );
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }

  async #alone(
    store: NetworkStore,
    caller: Caller,
    node: Standing,
    depth: number,
    rules: CascadeRules,
    body: CascadeBody,
  ): Promise<Deleted | CascadeView['skipped'][number]> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const current = store.read((db) => findStanding(db, node.id)) ?? node;
      const reason = skipReason(current, rules);
      if (reason !== null) return { id: node.id, type: node.type, reason };
      const step = this.#step(store, caller, current, body);
      if (await this.#together(store, [{ step }])) return line(current, step, depth);
    }
    return { id: node.id, type: node.type, reason: 'cas_conflict' };
  }
}

function line(node: Standing, step: Prepared, depth: number): Deleted {
  return { id: node.id, cid: step.cid, type: node.type, depth };
}
