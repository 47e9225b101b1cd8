import { expect, test } from 'vitest';
import { treeBelow } from '../../src/server/store/graph/tree-reads.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

test('a tree gives up where very many relationships lead to nothing new', async () => {
  await using opened = await openStore('here');
  const ids = Array.from({ length: 320 }, (_, n) => idOf(100 + n));
  const dense = ids.map((id) => first(id, { relationships: ids.map((peer) => ['knows', peer]) }));
  await opened.store.submit(dense.map((version) => step(null, version)));
  const tree = (depth: number, limit = 1000) =>
    opened.store.read((db) => treeBelow(db, { root: idOf(100), depth, limit }));
  expect(tree(1)).toMatchObject({ truncated: false });
  const { entries, truncated } = tree(2);
  expect(truncated).toBe(true);
  expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(ids));
  expect(tree(2, 320)).toMatchObject({ truncated: true });
});

test('a tree of what is not here is empty', async () => {
  await using opened = await openStore('here');
  const query = { root: idOf(1), depth: 1, limit: 1 };
  expect(opened.store.read((db) => treeBelow(db, query))).toEqual({ entries: [], truncated: false });
});
