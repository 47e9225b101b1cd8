import type Database from 'better-sqlite3';
import type { Writer } from '../connection.ts';

/** What the store's functions take, for a step. Each statement is prepared once: that takes longer than what it does for a row. */
export function writerOf(db: Database.Database): Writer {
  const statements = new Map<string, Database.Statement>();
  const prepared = (sql: string): Database.Statement => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: <T>(sql: string, ...params: unknown[]) => prepared(sql).get(...params) as T | undefined,
    all: <T>(sql: string, ...params: unknown[]) => prepared(sql).all(...params) as T[],
    each: <T>(sql: string, ...params: unknown[]) => prepared(sql).iterate(...params) as IterableIterator<T>,
    insert: (sql, ...params) => Number(prepared(sql).run(...params).lastInsertRowid),
    run: (sql, ...params) => prepared(sql).run(...params).changes,
  };
}
