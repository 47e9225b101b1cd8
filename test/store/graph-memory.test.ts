import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GraphDirection } from '../../src/server/store/graph/graph-edges.ts';
import { linksTo } from '../../src/server/store/graph/graph-links.ts';
import { graphMemory, maxEntries, maxListed } from '../../src/server/store/graph/graph-memory.ts';
import { pathsAnswer } from '../../src/server/store/graph/graph-reads.ts';
import { lengthOf, naivePaths, nodeId, type Sample, written } from '../helpers/graphs.ts';
import { change, commit, first, next, openStore, type TestStore, type Version } from '../helpers/store.ts';

const size = 12;
const node = fc.integer({ min: 0, max: size - 1 });
const direction = fc.constantFrom<GraphDirection>('outgoing', 'incoming', 'both');
const edges = fc.array(fc.tuple(fc.constantFrom('p', 'q'), node), { maxLength: 4 });
/** What some entities become at once: with these relationships, as a collection, or deleted. */
const writtenNode = fc.record({ node, edges, kind: fc.constantFrom('t', 't', 't', 'collection', 'deleted') });
const round = fc.record({
  writes: fc.uniqueArray(writtenNode, { selector: (one) => one.node, minLength: 1, maxLength: 6 }),
  questions: fc.array(fc.record({ source: node, target: node, direction }), { minLength: 2, maxLength: 4 }),
});

test('what a connection remembers of the graph follows every write', async () => {
  const property = fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), async (rounds) => {
    await using opened = await openStore('here');
    const graph = new Graph(opened);
    for (const { writes, questions } of rounds) {
      await graph.write(writes);
      for (const question of questions) {
        const expected = graph.expected(question);
        expect(graph.paths(question)).toEqual(expected);
        const shortest = graph.isLive(question.target) ? Math.min(...expected.map(lengthOf)) : Infinity;
        expect(graph.lengthOfLink(question)).toBe(shortest);
      }
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

test('and a write of very many', async () => {
  await using opened = await openStore('here');
  const graph = new Graph(opened);
  const question = { source: 0, target: 1, direction: 'both' } as const;
  await graph.write([{ node: 0, edges: [['p', 1]], kind: 't' }]);
  expect(graph.paths(question)).toEqual(['0 -p- 1']);
  await graph.write(
    Array.from({ length: 49 }, (_, n) => ({ node: n + 1, edges: [['q', 0] as [string, number]], kind: 't' })),
  );
  expect(graph.paths(question)).toEqual(['0 -p- 1', '0 ~q~ 1']);
});

test('and of what busy entities have in common', async () => {
  await using opened = await openStore('here');
  const graph = new Graph(opened);
  const [one, other, count] = [0, 1, 1500];
  const to = (...nodes: number[]) => nodes.map((node): [string, number] => ['p', node]);
  const common = () => graph.paths({ source: one, target: other, direction: 'both' }, 2);
  const between = (...nodes: number[]) => nodes.map((node) => `0 ~p~ ${node} -p- 1`);
  await graph.write([one, other].map((node) => ({ node, edges: [], kind: 't' })));
  for (let from = 0; from < count; from += 500)
    await graph.write(
      Array.from({ length: 500 }, (_, n) => ({ node: 2 + from + n, edges: to(one), kind: 't' })).concat(
        Array.from({ length: 500 }, (_, n) => ({ node: 2 + count + from + n, edges: to(other), kind: 't' })),
      ),
    );
  const [first, late, new1] = [2, 2 + count - 1, 2 + 2 * count];
  expect(common()).toEqual([]);
  const link = () => graph.lengthOfLink({ source: one, target: other, direction: 'both' });
  await graph.write([{ node: first, edges: to(one, other), kind: 't' }]);
  expect([common(), link()]).toEqual([between(first), 2]);
  await graph.write([{ node: first, edges: to(one), kind: 't' }]);
  expect([common(), link()]).toEqual([[], Infinity]);
  await graph.write([{ node: late, edges: to(one, other), kind: 't' }]);
  expect(common()).toEqual(between(late));
  await graph.write([{ node: first, edges: to(one, other), kind: 't' }]);
  expect(common()).toEqual(between(late, first).toSorted());
  await graph.write([{ node: late, edges: to(one), kind: 't' }]);
  await graph.write([{ node: new1, edges: to(other, one), kind: 't' }]);
  expect(common()).toEqual(between(first, new1).toSorted());
  await graph.write([{ node: one, edges: to(2 + count), kind: 't' }]);
  expect(common()).toEqual([`0 -p- ${2 + count} -p- 1`, ...between(first, new1)].toSorted());
  await graph.write([{ node: first, edges: [], kind: 'deleted' }]);
  expect(common()).toEqual([`0 -p- ${2 + count} -p- 1`, ...between(new1)].toSorted());
});

interface Question {
  source: number;
  target: number;
  direction: GraphDirection;
}

interface Written {
  node: number;
  edges: [string, number][];
  kind: string;
}

/** A store beside what is known to be in it. */
class Graph {
  readonly #opened: TestStore;
  readonly #versions = new Map<number, Version>();
  readonly #now = new Map<number, Written>();

  constructor(opened: TestStore) {
    this.#opened = opened;
  }

  async write(writes: Written[]): Promise<void> {
    const changes = writes.map(({ node, edges, kind }) => {
      const before = this.#versions.get(node) ?? null;
      const content = {
        type: kind === 'collection' ? kind : 't',
        relationships: edges.map(([name, to]): [string, string] => [name, nodeId(to)]),
        deleted: kind === 'deleted',
      };
      const version = before ? next(before, content) : first(nodeId(node), content);
      this.#versions.set(node, version);
      this.#now.set(node, { node, edges: kind === 'deleted' ? [] : edges, kind });
      return change(before, version);
    });
    const outcomes = await this.#opened.store.submit([commit(changes)]);
    expect(outcomes.map(({ committed }) => committed)).toEqual([true]);
  }

  paths({ source, target, direction }: Question, depth = 4): string[] {
    const query = { sources: [nodeId(source)], targets: [nodeId(target)], depth, direction, limit: 100_000 };
    const text = this.#opened.store.read((db) => pathsAnswer(db, { ...query, expand: 'none' }));
    const { paths } = JSON.parse(Buffer.from(text).toString()) as { paths: Parameters<typeof written>[0][] };
    return paths.map(written).toSorted();
  }

  /** Of a shortest way; infinite where there is none. */
  lengthOfLink({ source, target, direction }: Question): number {
    const query = { sources: [nodeId(source)], targets: [nodeId(target)], depth: 4, direction };
    return this.#opened.store.read((db) => linksTo(db, query)).links[0]?.way.length ?? Infinity;
  }

  isLive(node: number): boolean {
    return (this.#now.get(node)?.kind ?? 'deleted') !== 'deleted';
  }

  expected(question: Question): string[] {
    const all = [...this.#now.values()];
    const sample: Sample = {
      size,
      edges: all.flatMap(({ node, edges }) => edges.map(([name, to]): [number, string, number] => [node, name, to])),
      collections: all.flatMap(({ node, kind }) => (kind === 'collection' ? [node] : [])),
      missing: Array.from({ length: size }, (_, n) => n).filter((n) => !this.isLive(n)),
    };
    return naivePaths(sample, { ...question, depth: 4 }).toSorted();
  }
}

test('what is remembered has its bounds also within one question', async () => {
  await using opened = await openStore('here');
  const counts = opened.store.read((db) => {
    const memory = graphMemory(db, 'both any');
    for (let n = 0; n < 2.2 * maxEntries; n++) {
      memory.degrees.set(`${n} source`, { cap: 2, n: 1 });
      memory.facts.set(n, { live: true, type: 't' });
      memory.keepBetween(`${n} 1`, [7]);
      memory.keepPredicates(`${n} out`, [1]);
    }
    const { degrees, facts, between, predicates } = memory;
    const [last] = [Math.ceil(2.2 * maxEntries) - 1];
    expect(between.get(`${last} 1`)).toEqual([7]);
    return [degrees, facts, between, predicates].map(({ size }) => size);
  });
  for (const count of counts) {
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(maxEntries);
  }
});

test('long lists of relationships count by their length', async () => {
  await using opened = await openStore('here');
  opened.store.read((db) => {
    const memory = graphMemory(db, 'both any');
    const list = Array.from({ length: 1000 }, (_, predicate) => predicate);
    let most = 0;
    for (let n = 0; n < 1000; n++) {
      memory.keepBetween(`${n} 1`, list);
      memory.keepPredicates(`${n} out`, list);
      memory.keepOwned(n, list);
      memory.keepHead(`${n} source`, { keys: list, until: 1000 }, list.length);
      memory.keepCommon(`${n} source`, 1, { pages: [{ keys: list, isLast: true }], rest: null }, list.length);
      const heads = [...memory.heads.values()].map(({ keys }) => keys);
      const common = (one: number) => memory.common(`${one} source`, 1)?.pages ?? [];
      const commons = Array.from({ length: n + 1 }, (_, one) => common(one)).flatMap((pages) =>
        pages.map(({ keys }) => keys),
      );
      const maps = [memory.between, memory.predicates, memory.owned].flatMap((map) => [...map.values()]);
      const kept = [...maps, ...heads, ...commons];
      most = Math.max(
        most,
        kept.reduce((sum, one) => sum + (one?.length ?? 0), 0),
      );
    }
    expect(most).toBeGreaterThan(maxListed / 2);
    expect(most).toBeLessThanOrEqual(maxListed);
  });
});

test('where very much is remembered, a write of some makes it begin anew', async () => {
  await using opened = await openStore('here');
  const lists = 30_000;
  const graph = new Graph(opened);
  const kept = () => opened.store.read((db) => graphMemory(db, 'both any').lists);
  const write = (count: number) =>
    graph.write(Array.from({ length: count }, (_, node) => ({ node, edges: [], kind: 't' })));
  await write(1);
  for (const [count, left] of [
    [1, lists],
    [30, 0],
  ] as const) {
    opened.store.read((db) => {
      const memory = graphMemory(db, 'both any');
      for (let n = 0; n < lists; n++) memory.keepList(`${1000 + n} source`, [1_000_000]);
    });
    await write(count);
    expect(kept().size).toBe(left);
  }
});

test('what an answer shows of an entity follows every write of it', async () => {
  await using opened = await openStore('here');
  const link: [string, string][] = [['p', nodeId(1)]];
  const from = first(nodeId(0), { type: 't', properties: { label: 'from', description: 'old' }, relationships: link });
  const to = first(nodeId(1), { type: 't', properties: { label: 'to' } });
  const write = async (before: Version | null, version: Version) => {
    const [outcome] = await opened.store.submit([commit([change(before, version)])]);
    expect(outcome?.committed).toBe(true);
  };
  const shown = () => {
    const query = { sources: [nodeId(0)], targets: [nodeId(1)], depth: 1, limit: 1 };
    const text = opened.store.read((db) => pathsAnswer(db, { ...query, direction: 'both', expand: 'preview' }));
    const { paths } = JSON.parse(Buffer.from(text).toString()) as { paths: { edges: Record<string, unknown>[] }[] };
    const { subject_label, subject_preview, object_label, object_preview } = paths[0]?.edges[0] ?? {};
    return { subject_label, subject_preview, object_label, object_preview };
  };
  await write(null, to);
  await write(null, from);
  for (let times = 0; times < 2; times++)
    expect(shown()).toMatchObject({
      ...{ subject_label: 'from', subject_preview: { description_preview: 'old' } },
      ...{ object_label: 'to', object_preview: { label: 'to' } },
    });
  const named = { type: 't', properties: { label: 'new', description: 'new' }, relationships: link };
  await write(from, next(from, named));
  expect(shown()).toMatchObject({ subject_label: 'new', subject_preview: { description_preview: 'new' } });
  await write(to, next(to, { type: 't', deleted: true }));
  expect(shown()).toMatchObject({ subject_label: 'new', object_label: '' });
  expect(shown().object_preview).toBeUndefined();
});
