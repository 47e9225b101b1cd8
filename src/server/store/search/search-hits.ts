import type { Reader } from '../connection.ts';
import type { FilterSql } from '../listings/filter.ts';
import { previewedText } from '../previewed-text.ts';

/** Among which entities a search looks: all that are given must hold. Ids of entities that are not here fit nothing. */
export interface Within {
  types?: readonly string[] | undefined;
  notTypes?: readonly string[] | undefined;
  /** Ids of collections, one of which it lies in. */
  collections?: readonly string[] | undefined;
  /** Beside what lies in these collections, what lies in none. */
  orLoose?: boolean | undefined;
  /** Ids of collections in none of which it lies. */
  notCollections?: readonly string[] | undefined;
  /** Of collections: types, one of which they hold. */
  holding?: readonly string[] | undefined;
  ids?: readonly string[] | undefined;
  /** The store's keys of all that may be among them, where somebody has told them already. */
  keys?: readonly number[] | undefined;
  /** Ids that are left out. */
  except?: readonly string[] | undefined;
  /** See filter.ts. */
  filter?: FilterSql | undefined;
}

/**
 * The conditions as SQL over the row `e`. Everything that is here and not deleted may be viewed by whoever may search
 * (interface.md, Default roles: `public` always has `*:view`), so these are the conditions of permission too.
 */
export function conditionsOf(within: Within): FilterSql {
  const parts: FilterSql[] = [{ sql: 'e.deleted = 0 AND e.tip IS NOT NULL', params: [] }];
  const list = (sql: string, values: readonly (string | number)[] | undefined): void => {
    if (values) parts.push({ sql, params: [JSON.stringify(values)] });
  };
  list('e.type IN (SELECT value FROM json_each(?))', within.types);
  list('e.type NOT IN (SELECT value FROM json_each(?))', within.notTypes);
  const inOne = `EXISTS (SELECT 1 FROM json_each(?) v JOIN entity c ON c.id = v.value
    JOIN edge d ON d.source = e.key AND d.peer = c.key
      AND d.predicate = (SELECT key FROM predicate WHERE name = 'collection'))`;
  const loose = "(e.collection IS NULL AND e.type NOT IN ('collection', 'user'))";
  list(within.orLoose ? `${loose} OR ${inOne}` : inOne, within.collections);
  list(`NOT ${inOne}`, within.notCollections);
  list(
    'EXISTS (SELECT 1 FROM listing l WHERE l.collection = e.key AND l.type IN (SELECT value FROM json_each(?)))',
    within.holding,
  );
  list('e.id IN (SELECT value FROM json_each(?))', within.ids);
  list('e.key IN (SELECT value FROM json_each(?))', within.keys);
  list('e.id NOT IN (SELECT value FROM json_each(?))', within.except);
  if (within.filter) parts.push(within.filter);
  return { sql: parts.map(({ sql }) => `(${sql})`).join(' AND '), params: parts.flatMap(({ params }) => params) };
}

/** How many indexed entities have a word. */
export function frequencyOf(db: Reader, term: string): number {
  return db.get<{ doc: number }>('SELECT doc FROM search.vocabulary WHERE term = ?', term)?.doc ?? 0;
}

/** Whether a word of the index begins so. */
export function isBeginning(db: Reader, part: string): boolean {
  const sql = 'SELECT 1 AS found FROM search.vocabulary WHERE term >= ? AND term <= ? LIMIT 1';
  return db.get(sql, part, `${part}\u{10ffff}`) !== undefined;
}

/** The labels of live entities for an FTS5 expression, each once: of the newest that match. */
export function labelsWith(db: Reader, match: string, limit: number): string[] {
  const sql = `SELECT DISTINCT e.label
    FROM (SELECT rowid AS key FROM search.labels WHERE labels MATCH ? ORDER BY rowid DESC LIMIT ?) l
    CROSS JOIN entity e ON e.key = l.key WHERE e.deleted = 0`;
  return db.all<{ label: string | null }>(sql, match, limit).flatMap(({ label }) => label ?? []);
}

/** From the narrowest table with a row for each: counting looks at all its pages. */
export function countIndexed(db: Reader): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM search.words_docsize')?.n ?? 0;
}

/** Words in the order of their first coming. */
export function termsAfter(db: Reader, after: number): IterableIterator<{ id: number; term: string }> {
  return db.each('SELECT id, term FROM search.term WHERE id > ? ORDER BY id', after);
}

/** What a hit shows. `json`, `description` and `text` only where they were asked for. */
export interface HitRow {
  key: number;
  id: string;
  type: string;
  label: string;
  /** The id of the first collection. */
  collection: string | null;
  created_at: string;
  updated_at: string;
  status: string | null;
  json: string;
  description: string | null;
  text: string | null;
}

const previewed = `${previewedText('description')} AS description, ${previewedText('text')} AS text`;
const shown = {
  none: "'' AS json, NULL AS description, NULL AS text",
  preview: `'' AS json, ${previewed}`,
  full: `e.json, ${previewed}`,
};

export type Expansion = keyof typeof shown;

/** What is shown of live entities, by their keys, in that order. */
export function hitRows(db: Reader, keys: readonly number[], expand: Expansion): HitRow[] {
  return db.all(
    `SELECT e.key, e.id, e.type, e.label, e.created_at, e.updated_at,
       (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection,
       CASE json_type(e.json, '$.properties.status') WHEN 'text' THEN json_extract(e.json, '$.properties.status') END AS status,
       ${shown[expand]}
       FROM json_each(?) k CROSS JOIN entity e ON e.key = k.value WHERE e.deleted = 0 ORDER BY k.key`,
    JSON.stringify(keys),
  );
}

/** Keys of first collections, in the order of the keys; null for none. */
export function collectionsOfKeys(db: Reader, keys: readonly number[]): (number | null)[] {
  const rows = db.all<{ collection: number | null }>(
    'SELECT e.collection FROM json_each(?) k CROSS JOIN entity e ON e.key = k.value ORDER BY k.key',
    JSON.stringify(keys),
  );
  return rows.map(({ collection }) => collection);
}

/** Keys of the collections in which an entity lies: of the first thousand, which is more than anybody counts. */
export function allCollectionsOf(db: Reader, key: number): number[] {
  const sql = `SELECT peer FROM edge WHERE source = ?
    AND predicate = (SELECT key FROM predicate WHERE name = 'collection') LIMIT 1000`;
  return db.all<{ peer: number }>(sql, key).map(({ peer }) => peer);
}

/** Ids, in the order of the keys. */
export function idsOfKeys(db: Reader, keys: readonly number[]): string[] {
  const rows = db.all<{ id: string }>(
    'SELECT e.id FROM json_each(?) k CROSS JOIN entity e ON e.key = k.value ORDER BY k.key',
    JSON.stringify(keys),
  );
  return rows.map(({ id }) => id);
}
