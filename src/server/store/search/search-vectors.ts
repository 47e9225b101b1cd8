import type { Reader, Writer } from '../connection.ts';
import type { FilterSql } from '../listings/filter.ts';
import { blobOf, floats } from './vector-functions.ts';

/** What makes vectors, as the index knows it. */
export interface ModelRow {
  number: number;
  /** Of the embedder. */
  name: string;
  /** Of the index that it learned from, or of a later one from which nothing could be learned. */
  size: number;
  dimensions: number;
  /** The entity up to which there are vectors of it; null when there are of all. */
  reached: number | null;
}

const modelColumns = 'number, name, size, dimensions, reached';

/** All that have vectors here, oldest first. */
export function modelRows(index: Reader): ModelRow[] {
  return index.all(`SELECT ${modelColumns} FROM model ORDER BY number`);
}

/** What an embedder has learned, from the index's own connection; null where it learns nothing. */
export function modelFacts(index: Reader, number: number): Uint8Array | null {
  return index.get<{ facts: Uint8Array }>('SELECT facts FROM learned WHERE model = ?', number)?.facts ?? null;
}

export function addModel(index: Writer, row: Omit<ModelRow, 'number' | 'reached'>, facts: Uint8Array | null): void {
  const number = index.insert(
    'INSERT INTO model (name, size, dimensions, reached) VALUES (?, ?, ?, 0)',
    ...[row.name, row.size, row.dimensions],
  );
  if (facts) index.run('INSERT INTO learned (model, facts) VALUES (?, ?)', number, facts);
}

export function modelReached(index: Writer, number: number, reached: number | null): void {
  index.run('UPDATE model SET reached = ? WHERE number = ?', reached, number);
}

/** Has a model's vectors made anew, for an index of another size. */
export function modelAnew(index: Writer, number: number, size: number): void {
  index.run('UPDATE model SET size = ?, reached = 0 WHERE number = ?', size, number);
}

/**
 * Removes some of a model's vectors, from after one on, and the model once there is none at all. Gives the last one that was looked
 * at, after which it is gone on, 0 where the others are to be looked for from the beginning, null where the model is gone.
 */
export function dropSome(
  index: Writer,
  number: number,
  { after, limit }: { after: number; limit: number },
): number | null {
  const sql = 'SELECT seq FROM code WHERE seq > ? AND model = ? ORDER BY seq LIMIT ?';
  const rows = index.all<{ seq: number }>(sql, after, number, limit);
  for (const { seq } of rows) dropSeq(index, seq);
  if (rows.length === limit) return rows.at(-1)?.seq ?? 0;
  // What was removed before may have been rolled back.
  if (after > 0) return 0;
  index.run('DELETE FROM learned WHERE model = ?', number);
  index.run('DELETE FROM model WHERE number = ?', number);
  return null;
}

export interface VectorRow {
  key: number;
  /** The number of the model. */
  model: number;
  /** The entity's. */
  type: string;
  vector: Float32Array;
  code: Uint32Array;
}

/** Puts an entity's vector in the place of its earlier one. */
export function putVector(index: Writer, { key, model, type, vector, code }: VectorRow): void {
  dropVector(index, key, model);
  addVector(index, { key, model, type, vector: blobOf(vector), code: blobOf(code) });
}

type StoredVector = Pick<VectorRow, 'key' | 'model' | 'type'> & { vector: Uint8Array; code: Uint8Array };

function addVector(index: Writer, { key, model, type, vector, code }: StoredVector): void {
  const seq = index.insert('INSERT INTO vec (key, model, vector) VALUES (?, ?, ?)', key, model, vector);
  index.run('INSERT INTO code (seq, model, key, type, code) VALUES (?, ?, ?, ?, ?)', seq, model, key, type, code);
}

/** Puts an entity's vectors under its type where they are under another one: as new ones, since only these are read. */
export function retypeVectors(index: Writer, key: number, type: string): void {
  const rows = index.all<Omit<StoredVector, 'type'> & { seq: number }>(
    `SELECT v.seq, v.key, v.model, v.vector, c.code FROM vec v JOIN code c ON c.seq = v.seq
      WHERE v.key = ? AND c.type <> ?`,
    ...[key, type],
  );
  for (const { seq, ...row } of rows) {
    dropSeq(index, seq);
    addVector(index, { ...row, type });
  }
}

export function dropVector(index: Writer, key: number, model: number): void {
  const row = index.get<{ seq: number }>('SELECT seq FROM vec WHERE key = ? AND model = ?', key, model);
  if (row) dropSeq(index, row.seq);
}

function dropSeq(index: Writer, seq: number): void {
  index.run('DELETE FROM vec WHERE seq = ?', seq);
  index.run('DELETE FROM code WHERE seq = ?', seq);
}

/** Notes that a program elsewhere has to make an entity's vector anew. */
export function askVector(index: Writer, key: number): void {
  index.run('INSERT OR IGNORE INTO due (key) VALUES (?)', key);
}

export function dueVectors(index: Reader, limit: number): number[] {
  return index.all<{ key: number }>('SELECT key FROM due ORDER BY key LIMIT ?', limit).map(keyOf);
}

export function vectorMade(index: Writer, key: number): void {
  index.run('DELETE FROM due WHERE key = ?', key);
}

/** Keys of indexed entities, in their order. */
export function keysAfter(index: Reader, after: number, limit: number): number[] {
  return index.all<{ key: number }>('SELECT key FROM doc WHERE key > ? ORDER BY key LIMIT ?', after, limit).map(keyOf);
}

/** The same of a part of them, spread evenly: `part` is from 0 to 1. */
export function someKeysAfter(index: Reader, after: number, part: number, limit: number): number[] {
  const rows = index.all<{ key: number }>(
    'SELECT key FROM doc WHERE key > ? AND (key * 2654435761) % 4294967296 < ? ORDER BY key LIMIT ?',
    ...[after, Math.ceil(part * 2 ** 32), limit],
  );
  return rows.map(keyOf);
}

const keyOf = ({ key }: { key: number }): number => key;

/** As a search reads it: the newest model of which there are all vectors; else of the newest at all. */
export function servingModel(db: Reader): ModelRow | undefined {
  return db.get(`SELECT ${modelColumns} FROM search.model ORDER BY reached IS NOT NULL, number DESC LIMIT 1`);
}

/** The same from the index that a reader of the store has attached. */
export function servingFacts(db: Reader, number: number): Uint8Array | null {
  return db.get<{ facts: Uint8Array }>('SELECT facts FROM search.learned WHERE model = ?', number)?.facts ?? null;
}

/** Codes of one model, as lists of the same length. */
export interface CodePage {
  seqs: number[];
  keys: number[];
  types: string[];
  /** One after the other, each of so many words of 32 bits. */
  codes: Uint32Array;
}

/** At once: a row of its own for each of a million codes would take four times as long. */
const codesAtOnce = 1000;
const codePage = `SELECT json_group_array(seq) AS seqs, json_group_array(key) AS keys, json_group_array(type) AS types,
    group_concat(hex(CASE length(code) WHEN ? THEN code ELSE zeroblob(?) END), '') AS codes
  FROM (SELECT seq, key, type, code FROM search.code WHERE seq > ? AND model = ? ORDER BY seq LIMIT ?)`;

/** A model's codes in the order of writing, each of `words` words; a damaged one of another length is all zeros. */
export function* codesAfter(db: Reader, model: number, seq: number, words: number): Generator<CodePage> {
  for (let after: number | undefined = seq; after !== undefined; ) {
    const page: { [name in keyof CodePage]: string | null } | undefined = db.get(
      codePage,
      ...[4 * words, 4 * words, after, model, codesAtOnce],
    );
    const seqs = JSON.parse(page?.seqs ?? '[]') as number[];
    if (seqs.length === 0) return;
    const bytes = Buffer.alloc(4 * words * seqs.length);
    bytes.write(page?.codes ?? '', 'hex');
    yield {
      seqs,
      keys: JSON.parse(page?.keys ?? '[]') as number[],
      types: JSON.parse(page?.types ?? '[]') as string[],
      codes: new Uint32Array(bytes.buffer, bytes.byteOffset, words * seqs.length),
    };
    after = seqs.length < codesAtOnce ? undefined : seqs.at(-1);
  }
}

/** How many entities have a vector of a model. */
export function countVectors(db: Reader, model: number): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM search.vec WHERE model = ?', model)?.n ?? 0;
}

/** Of a model's vectors those that have no code. It looks through all of them. */
export function uncoded(db: Reader, model: number): { key: number; seq: number; type: string; vector: Float32Array }[] {
  const rows = db.all<{ key: number; seq: number; type: string; vector: Uint8Array }>(
    `SELECT v.key, v.seq, e.type, v.vector
       FROM (SELECT seq FROM search.vec WHERE model = ? AND seq NOT IN (SELECT seq FROM search.code WHERE model = ?)) u
       CROSS JOIN search.vec v ON v.seq = u.seq CROSS JOIN entity e ON e.key = v.key WHERE e.type IS NOT NULL`,
    model,
    model,
  );
  return rows.map(({ vector, ...of }) => ({ ...of, vector: floats(vector) }));
}

/** An entity's vector. */
export function vectorOf(db: Reader, key: number, model: number): Float32Array | undefined {
  const row = db.get<{ vector: Uint8Array }>('SELECT vector FROM search.vec WHERE key = ? AND model = ?', key, model);
  return row && floats(row.vector);
}

export interface VectorHit {
  key: number;
  /** The cosine. */
  likeness: number;
}

/** Those of the vectors that fit, by their numbers, nearest first, equal ones by key; all of them where `within` is null. */
export function rescored(
  db: Reader,
  seqs: readonly number[],
  vector: Float32Array,
  within: FilterSql | null,
): VectorHit[] {
  return db.all(
    `SELECT v.key, 1 - vec_distance_cosine(v.vector, ?) AS likeness
       FROM json_each(?) s CROSS JOIN search.vec v ON v.seq = s.value
       ${within ? `CROSS JOIN entity e ON e.key = v.key WHERE ${within.sql}` : ''}
      ORDER BY likeness DESC, v.key`,
    ...[blobOf(vector), JSON.stringify(seqs), ...(within?.params ?? [])],
  );
}
