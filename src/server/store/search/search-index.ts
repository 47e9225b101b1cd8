import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StorageError } from '../../errors.ts';
import { boundLog, Connection, type Reader, rollBackJournal, type Writer } from '../connection.ts';
import { openSameFile } from '../file-identity.ts';
import { isDamage, opening } from '../storage-error.ts';
import { loadVectorFunctions } from './vector-functions.ts';

/**
 * What searches look in: a database of its own that can be made again from the entities at any time, so nothing in it is
 * worth an fsync. Rows go by the store's key of their entity.
 */
const schema: readonly string[] = [
  `
  -- cursor: the last move that is in; anchor: the CID that it led to; epoch: changes when everything begins anew;
  -- rested: the last move when nothing was left to do for the embedder.
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- digest: of the texts that are indexed; label: as neighbours show it; collections: those whose summaries it is in,
  -- their keys between spaces;
  -- seen: the last move of all when the texts were looked at, and what the entity lies in was told.
  CREATE TABLE doc (
    key INTEGER PRIMARY KEY, digest TEXT NOT NULL, label TEXT NOT NULL, collections TEXT NOT NULL, seen INTEGER NOT NULL
  ) STRICT;

  CREATE VIRTUAL TABLE words USING fts5 (
    label, body, links, whole,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
  );
  INSERT INTO words (words, rank) VALUES ('rank', 'bm25(2.0, 1.0, 1.5, 3.0)');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
  -- The labels again, alone: of a word that very many texts have, all of them would be gone through for it.
  CREATE VIRTUAL TABLE labels USING fts5 (
    label, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
  );

  -- Every word that was ever indexed, in the order of its first coming.
  CREATE TABLE term (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;

  -- Which ids the references in an entity's texts name.
  CREATE TABLE named (id TEXT NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (id, source)) STRICT, WITHOUT ROWID;
  CREATE INDEX named_source ON named (source);

  -- Entities whose neighbours have to be looked at again, those that were looked at after a move; after: the key after which
  -- that goes on.
  CREATE TABLE relabel (key INTEGER PRIMARY KEY, since INTEGER NOT NULL, after INTEGER NOT NULL) STRICT;
  -- Entities to be looked at again.
  CREATE TABLE again (key INTEGER PRIMARY KEY) STRICT;

  -- One vector for an entity and a model, as floats; seq: in the order of writing.
  CREATE TABLE vec (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key INTEGER NOT NULL,
    model INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (key, model)
  ) STRICT;
  -- Which of a vector's numbers lie above the center, packed, by which the best are chosen first; type: the entity's.
  CREATE TABLE code (
    seq INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    key INTEGER NOT NULL,
    type TEXT NOT NULL,
    code BLOB NOT NULL
  ) STRICT;
  -- Entities whose vectors a program elsewhere has to make anew.
  CREATE TABLE due (key INTEGER PRIMARY KEY) STRICT;
  -- What makes vectors. size: of the index that it learned from, or of a later one from which nothing could be learned;
  -- reached: the entity up to which there are vectors of it, null for all.
  CREATE TABLE model (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    dimensions INTEGER NOT NULL,
    reached INTEGER
  ) STRICT;
  -- What a model has learned: megabytes, which would be written again with every step of its model's row.
  CREATE TABLE learned (model INTEGER PRIMARY KEY, facts BLOB NOT NULL) STRICT;
  `,
];

const fullTexts = ['words', 'labels'] as const;

const maxLogBytes = 64 * 2 ** 20;

/** Goes up with every change of the tables or of what is put into them: an index of another layout is made anew. */
const layout = 18;

/** The index's file in a network's folder. */
export function searchFile(folder: string): string {
  return join(folder, 'search.db');
}

/** The file's identity: another one after it was deleted and made again; 0 where there is none. */
export function searchFileNumber(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
}

/** The one writing connection. An index that cannot be read, or of another layout, is made anew. */
export function openIndexWriter(file: string): Connection {
  const known = openWriting(file);
  if (known) return known;
  removeIndex(file);
  const made = openWriting(file);
  if (!made) throw new StorageError('The search index cannot be made: something else writes its file.');
  return made;
}

/** Whether every page of an index can be read, also those of its full text; where there is none, that is so. */
export function isSoundIndex(file: string): boolean {
  if (!existsSync(file)) return true;
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    for (const table of fullTexts) db.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
    return db.pragma('quick_check(1)', { simple: true }) === 'ok';
  } catch (error) {
    return !isDamage(error);
  } finally {
    db?.close();
  }
}

export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

/** null where the file is of no use. */
function openWriting(file: string): Connection | null {
  const db = opening(file, () => new Database(file));
  try {
    opening(file, () => db.pragma('journal_mode = WAL'));
    db.pragma('synchronous = NORMAL');
    db.pragma(`journal_size_limit = ${maxLogBytes}`);
    db.pragma('cache_size = -6144');
    const found = layoutOf(db);
    if (found === layout) return new Connection(db);
    if (found === 0) return made(db);
  } catch (error) {
    db.close();
    if (isDamage(error)) return null;
    throw error;
  }
  db.close();
  return null;
}

/** 0 for a file that is empty yet. */
function layoutOf(db: Database.Database, of = 'main'): number {
  return db.pragma(`${of}.user_version`, { simple: true }) as number;
}

function made(db: Database.Database): Connection {
  db.transaction(() => {
    for (const step of schema) db.exec(step);
    db.pragma(`user_version = ${layout}`);
  })();
  return new Connection(db);
}

/** All of `fn` or nothing. */
export function indexed<T>(index: Connection, fn: () => T): T {
  const result = index.db.transaction(fn).immediate();
  boundLog(index, maxLogBytes);
  return result;
}

/** A connection that reads the entities as `main` and the index as `search`; null where there is no index yet. `fileId`: as of openReader. */
export function openSearchReader(database: string, file: string, fileId: string | null = null): Connection | null {
  if (!existsSync(file)) return null;
  rollBackJournal(file);
  const db = openSameFile(database, fileId, { readonly: true, fileMustExist: true });
  try {
    db.pragma('cache_size = -16384');
    db.prepare('ATTACH ? AS search').run(file);
    db.pragma('search.cache_size = -32768');
    loadVectorFunctions(db);
    // The file is there before its tables are.
    if (layoutOf(db, 'search') !== layout) {
      db.close();
      return null;
    }
    return new Connection(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What an index says of itself, by name; null where it cannot be read, or is of another layout. */
export function readIndexMeta(file: string): Map<string, string> | null {
  if (!existsSync(file)) return null;
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      if (layoutOf(db) !== layout) return null;
      const rows = new Connection(db).all<{ name: string; value: string }>('SELECT name, value FROM meta');
      return new Map(rows.map(({ name, value }) => [name, value]));
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

/** The last move that an index has; 0 where it cannot be read. */
export function indexedUpTo(file: string): number {
  return Number(readIndexMeta(file)?.get('cursor') ?? 0);
}

/** Of the index that a reader of the store has attached. */
export function attachedMeta(db: Reader, name: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM search.meta WHERE name = ?', name)?.value;
}

/** The same from the index's own connection. */
export function ownMeta(index: Reader, name: string): string | undefined {
  return index.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
}

export function setMeta(index: Writer, name: string, value: string): void {
  index.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
}

/** Forgets everything that is indexed. */
export function emptyIndex(index: Writer, epoch: string): void {
  for (const table of fullTexts) index.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  for (const table of ['meta', 'doc', 'term', 'named', 'relabel', 'again', 'vec', 'code', 'due', 'model', 'learned'])
    index.run(`DELETE FROM ${table}`);
  setMeta(index, 'epoch', epoch);
}

export interface Doc {
  key: number;
  digest: string;
  label: string;
  /** Keys between spaces. */
  collections: string;
  seen: number;
}

export function docOf(index: Reader, key: number): Doc | undefined {
  return index.get<Doc>('SELECT key, digest, label, collections, seen FROM doc WHERE key = ?', key);
}

/** The texts were looked at again, and are the same. */
export function seenAgain(index: Writer, key: number, seen: number): void {
  index.run('UPDATE doc SET seen = ? WHERE key = ?', seen, key);
}

/** The words of an entity's texts, between spaces. */
export interface DocWords {
  label: string;
  body: string;
  numbers: string;
  links: string;
  /** Of each label, its own and those of what it leads to, the words as one. */
  whole: string;
}

export function putDoc(index: Writer, { key, digest, label, collections, seen }: Doc, words: DocWords): void {
  index.run(
    'INSERT OR REPLACE INTO doc (key, digest, label, collections, seen) VALUES (?, ?, ?, ?, ?)',
    ...[key, digest, label, collections, seen],
  );
  index.run(
    'INSERT OR REPLACE INTO words (rowid, label, body, links, whole) VALUES (?, ?, ?, ?, ?)',
    ...[key, words.label, `${words.body} ${words.numbers}`, words.links, words.whole],
  );
  index.run('INSERT OR REPLACE INTO labels (rowid, label) VALUES (?, ?)', key, words.label);
}

export function dropDoc(index: Writer, key: number): void {
  index.run('DELETE FROM doc WHERE key = ?', key);
  for (const table of fullTexts) index.run(`DELETE FROM ${table} WHERE rowid = ?`, key);
  index.run('DELETE FROM named WHERE source = ?', key);
}

export function addTerm(index: Writer, term: string): void {
  index.run('INSERT OR IGNORE INTO term (term) VALUES (?)', term);
}

/** See countIndexed. */
export function countDocs(index: Reader): number {
  return index.get<{ n: number }>('SELECT count(*) AS n FROM words_docsize')?.n ?? 0;
}

/** Notes that the neighbours of an entity show a label that is no longer its, if they were looked at after the move `since`. */
export function askRelabel(index: Writer, key: number, since: number): void {
  index.run(
    `INSERT INTO relabel (key, since, after) VALUES (?, ?, 0)
       ON CONFLICT DO UPDATE SET since = min(since, excluded.since), after = 0`,
    ...[key, since],
  );
}

export function nextRelabel(index: Reader): { key: number; since: number; after: number } | undefined {
  return index.get('SELECT key, since, after FROM relabel ORDER BY key LIMIT 1');
}

/** Goes on after that key; null: done. */
export function relabelled(index: Writer, key: number, after: number | null): void {
  if (after === null) index.run('DELETE FROM relabel WHERE key = ?', key);
  else index.run('UPDATE relabel SET after = ? WHERE key = ?', after, key);
}

export function askAgain(index: Writer, key: number): void {
  index.run('INSERT OR IGNORE INTO again (key) VALUES (?)', key);
}

/** Keeps which ids an entity's texts name. */
export function putNamed(index: Writer, source: number, ids: Iterable<string>): void {
  index.run('DELETE FROM named WHERE source = ?', source);
  for (const id of ids) index.run('INSERT INTO named (id, source) VALUES (?, ?)', id, source);
}

/** Has those looked at again whose texts name an id, and were looked at last between two moves. */
export function askNaming(index: Writer, id: string, [since, move]: readonly [number, number]): void {
  const naming = index.all<{ key: number }>(
    'SELECT n.source AS key FROM named n CROSS JOIN doc d ON d.key = n.source WHERE n.id = ? AND d.seen > ? AND d.seen < ?',
    ...[id, since, move],
  );
  for (const { key } of naming) askAgain(index, key);
}

/** Takes some of what is to be looked at again. */
export function takeAgain(index: Writer, limit: number): number[] {
  const keys = index.all<{ key: number }>('SELECT key FROM again ORDER BY key LIMIT ?', limit).map(({ key }) => key);
  for (const key of keys) index.run('DELETE FROM again WHERE key = ?', key);
  return keys;
}

export function isSettled(index: Reader): boolean {
  return index.get('SELECT 1 FROM relabel UNION ALL SELECT 1 FROM again LIMIT 1') === undefined;
}
