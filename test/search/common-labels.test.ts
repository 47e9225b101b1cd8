import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../src/server/store/connection.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { type Expected, type Likely, lookAmong, wordHits } from '../../src/server/store/search/word-hits.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

// Words that so many texts have that BM25 is not asked for them. How many do is what the test says, not what there is.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: TestNode;
let db: Connection;
let make: (label: string, description: string, type?: string) => Promise<Entity>;

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  make = (label, description, type = 'artwork') =>
    create(node, me, { type, collection: home.id, properties: { label, description } });
});
afterAll(async () => {
  db?.close();
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** What searches read: the entities, and the index as far as they have been made. */
async function searched(): Promise<Connection> {
  await indexIdle(node);
  const database = join(folder.path, 'main');
  db ??= openSearchReader(join(database, 'archeion.db'), searchFile(database)) as Connection;
  return db;
}

/** The labels of what is found, best first, where 20 are ranked and as many of labels. */
async function found(match: string, expected: Expected, limit = 10, likely: Likely | null = null): Promise<string[]> {
  const reader = await searched();
  const look = { ...lookAmong(reader, { types: ['artwork'] }, Number.POSITIVE_INFINITY), most: 20, mostLabelled: 20 };
  return wordHits(reader, match, { ...look, likely }, limit, expected).map(
    ({ key }) => reader.get<{ label: string }>('SELECT label FROM entity WHERE key = ?', key)?.label ?? '',
  );
}

test('of a common word the shortest labels come first, of a very common one the newest', async () => {
  await make('Harbour', 'Oil.');
  await make('A view of the harbour from the old tower at low tide', 'Oil.');
  for (let i = 0; i < 25; i++) await make(`View ${i}`, 'A harbour.');
  const long = 'A view of the harbour from the old tower at low tide';
  const newest = Array.from({ length: 8 }, (_, i) => `View ${24 - i}`);
  expect(await found('"harbour"', { rows: 3000, matching: 3000 })).toEqual(['Harbour', long, ...newest]);
  expect(await found('"harbour"', { rows: 1_000_000, matching: 1_000_000 })).toEqual([long, 'Harbour', ...newest]);
  // What is remembered to match does not count where fewer do, or more.
  expect((await found('"harbour"', { rows: 5, matching: 5 }))[0]).toBe('Harbour');
  expect((await found('"tower"', { rows: 3000, matching: 3000 })).length).toBe(1);
});

test('short labels of what is not asked for do not take the place of others', async () => {
  for (let i = 0; i < 12; i++) await make(`Quay ${i}`, 'A place.', 'place');
  await make('An old quay by night', 'Oil.');
  for (let i = 0; i < 25; i++) await make(`Boat ${i}`, 'A quay.');
  const artworks = (await searched()).all<{ key: number }>("SELECT key FROM entity WHERE type = 'artwork'");
  const keys = new Set(artworks.map(({ key }) => key));
  const likely = { part: 0.5, may: (key: number) => keys.has(key) };
  const expected = ['An old quay by night', 'Boat 24'];
  expect(await found('"quay"', { rows: 3000, matching: 3000 }, 2, likely)).toEqual(expected);
});

test('of several words those are weighed that are not too common, or none', async () => {
  const twice = 'At dusk, and after dusk, the harbour.';
  for (const [label, text] of [
    ['First', twice],
    ['Second', 'At dusk the harbour.'],
    [
      'Harbour by dusk',
      'Chalk, on a large sheet of paper that has been folded, and a note of the place by another hand.',
    ],
    ['Fourth', 'At dusk the harbour.'],
  ] as const)
    await make(label, text);
  const [match, rows] = ['("dusk") AND ("harbour")', 1_000_000];
  expect((await found(match, { rows, weighed: '("dusk")' }))[0]).toBe('First');
  expect(await found(match, { rows, weighed: '' })).toEqual(['Harbour by dusk', 'Fourth', 'Second', 'First']);
  // All of them are weighed unless something else is said.
  expect(await found(match, { rows })).toEqual(await found(match, {}));
});

test('a label that was changed or deleted is not among them', async () => {
  const me = operator(node);
  const [renamed, deleted] = [await make('Lighthouse', 'Ink.'), await make('A lighthouse', 'Ink.')];
  const [rows, matching] = [3000, 3000];
  expect(await found('"lighthouse"', { rows, matching, weighed: '' })).toEqual(['Lighthouse', 'A lighthouse']);
  ok(
    await ask(node, me, `PUT /entities/${renamed.id}`, {
      ...{ expect_tip: renamed.cid, properties: { label: 'Pier', description: 'Ink.' } },
    }),
  );
  ok(await ask(node, me, `DELETE /entities/${deleted.id}`, { expect_tip: deleted.cid }));
  expect(await found('"lighthouse"', { rows, matching, weighed: '' })).toEqual([]);
  expect(await found('"pier"', { rows, matching, weighed: '' })).toEqual(['Pier']);
  const labelled = (word: string) => db.all('SELECT rowid FROM search.labels WHERE labels MATCH ?', word).length;
  expect([labelled('lighthouse'), labelled('pier'), labelled('harbour')]).toEqual([0, 1, 3]);
});
