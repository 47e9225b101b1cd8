import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summed } from '../../src/server/search/fuse.ts';
import { VectorFinder } from '../../src/server/search/vector-finder.ts';
import type { Connection } from '../../src/server/store/connection.ts';
import { keysAmong } from '../../src/server/store/search/search-among.ts';
import type { Within } from '../../src/server/store/search/search-hits.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { lookAmong, wordHits } from '../../src/server/store/search/word-hits.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';
import { topicTitles } from '../helpers/topics.ts';

// What is few is looked at in another way than what is much: both find the same, in the same order.

let opened: AsyncDisposableStack;
let node: TestNode;
let me: Person;
let db: Connection;
const homes: Entity[] = [];
const ids: string[] = [];
const sizes = [700, 60, 4];

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  node = opened.use(await startNode({ data: folder.path }));
  me = operator(node);
  const titles = topicTitles(sizes.reduce((a, b) => a + b));
  for (const size of sizes) {
    const home = await collection(node, me, { label: `schooner mariner ${size}` });
    homes.push(home);
    const mine = titles.splice(0, size);
    for (let at = 0; at < mine.length; at += 90) {
      const entities = mine
        .slice(at, at + 90)
        .map(({ title }) => ({ type: 'artwork', properties: { label: title }, collection: home.id }));
      const { results } = ok<{ results: Entity[] }>(await ask(node, me, 'POST /entities/batch', { entities }));
      ids.push(...results.map(({ id }) => id));
    }
  }
  await indexIdle(node);
  const database = join(folder.path, 'main');
  const reader = openSearchReader(join(database, 'archeion.db'), searchFile(database));
  if (!reader) throw new Error('there is no index');
  db = opened.adopt(reader, (it) => it.close());
});
afterAll(() => opened.disposeAsync());

const cases = (): [string, Within, number][] => [
  ['a type of which the store has an index', { types: ['collection'] }, sizes.length],
  ['some ids', { ids: ids.slice(0, 40) }, 40],
  ['a small collection', { collections: [homes[1]?.id ?? ''] }, 60],
  ['two collections', { collections: homes.slice(1).map(({ id }) => id) }, 64],
  ['a large collection', { collections: [homes[0]?.id ?? ''] }, 700],
  ['a collection that is not here', { collections: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }, 0],
];

test('the keys of what can be within are told up to a number, and of nothing else', () => {
  for (const [name, within, count] of cases()) {
    expect(keysAmong(db, within, 1000)?.length, name).toBe(count);
    expect(keysAmong(db, within, count)?.length, name).toBe(count);
    if (count > 0) expect(keysAmong(db, within, count - 1), name).toBe(null);
  }
  const any = [{}, { types: ['artwork'] }, { types: ['collection', 'artwork'] }, { collections: [], orLoose: true }];
  for (const within of any) expect(keysAmong(db, within, 1000), JSON.stringify(within)).toBe(null);
});

test('by words, the same is found in the same order', () => {
  const match = 'schooner OR mariner OR anchor OR tide';
  for (const [name, within, count] of cases()) {
    const look = lookAmong(db, within, Number.POSITIVE_INFINITY);
    expect(look.keys?.length, name).toBe(count);
    for (const ofLabels of [1, 5]) {
      const found = wordHits(db, match, look, 50, { ofLabels });
      expect(found, name).toEqual(wordHits(db, match, { ...look, keys: null }, 50, { ofLabels }));
      expect(found.length > 0, name).toBe(count > 0);
    }
    const filter = { sql: "e.label LIKE '%anchor%'", params: [] };
    const filtered = lookAmong(db, { ...within, filter }, Number.POSITIVE_INFINITY);
    expect(wordHits(db, match, filtered, 50), name).toEqual(wordHits(db, match, { ...filtered, keys: null }, 50));
  }
});

test('several words rank as the sums of each', () => {
  const look = lookAmong(db, {}, Number.POSITIVE_INFINITY);
  const all = ['schooner', 'mariner', 'anchor', 'tide'];
  const every = wordHits(db, all.join(' OR '), look, 1000);
  const apart = all.map((word) => wordHits(db, word, look, 1000));
  expect(Math.max(...apart.map((hits) => hits.length))).toBeLessThan(every.length);
  expect(summed(apart)).toEqual(every.map(({ key }) => key));
});

test('with enough at hand no more are looked for', () => {
  const match = 'schooner OR mariner OR anchor OR tide';
  const look = { ...lookAmong(db, {}, Number.POSITIVE_INFINITY), ...{ most: 9, mostLabelled: 0 } };
  const newest = wordHits(db, match, look, 1000, { enough: 9 });
  expect(newest.length).toBe(9);
  expect(wordHits(db, match, look, 1000, { enough: 10 }).length).toBeGreaterThan(newest.length);
});

const idsOf = (keys: readonly number[]): string[] =>
  keys.map((key) => db.get<{ id: string }>('SELECT id FROM entity WHERE key = ?', key)?.id ?? '');

test('where more match than are ranked, the newest are, and that is told', () => {
  const match = 'schooner OR mariner OR anchor OR tide';
  const look = (most: number, within: Within = {}) => ({
    ...{ ...lookAmong(db, within, Number.POSITIVE_INFINITY), keys: null },
    ...{ most, mostLabelled: 0 },
  });
  const every = wordHits(db, match, look(1000), 1000);
  const exactly = look(every.length);
  expect([every.length > 12, wordHits(db, match, exactly, 5), exactly.cut.crowded]).toEqual([
    true,
    every.slice(0, 5),
    false,
  ]);

  const byKey = every.map(({ key }) => key).sort((a, b) => b - a);
  const newest = every.filter(({ key }) => byKey.slice(0, 10).includes(key));
  const some = look(9);
  expect([wordHits(db, match, some, 5), some.cut.crowded]).toEqual([newest.slice(0, 5), true]);

  // Where too few of the newest may be hits, and where a filter is tried, all are looked at.
  const rare = look(9, { ids: idsOf(byKey.slice(-5)) });
  expect(wordHits(db, match, rare, 11)).toEqual(every.filter(({ key }) => byKey.slice(-5).includes(key)));
  const all = look(9);
  expect([wordHits(db, match, all, 11), all.cut.crowded]).toEqual([every.slice(0, 11), false]);
  const oldest = byKey.at(-1) as number;
  const one = { ...look(9), filter: { sql: `e.key = ${oldest}`, params: [] } };
  expect(wordHits(db, match, one, 3).map(({ key }) => key)).toEqual([oldest]);
});

test('what memory knows of types changes nothing', () => {
  const match = 'schooner OR mariner OR anchor OR tide';
  for (const types of [['artwork'], ['collection'], ['person'], ['artwork', 'collection']]) {
    const asked = { ...lookAmong(db, { types }, Number.POSITIVE_INFINITY), keys: null };
    const may = (key: number) =>
      types.includes(db.get<{ type: string }>('SELECT type FROM entity WHERE key = ?', key)?.type ?? '');
    const all = wordHits(db, match, asked, 1000);
    expect(all.length > 0, types.join()).toBe(!types.includes('person'));
    for (const part of [0, 1])
      for (const limit of [3, 1000])
        expect(wordHits(db, match, { ...asked, likely: { may, part } }, limit)).toEqual(all.slice(0, limit));
  }
  // Of too many, the newest that may be hits are ranked.
  const looked = { ...lookAmong(db, {}, Number.POSITIVE_INFINITY), ...{ most: 3, mostLabelled: 0 } };
  const third = wordHits(db, match, { ...looked, most: 1000 }, 1000).filter((_, i) => i % 3 === 0);
  const keys = new Set(third.map(({ key }) => key));
  const few = { ...looked, likely: { may: (key: number) => keys.has(key), part: 0 } };
  const newest = third.toSorted((a, b) => b.key - a.key).slice(0, 3);
  expect(wordHits(db, match, few, 10)).toEqual(third.filter((hit) => newest.includes(hit)));
  expect(few.cut.crowded).toBe(true);
});

test('by vectors, the same is found in the same order; of many, hardly anything else', () => {
  const finder = new VectorFinder(db);
  finder.refresh();
  const vector = finder.embed({ title: 'schooner', text: '' });
  if (!vector) throw new Error('the word is not known');
  for (const [name, within, count] of cases()) {
    const look = lookAmong(db, within, Number.POSITIVE_INFINITY);
    const near = (more: Partial<typeof look>) =>
      finder.nearest(vector, within, { ...look, ...more }, { limit: 20, from: -1 });
    const [among, any] = [near({}), near({ keys: null })];
    // What is compared is chosen by codes, among more things where no keys are told.
    const same = among.filter(({ key }) => any.some((hit) => hit.key === key));
    if (count < 200) expect(among, name).toEqual(any);
    else expect(same.length, name).toBeGreaterThanOrEqual(17);
    expect(among.length, name).toBe(Math.min(count, 20));
  }
});
