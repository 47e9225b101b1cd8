import { join } from 'node:path';
import { makeFolderNow, syncNamesNow } from '../blocks/durable-folder.ts';
import type { Network } from '../model/ids.ts';
import type { QueuedRow } from './additive-rows.ts';
import type { Checkpoint } from './checkpoints/checkpoints.ts';
import { blocksTotal, type Commit, type Outcome } from './commit.ts';
import { type CommitQueue, inProcessQueue, type QueueLoad } from './commit-queue.ts';
import { type Connection, openReader, openWriter, type Reader } from './connection.ts';
import { fileIdentity, requirePlace } from './file-identity.ts';
import { migrations, type UpgradeStep } from './migrations/migrate.ts';
import { filesFolder, networkDatabase } from './network-folders.ts';
import { storing } from './storage-error.ts';
import type { Asker } from './threads/asker-turns.ts';
import { workResult } from './threads/failed-work.ts';
import type { LongRead, longReads } from './threads/long-reads.ts';
import { type Lend, type LongReader, ReaderPool } from './threads/reader-pool.ts';
import { longRead } from './threads/reader-thread.ts';
import { ReaderThreads } from './threads/reader-threads.ts';
import { threadQueue } from './threads/thread-queue.ts';
import { TurnReads } from './threads/turn-reads.ts';

/** What follows additive updates from their submission on. */
export interface AdditiveWatch {
  /** They are about to be submitted. @throws BusyError where too much waits already */
  coming(rows: QueuedRow[]): void;
  /** They are on disk, or (`kept` false) did not get there, or nobody knows, because the writer died. */
  came(rows: QueuedRow[], kept: boolean): void;
  /** The numbers of an entity's updates that are being applied now. */
  processing(id: string): ReadonlySet<number>;
}

export interface StoreActivity extends QueueLoad {
  commits: number;
  /** Tips that were moved. */
  moves: number;
  versions: number;
  /** Long reads under way or waiting. */
  longReads: number;
}

/** What of a store's work is done where. */
export interface Threads {
  /** The writer's thread: one of its own, or `here` that of the caller, which starts sooner and then waits for the disk. */
  writer?: 'thread' | 'here';
  /** Brief reads. */
  lend?: Lend | null;
  checkpoint?: Checkpoint | null;
  /** Hears of each step of an upgrade of the database. */
  upgrading?: (network: Network, step: UpgradeStep) => void;
  /** For its long reads; threads of its own where there are none. */
  readers?: ReaderThreads | null;
}

interface Parts {
  fileId: string | null;
  queue: CommitQueue;
  reader: Connection;
  /** Null where others answer for the same network, so that what they have written has to be seen at once. */
  turn: TurnReads | null;
  longReads: LongReader;
  /** Ends with it. */
  own: AsyncDisposable | null;
}

/** One network's storage: short reads here, writes through its one writer. */
export class NetworkStore {
  readonly network: Network;
  /** The network's folder: database and files. */
  readonly folder: string;
  /** The database file. */
  readonly database: string;
  /** Which file it was when this was opened (file-identity.ts). */
  readonly fileId: string | null;
  readonly #queue: CommitQueue;
  readonly #reader: Connection;
  readonly #turn: TurnReads | null;
  readonly #longReads: LongReader;
  readonly #own: AsyncDisposable | null;
  readonly #written = { commits: 0, moves: 0, versions: 0 };
  readonly #followers: (() => void)[] = [];
  #additive: AdditiveWatch | null = null;

  private constructor(network: Network, folder: string, { fileId, queue, reader, turn, longReads, own }: Parts) {
    this.network = network;
    this.folder = folder;
    this.database = databaseFile(join(folder, '..'), network);
    this.fileId = fileId;
    this.#queue = queue;
    this.#reader = reader;
    this.#turn = turn;
    this.#longReads = longReads;
    this.#own = own;
  }

  /**
   * Opens or makes the network's folder below `data`. `writer: 'here'` keeps the writer in this thread.
   */
  static async open(
    data: string,
    network: Network,
    { writer = 'thread', lend = null, checkpoint = null, upgrading, readers = null }: Threads = {},
  ): Promise<NetworkStore> {
    const folder = join(data, network);
    storing(() => {
      makeFolderNow(folder, data);
      syncNamesNow(filesFolder(folder));
    });
    const file = databaseFile(data, network);
    const begun = (step: UpgradeStep) => upgrading?.(network, step);
    const queue =
      writer === 'thread'
        ? await threadQueue(file, checkpoint, begun)
        : inProcessQueue(file, (path) => openWriter(path, migrations, begun));
    try {
      const fileId = storing(() => fileIdentity(file));
      const reader = storing(() => openReader(file, fileId));
      const threads = readers ?? new ReaderThreads();
      const longReads = new ReaderPool(threads, lend);
      const own = readers ? null : threads;
      const turn = new TurnReads(reader);
      return new NetworkStore(network, folder, { fileId, queue, reader, turn, longReads, own });
    } catch (error) {
      await queue.close();
      throw error;
    }
  }

  /**
   * A network that another thread has opened, whose database is the file `fileId`: reads go to it from this thread, the long ones
   * too, and writes to `queue`, which passes them on to the other thread's writer. @throws StorageError
   */
  static beside(data: string, network: Network, fileId: string | null, queue: CommitQueue): NetworkStore {
    const reader = storing(() => openReader(databaseFile(data, network), fileId));
    const longReads = {
      run: async (read: LongRead) => workResult(longRead(read)),
      underWay: 0,
      close: () => undefined,
    };
    return new NetworkStore(network, join(data, network), { fileId, queue, reader, turn: null, longReads, own: null });
  }

  /**
   * One short synchronous read: all of it sees one state, and it must not outlive the call. It sees everything that this store
   * has answered for, and is otherwise at most as old as the turn of the event loop.
   */
  read<T>(fn: (reader: Reader) => T): T {
    return storing(() => (this.#turn ? this.#turn.read(fn) : this.#reader.snapshot(fn)));
  }

  /** A read of one statement, which sees one state with no transaction of its own. */
  look<T>(fn: (reader: Reader) => T): T {
    return storing(() => (this.#turn ? this.#turn.read(fn) : fn(this.#reader)));
  }

  /**
   * A read that takes long or whose result is long, on a reader thread: JSON text as UTF-8. `asker`: who waits for it alone;
   * without one it is the node's own work. Throws as LongReader.run.
   */
  async readLong<N extends keyof typeof longReads>(
    name: N,
    args: LongRead<N>['args'],
    asker: Asker | null = null,
  ): Promise<Uint8Array> {
    const result = await this.#longReads.run({ file: this.database, fileId: this.fileId, name, args }, asker);
    this.#turn?.renew();
    return result;
  }

  /** See CommitQueue. */
  async submit(commits: Commit[]): Promise<Outcome[]> {
    const outcomes = await this.#watched(commits).finally(() => this.#turn?.renew());
    this.#count(commits, outcomes);
    if (outcomes.some((outcome) => outcome.committed && outcome.moves.length > 0))
      for (const follow of this.#followers) follow();
    return outcomes;
  }

  async #watched(commits: Commit[]): Promise<Outcome[]> {
    const queued = commits.flatMap(({ rows }) => rows.filter((row) => row.kind === 'additive'));
    if (!this.#additive || queued.length === 0) return this.#queue.submit(commits);
    this.#additive.coming(queued);
    let kept = false;
    try {
      const outcomes = await this.#queue.submit(commits);
      kept = outcomes.every(({ committed }) => committed);
      return outcomes;
    } finally {
      this.#additive.came(queued, kept);
    }
  }

  /** Whoever applies additive updates is told of them; there is one. */
  watchAdditive(watch: AdditiveWatch): void {
    this.#additive = watch;
  }

  /** The numbers of an entity's additive updates that are being applied now, as far as this thread knows. */
  inHand(id: string): ReadonlySet<number> {
    return this.#additive?.processing(id) ?? new Set();
  }

  /** See requirePlace in file-identity.ts: for what lies in the network's folder. @throws StorageError */
  requirePlace(): void {
    requirePlace(this.database, this.fileId);
  }

  /** What has been written since the network was opened, and what is under way. */
  activity(): StoreActivity {
    return { ...this.#written, ...this.#queue.load(), longReads: this.#longReads.underWay };
  }

  #count(commits: Commit[], outcomes: Outcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      if (!outcome.committed) continue;
      this.#written.commits++;
      this.#written.moves += outcome.moves.length;
      const commit = commits[i];
      if (commit) this.#written.versions += blocksTotal(commit).count;
    }
  }

  /** `follow` is called after commits that moved tips are on disk; it must return at once, and not throw. */
  onMoves(follow: () => void): void {
    this.#followers.push(follow);
  }

  async close(): Promise<void> {
    // The writer waits for readers when it empties the log.
    this.#turn?.renew();
    try {
      this.#longReads.close();
      // Both at once: no write is taken any more while long reads end.
      await Promise.all([this.#queue.close(), this.#own?.[Symbol.asyncDispose]()]);
    } finally {
      this.#reader.close();
    }
  }
}

export function databaseFile(data: string, network: Network): string {
  return join(data, network, networkDatabase);
}
