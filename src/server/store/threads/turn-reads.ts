import { setImmediate } from 'node:timers';
import type { Connection, Reader } from '../connection.ts';

/**
 * Reads that share one read transaction until the turn of the event loop ends: to begin one for each costs more than most of
 * them do, and drops the pages that the one before has read where somebody has written meanwhile.
 */
export class TurnReads {
  readonly #reader: Connection;
  #endScheduled = false;
  /** As far as is known here: the database tells it by a call that costs as much as a small read. */
  #isOpen = false;

  constructor(reader: Connection) {
    this.#reader = reader;
  }

  read<T>(fn: (reader: Reader) => T): T {
    if (!this.#isOpen) this.#begin();
    try {
      return fn(this.#reader);
    } catch (error) {
      // An error of the database itself may have ended it.
      this.#isOpen = this.#reader.db.inTransaction;
      throw error;
    }
  }

  /** What is read from here on is no older than this call. */
  renew(): void {
    if (!this.#isOpen || !this.#reader.db.open) return;
    this.#isOpen = false;
    this.#end();
  }

  /** Whether it has ended. Nothing was written that could be lost. */
  #end(): boolean {
    const { db } = this.#reader;
    try {
      this.#reader.run('COMMIT');
      return true;
    } catch {
      // Of a damaged database, which the read has told of.
      try {
        if (db.inTransaction) this.#reader.run('ROLLBACK');
      } catch {
        // Nobody waits for it here; the next read tries it again.
      }
    }
    return !db.inTransaction;
  }

  #begin(): void {
    if (!this.#reader.db.inTransaction || this.#end()) this.#reader.run('BEGIN');
    this.#isOpen = true;
    if (this.#endScheduled) return;
    this.#endScheduled = true;
    setImmediate(() => {
      this.#endScheduled = false;
      this.renew();
    });
  }
}
