import { closing, StorageError } from '../errors.ts';
import type { Log } from '../log.ts';
import { attestFile, leafBySeq, newestHead, openLogReader, type StoredHead } from '../store/attest-log.ts';
import { attestedMove } from '../store/attested-moves.ts';
import type { Checkpoint } from '../store/checkpoints/checkpoints.ts';
import { LogWatch } from '../store/checkpoints/log-watch.ts';
import type { Connection, Reader } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import { fileIdentity } from '../store/file-identity.ts';
import { MoveFollower } from '../store/move-follower.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { storing } from '../store/storage-error.ts';
import type { Signer } from './head.ts';
import { HeadPace } from './head-pace.ts';
import { hashOfLeaf, leafOf } from './leaf.ts';
import type { LogThread } from './log-thread.ts';
import { equal } from './merkle.ts';

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
  /** Finds out why the log of its database does not get into it. */
  checkpoint?: Checkpoint | undefined;
}

/** One network's attestation log: it follows the moves in a thread, and is read here. */
export class AttestationLog {
  readonly #needs: LogNeeds;
  readonly #watch: LogWatch | null;
  #reader: Connection | null = null;
  readonly #moves: MoveFollower;
  #behind = true;
  readonly #pace = new HeadPace();
  /** The size of the newest head. */
  #signed: number;
  /** Which file it is written to, as soon as there is one. */
  #fileId: string | null;

  constructor(needs: LogNeeds) {
    this.#needs = needs;
    const { store, log, checkpoint } = needs;
    this.#watch = checkpoint ? new LogWatch(attestFile(store.folder), checkpoint) : null;
    this.#fileId = fileIdentity(attestFile(store.folder));
    this.#moves = new MoveFollower(store, {
      // A head is due at most once in a while, unless there is a long way to catch up.
      rest: (hurried, rested) =>
        hurried || this.#behind
          ? 0
          : this.#pace.rest(rested, { lastMove: store.read(lastMove), now: performance.now() }),
      slice: async (hurried) => {
        await this.#slice(hurried || this.#pace.isDue(performance.now()));
        return this.#behind;
      },
      reason:
        'The attestation log stopped at an error of the program; it is tried again. The log of the node has the details: ' +
        'please report them.',
      failed: (error) => log.error({ error, network: store.network }, 'the attestation log cannot go on'),
    });
    const head = this.#tryHead();
    this.#signed = head?.size ?? 0;
    const own = head?.instance === needs.signer.instance && head.key_id === needs.signer.key.id;
    // What does not fit the moves, as a log that was put here from elsewhere, advancing says.
    if (!own || head.size !== store.read(lastMove) || !this.#fits(head)) this.#moves.wake();
  }

  /** A read of the log; undefined where there is none yet. */
  read<T>(fn: (log: Reader) => T): T | undefined {
    this.#reader ??= storing(() => openLogReader(attestFile(this.#needs.store.folder), this.#fileId));
    const reader = this.#reader;
    return reader ? storing(() => reader.snapshot(fn)) : undefined;
  }

  /** Why no head is signed any more; null where the log goes on. */
  get failure(): StorageError | null {
    return this.#moves.failure;
  }

  /** Why what is written stays in the log of its database, in words; else null. */
  get checkpointFault(): string | null {
    return this.#watch?.fault ?? null;
  }

  /** Which file it is written to (file-identity.ts); null where there is none yet. */
  get fileId(): string | null {
    return this.#fileId;
  }

  newestHead(): StoredHead | undefined {
    return this.read(newestHead);
  }

  /** Resolves when a signed head covers every move made until now. @throws StorageError where the log cannot go on */
  async settle(): Promise<void> {
    const target = this.#needs.store.read(lastMove);
    if (!(await this.#moves.until(() => (this.newestHead()?.size ?? 0) >= target))) throw new StorageError(closing);
  }

  /** Signs what has been taken up, for a second's time; whatever is left the next start takes up. */
  async close(): Promise<void> {
    await this.#moves.close();
    try {
      const until = performance.now() + closingMs;
      for (let behind = !this.#moves.failure && this.#isBehind(); behind; ) {
        const last = performance.now() + sliceMs > until;
        await this.#slice(last);
        behind = this.#behind && !last;
      }
    } catch (error) {
      this.#moves.fail(error);
    } finally {
      this.#reader?.close();
      this.#reader = null;
    }
  }

  #fits({ network, size }: StoredHead): boolean {
    const { store, signer } = this.#needs;
    try {
      const leaf = this.read((log) => leafBySeq(log, size));
      const move = store.read((db) => attestedMove(db, size));
      return network === signer.network && !!leaf && !!move && equal(leaf.hash, hashOfLeaf(leafOf(move)));
    } catch {
      return false;
    }
  }

  #isBehind(): boolean {
    return (this.#tryHead()?.size ?? 0) < this.#needs.store.read(lastMove);
  }

  #tryHead(): StoredHead | undefined {
    try {
      return this.newestHead();
    } catch (error) {
      this.#moves.fail(error);
      return undefined;
    }
  }

  async #slice(sign: boolean): Promise<void> {
    const { thread, store, signer, now } = this.#needs;
    const fileIds = { database: store.fileId, log: this.#fileId };
    const files = { database: store.database, log: attestFile(store.folder), fileIds };
    const { signed, behind } = await thread.advance(files, { signer, time: now(), sign, ms: sliceMs });
    this.#fileId ??= fileIdentity(files.log);
    this.#watch?.written(this.#fileId);
    if (signed !== this.#signed) this.#pace.signed(performance.now());
    this.#signed = signed;
    this.#behind = behind;
  }
}
