import { Turns } from '../../blocks/turns.ts';
import { ForbiddenError, type Issue, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { Network } from '../../model/ids.ts';
import { additiveItems } from '../../store/additive.ts';
import { findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse, targetIssues, tooManyTargets } from '../entities/body.ts';
import { checkNetwork } from '../entities/writes.ts';
import {
  type Addition,
  type AdditionSummary,
  added,
  additionIssues,
  additionOf,
  reasonOf,
  sift,
  summaryOf,
} from './addition.ts';
import { askerId, askerText } from './asker.ts';
import { AdditiveFollower, type FollowerNeeds } from './follower.ts';
import type { AdditiveBody, AdditiveView, UpdateItemView, UpdateQueueView } from './wire.ts';

const maxItems = 100;
const maxIssues = 100;
const pruningInterval = 60_000;

interface Asked {
  id: string;
  addition: Addition;
  /** Why it cannot be applied; null where it can. */
  error: string | null;
}

/** Additive updates (wire-contract.md 4.4): checked and kept, then applied one version an entity and caller. */
export class UpdatesService implements AsyncDisposable {
  readonly #needs: FollowerNeeds;
  readonly #followers = new Map<Network, AdditiveFollower>();
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(needs: Omit<FollowerNeeds, 'stop' | 'turns'>) {
    this.#needs = { ...needs, turns: new Turns(), stop: this.#stop.signal };
    this.#timer = setInterval(() => {
      this.prune().catch((err: unknown) => needs.log.error({ err }, 'applied updates could not be pruned'));
    }, pruningInterval);
    this.#timer.unref();
  }

  /** Begins to apply what waits on a network that was just opened, and what will. */
  resume(store: NetworkStore): void {
    this.#followers.set(store.network, new AdditiveFollower(store, this.#needs));
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    for (const follower of this.#followers.values()) await follower.idle();
  }

  async prune(): Promise<void> {
    for (const follower of this.#followers.values()) await follower.prune();
  }

  /** @throws ForbiddenError where the caller may not apply one of the updates: then none is queued */
  async queue(caller: Caller, { updates }: AdditiveBody, validate: boolean): Promise<AdditiveView> {
    const actor = askerText(registered(caller));
    const issues: Issue[] = [];
    for (let i = 0; i < updates.length && issues.length < maxIssues; i++) {
      issues.push(...additionIssues(updates[i] as (typeof updates)[number], i));
      if (i % 100 === 99) await this.#needs.turns.next();
    }
    refuse(issues);
    const { store, follower } = await this.#on(caller);
    const asked = updates.map((body): Asked => ({ id: body.entity_id, addition: additionOf(body), error: null }));
    for (const [id, some] of Map.groupBy(asked, (one) => one.id)) await this.#check(store, caller, id, some);
    if (validate) await this.#checkTargets(store, caller, asked);
    const good = asked.filter(({ error }) => error === null);
    const rows = good.map(({ id, addition }) => ({
      kind: 'additive' as const,
      id,
      actor,
      summary: JSON.stringify(summaryOf(addition)),
      body: JSON.stringify(addition),
    }));
    const numbers = rows.length > 0 ? await follower.queue(rows) : [];
    const queued = good.map(({ id }, i) => ({ entity_id: id, queue_id: numbers[i] ?? 0 }));
    const failed = asked.flatMap(({ id, error }) => (error === null ? [] : [{ entity_id: id, error }]));
    return { queued, failed, summary: { total: asked.length, queued: queued.length, failed: failed.length } };
  }

  /** Whether the additions of one entity can be applied, as they are now. */
  async #check(store: NetworkStore, caller: Caller, id: string, asked: Asked[]): Promise<void> {
    const attempt = (some: readonly Asked[]): void => {
      const additions = some.map(({ addition }) => addition);
      try {
        store.read((db) => added(this.#needs.writes, db, caller, id, additions));
      } catch (error) {
        throw error instanceof ForbiddenError ? new ForbiddenError(error.message, { entity_id: id }) : error;
      }
    };
    await this.#needs.turns.next();
    const refusal = (error: unknown) => error instanceof ValidationError || error instanceof NotFoundError;
    const reasons = await sift(asked, attempt, { refusal, turn: () => this.#needs.turns.next() });
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
      await this.#needs.turns.next();
    }
  }

  async waiting(caller: Caller, id: string): Promise<UpdateQueueView> {
    const actor = registered(caller);
    const { store, follower } = await this.#on(caller);
    const { writes } = this.#needs;
    const found = store.read((db) => {
      checkNetwork(caller.network, id, ['id']);
      const entity = findEntity(db, id);
      if (!entity) throw new NotFoundError();
      writes.env.permissions.require(db, actor, 'entity:view', entity);
      return additiveItems(db, id, maxItems);
    });
    const inHand = follower.processing(id);
    const items = found.items.map(({ key, actor: asker, summary, queued, attempts, error, ended }): UpdateItemView => {
      const { relationships, first, keys, note } = JSON.parse(summary) as AdditionSummary;
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

  async #on(caller: Caller): Promise<{ store: NetworkStore; follower: AdditiveFollower }> {
    const store = await this.#needs.writes.store(caller);
    const follower = this.#followers.get(caller.network);
    if (!follower) throw new Error(`additive updates were not begun on ${caller.network}`);
    return { store, follower };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.idle();
  }
}
