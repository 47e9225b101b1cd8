import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphDirection } from '../../src/server/store/graph/graph-edges.ts';
import { graphEntityAnswer } from '../../src/server/store/graph/graph-entity.ts';
import { linksTo } from '../../src/server/store/graph/graph-links.ts';
import {
  type Neighbour,
  type NeighboursQuery,
  neighbours,
  type PathsAnswerQuery,
  pathsAnswer,
  type ReachableAnswerQuery,
  reachableAnswer,
} from '../../src/server/store/graph/graph-reads.ts';
import { readWhileWaitedFor } from '../../src/server/store/threads/read-time.ts';
import { fill, lengthOf, naivePaths, nodeId, numberOf, type Sample, typeOf, written } from '../helpers/graphs.ts';
import { openStore, type TestStore } from '../helpers/store.ts';

type PathsBody = { paths: Parameters<typeof written>[0][]; truncated: boolean };
type ReachableBody = {
  results: (Parameters<typeof written>[0] & { target_id: string; length: number })[];
  truncated: boolean;
};

const usual = { depth: 4, direction: 'both', limit: 1000, expand: 'none' } as const;
const ids = (nodes: number[]) => nodes.map(nodeId);

const parsed = (text: Uint8Array): unknown => JSON.parse(Buffer.from(text).toString());

function pathsIn({ store }: TestStore, query: Partial<PathsAnswerQuery> & { sources: string[]; targets: string[] }) {
  return parsed(store.read((db) => pathsAnswer(db, { ...usual, ...query }))) as PathsBody;
}
function reachableIn({ store }: TestStore, query: Partial<ReachableAnswerQuery> & { sources: string[]; type: string }) {
  return parsed(store.read((db) => reachableAnswer(db, { ...usual, ...query }))) as ReachableBody;
}
function neighboursIn({ store }: TestStore, query: Partial<NeighboursQuery> & { sources: string[] }) {
  return store.read((db) => neighbours(db, { ...usual, ...query }));
}

const size = 30;
const node = fc.integer({ min: 0, max: size - 1 });
const least = fc.integer({ min: 1, max: 3 });
const some = (maxLength: number) => fc.uniqueArray(node, { maxLength });
const direction = fc.constantFrom<GraphDirection>('outgoing', 'incoming', 'both');
const sample: fc.Arbitrary<Sample> = fc
  .record({
    edges: fc.array(fc.tuple(node, fc.constantFrom('p', 'q', 'collection'), node), { minLength: 20, maxLength: 70 }),
    collections: some(4),
    missing: some(3),
  })
  .map(({ edges, collections, missing }) => ({
    size,
    collections: collections.filter((n) => !missing.includes(n)),
    missing,
    edges: edges.filter(([from]) => !missing.includes(from)),
  }));
const types = fc.uniqueArray(fc.constantFrom<string>('t0', 't1', 't2', 'collection'), { minLength: 1, maxLength: 2 });
const isSorted = (numbers: number[]) => numbers.every((n, i) => i === 0 || n >= (numbers[i - 1] as number));

describe('random graphs of 30 entities', () => {
  test('every simple path is found, once, shortest first', async () => {
    const query = fc.record({
      sources: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
      targets: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
      depth: fc.integer({ min: 1, max: 4 }),
      direction,
    });
    const property = fc.asyncProperty(
      sample,
      fc.array(query, { minLength: 5, maxLength: 10 }),
      async (graph, queries) => {
        await using opened = await openStore('here');
        await fill(opened, graph);
        for (const { sources, targets, depth, direction } of queries) {
          const expected = sources.flatMap((source) =>
            targets.flatMap((target) => naivePaths(graph, { source, target, depth, direction })),
          );
          const asked = { depth, direction, sources: ids(sources), targets: ids(targets), limit: 100_000 };
          const { paths, truncated } = pathsIn(opened, asked);
          const found = paths.map(written);
          expect(found.toSorted()).toEqual(expected.toSorted());
          expect(isSorted(found.map(lengthOf))).toBe(true);
          expect(truncated).toBe(false);
          const few = pathsIn(opened, { ...asked, limit: 3 });
          expect(few.paths).toEqual(paths.slice(0, 3));
          expect(few.truncated).toBe(paths.length > 3);
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  test('everything reachable of a type is found, each by a shortest path', async () => {
    const query = fc.record({ sources: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }), direction });
    const property = fc.asyncProperty(
      sample,
      fc.array(query, { minLength: 5, maxLength: 10 }),
      async (graph, queries) => {
        await using opened = await openStore('here');
        await fill(opened, graph);
        for (const { sources, direction } of queries) {
          const nearest = (target: number) =>
            Math.min(
              ...sources.flatMap((source) => naivePaths(graph, { source, target, depth: 4, direction }).map(lengthOf)),
            );
          const wanted = Array.from({ length: size }, (_, n) => n).filter(
            (n) => n % 3 === 1 && !graph.collections.includes(n) && !graph.missing.includes(n),
          );
          const expected = wanted
            .map((n) => [n, nearest(n)])
            .filter(([, length]) => length !== Number.POSITIVE_INFINITY);
          const { results, truncated } = reachableIn(opened, { sources: ids(sources), type: 't1', direction });
          const found = results.map((one) => [numberOf(one.target_id), one.length]);
          const byNumber = (a: (number | undefined)[], b: (number | undefined)[]) => (a[0] ?? 0) - (b[0] ?? 0);
          expect(found.toSorted(byNumber)).toEqual(expected.toSorted(byNumber));
          expect(isSorted(results.map((one) => one.length))).toBe(true);
          expect(truncated).toBe(false);
          for (const one of results) {
            const [source, target] = [numberOf(one.source_id), numberOf(one.target_id)];
            expect(naivePaths(graph, { source, target, depth: one.length, direction })).toContain(written(one));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  test('neighbours are those at the end of a way that is long enough, by a shortest one, along the named predicates', async () => {
    const query = fc.record({ source: node, avoided: node, direction, least, named: fc.boolean() });
    const property = fc.asyncProperty(
      sample,
      fc.array(query, { minLength: 5, maxLength: 10 }),
      async (graph, queries) => {
        await using opened = await openStore('here');
        await fill(opened, graph);
        for (const { source, avoided, direction, least, named } of queries) {
          const seen = without(graph, { avoided: avoided === source ? -1 : avoided, named });
          const everybody = Array.from({ length: size }, (_, n) => n);
          const ways = everybody.map((target) =>
            naivePaths(seen, { source, target, depth: 4, direction }).filter((path) => lengthOf(path) >= least),
          );
          const predicates = named ? { predicates: ['p', 'unheard_of'] } : {};
          const from = { sources: [nodeId(source)], avoid: [[nodeId(avoided)]] };
          const asked = { ...from, direction, least, depth: 4, ...predicates };
          const { neighbours: found, truncated } = neighboursIn(opened, asked);
          expect(truncated).toBe(false);
          expect(isSorted(found.map(({ way }) => way.length))).toBe(true);
          for (const { id, way } of found) expect(ways[numberOf(id)]).toContain(inWords(source, way));
          const expected = everybody.flatMap((n) => {
            const shortest = Math.min(...(ways[n] ?? []).map(lengthOf));
            return graph.missing.includes(n) || shortest === Number.POSITIVE_INFINITY ? [] : [[nodeId(n), shortest]];
          });
          expect(found.map(({ id, way }) => [id, way.length]).toSorted()).toEqual(expected);
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  test('of what is near, those are given that are of a type and lead on', async () => {
    const query = fc.record({
      source: node,
      avoided: node,
      depth: fc.integer({ min: 1, max: 3 }),
      direction,
      types: fc.option(types, { nil: undefined }),
      leading: fc.record({
        direction,
        predicates: fc.option(fc.uniqueArray(fc.constantFrom<string>('p', 'q', 'unheard_of'), { minLength: 1 }), {
          nil: undefined,
        }),
        types: fc.option(types, { nil: undefined }),
        to: fc.option(some(10), { nil: undefined }),
      }),
    });
    const property = fc.asyncProperty(
      sample,
      fc.array(query, { minLength: 10, maxLength: 20 }),
      async (graph, queries) => {
        await using opened = await openStore('here');
        await fill(opened, graph);
        for (const { source, avoided, depth, direction, types: wanted, leading } of queries) {
          const { to, predicates, types: ends, ...way } = leading;
          const fits = (n: number) =>
            graph.edges.some(([from, name, peer]) =>
              [
                ...(from === n && way.direction !== 'incoming' ? [peer] : []),
                ...(peer === n && way.direction !== 'outgoing' ? [from] : []),
              ].some(
                (end) =>
                  !graph.missing.includes(end) &&
                  ![source, avoided].includes(end) &&
                  (predicates?.includes(name) ?? true) &&
                  (ends?.includes(typeOf(graph, end)) ?? true) &&
                  (to?.includes(end) ?? true),
              ),
            );
          const asked = { sources: [nodeId(source)], avoid: [[nodeId(avoided)]], depth, direction };
          const all = neighboursIn(opened, asked).neighbours;
          const only = { ...(ends && { types: ends }), ...(to && { ids: ids(to) }), ...(predicates && { predicates }) };
          const { neighbours: found } = neighboursIn(opened, { ...asked, types: wanted, leading: { ...way, ...only } });
          expect(found).toEqual(all.filter(({ id, type }) => (wanted?.includes(type) ?? true) && fits(numberOf(id))));
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  test('ways to entities are the shortest that are long enough, one a pair', async () => {
    const query = fc.record({
      sources: some(3),
      targets: some(4),
      avoided: node,
      direction,
      least,
      named: fc.boolean(),
    });
    const property = fc.asyncProperty(
      sample,
      fc.array(query, { minLength: 5, maxLength: 10 }),
      async (graph, queries) => {
        await using opened = await openStore('here');
        await fill(opened, graph);
        for (const { sources, targets, avoided, direction, least, named } of queries) {
          const seen = without(graph, { avoided, named });
          const wanted = targets.filter((target) => !graph.missing.includes(target) && target !== avoided);
          const expected = sources.flatMap((source, place) =>
            wanted.flatMap((target) => {
              const from = source === avoided ? graph : seen;
              const kept = named ? without(from, { avoided: -1, named }) : from;
              const ways = naivePaths(kept, { source, target, depth: 4, direction })
                .map(lengthOf)
                .filter((length) => length >= least);
              return ways.length > 0 ? [[place, target, Math.min(...ways)]] : [];
            }),
          );
          const avoid = sources.map((source) => (source === avoided ? [] : [nodeId(avoided)]));
          const asked = { sources: ids(sources), avoid, targets: ids(wanted), direction, least, depth: 4 };
          const { links, truncated } = opened.store.read((db) =>
            linksTo(db, { ...asked, ...(named && { predicates: ['p'] }) }),
          );
          expect(truncated).toBe(false);
          expect(links.map(({ source, id, way }) => [source, numberOf(id), way.length]).toSorted()).toEqual(
            expected.toSorted(),
          );
          for (const { source, id, way } of links) {
            const [from, target] = [sources[source] as number, numberOf(id)];
            expect(naivePaths(graph, { source: from, target, depth: way.length, direction })).toContain(
              inWords(from, way),
            );
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});

test('what an entity is linked to is read no longer than somebody waits for it', async () => {
  await using opened = await openStore('here');
  const edges = Array.from({ length: 10 }, (_, n): [number, string, number][] => [
    [n + 1, 'of', 0],
    [0, 'to', n + 1],
  ]);
  await fill(opened, { size: 11, edges: edges.flat(), collections: [], missing: [] });
  const told = (flag: Int32Array | null) =>
    opened.store.read((db) =>
      readWhileWaitedFor(flag, () => parsed(graphEntityAnswer(db, { id: nodeId(0), expand: 'none' }))),
    );
  const totals = { outgoing: 10, incoming: 10 };
  expect(told(null)).toMatchObject({ relationships: { length: 20 }, totals, truncated: false });
  expect(told(Int32Array.of(1))).toMatchObject({ relationships: [], totals, truncated: true });
});

describe('a source that leads to very much', () => {
  test('leaves the others their share, of entities and of rows', async () => {
    await using opened = await openStore('here');
    const edges = [
      ...Array.from({ length: 200 }, (_, n): [number, string, number] => [0, 'p', n + 3]),
      [1, 'p', 2] as [number, string, number],
    ];
    await fill(opened, { size: 203, edges, collections: [], missing: [] });
    const asked = { sources: ids([0, 1]), depth: 1, direction: 'outgoing' } as const;
    const counted = (query: Partial<NeighboursQuery>) => {
      const { neighbours: found, truncated } = neighboursIn(opened, { ...asked, ...query });
      return { first: found.filter(({ source }) => source === 0).length, all: found.length, truncated };
    };
    expect(counted({})).toEqual({ first: 200, all: 201, truncated: false });
    expect(counted({ perSource: 10 })).toEqual({ first: 10, all: 11, truncated: true });
    const few = counted({ budget: { rows: 300 } });
    expect(few.first).toBeLessThan(200);
    expect(few).toMatchObject({ all: few.first + 1, truncated: true });
  });

  test('nor does it take from the ways that are sought from others', async () => {
    await using opened = await openStore('here');
    const middle = Array.from({ length: 300 }, (_, n) => n + 5);
    const edges: [number, string, number][] = [
      // From 0 very much leads away, and from elsewhere very much leads to 4.
      ...middle.flatMap((n): [number, string, number][] => [
        [0, 'p', n],
        [n + 300, 'p', 4],
      ]),
      [1, 'p', 2],
      [2, 'p', 3],
      [3, 'p', 4],
    ];
    await fill(opened, { size: 605, edges, collections: [], missing: [] });
    const asked = { targets: ids([4]), depth: 3, direction: 'outgoing' } as const;
    const found = (rows: number) =>
      opened.store.read((db) => linksTo(db, { ...asked, sources: ids([0, 1]), budget: { rows } }));
    for (const rows of [1000, 100_000]) {
      const { links, truncated } = found(rows);
      expect(links.map(({ source, way }) => [source, way.length])).toEqual([[1, 3]]);
      expect(truncated).toBe(rows === 1000);
    }
  });
});

describe('entities with very many relationships', () => {
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
  const ofType = (nodes: number[], type: number) => nodes.filter((n) => n % 3 === type);

  test('are read page by page, and what does not fit is passed by', async () => {
    await using opened = await openStore('here');
    // 1 leads to the hub 0, to which by two predicates 9,000 others do.
    const edges = [
      ...range(1, 6001).map((n): [number, string, number] => [n, 'p', 0]),
      ...range(5000, 9001).map((n): [number, string, number] => [n, 'q', 0]),
    ];
    await fill(opened, { size: 9001, edges, collections: [], missing: [] });
    const found = (query: Partial<NeighboursQuery>) =>
      neighboursIn(opened, { sources: ids([0]), types: ['t1'], limit: 10_000, depth: 1, ...query }).neighbours.map(
        ({ id }) => numberOf(id),
      );
    expect(found({ direction: 'incoming' })).toEqual(ofType(range(1, 9001), 1));
    expect(found({})).toEqual(ofType(range(1, 9001), 1));
    expect(found({ predicates: ['q', 'p'] })).toEqual([...ofType(range(5000, 9001), 1), ...ofType(range(1, 5000), 1)]);
    expect(found({ direction: 'outgoing' })).toEqual([]);
    expect(found({ sources: ids([1]), depth: 2 })).toEqual(ofType(range(2, 9001), 1));
    expect(found({ sources: ids([1]), depth: 2, least: 2, limit: 3 })).toEqual([4, 7, 10]);
    const { truncated, spent, rows } = neighboursIn(opened, {
      ...{ sources: ids([1]), depth: 3, types: ['none'], limit: 5, budget: { rows: 5000 } },
    });
    expect([truncated, spent]).toEqual([true, true]);
    expect(rows).toBeLessThan(11_000);
  });

  test('are read together where they are many', async () => {
    await using opened = await openStore('here');
    const [few, many] = [300, 30];
    const mids = range(1, few + 1);
    const leaf = (mid: number, n: number) => few + 1 + (mid - 1) * many + n;
    const edges = mids.flatMap((mid): [number, string, number][] => [
      [0, 'p', mid],
      ...range(0, many).map((n): [number, string, number] => [mid, 'q', leaf(mid, n)]),
    ]);
    await fill(opened, { size: leaf(few, many), edges, collections: [], missing: [] });
    const query = { sources: ids([0]), types: ['t2'], limit: 10_000, least: 2, depth: 2 };
    const { neighbours, truncated } = neighboursIn(opened, query);
    expect(truncated).toBe(false);
    expect(neighbours.map(({ id }) => numberOf(id))).toEqual(
      mids.flatMap((mid) =>
        ofType(
          range(0, many).map((n) => leaf(mid, n)),
          2,
        ),
      ),
    );
    for (const { id, way } of neighbours.slice(0, 50)) expect(way.at(-1)).toMatchObject({ predicate: 'q', id });
  });
});

describe('what a question may look at', () => {
  /** A wheel: entity 0 is linked to all others, and each of these to the next. */
  const wheel: Sample = {
    size: 400,
    edges: Array.from({ length: 399 }, (_, n) => n + 1).flatMap((n): [number, string, number][] => [
      [n, 'of', 0],
      [n, 'next', (n % 399) + 1],
    ]),
    collections: [],
    missing: [],
  };

  test('is bounded in rows and in time; what was found by then is the answer', async () => {
    await using opened = await openStore('here');
    await fill(opened, wheel);
    const ends = { sources: ids([0]), targets: ids([100]) };
    const few = pathsIn(opened, { ...ends, budget: { rows: 30 } });
    expect(few.truncated).toBe(true);
    const all = pathsIn(opened, ends);
    expect(all).toMatchObject({ truncated: false });
    expect(few.paths.length).toBeLessThan(all.paths.length);
    expect(few.paths).toEqual(all.paths.slice(0, few.paths.length));
    expect(pathsIn(opened, { ...ends, budget: { milliseconds: -1 } })).toEqual({ paths: [], truncated: true });
    const reached = reachableIn(opened, { sources: ids([5]), type: 't1', budget: { rows: 100 } });
    expect(reached.truncated).toBe(true);
    expect(reached.results.length).toBeGreaterThan(0);
  });

  test('is not used up by an entity with very many relationships, at either end', async () => {
    await using opened = await openStore('here');
    const spokes = Array.from({ length: 3999 }, (_, n): [number, string, number] => [n + 1, 'of', 0]);
    await fill(opened, { ...wheel, size: 4001, edges: [...spokes, [1, 'made', 4000]] });
    for (const [sources, targets] of [
      [ids([0]), ids([4000])],
      [ids([4000]), ids([0])],
    ] as const) {
      const { paths, truncated } = pathsIn(opened, {
        sources: [...sources],
        targets: [...targets],
        budget: { rows: 350 },
      });
      expect(paths.map(lengthOfAnswer)).toEqual([2]);
      expect(truncated).toBe(false);
    }
  });

  test('is cut by the size of one answer, which says so', async () => {
    await using opened = await openStore('here');
    const middle = Array.from({ length: 40 }, (_, n) => n + 2);
    const edges = middle.flatMap((n): [number, string, number][] => [
      [0, 'p', n],
      [n, 'p', 1],
    ]);
    await fill(opened, { size: 42, edges, collections: [], missing: [] }, { 0: 'x'.repeat(1024 * 1024) });
    const text = opened.store.read((db) =>
      pathsAnswer(db, { ...usual, sources: ids([0]), targets: ids([1]), expand: 'full', depth: 2 }),
    );
    expect(text.length).toBeLessThan(34 * 1024 * 1024);
    const { paths, _expansion_metadata: left } = parsed(text) as PathsBody & { _expansion_metadata: unknown };
    expect(paths).toHaveLength(40);
    const expansions = paths.flatMap(({ edges: list }) => list).flatMap((edge) => Object.keys(edge));
    const expanded = expansions.filter((name) => name.endsWith('_entity')).length;
    expect(expanded).toBeLessThan(160);
    expect(left).toEqual({ total: 160, expanded, truncated: true });
  });
});

const lengthOfAnswer = ({ edges }: PathsBody['paths'][number]) => edges.length;

/** A graph without an entity and, where one is `named`, without other predicates than `p`. */
function without(graph: Sample, { avoided, named }: { avoided: number; named: boolean }): Sample {
  const edges = graph.edges.filter(
    ([from, name, to]) => from !== avoided && to !== avoided && (!named || name === 'p'),
  );
  return { ...graph, edges };
}

function inWords(source: number, way: Neighbour['way']): string {
  const mark = (to: string) => (to === 'outgoing' ? '-' : '~');
  const steps = way.map((one) => `${mark(one.direction)}${one.predicate}${mark(one.direction)} ${numberOf(one.id)}`);
  return [source, ...steps].join(' ');
}
