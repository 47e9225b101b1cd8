import { expect, test } from 'vitest';
import { type NeighboursQuery, neighbours } from '../../src/server/store/graph/graph-reads.ts';
import { fill, nodeId, numberOf } from '../helpers/graphs.ts';
import { openStore } from '../helpers/store.ts';

type Edge = [number, string, number];

/** What 0 leads to in a graph of these relationships, each with the way to it. */
async function reached(edges: Edge[], query: Partial<NeighboursQuery>) {
  await using opened = await openStore('here');
  await fill(opened, {
    size: Math.max(...edges.flatMap(([a, , b]) => [a, b])) + 1,
    edges,
    collections: [],
    missing: [],
  });
  const usual = { sources: [nodeId(0)], direction: 'outgoing' as const, depth: 4, limit: 1000 };
  const answer = opened.store.read((db) => neighbours(db, { ...usual, ...query }));
  const ways = answer.neighbours.map(({ way }) => way.map(({ id }) => numberOf(id)).join(' '));
  return { ways, ...answer };
}

const link = (from: number, to: number): Edge => [from, 'p', to];

test('what is near is found by a longer way as well, past what leads to the same', async () => {
  const both = [link(0, 1), link(0, 2), link(1, 3), link(2, 3)];
  const { ways } = await reached(both, { direction: 'both', least: 3, depth: 3 });
  expect(ways.toSorted()).toEqual(['1 3 2', '2 3 1']);
  const onward = [...both, link(3, 1)];
  expect((await reached(onward, { least: 3, depth: 3 })).ways).toEqual(['2 3 1']);
  expect((await reached(onward, { least: 2 })).ways).toEqual(['1 3', '2 3 1']);
});

test('of the ways to an entity one is kept that what follows does not cross', async () => {
  // 0 leads to 9 by pairs of others, of which 1 is in all but one; and 9 leads to 1.
  const pairs = [
    [1, 2],
    [1, 3],
    [4, 1],
    [5, 6],
  ] as const;
  const edges = [...pairs.flatMap(([a, b]) => [link(0, a), link(a, b), link(b, 9)]), link(9, 1)];
  expect((await reached(edges, { least: 4 })).ways).toContain('5 6 9 1');
});

test('very many ways to the same entities cost little more than one', async () => {
  const many = Array.from({ length: 300 }, (_, n) => n + 1);
  const [hub, other, end] = [301, 302, 303];
  const edges = [
    ...many.flatMap((n) => [link(0, n), link(n, hub), link(n, other)]),
    ...[link(hub, other), link(other, hub), link(hub, end), link(hub, 1)],
  ];
  const { ways, rows, truncated } = await reached(edges, { least: 3 });
  expect(truncated).toBe(false);
  expect(ways.map((way) => Number(way.split(' ').at(-1))).toSorted()).toEqual([1, 301, 302, 303]);
  expect(rows).toBeLessThan(3 * edges.length);
});
