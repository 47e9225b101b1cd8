import type { Log } from '../log.ts';
import { lastMove } from '../store/events.ts';
import { MoveFollower } from '../store/move-follower.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { searchFile } from '../store/search/search-index.ts';
import { builtin } from './embedder.ts';
import type { EndpointEmbedder } from './endpoint-embedder.ts';
import { IndexPace } from './index-pace.ts';
import type { IndexStand } from './index-slice.ts';
import { notBegun } from './not-begun.ts';
import type { OneThread } from './one-thread.ts';
import { restedStand } from './rested.ts';
import { VectorFeeder } from './vector-feeder.ts';

/** An index that was made anew, or as far as it came before the node closed. */
export interface Rebuilt extends IndexStand {
  /** How many are in it. */
  entities: number;
}

/** Of errors that are none of the database or the disk, which say themselves what helps. */
const unexpected =
  'The search index stopped at an error of the program. What is written is safe, and searches find what is in the index ' +
  'already; it is tried again. The log has the details: please report them.';

function labelsAlone(ids: readonly string[]): string {
  return (
    `The texts of these entities could not be read, so that they are found by their labels alone: ${ids.join(', ')}. ` +
    'The log has the details; once they are mended, `archeion reindex` takes them up.'
  );
}

/** Brings one network's index up to date: it follows the moves, slice after slice in a thread. */
export class IndexFollower {
  readonly #store: NetworkStore;
  readonly #thread: OneThread;
  readonly #embedder: EndpointEmbedder | null;
  readonly #feeder: VectorFeeder | null;
  readonly #moves: MoveFollower;
  readonly #pace = new IndexPace();
  #stand = notBegun;
  #mending: Promise<void> | null = null;
  readonly #log: Log;
  /** Those of whose texts the log speaks. */
  readonly #told = new Set<string>();

  constructor(store: NetworkStore, thread: OneThread, log: Log, embedder: EndpointEmbedder | null = null) {
    this.#store = store;
    this.#thread = thread;
    this.#embedder = embedder;
    this.#log = log;
    this.#moves = new MoveFollower(store, {
      rest: (hurried, rested) =>
        this.#pace.rest(hurried, rested, { lastMove: store.read(lastMove), now: performance.now() }),
      slice: () => this.#slice(),
      reason: unexpected,
      failed: (error) => log.error({ error, network: store.network }, 'the search index cannot go on'),
    });
    const feederLog = log.child({ network: store.network });
    this.#feeder = embedder && new VectorFeeder(this.files, thread, embedder, () => this.#moves.wake(), feederLog);
    // Vectors that a program elsewhere makes may still be wanting.
    const rested = embedder ? null : store.read((db) => restedStand(db, this.files.index, builtin));
    if (rested) this.#stand = rested;
    else this.#moves.wake();
  }

  get files() {
    const { database, fileId, folder } = this.#store;
    return { database, fileId, index: searchFile(folder) };
  }

  /** How far it has come. */
  get stand(): IndexStand {
    return this.#stand;
  }

  /** Why it cannot go on, in words; null where it can. */
  get failure(): string | null {
    return this.#moves.failure?.reason ?? null;
  }

  /** Of which entities it could only take up the labels, in words; null where it has all. */
  get unread(): string | null {
    const { unread } = this.#stand;
    return unread.length === 0 ? null : labelsAlone(unread.map(({ id }) => id));
  }

  /**
   * Resolves when the index has passed every move made until now, or after `ms`; says which. @throws StorageError where
   * the index cannot go on
   */
  async settle(ms: number): Promise<boolean> {
    const target = this.#store.read(lastMove);
    return this.#until(ms, () => this.#stand.cursor >= target);
  }

  /** The same after a look at the file itself, which may be gone or damaged: what cannot be used is made anew. */
  async mend(ms: number): Promise<boolean> {
    this.#mending ??= this.#looked().finally(() => {
      this.#mending = null;
    });
    await this.#mending;
    return this.#until(ms, () => !this.#stand.behind);
  }

  async #looked(): Promise<void> {
    await this.#thread.run('mend', { files: this.files });
    this.#stand = { ...notBegun, last: this.#store.read(lastMove) };
  }

  /** As settle, for everything that is done in the background, too. */
  idle(ms: number): Promise<boolean> {
    const target = this.#store.read(lastMove);
    return this.#until(ms, () => this.#stand.cursor >= target && !this.#stand.behind && !this.#stand.learning);
  }

  async #until(ms: number, reached: () => boolean): Promise<boolean> {
    const timeout = AbortSignal.timeout(ms);
    const late = new Promise<false>((resolve) => timeout.addEventListener('abort', () => resolve(false)));
    return this.#moves.until(reached, late);
  }

  /** Makes the index anew; says how far it has come until it is done. @throws StorageError */
  async *rebuild(): AsyncGenerator<IndexStand, Rebuilt, undefined> {
    await this.#thread.run('begin', { files: this.files });
    this.#stand = { ...notBegun, last: this.#store.read(lastMove) };
    yield this.#stand;
    for await (const _ of this.#moves.turns(() => !this.#stand.behind && !this.#stand.learning)) yield this.#stand;
    if (this.#stand.behind) return { ...this.#stand, entities: 0 };
    return { ...this.#stand, ...(await this.#thread.run<{ entities: number }>('counted', { files: this.files })) };
  }

  async close(): Promise<void> {
    const closed = this.#moves.close();
    await this.#feeder?.close();
    await closed;
  }

  async #slice(): Promise<boolean> {
    const embedder = this.#embedder?.name ?? builtin;
    this.#stand = await this.#thread.run<IndexStand>('slice', {
      files: this.files,
      ms: this.#pace.sliceMs,
      embedder,
    });
    for (const { id, reason } of this.#stand.unread)
      if (!this.#told.has(id)) {
        this.#told.add(id);
        this.#log.error({ network: this.#store.network, entity: id, reason }, 'an entity is found by its label alone');
      }
    this.#feeder?.wake();
    return this.#stand.behind || this.#stand.learning;
  }
}
