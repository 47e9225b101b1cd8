import { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import type { Checkpoint } from './checkpoints/checkpoints.ts';
import { LogWatch } from './checkpoints/log-watch.ts';
import { plannedOnce, refuseLogAlone, syncLog } from './connection.ts';
import { durably } from './durably.ts';
import { fileIdentity, openSameFile, sameFileCheck } from './file-identity.ts';
import { knownVersion, migrate } from './migrations/migrate.ts';
import { opening, storing } from './storage-error.ts';

type Value = string | number | Uint8Array | null;

export interface NodeDatabaseOptions {
  /** The steps of its schema, in order; `user_version` is how many of them it has seen. */
  steps: readonly string[];
  /** FULL: a write is on disk when it returns. NORMAL: the last ones may be lost with the machine's power. */
  synchronous: 'FULL' | 'NORMAL';
  /** Finds out why the log does not get into the database, where it grows. */
  checkpoint?: Checkpoint | undefined;
  /** Which file it is that another thread has open (file-identity.ts). */
  fileId?: string | null | undefined;
}

/** The connection to a database of the whole node (identity.db, chat.db). Faults are StorageErrors. */
export class NodeDatabase {
  /** Which file it is. */
  readonly fileId: string | null;
  readonly #db: Database.Database;
  readonly #checkFile: () => void;
  readonly #watch: LogWatch | null;
  readonly #statements = new Map<string, Database.Statement>();

  /** `file` is made where it is missing. Throws StorageError where it cannot be opened or a newer program wrote it. */
  constructor(file: string, { steps, synchronous, checkpoint, fileId = null }: NodeDatabaseOptions) {
    storing(() => (synchronous === 'FULL' ? syncLog : refuseLogAlone)(file));
    this.#db = storing(() => openSameFile(file, fileId));
    try {
      storing(() => {
        // Keys and conversations are the operator's alone. The database's log gets the same mode.
        chmodSync(file, 0o600);
        opening(file, () => this.#db.pragma('journal_mode = WAL'));
        this.#db.pragma(`synchronous = ${synchronous}`);
        this.#db.pragma('fullfsync = ON');
        this.#db.pragma('checkpoint_fullfsync = ON');
        this.#db.pragma('foreign_keys = ON');
        knownVersion(this.#db, steps, basename(file));
        migrate(this.#db, steps);
      });
      this.fileId = storing(() => fileIdentity(file));
      this.#checkFile = sameFileCheck(file, this.fileId);
      this.#watch = checkpoint ? new LogWatch(file, checkpoint) : null;
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get<T>(sql: string, ...params: Value[]): T | undefined {
    return this.#carryOut(sql, (statement) => statement.get(...params) as T | undefined);
  }

  all<T>(sql: string, ...params: Value[]): T[] {
    return storing(() => this.#statement(sql).all(...params) as T[]);
  }

  /** How many rows changed. */
  run(sql: string, ...params: Value[]): number {
    return this.#carryOut(sql, (statement) => statement.run(...params).changes);
  }

  /** All of `fn` or nothing. */
  transaction<T>(fn: () => T): T {
    return storing(() => (this.#db.inTransaction ? this.#db.transaction(fn)() : this.#durably(fn)));
  }

  #carryOut<T>(sql: string, fn: (statement: Database.Statement) => T): T {
    return storing(() => {
      const statement = this.#statement(sql);
      const isWritten = !statement.readonly && !this.#db.inTransaction;
      return isWritten ? this.#durably(() => fn(statement)) : fn(statement);
    });
  }

  #durably<T>(fn: () => T): T {
    this.#checkFile();
    const result = durably(this.#db, fn);
    this.#watch?.written(this.fileId);
    return result;
  }

  /** Why what is written stays in the log, in words; else null. */
  get checkpointFault(): string | null {
    return this.#watch?.fault ?? null;
  }

  close(): void {
    this.#db.close();
  }

  #statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(plannedOnce(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
