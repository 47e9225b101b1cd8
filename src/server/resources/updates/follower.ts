import { setTimeout as wait } from 'node:timers/promises';
import type { Turns } from '../../blocks/turns.ts';
import { BusyError, ConflictError, DomainError, StorageError } from '../../errors.ts';
import type { Caller } from '../../model/caller.ts';
import { type AdditiveGroup, hasExpired, waitingGroups, waitingTotal } from '../../store/additive.ts';
import type { AdditiveRow, QueuedRow } from '../../store/additive-rows.ts';
import type { Commit } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import type { Identity } from '../../store/identity.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { type Addition, added, reasonOf, sift } from './addition.ts';
import { actorNow } from './asker.ts';

export interface FollowerNeeds {
  writes: EntityWrites;
  identity: Pick<Identity, 'accountById'>;
  log: { error(details: object, message: string): void };
  /** The checks of requests and what is applied take their turns together. */
  turns: Turns;
  /** Ends the waiting after a fault, when the node closes. */
  stop: AbortSignal;
}

/** What may wait on a network. */
const maxWaiting = { rows: 100_000, characters: 64 * 1024 * 1024 };
/** What is applied together: groups a submission, and rows of a group. */
const maxTogether = { groups: 32, rows: 1000, characters: 512 * 1024 };
const maxBytes = 8 * 1024 * 1024;
/** How long an update is told of after it was applied, and after it failed. */
const keptMs = { completed: 10 * 60_000, failed: 7 * 24 * 3_600_000 };
const prunedTogether = 500;
const firstPauseMs = 100;
const longestPauseMs = 30_000;
const none: ReadonlySet<number> = new Set();

/** Applies a network's additive updates in the order in which they came, from the queue in its database. */
export class AdditiveFollower {
  readonly #store: NetworkStore;
  readonly #needs: FollowerNeeds;
  /** What waits, with what is about to. */
  readonly #waiting: { rows: number; characters: number };
  /** The numbers in hand by entity. */
  readonly #processing = new Map<string, ReadonlySet<number>>();
  #running: Promise<void> | null = null;

  /** Goes on with what a stop of the node left. */
  constructor(store: NetworkStore, needs: FollowerNeeds) {
    this.#store = store;
    this.#needs = needs;
    this.#waiting = store.look(waitingTotal);
    this.#start();
  }

  /** Resolves with their numbers when they are on disk. @throws BusyError where too much waits already */
  async queue(rows: QueuedRow[]): Promise<number[]> {
    const characters = rows.reduce((sum, { body }) => sum + body.length, 0);
    const full =
      this.#waiting.rows + rows.length > maxWaiting.rows ||
      this.#waiting.characters + characters > maxWaiting.characters;
    if (this.#waiting.rows > 0 && full) throw new BusyError(5, 'Too many additive updates wait; try again.');
    this.#count(rows.length, characters);
    try {
      const [outcome] = await this.#store.submit([this.#commit([], [], rows)]);
      if (!outcome?.committed || !outcome.queued) throw new StorageError('the updates could not be queued');
      return outcome.queued;
    } catch (error) {
      this.#count(-rows.length, -characters);
      throw error;
    } finally {
      this.#start();
    }
  }

  /** The numbers of an entity's updates that are being applied now. */
  processing(id: string): ReadonlySet<number> {
    return this.#processing.get(id) ?? none;
  }

  /** Resolves when nothing waits any more, or the node closes. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Forgets those that were told of long enough. */
  async prune(): Promise<void> {
    while (!this.#needs.stop.aborted && this.#store.look((db) => hasExpired(db, this.#now())))
      await this.#store.submit([this.#commit([], [], [{ kind: 'additive_pruned', most: prunedTogether }])]);
  }

  #count(rows: number, characters: number): void {
    this.#waiting.rows += rows;
    this.#waiting.characters = this.#waiting.rows === 0 ? 0 : this.#waiting.characters + characters;
  }

  #start(): void {
    if (this.#waiting.rows > 0) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { stop, log, turns } = this.#needs;
    let pause = firstPauseMs;
    while (!stop.aborted) {
      try {
        await turns.next();
        const groups = this.#store.read((db) => waitingGroups(db, maxTogether));
        if (groups.length === 0) break;
        await this.#apply(groups);
        pause = firstPauseMs;
      } catch (error) {
        if (stop.aborted) break;
        log.error({ err: error }, 'additive updates could not be applied; they are tried again');
        await wait(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
        pause = Math.min(2 * pause, longestPauseMs);
      }
    }
    this.#running = null;
  }

  async #apply(groups: AdditiveGroup[]): Promise<void> {
    for (const { id, rows } of groups) this.#processing.set(id, new Set(rows.map(({ key }) => key)));
    try {
      const ready: { group: AdditiveGroup; commit: Commit }[] = [];
      for (const group of groups) {
        await this.#needs.turns.next();
        const commit = await this.#prepare(group, 1);
        ready.push({ group, commit });
        if (ready.reduce((sum, one) => sum + weightOf(one.commit), 0) > maxBytes) break;
      }
      // What decides on others comes after them, so that its step does not make theirs come too late.
      const guards = new Set(ready.flatMap(({ commit }) => commit.guards.map(({ id }) => id)));
      ready.sort((a, b) => Number(guards.has(a.group.id)) - Number(guards.has(b.group.id)));
      const outcomes = await this.#store.submit(ready.map(({ commit }) => commit));
      for (const [i, { group, commit }] of ready.entries())
        if (outcomes[i]?.committed) this.#ended(group, commit);
        else await this.#again(group);
    } finally {
      this.#processing.clear();
    }
  }

  /** A group that came too late: prepared again until it is in time, or has been often enough. */
  async #again(group: AdditiveGroup): Promise<void> {
    let attempts = 1;
    const write = async (): Promise<void> => {
      const commit = await this.#prepare(group, ++attempts);
      const [outcome] = await this.#store.submit([commit]);
      if (!outcome?.committed) throw new ConflictError(outcome?.expected ?? '', outcome?.actual ?? '');
      this.#ended(group, commit);
    };
    try {
      await this.#needs.writes.queued(this.#store, group.id, write);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const keys = group.rows.map(({ key }) => key);
      const commit = this.#commit([], [], [this.#end(keys, attempts, error.message)]);
      await this.#store.submit([commit]);
      this.#ended(group, commit);
    }
  }

  /** One commit for what can be applied of a group and for what can't; what is in neither waits for the next one. */
  async #prepare(group: AdditiveGroup, attempts: number): Promise<Commit> {
    const rows = group.rows.map(({ key, body }) => ({ key, addition: JSON.parse(body) as Addition }));
    const commit = (some: typeof rows, failed: AdditiveRow[]) =>
      this.#store.read((db) => this.#step(db, group, some, attempts, failed));
    try {
      return commit(rows, []);
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
    }
    const attempt = (some: readonly (typeof rows)[number][]) => void commit([...some], []);
    const reasons = await sift(rows, attempt, {
      refusal: (error) => this.#isRefusal(error),
      turn: () => this.#needs.turns.next(),
    });
    const good = rows.filter((_, i) => reasons[i] === null);
    const failed = Map.groupBy(
      rows.flatMap(({ key }, i) => (reasons[i] == null ? [] : [{ key, reason: reasons[i] }])),
      ({ reason }) => reason,
    );
    const ends = [...failed].map(([reason, of]) =>
      this.#end(
        of.map(({ key }) => key),
        attempts,
        reason,
      ),
    );
    if (good.length === 0) return this.#commit([], [], ends);
    // All may pass alone and not together: then one after the other.
    const [first] = good as [(typeof rows)[number]];
    try {
      return commit(ends.length > 0 ? good : [first], ends);
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      return this.#commit([], [], ends.length > 0 ? ends : [this.#end([first.key], attempts, reasonOf(error))]);
    }
  }

  #step(
    db: Reader,
    { id, actor }: AdditiveGroup,
    rows: { key: number; addition: Addition }[],
    attempts: number,
    failed: AdditiveRow[],
  ): Commit {
    const { writes, identity } = this.#needs;
    const { network } = this.#store;
    const caller: Caller = { actor: actorNow(db, identity, network, actor), network };
    const additions = rows.map(({ addition }) => addition);
    const { base, next } = added(writes, db, caller, id, additions);
    const { change, guards } = writes.settle(db, base, next, undefined, []);
    const done = this.#end(
      rows.map(({ key }) => key),
      attempts,
      null,
    );
    return this.#commit([change], guards, [done, ...failed]);
  }

  #isRefusal(error: unknown): boolean {
    if (error instanceof StorageError || error instanceof BusyError || error instanceof ConflictError) return false;
    if (!(error instanceof DomainError))
      this.#needs.log.error({ err: error }, 'an additive update could not be applied');
    return true;
  }

  #end(keys: number[], attempts: number, error: string | null): AdditiveRow {
    const expires = this.#now() + (error === null ? keptMs.completed : keptMs.failed);
    return { kind: 'additive_ended', keys, attempts, error, expires };
  }

  #commit(changes: Commit['changes'], guards: Commit['guards'], rows: AdditiveRow[]): Commit {
    return { changes, guards, rows, origin: 'local', time: this.#now() };
  }

  /** The rows that a commit ended no longer count. */
  #ended({ rows }: AdditiveGroup, commit: Commit): void {
    const keys = new Set(commit.rows.flatMap((row) => (row.kind === 'additive_ended' ? row.keys : [])));
    for (const { key, body } of rows) if (keys.has(key)) this.#count(-1, -body.length);
  }

  #now(): number {
    return this.#needs.writes.env.now();
  }
}

function weightOf({ changes }: Commit): number {
  return changes.reduce((sum, { blocks }) => sum + blocks.reduce((size, { bytes }) => size + bytes.length, 0), 0);
}
