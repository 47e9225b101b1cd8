import type { Json } from '../../model/manifest.ts';
import type { Reader } from '../connection.ts';

/** An import that was begun, as its row `import_run` has it. */
export interface ImportRun {
  key: number;
  id: string;
  /** Null: an archive, which brings its own. */
  collection: string | null;
  made: boolean;
  /** Epoch milliseconds. */
  started: number;
  files: string[];
  counts: Json;
  /** Whether it came to its end; null where that was not kept yet. */
  ended: boolean | null;
}

type Columns = Omit<ImportRun, 'made' | 'files' | 'counts' | 'ended'> & {
  made: number;
  files: string;
  counts: string;
  ended: number | null;
};

const columns = 'key, id, collection, made, started, files, counts, ended';

/** The imports before `before` (a key), the newest first. */
export function importRuns(db: Reader, before: number, limit: number): ImportRun[] {
  return db
    .all<Columns>(`SELECT ${columns} FROM import_run WHERE key < ? ORDER BY key DESC LIMIT ?`, before, limit)
    .map(runOf);
}

export function importRun(db: Reader, id: string): ImportRun | undefined {
  const row = db.get<Columns>(`SELECT ${columns} FROM import_run WHERE id = ?`, id);
  return row && runOf(row);
}

function runOf({ made, files, counts, ended, ...row }: Columns): ImportRun {
  const parsed = { files: JSON.parse(files), counts: JSON.parse(counts) };
  return { ...row, ...parsed, made: made === 1, ended: ended === null ? null : ended === 1 };
}

/** An entity that an import brought into being, as it is now. */
export interface MadeEntity {
  key: number;
  id: string;
  type: string;
  label: string | null;
  ver: number;
  updated_at: string;
  deleted: boolean;
  /** Whether it still is what the import left. */
  untouched: boolean;
}

/** A page of what an import brought into being, what came last first, before an entity's key. */
export function madeByRun(db: Reader, run: number, before: number, limit: number): MadeEntity[] {
  return db
    .all<Omit<MadeEntity, 'deleted' | 'untouched'> & { deleted: number; untouched: number }>(
      `SELECT e.key, e.id, e.type, e.label, e.ver, e.updated_at, e.deleted, e.tip = m.tip AS untouched
         FROM import_made m JOIN entity e ON e.key = m.entity
        WHERE m.run = ? AND m.entity < ? ORDER BY m.entity DESC LIMIT ?`,
      run,
      before,
      limit,
    )
    .map((row) => ({ ...row, deleted: row.deleted === 1, untouched: row.untouched === 1 }));
}

/** How many entities an import has brought into being. */
export function countMade(db: Reader, id: string): number {
  const sql = 'SELECT count(*) AS n FROM import_made WHERE run = (SELECT key FROM import_run WHERE id = ?)';
  return db.get<{ n: number }>(sql, id)?.n ?? 0;
}

/** How many live entities lie in a collection, counted no further than `most`. */
export function liveIn(db: Reader, collection: string, most: number): number {
  const sql = `SELECT count(*) AS n FROM (
     SELECT 1 FROM listing WHERE collection = (SELECT key FROM entity WHERE id = ?) LIMIT ?)`;
  return db.get<{ n: number }>(sql, collection, most)?.n ?? 0;
}
