import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GraphDirection } from '../../src/server/store/graph-edges.ts';
import { linksTo } from '../../src/server/store/graph-links.ts';
import { graphMemory, maxEntries, maxListed } from '../../src/server/store/graph-memory.ts';
import { pathsAnswer } from '../../src/server/store/graph-reads.ts';
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

  paths({ source, target, direction }: { source: number; target: number; direction: GraphDirection }): string[] {
    const query = { sources: [nodeId(source)], targets: [nodeId(target)], depth: 4, direction, limit: 100_000 };
    const text = this.#opened.store.read((db) => pathsAnswer(db, { ...query, expand: 'none' }));
    const { paths } = JSON.parse(Buffer.from(text).toString()) as { paths: Parameters<typeof written>[0][] };
    return paths.map(written).toSorted();
  }

  /** Of a shortest way; infinite where there is none. */
  lengthOfLink({ source, target, direction }: { source: number; target: number; direction: GraphDirection }): number {
    const query = { sources: [nodeId(source)], targets: [nodeId(target)], depth: 4, direction };
    return this.#opened.store.read((db) => linksTo(db, query)).links[0]?.way.length ?? Infinity;
  }

  isLive(node: number): boolean {
    return (this.#now.get(node)?.kind ?? 'deleted') !== 'deleted';
  }

  expected(question: { source: number; target: number; direction: GraphDirection }): string[] {
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
      memory.asked.set(`${n} source`, n);
      memory.degrees.set(`${n} source`, { cap: 2, n: 1 });
      memory.facts.set(n, { live: true, type: 't' });
      memory.keepBetween(`${n} 1`, [7]);
      memory.keepPredicates(`${n} out`, [1]);
    }
    const { asked, degrees, facts, between, predicates } = memory;
    const [last] = [Math.ceil(2.2 * maxEntries) - 1];
    expect([asked.get(`${last} source`), between.get(`${last} 1`)]).toEqual([last, [7]]);
    return [asked, degrees, facts, between, predicates].map(({ size }) => size);
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
      const kept = [memory.between, memory.predicates, memory.owned].flatMap((map) => [...map.values()]);
      most = Math.max(
        most,
        kept.reduce((sum, one) => sum + (one?.length ?? 0), 0),
      );
    }
    expect(most).toBeGreaterThan(maxListed / 2);
    expect(most).toBeLessThanOrEqual(maxListed);
  });
});
