import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { graphSource } from '../../src/server/resources/query/graph-source.ts';
import { Connection } from '../../src/server/store/connection.ts';
import { compileFilter } from '../../src/server/store/listings/filter.ts';
import { type NewestPage, newestPage } from '../../src/server/store/listings/newest.ts';
import { first, idOf, next, openStore, step, type Version } from '../helpers/store.ts';

test('a filter is tried on few entities at a time, as it may hold a thousand conditions', () => {
  const db = new Connection(new Database(':memory:'));
  const [entities, rare] = [3000, 1319];
  db.run('CREATE TABLE entity (key INTEGER PRIMARY KEY, id, tip, type, deleted, updated_at, json)');
  db.run(
    `WITH RECURSIVE n (key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n WHERE key < ${entities})
     INSERT INTO entity SELECT key, key, 1, 't', 0, key, json_object('properties', json_object('_n', key)) FROM n`,
  );
  const filter = compileFilter({ $or: Array.from({ length: 99 }, (_, n) => ({ _n: rare * n })) }, []);
  const found: string[] = [];
  let most = 0;
  for (let after: number | null = 0; after !== null; ) {
    const page: NewestPage = newestPage(db, { within: { types: ['t'], filter }, after, k: 10, milliseconds: 10_000 });
    found.push(...page.entities.map(({ id }) => String(id)));
    most = Math.max(most, (page.next ?? entities) - after);
    after = page.next;
  }
  expect(found).toEqual([rare, 2 * rare].map(String));
  expect(most).toBeLessThanOrEqual(1000);
  db.close();
});

test('a page whose time is over ends with the entity in hand, and the next one goes on after it', () => {
  const db = new Connection(new Database(':memory:'));
  db.run('CREATE TABLE entity (key INTEGER PRIMARY KEY, id, tip, type, deleted, updated_at, json)');
  for (let key = 1; key <= 5; key++)
    db.run("INSERT INTO entity VALUES (?, ?, 1, 't', 0, ?, '{}')", key, `${key}`, `2026-01-0${key % 3}`);
  const filter = { sql: 'e.key <> 2', params: [] };
  const pages: NewestPage[] = [];
  for (let after: number | null = 0; after !== null; after = pages.at(-1)?.next ?? null)
    pages.push(newestPage(db, { within: { filter }, after, k: 10, milliseconds: -1 }));
  expect(pages.map(({ entities, next }) => [entities.map(({ id }) => id), next])).toEqual([
    [['1'], 1],
    [[], 2],
    [['3'], 3],
    [['4'], 4],
    [['5'], null],
  ]);
  // So it is where they are named: these may be large, too.
  const ids = ['5', '2', '4'];
  const [late, later] = [0, 2].map((after) =>
    newestPage(db, { within: { ids, filter }, after, k: 10, milliseconds: -1 }),
  );
  expect([late, later]).toMatchObject([
    { entities: [], next: 2 },
    { entities: [{ id: '4' }], next: 4 },
  ]);
  const named = newestPage(db, { within: { ids, filter }, after: 0, k: 10, milliseconds: 10_000 });
  expect(named).toMatchObject({ entities: [{ id: '5' }, { id: '4' }], next: null });
  const whole = newestPage(db, { within: { filter }, after: 0, k: 3, milliseconds: 10_000 });
  expect(whole).toMatchObject({ entities: [{ id: '5' }, { id: '1' }, { id: '4' }], next: null });
  db.close();
});

test('of many pages the newest of all are kept', async () => {
  await using opened = await openStore('here');
  const made = Array.from({ length: 9500 }, (_, n) => first(idOf(n), { properties: { _n: n } }));
  await opened.store.submit(made.map((one) => step(null, one)));
  // Ids of one time are in order, so that the first page has all that would come first.
  const changed = [made[4711], made[9400]] as Version[];
  await opened.store.submit(changed.map((one) => step(one, next(one))));
  const source = graphSource(opened.store, { actor: { kind: 'anonymous' } });
  const filter = compileFilter({ _n: { $gte: 0 } }, []);
  expect(await source.newest({ filter }, 3, 60_000)).toEqual({
    ids: [idOf(4711), idOf(9400), idOf(0)],
    truncated: false,
  });
});
