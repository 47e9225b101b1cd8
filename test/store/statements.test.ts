import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { Connection } from '../../src/server/store/connection.ts';

test('of long statements, as filters make them, a connection keeps few, and puts none of the short ones out for them', () => {
  const db = new Database(':memory:');
  const prepared = vi.spyOn(db, 'prepare');
  const connection = new Connection(db);
  const asks = (sql: string): number => {
    prepared.mockClear();
    connection.get(sql);
    return prepared.mock.calls.length;
  };
  const short = Array.from({ length: 100 }, (_, n) => `SELECT ${n}`);
  const long = Array.from({ length: 100 }, (_, n) => `SELECT ${n} WHERE ${'1 OR '.repeat(500)}1`);
  for (const sql of [...short, ...long]) expect(asks(sql)).toBe(1);
  const again = (list: string[]) => list.reduce((sum, sql) => sum + asks(sql), 0);
  expect([again(short), again(long.slice(-16)), again(long.slice(0, 84))]).toEqual([0, 0, 84]);
  connection.close();
});
