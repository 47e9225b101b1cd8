import { LoopTurns } from '../../loop/loop-turns.ts';
import type { Caller } from '../../model/caller.ts';
import { fromJson } from '../../model/from-json.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { AdditiveGroup } from '../../store/additive.ts';
import type { AdditiveRow } from '../../store/additive-rows.ts';
import type { Commit } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { actorNow } from '../asker.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { isRefusal, reasonOf } from '../refusals.ts';
import { type Addition, added, sift } from './addition.ts';

/** How long an update is told of after it was applied, and after it failed. */
const keptMs = { completed: 10 * 60_000, failed: 7 * 24 * 3_600_000 };

interface Row {
  key: number;
  addition: Addition;
}

/** Makes commits of what waits; it keeps nothing, so that a thread of its own can do it for large entities. */
export class AdditivePreparer {
  readonly #writes: EntityWrites;
  readonly #identity: Pick<Identity, 'accountById'>;
  readonly #turns = new LoopTurns();

  constructor(writes: EntityWrites, identity: Pick<Identity, 'accountById'>) {
    this.#writes = writes;
    this.#identity = identity;
  }

  /**
   * One commit for what can be applied of a group and for what can't; what is in neither waits for the next one.
   * `attempts`: the how-manieth this is.
   */
  async prepare(store: NetworkStore, group: AdditiveGroup, attempts: number): Promise<Commit> {
    await this.#turns.next();
    const rows = group.rows.map(({ key, body }): Row => ({ key, addition: fromJson(body) as Addition }));
    const step = (some: readonly Row[], failed: AdditiveRow[]) =>
      store.read((db) => this.#step(db, store, group, some, attempts, failed));
    try {
      return step(rows, []);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const attempt = (some: readonly Row[]) => void step(some, []);
    const reasons = await sift(rows, attempt, { refusal: isRefusal, turn: () => this.#turns.next() });
    const good = rows.filter((_, i) => reasons[i] === null);
    const bad = rows.flatMap(({ key }, i) => (reasons[i] == null ? [] : [{ key, reason: reasons[i] }]));
    const failed = [...Map.groupBy(bad, ({ reason }) => reason)].map(([reason, of]) =>
      this.ended(keysOf(of), attempts, reason),
    );
    const [first] = good;
    if (first === undefined) return this.commit(failed);
    // All may pass alone and not together: then one after the other.
    try {
      return step(failed.length > 0 ? good : [first], failed);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.commit(failed.length > 0 ? failed : [this.ended([first.key], attempts, reasonOf(error))]);
    }
  }

  #step(
    db: Reader,
    { network }: NetworkStore,
    { id, actor }: AdditiveGroup,
    rows: readonly Row[],
    attempts: number,
    failed: AdditiveRow[],
  ): Commit {
    const caller: Caller = { actor: actorNow(db, this.#identity, network, actor), network };
    const additions = rows.map(({ addition }) => addition);
    const { base, next, permit } = added(this.#writes, db, caller, id, additions);
    const { change, preconditions } = this.#writes.settle(db, base, next, undefined, permit);
    return { ...this.commit([this.ended(keysOf(rows), attempts, null), ...failed]), changes: [change], preconditions };
  }

  /** The rows have come to their end: applied, or failed for `error`. */
  ended(keys: number[], attempts: number, error: string | null): AdditiveRow {
    const expires = this.#writes.env.now() + (error === null ? keptMs.completed : keptMs.failed);
    return { kind: 'additive_ended', keys, attempts, error, expires };
  }

  commit(rows: AdditiveRow[]): Commit {
    return { changes: [], preconditions: [], rows, origin: 'local', time: this.#writes.env.now() };
  }
}

function keysOf(rows: readonly { key: number }[]): number[] {
  return rows.map(({ key }) => key);
}
