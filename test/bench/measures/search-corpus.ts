import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Finder } from '../../../src/server/search/finder.ts';
import type { Sliced } from '../../../src/server/search/index-slice.ts';
import { slice } from '../../../src/server/search/index-thread.ts';
import type { Connection } from '../../../src/server/store/connection.ts';
import { openSearchReader } from '../../../src/server/store/search-index.ts';

export interface Indexed {
  db: Connection;
  finder: Finder;
  entities: number;
  seconds: number;
}

const isSubject = "predicate = (SELECT key FROM predicate WHERE name = 'subject')";

/** The subjects of each work, by the works' keys. Links lead to the leaves of the Tate's tree alone. */
export function subjectsOf(database: string): Map<number, { title: string; subjects: string[] }> {
  const db = new Database(database, { readonly: true });
  const works = new Map<number, { title: string; subjects: string[] }>();
  const rows = db
    .prepare(
      `SELECT w.key, w.label AS title, s.label AS subject FROM entity w
         LEFT JOIN edge d ON d.source = w.key AND d.${isSubject} LEFT JOIN entity s ON s.key = d.peer
        WHERE w.type = 'artwork' ORDER BY w.key`,
    )
    .all() as { key: number; title: string; subject: string | null }[];
  for (const { key, title, subject } of rows) {
    const work = works.get(key) ?? { title, subjects: [] };
    if (subject !== null) work.subjects.push(subject);
    works.set(key, work);
  }
  db.close();
  return works;
}

/** The same works by title, medium, artists and group title alone, without their subjects. */
export function withoutSubjects(database: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, 'archeion.db');
  cpSync(database, copy);
  const db = new Database(copy);
  db.exec(`DELETE FROM edge WHERE ${isSubject}`);
  db.exec(`UPDATE entity SET json = json_object('properties', json_object('label', label,
      'medium', json_extract(json, '$.properties.medium'), 'artists', json_extract(json, '$.properties.all_artists'),
      'group', json_extract(json, '$.properties.groupTitle'))) WHERE type = 'artwork'`);
  db.close();
  return copy;
}

/** Makes an index as the node's thread does, one slice after the other. */
export function indexedAnew(database: string, index: string): Indexed {
  const files = { database, index };
  const begun = performance.now();
  for (;;) {
    const sliced = slice({ files, ms: 150, embedder: 'builtin' }) as Sliced;
    if (!('cursor' in sliced)) throw new Error(JSON.stringify(sliced));
    if (!sliced.behind && !sliced.learning) break;
  }
  const seconds = (performance.now() - begun) / 1000;
  const db = openSearchReader(database, index);
  if (!db) throw new Error('there is no index');
  const entities = db.get<{ n: number }>('SELECT count(*) AS n FROM search.doc')?.n ?? 0;
  return { db, finder: new Finder(db), entities, seconds };
}
