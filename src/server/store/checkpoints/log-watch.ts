import { StorageError } from '../../errors.ts';
import { logOf, sizeOf } from '../connection.ts';
import type { Checkpoint } from './checkpoints.ts';

/**
 * SQLite brings a log into its database after a commit that makes it longer than 1000 pages, some 4 MB, and tells nobody where that
 * fails. One that is longer is asked about.
 */
const longest = 5_000_000;

/** Finds out, for one database whose checkpoints SQLite makes, why its log does not get into it any more. */
export class LogWatch {
  readonly #file: string;
  readonly #checkpoint: Checkpoint;
  /** How long it was when that was last asked, in bytes: one that was long once keeps its length. */
  #seen = longest;
  #asking = false;
  #fault: string | null = null;

  constructor(file: string, checkpoint: Checkpoint) {
    this.#file = file;
    this.#checkpoint = checkpoint;
  }

  /** Why the last checkpoint could not be made, in words; null where it could, or nobody had to ask. */
  get fault(): string | null {
    return this.#fault;
  }

  /** To be called after a write to the database at `fileId` (file-identity.ts); nobody waits for what it finds out. */
  written(fileId: string | null): void {
    if (this.#asking) return;
    const length = sizeOf(logOf(this.#file));
    if (length <= this.#seen && this.#fault === null) return;
    this.#seen = Math.max(length, longest);
    this.#asking = true;
    void this.#ask(fileId).finally(() => {
      this.#asking = false;
    });
  }

  async #ask(fileId: string | null): Promise<void> {
    try {
      await this.#checkpoint(this.#file, fileId);
      this.#fault = null;
    } catch (error) {
      // A thread that has ended says nothing of the disk.
      if (error instanceof StorageError) this.#fault = error.reason;
    }
  }
}
