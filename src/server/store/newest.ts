import type { Reader } from './connection.ts';
import { conditionsOf, type Within } from './search-hits.ts';

export interface NewestQuery {
  within: Within;
  /** Goes on after this key. */
  after: number;
  /** How many at most. */
  k: number;
}

export interface NewestPage {
  entities: { id: string; updated_at: string }[];
  /** Where to go on; null at the end. */
  next: number | null;
}

/** Entities that one page looks at; a filter may hold hundreds of conditions, which look into the JSON of each. */
const [pageSize, filteredPageSize] = [50_000, 1000];

/** Of a part of all live entities those that fit, the last changed first, then by id. */
export function newestPage(db: Reader, { within, after, k }: NewestQuery): NewestPage {
  const { sql, params } = conditionsOf(within);
  const last = db.get<{ key: number | null }>('SELECT max(key) AS key FROM entity')?.key ?? 0;
  // Named ones are looked up at once, by their ids.
  const size = within.filter ? filteredPageSize : pageSize;
  const [key, to] = within.ids === undefined ? ['e.key', after + size] : ['+e.key', last];
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
