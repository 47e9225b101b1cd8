import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { BusyError, ConflictError, DomainError } from '../../errors.ts';
import type { Network } from '../../model/ids.ts';
import { type AdditiveGroup, hasExpired, waitingGroups, waitingTotal } from '../../store/additive.ts';
import type { QueuedRow } from '../../store/additive-rows.ts';
import type { Commit } from '../../store/commit.ts';
import { entitySize } from '../../store/entities.ts';
import type { AdditiveWatch, NetworkStore } from '../../store/network-store.ts';
import { damagedVersion, isDamagedVersion } from '../../store/storage-error.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { AdditivePreparer } from './preparer.ts';

export interface FollowerNeeds {
  writes: EntityWrites;
  preparer: AdditivePreparer;
  /** The same on another thread, for entities and additions of more bytes than `above`. */
  large: {
    above: number;
    prepare: (network: Network, group: AdditiveGroup, attempts: number) => Promise<Commit>;
  };
  log: { error(details: object, message: string): void };
  /** Ends the waiting after a fault, when the node closes. */
  stop: AbortSignal;
}

/** What may wait on a network. */
const maxWaiting = { rows: 100_000, characters: 64 * 1024 * 1024 };
/** What is applied together: groups a submission, and rows of a group. */
const maxTogether = { groups: 32, rows: 1000, characters: 512 * 1024 };
const maxBytes = 8 * 1024 * 1024;
const prunedTogether = 500;
const firstPauseMs = 100;
const longestPauseMs = 30_000;
const none: ReadonlySet<number> = new Set();

/** Applies a network's additive updates from the queue in its database, those of one actor for one entity in the order in which they came. */
export class AdditiveFollower implements AdditiveWatch {
  readonly #store: NetworkStore;
  readonly #needs: FollowerNeeds;
  /**
   * What waits, with what is about to. Where the writer died nobody knows which of the two, or neither, and it may be off by
   * that until nothing waits: whether there is work is asked of the database alone.
   */
  #waiting: { rows: number; characters: number };
  /** What is about to. */
  readonly #coming = { rows: 0, characters: 0 };
  /** The numbers in hand by entity. */
  readonly #processing = new Map<string, ReadonlySet<number>>();
  #running: Promise<void> | null = null;

  /** Goes on with what a stop of the node left. */
  constructor(store: NetworkStore, needs: FollowerNeeds) {
    this.#store = store;
    this.#needs = needs;
    this.#waiting = store.look(waitingTotal);
    store.watchAdditive(this);
    this.#start();
  }

  /** @throws BusyError where too much waits already */
  coming(rows: QueuedRow[]): void {
    const characters = charactersOf(rows);
    const full =
      this.#waiting.rows + rows.length > maxWaiting.rows ||
      this.#waiting.characters + characters > maxWaiting.characters;
    if (this.#waiting.rows > 0 && full) throw new BusyError(5, 'Too many additive updates wait; try again.');
    this.#coming.rows += rows.length;
    this.#coming.characters += characters;
    this.#count(rows.length, characters);
  }

  came(rows: QueuedRow[], kept: boolean): void {
    const characters = charactersOf(rows);
    this.#coming.rows -= rows.length;
    this.#coming.characters -= characters;
    if (!kept) this.#count(-rows.length, -characters);
    this.#start();
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
      await this.#store.submit([this.#needs.preparer.commit([{ kind: 'additive_pruned', most: prunedTogether }])]);
  }

  #count(rows: number, characters: number): void {
    this.#waiting.rows = Math.max(0, this.#waiting.rows + rows);
    this.#waiting.characters = Math.max(0, this.#waiting.characters + characters);
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { stop, log } = this.#needs;
    let pause = firstPauseMs;
    while (!stop.aborted) {
      try {
        await setImmediate();
        const groups = this.#store.read((db) => waitingGroups(db, maxTogether));
        if (groups.length === 0) {
          this.#waiting = { ...this.#coming };
          break;
        }
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
        const commit = await this.#prepare(group, 1);
        ready.push({ group, commit });
        if (ready.reduce((sum, one) => sum + weightOf(one.commit), 0) > maxBytes) break;
      }
      // What decides on others comes after them, so that its step does not make theirs come too late.
      const preconditions = new Set(ready.flatMap(({ commit }) => commit.preconditions.map(({ id }) => id)));
      ready.sort((a, b) => Number(preconditions.has(a.group.id)) - Number(preconditions.has(b.group.id)));
      const outcomes = await this.#store.submit(ready.map(({ commit }) => commit));
      const late: AdditiveGroup[] = [];
      for (const [i, { group, commit }] of ready.entries())
        if (outcomes[i]?.committed) this.#ended(group, commit);
        else late.push(group);
      for (const group of late) await this.#again(group);
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
      const { preparer } = this.#needs;
      const commit = preparer.commit([preparer.ended(keys, attempts, error.message)]);
      await this.#store.submit([commit]);
      this.#ended(group, commit);
    }
  }

  /** A fault of ours costs the one update that meets it. */
  async #prepare(group: AdditiveGroup, attempts: number): Promise<Commit> {
    const { large, preparer, log } = this.#needs;
    const { network } = this.#store;
    const weight = group.rows.reduce((sum, { body }) => sum + body.length, 0);
    const told = (error: unknown) => {
      log.error({ err: error }, 'a large additive update could not be prepared on another thread');
      return null;
    };
    try {
      const isLarge = weight + this.#store.look((db) => entitySize(db, group.id)) > large.above;
      // What goes wrong on the way there and back says nothing of the updates.
      const commit = isLarge ? await large.prepare(network, group, attempts).catch(told) : null;
      return commit ?? (await preparer.prepare(this.#store, group, attempts));
    } catch (error) {
      const isDamaged = isDamagedVersion(error);
      if (error instanceof DomainError && !isDamaged) throw error;
      log.error({ err: error }, 'an additive update could not be applied');
      const [first, second] = group.rows;
      if (first && second && !isDamaged) return this.#prepare({ ...group, rows: [first] }, attempts);
      const keys = group.rows.map(({ key }) => key);
      // All that waits for a damaged entity ends with the reason: else nothing behind it would ever be applied.
      return preparer.commit([preparer.ended(keys, attempts, isDamaged ? damagedVersion : 'Internal server error')]);
    }
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

function charactersOf(rows: QueuedRow[]): number {
  return rows.reduce((sum, { body }) => sum + body.length, 0);
}

function weightOf({ changes }: Commit): number {
  return changes.reduce((sum, { blocks }) => sum + blocks.reduce((size, { bytes }) => size + bytes.length, 0), 0);
}
