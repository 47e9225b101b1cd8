import { closing, StorageError } from '../errors.ts';
import { applyCommit } from './apply.ts';
import { blocksTotal, type Commit, type Outcome } from './commit.ts';
import { type Connection, checkpoint, checkpointAfterReaders, isDatabaseError } from './connection.ts';
import { durably } from './durably.ts';
import { sameFileCheck } from './file-identity.ts';
import { storageError } from './storage-error.ts';

/**
 * A group ends at this many versions or after this many milliseconds, whichever comes first. Where only submissions of many
 * commits wait (a batch, a mirror, an import), it lasts longer, for each end costs a sync of the disk, and one that has begun is
 * written to its end, if that is near: it would be answered after the next group otherwise, whose sync comes first.
 */
const maxVersions = 256;
const maxMilliseconds = 5;
const [startingUntil, writingUntil] = [15, 30];
/**
 * A checkpoint is due after this many versions, some 8 MB of log; one that was asked for and has not been made after so many more
 * is made here.
 */
const [checkpointAfter, overdueAfter] = [2000, 8000];
/** A log of more pages than this (64 MB) is worth waiting for its readers, so that it starts again at its beginning. */
const maxLogPages = 16_384;

/** What became of a submission: an outcome for each commit, or why none can be told. */
export type Answer = { outcomes: Outcome[] } | { error: { reason: string; full: boolean } };

interface Waiting {
  commits: Commit[];
  outcomes: Outcome[];
  /** How many outcomes earlier groups have on disk. */
  kept: number;
  answer: (answer: Answer) => void;
}

/**
 * Group commit: whatever waits when the connection is free goes into one transaction, and nothing is answered before
 * that transaction is on disk. An error of the database ends the group: it is rolled back and every submission that had
 * a part in it is answered with a storage error. Any other error is the commit's own: its submission is refused, and
 * the others of the group are written in the next one.
 */
export class GroupCommit {
  readonly #open: () => Connection;
  readonly #checkFile: () => void;
  #connection: Connection | null;
  readonly #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;
  readonly #ask: (() => void) | null;
  /** Whether a checkpoint was asked for that has not been told of. */
  #asked = false;
  /** Versions since one was made or asked for. */
  #uncheckpointed = 0;
  /** Whether the last group found no room. */
  #isFull = false;

  /**
   * `open` gives the writing connection; it is called again after an error, so that a broken handle is never kept. `ask` asks
   * somebody else for a checkpoint, who tells `checkpointed` of it; null where all are made here.
   */
  constructor(open: () => Connection, ask: (() => void) | null = null) {
    this.#open = open;
    this.#ask = ask;
    this.#connection = open();
    this.#checkFile = sameFileCheck(this.#connection.db.name);
  }

  submit(commits: Commit[], answer: (answer: Answer) => void): void {
    if (this.#closed) answer({ error: { reason: closing, full: false } });
    else if (commits.length === 0) answer({ outcomes: [] });
    else this.#waiting.push({ commits, outcomes: [], kept: 0, answer });
    this.#schedule();
  }

  /** The checkpoint that was asked for is made; `pages`: of the log, null where it could not be made there. */
  checkpointed(pages: number | null): void {
    this.#asked = false;
    this.#boundLog(pages);
    this.#schedule();
  }

  /** Writes what still waits, then closes the connection. */
  close(): void {
    this.#closed = true;
    while (this.#waiting.length > 0) this.#group();
    if (this.#connection) checkpoint(this.#connection, 'TRUNCATE');
    this.#connection?.close();
    this.#connection = null;
  }

  #schedule(): void {
    if (this.#scheduled || (this.#waiting.length === 0 && !this.#isDue)) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      // In a turn of its own: the answers of the group before are on their way first.
      if (this.#isDue) this.#checkpoint();
      else if (this.#waiting.length > 0) this.#group();
      this.#schedule();
    });
  }

  get #isDue(): boolean {
    return this.#uncheckpointed >= (this.#asked ? overdueAfter : checkpointAfter);
  }

  #group(): void {
    const taken: Waiting[] = [];
    try {
      this.#checkFile();
      this.#connection ??= this.#open();
      const connection = this.#connection;
      durably(connection.db, () => this.#fill(connection, taken));
    } catch (error) {
      this.#giveUp(taken, error);
      return;
    }
    // There is room again, which a log that goes on would take from the database until neither can be written.
    if (this.#isFull) this.#uncheckpointed = Math.max(this.#uncheckpointed, checkpointAfter);
    this.#isFull = false;
    for (const waiting of taken) {
      waiting.kept = waiting.outcomes.length;
      if (waiting.outcomes.length === waiting.commits.length) {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        waiting.answer({ outcomes: waiting.outcomes });
      }
    }
  }

  #fill(connection: Connection, taken: Waiting[]): void {
    const isMany = this.#waiting.every(({ commits }) => commits.length > 1);
    const begun = performance.now();
    const lasts = (milliseconds: number) => performance.now() - begun <= (isMany ? milliseconds : maxMilliseconds);
    let versions = 0;
    for (const waiting of this.#waiting) {
      if (versions > 0 && !lasts(startingUntil)) return;
      while (waiting.outcomes.length < waiting.commits.length) {
        if (versions >= maxVersions || (versions > 0 && !lasts(writingUntil))) return;
        if (taken.at(-1) !== waiting) taken.push(waiting);
        const commit = waiting.commits[waiting.outcomes.length] as Commit;
        if (!connection.db.inTransaction) throw new StorageError('the transaction was lost');
        waiting.outcomes.push(applyCommit(connection, commit));
        const size = Math.max(1, blocksTotal(commit).count);
        versions += size;
        this.#uncheckpointed += size;
      }
    }
  }

  #giveUp(taken: Waiting[], error: unknown): void {
    const connection = this.#connection;
    this.#connection = null;
    try {
      connection?.close();
    } catch {
      // The handle is given up either way; what matters is the first error.
    }
    this.#isFull ||= storageError(error).full;
    for (const waiting of taken) waiting.outcomes.length = waiting.kept;
    const isOfCommit = taken.length > 0 && !isDatabaseError(error) && !(error instanceof StorageError);
    const rejected = taken.length === 0 ? this.#waiting.slice() : isOfCommit ? taken.slice(-1) : taken;
    for (const waiting of rejected) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.answer({ error: storageError(error) });
    }
  }

  /** Between groups, once in a while: a reader that is in its way only delays it, unless the log has become long. */
  #checkpoint(): void {
    this.#uncheckpointed = 0;
    const isAsked = this.#ask !== null && !this.#asked;
    this.#asked = isAsked;
    if (isAsked) this.#ask?.();
    else this.#boundLog(null);
  }

  /** `pages`: of the log after a checkpoint, null where that is still to be made. */
  #boundLog(pages: number | null): void {
    const connection = this.#connection;
    if (!connection || (pages ?? checkpoint(connection, 'PASSIVE')) <= maxLogPages) return;
    checkpointAfterReaders(connection, 'RESTART');
  }
}
