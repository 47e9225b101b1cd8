import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '../errors.ts';
import type { Log } from '../log.ts';
import { attestFile, newestHead, openLogReader, type StoredHead } from '../store/attest-log.ts';
import type { Connection, Reader } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { storing } from '../store/storage-error.ts';
import type { Signer } from './head.ts';
import type { LogThread } from './log-thread.ts';

/** A head is signed at most this often while commits come. */
const headEveryMs = 1000;
/** After a failure it is tried again. */
const againMs = 10_000;
/** How long a slice may last: so long does closing wait at most. */
const sliceMs = 200;
/** How long closing goes on with what is left; the next start does the rest. */
const closingMs = 1000;

export interface LogNeeds {
  store: NetworkStore;
  thread: LogThread;
  signer: Signer;
  now: () => number;
  log: Log;
}

/** One network's attestation log: it follows the moves in a thread, and is read here. */
export class AttestationLog {
  readonly #needs: LogNeeds;
  #reader: Connection | null = null;
  #following = Promise.resolve();
  #isFollowing = false;
  #woken = false;
  #closing = false;
  /** Whether somebody waits for a head. */
  #hurried = 0;
  #pause = new AbortController();
  /** Resolved when a slice has ended, then replaced. */
  #turn = Promise.withResolvers<void>();
  #behind = true;
  /** The size of the newest head, and when it was signed, on the clock of performance.now(). */
  #signed: number;
  #signedAt = Number.NEGATIVE_INFINITY;
  #failure: StorageError | null = null;

  constructor(needs: LogNeeds) {
    this.#needs = needs;
    needs.store.onMoves(() => this.#wake());
    const head = this.#tryHead();
    this.#signed = head?.size ?? 0;
    const own = head?.instance === needs.signer.instance && head.key_id === needs.signer.key.id;
    if (!own || head.size < needs.store.read(lastMove)) this.#wake();
  }

  /** A read of the log; undefined where there is none yet. */
  read<T>(fn: (log: Reader) => T): T | undefined {
    this.#reader ??= storing(() => openLogReader(attestFile(this.#needs.store.folder)));
    const reader = this.#reader;
    return reader ? storing(() => reader.snapshot(fn)) : undefined;
  }

  newestHead(): StoredHead | undefined {
    return this.read(newestHead);
  }

  /** Resolves when a signed head covers every move made until now. @throws StorageError where the log cannot go on */
  async settle(): Promise<void> {
    const target = this.#needs.store.read(lastMove);
    this.#hurried++;
    try {
      while ((this.newestHead()?.size ?? 0) < target) {
        if (this.#closing) throw new StorageError('The node is closing.');
        const { promise } = this.#turn;
        if (!this.#isFollowing) this.#wake();
        this.#pause.abort();
        await promise;
        if (this.#failure) throw this.#failure;
      }
    } finally {
      this.#hurried--;
    }
  }

  /** Signs what has been taken up, for a second's time; whatever is left the next start takes up. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#pause.abort();
    await this.#following;
    this.#turn.resolve();
    try {
      const until = performance.now() + closingMs;
      for (let behind = !this.#failure && this.#isBehind(); behind; ) {
        const last = performance.now() + sliceMs > until;
        await this.#slice(last);
        behind = this.#behind && !last;
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#reader?.close();
      this.#reader = null;
    }
  }

  #isBehind(): boolean {
    return (this.#tryHead()?.size ?? 0) < this.#needs.store.read(lastMove);
  }

  #tryHead(): StoredHead | undefined {
    try {
      return this.newestHead();
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #wake(): void {
    this.#woken = true;
    if (this.#closing || this.#isFollowing) return;
    this.#isFollowing = true;
    this.#following = this.#follow();
  }

  /** Runs while there is something to take up, slice after slice. Does not throw. */
  async #follow(): Promise<void> {
    while (this.#woken) {
      await this.#rest();
      if (this.#closing) break;
      this.#woken = false;
      try {
        await this.#slice(this.#hurried > 0 || this.#isDue());
        this.#woken ||= this.#behind;
        this.#failure = null;
      } catch (error) {
        this.#failed(error);
        this.#woken = true;
      }
      this.#turn.resolve();
      this.#turn = Promise.withResolvers();
    }
    // In the same turn as the last one's end, so that whoever waited for it can begin another one.
    this.#isFollowing = false;
  }

  #isDue(): boolean {
    return performance.now() - this.#signedAt >= headEveryMs;
  }

  /** Waits until the next head is due, unless there is a long way to catch up. */
  async #rest(): Promise<void> {
    const wait = this.#failure ? againMs : this.#signedAt + headEveryMs - performance.now();
    if (this.#closing || wait <= 0 || this.#hurried > 0 || (this.#behind && !this.#failure)) return;
    this.#pause = new AbortController();
    await delay(wait, undefined, { signal: this.#pause.signal, ref: false }).catch(() => undefined);
  }

  async #slice(sign: boolean): Promise<void> {
    const { thread, store, signer, now } = this.#needs;
    const files = { database: store.database, log: attestFile(store.folder) };
    const { signed, behind } = await thread.advance(files, { signer, time: now(), sign, ms: sliceMs });
    if (signed !== this.#signed) this.#signedAt = performance.now();
    this.#signed = signed;
    this.#behind = behind;
  }

  #failed(error: unknown): void {
    const failure = error instanceof StorageError ? error : new StorageError(String(error));
    if (this.#failure?.reason !== failure.reason)
      this.#needs.log.error({ error, network: this.#needs.store.network }, 'the attestation log cannot go on');
    this.#failure = failure;
  }
}
