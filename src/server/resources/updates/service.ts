import { ForbiddenError, type Issue, NotFoundError, StorageError, ValidationError } from '../../errors.ts';
import { LoopTurns } from '../../loop/loop-turns.ts';
import { authorship } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { fromJson } from '../../model/from-json.ts';
import { additiveItems } from '../../store/additive.ts';
import type { QueuedRow } from '../../store/additive-rows.ts';
import { findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { askerId, askerText } from '../asker.ts';
import { refuse, targetIssues, tooManyTargets } from '../entities/body.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
import { reasonOf } from '../refusals.ts';
import { type Addition, type AdditionSummary, added, additionIssues, additionOf, sift, summaryOf } from './addition.ts';
import { DirectAdditions } from './direct-additions.ts';
import type { AdditionBody, AdditiveBody, AdditiveView, UpdateItemView, UpdateQueueView } from './wire.ts';

const maxItems = 100;
const maxIssues = 100;

interface Asked {
  id: string;
  addition: Addition;
  /** Why it cannot be applied; null where it can. */
  error: string | null;
}

/** Additive updates (wire-contract.md 4.4): checked and kept, to be applied by the network's follower. */
export class UpdatesService {
  readonly #writes: EntityWrites;
  /** Shared by all requests, so that many checks at once leave the others their turns. */
  readonly #turns = new LoopTurns();
  readonly #direct: DirectAdditions;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
    this.#direct = new DirectAdditions(writes, this.#turns);
  }

  /** @throws ForbiddenError where the caller may not apply one of the updates: then none is queued */
  async queue(caller: Caller, { updates }: AdditiveBody, validate: boolean): Promise<AdditiveView> {
    const { store, asked, good, rows } = await this.#checked(caller, updates, validate);
    if (rows.length > 0) await this.#writes.authors.present(store, [authorship(registered(caller))]);
    const numbers = rows.length > 0 ? await this.#keep(store, rows) : [];
    const queued = good.map(({ id }, i) => ({ entity_id: id, queue_id: numbers[i] ?? 0 }));
    const failed = asked.flatMap(({ id, error }) => (error === null ? [] : [{ entity_id: id, error }]));
    return { queued, failed, summary: { total: asked.length, queued: queued.length, failed: failed.length } };
  }

  async #checked(caller: Caller, updates: AdditiveBody['updates'], validate: boolean) {
    const actor = registered(caller);
    const issues: Issue[] = [];
    for (let i = 0; i < updates.length && issues.length < maxIssues; i++) {
      issues.push(...additionIssues(updates[i] as (typeof updates)[number], i, caller.network));
      if (i % 100 === 99) await this.#turns.next();
    }
    refuse(issues);
    const store = await this.#writes.store(caller);
    const asked = updates.map((body): Asked => ({ id: body.entity_id, addition: additionOf(body), error: null }));
    for (const [id, some] of Map.groupBy(asked, (one) => one.id)) await this.#check(store, caller, id, some);
    if (validate) await this.#checkTargets(store, caller, asked);
    const good = asked.filter(({ error }) => error === null);
    const asker = askerText(actor);
    const rows = good.map(({ id, addition }) => ({
      kind: 'additive' as const,
      id,
      actor: asker,
      summary: JSON.stringify(summaryOf(addition)),
      body: JSON.stringify(addition),
    }));
    return { store, asked, good, rows };
  }

  /**
   * The same for one entity, without waiting for what is queued: they are there when it resolves, and `behind` is queued then.
   * @throws NotFoundError, ForbiddenError, ValidationError; BusyError where too many write the entity
   */
  async apply(
    caller: Caller,
    id: string,
    bodies: readonly AdditionBody[],
    behind: readonly QueuedRow[] = [],
  ): Promise<void> {
    registered(caller);
    refuse(bodies.flatMap((body, i) => additionIssues(body, i, caller.network)));
    const store = await this.#writes.store(caller);
    await this.#direct.write(store, caller, id, { additions: bodies.map(additionOf), behind });
  }

  /**
   * What queues the last additions of a processor's job together with another write; null where one of them cannot be applied.
   * @throws ForbiddenError
   */
  async lastRows(caller: Caller, updates: AdditiveBody['updates']): Promise<QueuedRow[] | null> {
    const { asked, rows } = await this.#checked(caller, updates, false);
    const actor = askerText(registered(caller), true);
    return rows.length === asked.length ? rows.map((row) => ({ ...row, actor })) : null;
  }

  /** The numbers that they got; resolves when they are on disk. */
  async #keep(store: NetworkStore, rows: QueuedRow[]): Promise<number[]> {
    const time = this.#writes.env.now();
    const [outcome] = await store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time }]);
    if (!outcome?.committed || !outcome.queued) throw new StorageError('the updates could not be queued');
    return outcome.queued;
  }

  /** Whether the additions of one entity can be applied, as they are now. */
  async #check(store: NetworkStore, caller: Caller, id: string, asked: Asked[]): Promise<void> {
    const attempt = (some: readonly Asked[]): void => {
      const additions = some.map(({ addition }) => addition);
      try {
        store.read((db) => added(this.#writes, db, caller, id, additions));
      } catch (error) {
        throw error instanceof ForbiddenError ? new ForbiddenError(error.message, { entity_id: id }) : error;
      }
    };
    await this.#turns.next();
    const refusal = (error: unknown) => error instanceof ValidationError || error instanceof NotFoundError;
    const reasons = await sift(asked, attempt, { refusal, turn: () => this.#turns.next() });
    for (const [i, one] of asked.entries()) one.error = reasons[i] ?? null;
  }

  async #checkTargets(store: NetworkStore, caller: Caller, asked: Asked[]): Promise<void> {
    for (const one of asked) {
      const { id, addition, error } = one;
      if (error !== null || !addition.relationships_add?.length) continue;
      const path = ['relationships_add'];
      const list = addition.relationships_add;
      const many = tooManyTargets(
        list.map(({ peer }) => peer),
        path,
      );
      const issues = many.length > 0 ? many : store.read((db) => targetIssues(db, caller.network, id, list, path));
      if (issues.length > 0) one.error = reasonOf(new ValidationError(issues));
      await this.#turns.next();
    }
  }

  async waiting(caller: Caller, id: string): Promise<UpdateQueueView> {
    const actor = registered(caller);
    const store = await this.#writes.store(caller);
    const found = store.read((db) => {
      checkNetwork(caller.network, id, ['id']);
      const entity = findEntity(db, id);
      if (!entity) throw new NotFoundError();
      this.#writes.env.permissions.require(db, actor, 'entity:view', entity);
      return additiveItems(db, id, maxItems);
    });
    const inHand = store.inHand(id);
    const items = found.items.map(({ key, actor: asker, summary, queued, attempts, error, ended }): UpdateItemView => {
      const { relationships, first, keys, note } = fromJson(summary) as AdditionSummary;
      const ahead = inHand.has(key) ? 'processing' : 'pending';
      return {
        id: key,
        actor_id: askerId(asker),
        status: error !== null ? 'failed' : ended ? 'completed' : ahead,
        relationships_count: relationships,
        relationships_summary: first,
        properties_keys: keys,
        note,
        error,
        attempts,
        queued_at: new Date(queued).toISOString(),
      };
    });
    const processing = Math.min(inHand.size, found.waiting);
    return {
      entity_id: id,
      counts: { pending: found.waiting - processing, processing, failed: found.failed },
      items,
    };
  }
}
