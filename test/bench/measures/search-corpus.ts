import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf } from '../../../src/server/search/codes.ts';
import { Finder } from '../../../src/server/search/finder.ts';
import type { IndexStand } from '../../../src/server/search/index-slice.ts';
import { slice } from '../../../src/server/search/index-thread.ts';
import { unpackFacts } from '../../../src/server/search/latent/facts.ts';
import { Connection } from '../../../src/server/store/connection.ts';
import { openSearchReader } from '../../../src/server/store/search/search-index.ts';
import { servingFacts } from '../../../src/server/store/search/search-vectors.ts';
import { blobOf, floats } from '../../../src/server/store/search/vector-functions.ts';
import { seeded } from '../../helpers/seeded.ts';

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

/**
 * Entities and vectors, each a little unlike those of the index, until there are `count`; the node is not running. Gives
 * ids of some that were there before.
 */
export function manyVectors(folder: string, count: number): string[] {
  const db = new Database(join(folder, 'archeion.db'));
  db.pragma('synchronous = OFF');
  db.exec(`ATTACH '${join(folder, 'search.db')}' AS search`);
  const { model, last, works } = db
    .prepare(
      `SELECT (SELECT number FROM search.model WHERE reached IS NULL ORDER BY number DESC LIMIT 1) AS model,
         (SELECT max(key) FROM entity) AS last, (SELECT count(*) FROM search.code) AS works`,
    )
    .get() as { model: number; last: number; works: number };
  const known = db
    .prepare('SELECT vector FROM search.vec WHERE model = ? ORDER BY seq LIMIT 10000')
    .pluck()
    .all(model) as Uint8Array[];
  const vectors = known.map(floats);
  const center = unpackFacts(servingFacts(new Connection(db), model) ?? new Uint8Array()).center;
  const entity = db.prepare(
    `INSERT INTO entity (key, id, tip, cid, type, label, ver, created_at, updated_at, json)
     SELECT ?, printf('01Z%023d', ?), tip, cid, type, label, 1, created_at, updated_at, '{"properties":{}}' FROM entity
      WHERE type = 'artwork' LIMIT 1`,
  );
  const vec = db.prepare('INSERT INTO search.vec (key, model, vector) VALUES (?, ?, ?)');
  const code = db.prepare("INSERT INTO search.code (seq, model, key, type, code) VALUES (?, ?, ?, 'artwork', ?)");
  const next = seeded(9);
  db.transaction(() => {
    for (let n = 1; n <= count - works; n++) {
      const vector = Float32Array.from(vectors[n % vectors.length] as Float32Array, (x) => x + (next() - 0.5) / 16);
      entity.run(last + n, last + n);
      const { lastInsertRowid } = vec.run(last + n, model, blobOf(vector));
      code.run(lastInsertRowid, model, last + n, blobOf(codeOf(vector, center)));
    }
  })();
  const ids = db
    .prepare('SELECT id FROM entity WHERE tip IS NOT NULL ORDER BY key LIMIT 1000')
    .pluck()
    .all() as string[];
  db.close();
  return ids;
}

/** Makes an index as the node's thread does, one slice after the other. */
export function indexedAnew(database: string, index: string): Indexed {
  const files = { database, index, fileId: null };
  const begun = performance.now();
  for (;;) {
    const sliced = slice({ files, ms: 150, embedder: 'builtin' }) as IndexStand;
    if (!('cursor' in sliced)) throw new Error(JSON.stringify(sliced));
    if (!sliced.behind && !sliced.learning) break;
  }
  const seconds = (performance.now() - begun) / 1000;
  const db = openSearchReader(database, index);
  if (!db) throw new Error('there is no index');
  const entities = db.get<{ n: number }>('SELECT count(*) AS n FROM search.doc')?.n ?? 0;
  return { db, finder: new Finder(db), entities, seconds };
}
