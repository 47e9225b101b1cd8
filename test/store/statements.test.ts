import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { Connection, plannedOnce } from '../../src/server/store/connection.ts';

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

test('no parameter of a statement stands alone, which would have it planned at each execution; texts and names are left', () => {
  const db = new Database(':memory:');
  const prepared = vi.spyOn(db, 'prepare');
  const connection = new Connection(db);
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, "b?" TEXT, c BLOB) STRICT');
  connection.run('INSERT INTO t VALUES (?, ?, ?)', 1, 'what?', new Uint8Array([1, 2]));
  const rows = connection.all(
    `SELECT a, c FROM t WHERE a = ? AND "b?" = ? AND "b?" <> 'it''s ?' -- why?\n LIMIT ?`,
    1,
    'what?',
    5,
  );
  expect(rows).toEqual([{ a: 1, c: Buffer.from([1, 2]) }]);
  expect(prepared.mock.calls.map(([sql]) => sql)).toEqual([
    'INSERT INTO t VALUES (+?, +?, +?)',
    `SELECT a, c FROM t WHERE a = +? AND "b?" = +? AND "b?" <> 'it''s ?' -- why?\n LIMIT +?`,
  ]);
  expect(plannedOnce('SELECT 1')).toBe('SELECT 1');
  connection.close();
});
