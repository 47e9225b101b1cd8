import Database from 'better-sqlite3';
import { StorageError } from '../../errors.ts';
import { Connection, isDatabaseError } from '../connection.ts';
import { storageError } from '../storage-error.ts';

/** What is remembered of one entity. */
export interface MetEntity {
  /** How many relationships it came with where it was only mentioned; null after a record of its own. */
  mentioned: number | null;
  /** What was said of it (exchange/statements.ts). */
  said: Uint8Array;
}

/** Kilobytes that are kept in memory; what is more lies in a file without a name, which goes with the table or the process. */
const cacheKb = 8192;

/** The entities that one import has met, as many as there are. Throws StorageErrors. */
export class MetEntities {
  readonly #connection: Connection;

  constructor() {
    const db = new Database('');
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma(`cache_size = -${cacheKb}`);
    db.exec('CREATE TABLE met (id TEXT PRIMARY KEY, mentioned INTEGER, said BLOB NOT NULL) STRICT, WITHOUT ROWID');
    this.#connection = new Connection(db);
    // Never committed: pages go to the disk only where memory holds no more of them.
    db.exec('BEGIN');
  }

  get(id: string): MetEntity | undefined {
    return onDisk(() => this.#connection.get<MetEntity>('SELECT mentioned, said FROM met WHERE id = ?', id));
  }

  set(id: string, { mentioned, said }: MetEntity): void {
    onDisk(() =>
      this.#connection.run('INSERT OR REPLACE INTO met (id, mentioned, said) VALUES (?, ?, ?)', id, mentioned, said),
    );
  }

  close(): void {
    this.#connection.close();
  }
}

function onDisk<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StorageError(
      `The temporary file in which an import keeps what it has met cannot be written or read (${reason}). Free some space where ` +
        'temporary files lie, or name another folder in SQLITE_TMPDIR (on Windows in TMP); what was imported stays.',
      storageError(error).full,
    );
  }
}
