import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Finder } from '../../src/server/search/finder.ts';
import { type IndexStand, indexSlice, type Writing } from '../../src/server/search/index-slice.ts';
import { restedStand } from '../../src/server/search/rested.ts';
import { VectorKeeper } from '../../src/server/search/vector-keeper.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import {
  emptyIndex,
  indexed,
  openIndexWriter,
  openSearchReader,
  searchFile,
} from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle, search } from '../helpers/searches.ts';

// An index is written slice by slice, each of a page at least; whoever wrote it may be gone after any of them.

const count = 1500;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: string;
let index: string;

/** An index of an artist with many works, and then the artist renamed, which the index has not seen. */
beforeAll(async () => {
  folder = await temporaryFolder();
  database = databaseFile(folder.path, 'main');
  index = searchFile(join(folder.path, 'main'));
  let artist: Entity;
  {
    await using node = await startNode({ data: folder.path });
    artist = await create(node, operator(node), { type: 'artist', properties: { label: 'Anonymous' } });
    const relationships = [{ predicate: 'made_by', peer: artist.id }];
    for (let n = 0; n < count; n += 100) {
      const entities = Array.from({ length: 100 }, (_, i) => ({
        ...{ type: 'artwork', relationships },
        properties: { label: `Plate ${n + i}` },
      }));
      ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
    }
    await update(node, operator(node), artist, { properties: { label: 'Wilhelmina Featherstone' } });
    await indexIdle(node);
  }
});
afterAll(() => folder[Symbol.asyncDispose]());

/** One slice of a writer of its own, which is gone afterwards. */
function sliced(ms: number, [from, to] = [database, index]): IndexStand {
  const writer = openIndexWriter(to);
  const writing: Writing = {
    main: openReader(from),
    index: writer,
    vectors: new VectorKeeper(writer),
    terms: new Set(),
    epoch: undefined,
  };
  try {
    return indexSlice(writing, ms);
  } finally {
    writing.main.close();
    writing.index.close();
  }
}

function found(text: string, [from, to] = [database, index]): number {
  const db = openSearchReader(from, to);
  if (!db) return -1;
  try {
    return new Finder(db).find({ text, k: 2 * count, within: { types: ['artwork'] } }).length;
  } finally {
    db.close();
  }
}

test('made anew in slices of a millisecond, each by another writer, it is the same as at once', async () => {
  expect(found('featherstone')).toBe(count);
  await rm(index);
  const cursors: number[] = [];
  let last = sliced(1);
  for (; last.behind && cursors.length < 10_000; last = sliced(1)) cursors.push(last.cursor);
  expect(cursors.length).toBeGreaterThan(count / 200 / 2);
  expect(cursors).toEqual(cursors.toSorted((a, b) => a - b));
  expect([last.cursor, last.behind]).toEqual([last.last, false]);
  expect([found('featherstone'), found('plate'), found('anonymous')]).toEqual([count, count, 0]);
});

test('an artist of many works is not re-labelled at once', () => {
  const writer = openIndexWriter(index);
  // As if the name that works show were an older one.
  writer.run("UPDATE doc SET digest = '', seen = 0");
  writer.run(
    "INSERT INTO relabel (key, since, after) SELECT key, -1, 0 FROM doc WHERE label = 'Wilhelmina Featherstone'",
  );
  writer.close();
  const places = (): unknown[] => {
    const reader = openIndexWriter(index);
    try {
      return reader.all('SELECT after FROM relabel');
    } finally {
      reader.close();
    }
  };
  const seen = new Set<string>();
  let slices = 0;
  for (let behind = true; behind && slices < 10_000; slices++) {
    ({ behind } = sliced(1));
    seen.add(JSON.stringify(places()));
  }
  expect(slices).toBeGreaterThan(3);
  expect(seen.size).toBeGreaterThan(3);
  expect(places()).toEqual([]);
  expect(found('featherstone')).toBe(count);
});

test('an entity that comes after what leads to it, and is renamed while the index is made, is in all of their texts', async () => {
  await using other = await temporaryFolder();
  const own: [string, string] = [databaseFile(other.path, 'main'), join(other.path, 'own.db')];
  const id = '01J00000000000000000000ABC';
  const works = 300;
  const begin = async () => {
    await using node = await startNode({ data: other.path });
    for (let n = 0; n < works; n += 100) {
      const entities = Array.from({ length: 100 }, (_, i) => ({
        ...{ type: 'artwork', relationships: [{ predicate: 'made_by', peer: id }] },
        properties: { label: `Plate ${n + i}` },
      }));
      ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
    }
    await indexIdle(node);
    const artist = await create(node, operator(node), { id, type: 'artist', properties: { label: 'Latecomer' } });
    await indexIdle(node);
    const hits = await search(node, operator(node), 'entities', { query: 'latecomer', types: ['artwork'], limit: 100 });
    expect(hits.results).toHaveLength(100);
    return artist;
  };
  const artist = await begin();
  while (sliced(1, own).cursor < works / 2);
  expect(found('latecomer', own)).toBeGreaterThan(0);
  {
    await using node = await startNode({ data: other.path });
    await update(node, operator(node), artist, { properties: { label: 'Newcomer' } });
  }
  while (sliced(1, own).behind);
  expect([found('newcomer', own), found('latecomer', own)]).toEqual([works, 0]);
});

test('what an entity was called for a while that the index has not seen is in no text that came between', async () => {
  await using other = await temporaryFolder();
  const own: [string, string] = [databaseFile(other.path, 'main'), join(other.path, 'own.db')];
  const writing = async <T>(work: (node: TestNode) => Promise<T>): Promise<T> => {
    await using node = await startNode({ data: other.path });
    return await work(node);
  };
  const works = async (node: TestNode, made_by: { id: string }, entities: number) => {
    const relationships = [{ predicate: 'made_by', peer: made_by.id }];
    const plates = Array.from({ length: entities }, () => ({
      type: 'artwork',
      relationships,
      properties: { label: 'Plate' },
    }));
    ok(await ask(node, operator(node), 'POST /entities/batch', { entities: plates }));
  };
  const renamed = (artist: Entity, label: string) =>
    writing((node) => update(node, operator(node), artist, { properties: { label } }));
  const [first, second] = await writing(async (node) => {
    const artist = (label: string) => create(node, operator(node), { type: 'artist', properties: { label } });
    return [await artist('Meadowlark'), await artist('Nightjar')];
  });
  while (sliced(1, own).behind);
  const id = '01J00000000000000000000ABC';
  await writing(async (node) => {
    await works(node, first, 5);
    await works(node, { id }, 4);
    for (let n = 0; n < 3; n++) await works(node, second, 100);
  });
  const goldfinch = await renamed(first, 'Goldfinch');
  const mayfly = await writing((node) =>
    create(node, operator(node), { id, type: 'artist', properties: { label: 'Mayfly' } }),
  );
  const counts = () => ['meadowlark', 'goldfinch', 'mayfly'].map((word) => found(word, own));
  // How much a slice takes up depends on the machine.
  let at = sliced(1, own);
  while (at.behind && counts().filter((n) => n > 0).length < 2) at = sliced(1, own);
  expect([at.cursor < at.last - 2, counts()]).toEqual([true, [0, 5, 4]]);
  await renamed(goldfinch, 'Meadowlark');
  await writing((node) => remove(node, operator(node), mayfly));
  while (sliced(1, own).behind);
  expect(counts()).toEqual([5, 0, 0]);
});

test('made anew while nothing is written, it is searched as before by whoever searched it before', async () => {
  await using other = await temporaryFolder();
  const own: [string, string] = [databaseFile(other.path, 'main'), join(other.path, 'own.db')];
  const [kestrels, plates] = [105, 1000];
  const id = '01J00000000000000000000ABC';
  {
    await using node = await startNode({ data: other.path });
    await create(node, operator(node), { id, type: 'artwork', properties: { label: 'Kestrel' } });
    const labels = Array.from({ length: kestrels - 1 + plates }, (_, n) =>
      n < kestrels - 1 ? 'Kestrel' : `Plate ${n}`,
    );
    for (let n = 0; n < labels.length; n += 100) {
      const entities = labels.slice(n, n + 100).map((label) => ({ type: 'artwork', properties: { label } }));
      ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
    }
  }
  while (sliced(1000, own).behind);
  const db = openSearchReader(...own);
  if (!db) throw new Error('there is no index');
  const finder = new Finder(db);
  const like = () => finder.like({ id, k: 2 * kestrels, within: {} }).length;
  expect(like()).toBe(kestrels - 1);
  const writer = openIndexWriter(own[1]);
  indexed(writer, () => emptyIndex(writer, 'another'));
  writer.close();
  while (sliced(1000, own).behind);
  expect(like()).toBe(kestrels - 1);
  db.close();
});

test('an index with nothing left to do says so until something comes, and only for its own database and embedder', async () => {
  await using other = await temporaryFolder();
  const own: [string, string] = [databaseFile(other.path, 'main'), searchFile(join(other.path, 'main'))];
  const stand = (file = own[1], embedder = 'builtin', from = own[0]) => {
    const db = openReader(from);
    try {
      return restedStand(db, file, embedder);
    } finally {
      db.close();
    }
  };
  {
    await using node = await startNode({ data: other.path });
    await create(node, operator(node), { type: 'artwork', properties: { label: 'First' } });
    await indexIdle(node);
  }
  const rested = stand();
  expect(rested).toEqual(sliced(1000, own));
  expect(rested?.behind).toBe(false);
  expect([stand(join(other.path, 'none.db')), stand(own[1], 'another'), stand(own[1], 'builtin', database)]).toEqual([
    ...[null, null, null],
  ]);
  {
    await using node = await startNode({ data: other.path });
    expect((await search(node, operator(node), 'entities', { query: 'first' })).results).toHaveLength(1);
    await create(node, operator(node), { type: 'artwork', properties: { label: 'Second' } });
    expect(stand()).toBe(null);
    await indexIdle(node);
    expect((await search(node, operator(node), 'entities', { query: 'second' })).results).toHaveLength(1);
  }
  expect(stand()?.cursor).toBe((rested?.cursor ?? 0) + 1);
});
