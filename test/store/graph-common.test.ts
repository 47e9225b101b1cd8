import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWriter } from '../../src/server/store/connection.ts';
import type { CommonPage } from '../../src/server/store/graph/graph-common.ts';
import { type GraphDirection, GraphEdges } from '../../src/server/store/graph/graph-edges.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { seeded } from '../helpers/seeded.ts';

const [a, b, lonely] = [1, 2, 3];
const predicates = [7, 8, 9];
/** More than are read at once. */
const neighbours = 3000;

const keysOf = (pages: Iterable<CommonPage | undefined>) => [...pages].flatMap((page) => page?.keys ?? []);

test.each<GraphDirection>(['both', 'outgoing', 'incoming'])(
  'what two entities with very many relationships have in common comes in one order, whatever is remembered: %s',
  async (direction) => {
    await using folder = await temporaryFolder();
    const db = openWriter(join(folder.path, 'graph.db'));
    const next = seeded(1);
    const any = (most: number) => Math.floor(next() * most);
    const link = (source: number, peer: number) =>
      db.run('INSERT OR IGNORE INTO edge VALUES (?, ?, ?)', source, predicates[any(3)] as number, peer);
    db.run('BEGIN');
    for (let i = 0; i < neighbours; i++) {
      for (const hub of [a, b]) {
        link(hub, 100 + any(12_000));
        link(100 + any(12_000), hub);
      }
      link(lonely, 20_000 + i);
      link(20_000 + i, lonely);
    }
    db.run('COMMIT');
    const stepsFrom = (node: number, way: 'out' | 'in') => {
      const [column, other] = way === 'out' ? ['source', 'peer'] : ['peer', 'source'];
      return db.all<{ node: number }>(`SELECT ${other} AS node FROM edge WHERE ${column} = ?`, node);
    };
    const ways = (end: 'source' | 'target'): ('out' | 'in')[] =>
      direction === 'both' ? ['out', 'in'] : [(direction === 'outgoing') === (end === 'source') ? 'out' : 'in'];
    const around = (node: number, end: 'source' | 'target') =>
      new Set(ways(end).flatMap((way) => stepsFrom(node, way).map((row) => row.node)));
    const expected = (source: number, target: number) => {
      const others = around(target, 'target');
      return [...around(source, 'source')].filter((node) => others.has(node)).sort((x, y) => x - y);
    };

    const all = expected(a, b);
    expect(all.length).toBeGreaterThan(300);
    const budget = { rows: 1_000_000 };
    for (let times = 0; times < 3; times++) {
      const common = (one: number, other: number) => new GraphEdges(db, { direction, budget }).common(one, other);
      const some = common(a, b)[Symbol.iterator]();
      expect(keysOf([some.next().value, some.next().value]).length).toBeLessThan(all.length);
      const pages = [...common(a, b)];
      expect(keysOf(pages)).toEqual(all);
      expect(pages.map(({ isLast }) => isLast)).toEqual(pages.map((_, n) => n === pages.length - 1));
      expect(pages).toEqual([...common(a, b)]);
      expect(keysOf(common(b, a))).toEqual(expected(b, a));
      expect(keysOf(common(a, lonely))).toEqual([]);
    }
    db.close();
  },
);

test('the first of very many that two entities have in common cost no more where there are more', async () => {
  await using folder = await temporaryFolder();
  const looked = [5000, 50_000].map((count) => {
    const db = openWriter(join(folder.path, `${count}.db`));
    db.run('BEGIN');
    for (let i = 0; i < count; i++) for (const hub of [a, b]) db.run('INSERT INTO edge VALUES (?, 7, ?)', 100 + i, hub);
    db.run('COMMIT');
    const edges = new GraphEdges(db, { direction: 'both' });
    expect(keysOf([edges.common(a, b)[Symbol.iterator]().next().value])[0]).toBe(100);
    const rows = edges.looked;
    db.close();
    return rows;
  });
  expect(looked[1]).toBe(looked[0]);
  expect(looked[0]).toBeLessThan(500);
});

test('what lies in long runs apart is leapt over, and the sparser side is read, wherever that changes', async () => {
  await using folder = await temporaryFolder();
  const db = openWriter(join(folder.path, 'graph.db'));
  const link = (hub: number, node: number) => db.run('INSERT INTO edge VALUES (?, 7, ?)', node, hub);
  const [run, turns] = [2000, 10];
  db.run('BEGIN');
  for (let i = 0; i < run * turns; i++) link(Math.floor(i / run) % 2 === 0 ? a : b, 100 + i);
  // Here one of them has every hundredth, and beyond the other one.
  for (let i = 0; i < 2 * 60_000; i++) {
    if (i < 60_000 || i % 100 === 0) link(a, 100_000 + i);
    if (i >= 60_000 || i % 100 === 0) link(b, 100_000 + i);
  }
  db.run('COMMIT');
  const edges = new GraphEdges(db, { direction: 'both' });
  expect(keysOf(edges.common(a, b))).toEqual(Array.from({ length: 1200 }, (_, i) => 100_000 + 100 * i));
  expect(edges.looked).toBeLessThan(30_000);
  db.close();
});
