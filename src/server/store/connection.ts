import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolderNow } from '../blocks/durable-folder.ts';
import { StorageError } from '../errors.ts';
import { openSameFile } from './file-identity.ts';
import { keepCopy } from './migrations/kept-copy.ts';
import { knownVersion, type Migration, migrate, migrations, type UpgradeStep } from './migrations/migrate.ts';
import { opening } from './storage-error.ts';

type Value = string | number | bigint | Uint8Array | null;

/** What a query function takes: it can read and not write. */
export interface Reader {
  /** The first row, or undefined. */
  get<T>(sql: string, ...params: Value[]): T | undefined;
  all<T>(sql: string, ...params: Value[]): T[];
  /** Rows one by one; must be used up before the next await (architecture.md: no iterator crosses one). */
  each<T>(sql: string, ...params: Value[]): IterableIterator<T>;
}

/** What a mutation takes: only the writer has one. */
export interface Writer extends Reader {
  /** The row id of the last insert. */
  insert(sql: string, ...params: Value[]): number;
  /** How many rows changed. */
  run(sql: string, ...params: Value[]): number;
}

/** Whether an error is the database's own: such an error ends the transaction, whatever it was doing. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}

/** Parameters of a statement, and what may look like one: texts, names and comments. */
const parameters = /\?|'[^']*'|"[^"]*"|--[^\n]*/g;

/**
 * A statement that is planned when it is prepared and not again. SQLite, as it is built for better-sqlite3, plans one anew at each
 * execution where a bare parameter is compared with a column or limits the rows, for its value might make for another plan: that
 * takes two to ten times as long as a brief answer. The same parameter in an expression is nothing that a plan depends on.
 */
export function plannedOnce(sql: string): string {
  return sql.replace(parameters, (part) => (part === '?' ? '+?' : part));
}

/**
 * Filters make statements of their own (filter.ts), so not every statement ever prepared is kept, and few of the long ones: a
 * statement takes some twenty times as much memory as its text.
 */
const [maxStatements, maxLong, longText] = [1000, 16, 2048];

/** One SQLite connection with its prepared statements. */
export class Connection implements Writer {
  readonly db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #long = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.db = db;
  }

  #statement(sql: string): Database.Statement {
    const [kept, most] = sql.length < longText ? [this.#statements, maxStatements] : [this.#long, maxLong];
    let statement = kept.get(sql);
    if (!statement) {
      statement = this.db.prepare(plannedOnce(sql));
      const [oldest] = kept.size < most ? [] : kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(sql, statement);
    }
    return statement;
  }

  get<T>(sql: string, ...params: Value[]): T | undefined {
    return this.#statement(sql).get(...params) as T | undefined;
  }

  all<T>(sql: string, ...params: Value[]): T[] {
    return this.#statement(sql).all(...params) as T[];
  }

  each<T>(sql: string, ...params: Value[]): IterableIterator<T> {
    return this.#statement(sql).iterate(...params) as IterableIterator<T>;
  }

  insert(sql: string, ...params: Value[]): number {
    return Number(this.#statement(sql).run(...params).lastInsertRowid);
  }

  run(sql: string, ...params: Value[]): number {
    return this.#statement(sql).run(...params).changes;
  }

  /** One short synchronous read transaction: everything in it sees one state. */
  snapshot<T>(fn: (reader: Reader) => T): T {
    if (this.db.inTransaction) return fn(this);
    this.run('BEGIN');
    try {
      return fn(this);
    } finally {
      // An error of the database itself has ended the transaction already.
      if (this.db.inTransaction) this.run('COMMIT');
    }
  }

  close(): void {
    this.#statements.clear();
    this.#long.clear();
    this.db.close();
  }
}

/**
 * Brings a database's log to the disk. What a killed process wrote to it and did not sync can be read again as soon as the
 * database is opened, so it has to outlive a power cut before somebody is shown it. To be called before that.
 * @throws StorageError where the log is there without its database
 */
export function syncLog(file: string): void {
  const log = logOf(file);
  if (!existsSync(log)) return;
  refuseLogAlone(file);
  const handle = openSync(log, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolderNow(dirname(file));
}

/**
 * To be called before a database is opened that may be made. SQLite deletes the log of one that is not there or empty, and so what
 * was written last of one that was moved away and is put back later. @throws StorageError
 */
export function refuseLogAlone(file: string): void {
  const log = logOf(file);
  if (sizeOf(log) === 0 || sizeOf(file) > 0) return;
  throw new StorageError(
    `The database ${basename(file)} is not there, but its log ${basename(log)} is, which has what was written last. Put the database ` +
      'back beside it; where it is lost, move the data folder away and restore a backup.',
  );
}

export function logOf(file: string): string {
  return `${file}-wal`;
}

/** In bytes; 0 where it is not there. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The one writing connection of a database: durable at each commit, checkpoints made by hand between groups. */
export function openWriter(
  file: string,
  steps: readonly Migration[] = migrations,
  begun?: (step: UpgradeStep) => void,
): Connection {
  syncLog(file);
  const db = opening(file, () => new Database(file));
  try {
    // What stands beside it is opened with the first look into it.
    opening(file, () => {
      knownVersion(db, steps);
      db.pragma('journal_mode = WAL');
    });
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('journal_size_limit = 67108864');
    db.pragma('cache_size = -6144');
    // Steps sort whole tables, and what is sorted in a file takes no more memory than the cache may.
    db.pragma('temp_store = FILE');
    migrate(db, steps, { backup: (version) => keepCopy(db, file, version), ...(begun && { begun }) });
    db.pragma('temp_store = MEMORY');
    return new Connection(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A connection that makes checkpoints beside the writer, and nothing else. See openSameFile; the database must be there. */
export function openCheckpointer(file: string, fileId: string | null): Connection {
  return openedWith(
    openSameFile(file, fileId, { fileMustExist: true }),
    'synchronous = FULL',
    'checkpoint_fullfsync = ON',
  );
}

type CheckpointMode = 'PASSIVE' | 'RESTART' | 'TRUNCATE';

/** Brings the log into the database; gives the log's pages. Throws the database's error where that fails: the log is still whole. */
export function makeCheckpoint({ db }: Connection, mode: CheckpointMode): number {
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as { log: number }[];
  return result?.log ?? 0;
}

/** The same where nobody is to hear of one that fails, on a full disk say: a later one tries again. */
export function checkpoint(connection: Connection, mode: CheckpointMode): number {
  try {
    return makeCheckpoint(connection, mode);
  } catch {
    return 0;
  }
}

/** Milliseconds: so long a writer waits for whoever has the database, and so long for readers of a log that is too long. */
const [waitForOthers, waitForReaders] = [5000, 100];

/** Waits for the readers of the moment, so that the log begins anew; those that come meanwhile are not in the way. */
export function checkpointAfterReaders(connection: Connection, mode: 'RESTART' | 'TRUNCATE'): void {
  connection.db.pragma(`busy_timeout = ${waitForReaders}`);
  checkpoint(connection, mode);
  connection.db.pragma(`busy_timeout = ${waitForOthers}`);
}

/**
 * Empties a log of more than so many bytes. SQLite's own checkpoints do not where somebody reads at each of them, and it grows
 * for as long as that goes on.
 */
export function boundLog(connection: Connection, bytes: number): void {
  if (sizeOf(logOf(connection.db.name)) > bytes) checkpointAfterReaders(connection, 'TRUNCATE');
}

/**
 * Rolls back what a power cut has left of a database that was being made: until then it has no log, and a journal that
 * only a writing connection can take. For files that are read before they are written.
 */
export function rollBackJournal(file: string, fileId: string | null = null): void {
  if (!existsSync(`${file}-journal`)) return;
  const db = openSameFile(file, fileId);
  try {
    db.pragma('user_version');
  } finally {
    db.close();
  }
}

/**
 * A reading connection; the database must be there. `fileId`: which file it is that others of this process have open (file-identity.ts);
 * null where nobody has. @throws StorageError where it is another one, or a log is there and not its database
 */
export function openReader(file: string, fileId: string | null = null, cacheKb = 4096): Connection {
  if (fileId === null) refuseLogAlone(file);
  return openedWith(openSameFile(file, fileId, { readonly: true, fileMustExist: true }), `cache_size = -${cacheKb}`);
}

function openedWith(db: Database.Database, ...pragmas: string[]): Connection {
  try {
    for (const pragma of pragmas) db.pragma(pragma);
    return new Connection(db);
  } catch (error) {
    db.close();
    throw error;
  }
}
