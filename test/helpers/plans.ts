import { type Connection, plannedOnce, type Reader } from '../../src/server/store/connection.ts';

/** A reader that keeps the plans of the statements that pass through it, as they are prepared. */
export function explaining(db: Connection, plans: string[]): Reader {
  const explain = (sql: string, params: Parameters<Reader['all']>[1][]) => {
    const rows = db.db.prepare(`EXPLAIN QUERY PLAN ${plannedOnce(sql)}`).all(...params) as { detail: string }[];
    plans.push(...rows.map(({ detail }) => detail));
  };
  return {
    get: (sql, ...params) => {
      explain(sql, params);
      return db.get(sql, ...params);
    },
    all: (sql, ...params) => {
      explain(sql, params);
      return db.all(sql, ...params);
    },
    each: (sql, ...params) => {
      explain(sql, params);
      return db.each(sql, ...params);
    },
  };
}
