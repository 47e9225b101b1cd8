import type { Reader } from '../connection.ts';
import { conditionsOf, type Within } from '../search/search-hits.ts';

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
  return query.within.filter ? tried(db, query, last) : chosen(db, query, last);
}

/** Up to which key a page goes, and how its keys are compared: named entities are looked up at once, by their ids. */
function pageOf({ within, after }: NewestQuery, size: number, last: number): { key: string; to: number } {
  return within.ids === undefined ? { key: 'e.key', to: after + size } : { key: '+e.key', to: last };
}

function chosen(db: Reader, query: NewestQuery, last: number): NewestPage {
  const { within, after, k } = query;
  const { sql, params } = conditionsOf(within);
  const { key, to } = pageOf(query, pageSize, last);
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
function tried(db: Reader, query: NewestQuery, last: number): NewestPage {
  const { within, after, k, milliseconds } = query;
  const until = performance.now() + milliseconds;
  const { filter, ...others } = within;
  const { sql, params } = conditionsOf(others);
  const { key: compared, to } = pageOf(query, filteredPageSize, last);
  const keys = db.all<{ key: number }>(
    `SELECT e.key FROM entity e WHERE ${compared} > ? AND ${compared} <= ? AND ${sql} ORDER BY e.key`,
    after,
    to,
    ...params,
  );
  const rows = db.each<{ key: number; fits: number | null }>(
    `SELECT e.key, (${filter?.sql ?? 'TRUE'}) AS fits FROM json_each(?) n CROSS JOIN entity e ON e.key = n.value`,
    ...(filter?.params ?? []),
    JSON.stringify(keys.map(({ key }) => key)),
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
