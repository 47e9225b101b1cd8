import type { Reader } from './connection.ts';
import { conditionsOf, type Within } from './search-hits.ts';

export interface NewestQuery {
  within: Within;
  /** Goes on after this key. */
  after: number;
  /** How many at most. */
  k: number;
  /** A page that takes longer ends with what it has come to. */
  milliseconds: number;
}

export interface NewestPage {
  entities: { id: string; updated_at: string }[];
  /** Where to go on; null at the end. */
  next: number | null;
}

/** Entities that one page looks at; a filter may hold hundreds of conditions, which look into the JSON of each. */
const [pageSize, filteredPageSize] = [50_000, 1000];

/** Of a part of all live entities those that fit, the last changed first, then by id. */
export function newestPage(db: Reader, query: NewestQuery): NewestPage {
  const last = db.get<{ key: number | null }>('SELECT max(key) AS key FROM entity')?.key ?? 0;
  return query.within.filter && query.within.ids === undefined ? tried(db, query, last) : chosen(db, query, last);
}

function chosen(db: Reader, { within, after, k }: NewestQuery, last: number): NewestPage {
  const { sql, params } = conditionsOf(within);
  // Named ones are looked up at once, by their ids.
  const [key, to] = within.ids === undefined ? ['e.key', after + pageSize] : ['+e.key', last];
  const entities = db.all<NewestPage['entities'][number]>(
    `SELECT e.id, e.updated_at FROM entity e WHERE ${key} > ? AND ${key} <= ? AND ${sql}
      ORDER BY e.updated_at DESC, e.id LIMIT ?`,
    after,
    to,
    ...params,
    k,
  );
  return { entities, next: to < last ? to : null };
}

/** One entity at a time: a few that are large may take a filter as long as many. */
function tried(db: Reader, { within, after, k, milliseconds }: NewestQuery, last: number): NewestPage {
  const until = performance.now() + milliseconds;
  const { filter, ...others } = within;
  const { sql, params } = conditionsOf(others);
  const to = after + filteredPageSize;
  const rows = db.each<{ key: number; fits: number | null }>(
    `SELECT e.key, (${filter?.sql ?? 'TRUE'}) AS fits FROM entity e
      WHERE e.key > ? AND e.key <= ? AND ${sql} ORDER BY e.key`,
    ...(filter?.params ?? []),
    after,
    to,
    ...params,
  );
  const fitting: number[] = [];
  let end = to;
  for (const { key, fits } of rows) {
    if (fits === 1) fitting.push(key);
    if (performance.now() <= until) continue;
    end = key;
    break;
  }
  const entities = db.all<NewestPage['entities'][number]>(
    `SELECT id, updated_at FROM entity WHERE key IN (SELECT value FROM json_each(?))
      ORDER BY updated_at DESC, id LIMIT ?`,
    JSON.stringify(fitting),
    k,
  );
  return { entities, next: end < last ? end : null };
}
