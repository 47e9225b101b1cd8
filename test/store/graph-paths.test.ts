import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, openReader, openWriter } from '../../src/server/store/connection.ts';
import { GraphEdges } from '../../src/server/store/graph/graph-edges.ts';
import { between, type FoundPath, pathsBetween } from '../../src/server/store/graph/graph-paths.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { seeded } from '../helpers/seeded.ts';

const [source, target] = [1, 2];
const usual = { sources: [source], targets: [target], depth: 4, direction: 'both' as const, limit: 100_000 };

type Link = readonly [number, number];

/** A database of live entities with these relationships, all of one predicate. */
function filled(file: string, links: Iterable<Link>): Connection {
  const db = openWriter(file);
  db.run('BEGIN');
  const nodes = new Set<number>();
  for (const [from, to] of links) {
    db.run('INSERT OR IGNORE INTO edge VALUES (?, 7, ?)', from, to);
    nodes.add(from).add(to);
  }
  for (const node of nodes) db.run("INSERT INTO entity (key, id, tip, type) VALUES (?, ?, 1, 't')", node, `${node}`);
  db.run('COMMIT');
  return db;
}

/** The entities of a path. */
const nodesOf = ({ source, edges }: FoundPath): number[] => {
  const nodes = [source];
  for (const { subject, object } of edges) nodes.push(subject === nodes.at(-1) ? object : subject);
  return nodes;
};

const [hardOnes, easyOne] = [[11, 12, 13], 14];
const [hardEnds, easyEnd] = [[21, 22, 23], 24];

/** Pairs of busy entities with nothing in common between the source and the target, and one pair that has much. */
function* hardBesideEasy(count: number): Generator<Link> {
  for (const node of [...hardOnes, easyOne]) yield [source, node];
  for (const node of [...hardEnds, easyEnd]) yield [target, node];
  for (let i = 0; i < count; i++) {
    for (const node of hardOnes) yield [1000 + 2 * i, node];
    for (const node of hardEnds) yield [1001 + 2 * i, node];
    if (i >= count / 2 && i % 10 === 0) for (const node of [easyOne, easyEnd]) yield [1000 + 4 * count + i, node];
  }
}

test('a pair with nothing in common beside one with much costs no more where it is larger', async () => {
  await using folder = await temporaryFolder();
  const looked = [5000, 30_000].map((count) => {
    const db = filled(join(folder.path, `${count}.db`), hardBesideEasy(count));
    const edges = new GraphEdges(db, { direction: 'both' });
    const paths = between(edges, [[source, target]], 4, (node) => edges.isInner(node));
    const nodes = paths.next().value as number[];
    expect([nodes[1], nodes[3]]).toEqual([easyOne, easyEnd]);
    db.close();
    return edges.looked;
  });
  expect(looked[1]).toBeLessThanOrEqual(looked[0] as number);
  expect(looked[0]).toBeLessThan(4000);
});

test('so does a source from which nothing leads to the target beside one from which much does', async () => {
  await using folder = await temporaryFolder();
  const [easy, easyTarget] = [3, 4];
  const links = function* (count: number): Generator<Link> {
    yield* hardBesideEasy(count);
    for (let i = 0; i < 40; i++) for (const node of [easy, easyTarget]) yield [node, 900 + i];
  };
  const db = filled(join(folder.path, 'graph.db'), links(20_000));
  const edges = new GraphEdges(db, { direction: 'both' });
  const pairs = [
    [hardOnes[0] as number, hardEnds[0] as number],
    [easy, easyTarget],
  ] as const;
  expect(between(edges, pairs, 2, (node) => edges.isInner(node)).next().value).toEqual([easy, 900, easyTarget]);
  expect(edges.looked).toBeLessThan(500);
  db.close();
});

/** Few busy entities around the source and the target, with some relationships among the others. */
function* busy(): Generator<Link> {
  const next = seeded(7);
  const any = () => 100 + Math.floor(next() * 6000);
  const [ones, ends] = [
    [11, 12, 13],
    [13, 21, 22],
  ];
  for (const node of ones) yield [source, node];
  for (const node of ends) yield [node, target];
  for (const [i, node] of [...ones, ...ends].entries())
    for (let n = 0; n < [1500, 1100, 200, 1, 1400, 30][i]!; n++) yield next() < 0.5 ? [any(), node] : [node, any()];
  for (let n = 0; n < 300; n++) yield [any(), any()];
  for (let n = 0; n < 3; n++) for (const node of [source, target]) yield [any(), node];
}

/** The entities of all simple paths of up to four steps, either way. */
function everyPath(links: readonly Link[]): string[] {
  const around = new Map<number, Set<number>>();
  const add = (from: number, to: number) => {
    const known = around.get(from) ?? new Set();
    around.set(from, known.add(to));
  };
  for (const [from, to] of links) {
    add(from, to);
    add(to, from);
  }
  const found: string[] = [];
  const go = (nodes: number[]): void => {
    const last = nodes.at(-1) as number;
    if (last === target) return void found.push(nodes.join());
    for (const node of around.get(last) ?? [])
      if (!nodes.includes(node) && (nodes.length < 4 || node === target)) go([...nodes, node]);
  };
  go([source]);
  return found;
}

test('among busy entities every path is found, in the same order whatever was asked before', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'graph.db');
  const links = [...busy()];
  filled(file, links).close();
  const paths = (db: Connection, limit: number) => pathsBetween(db, { ...usual, limit });
  const asked = <T>(ask: (db: Connection) => T): T => {
    const db = openReader(file);
    const answer = ask(db);
    db.close();
    return answer;
  };

  const all = asked((db) => paths(db, usual.limit));
  expect(all.truncated).toBe(false);
  const written = all.paths.map((path) => nodesOf(path).join());
  // Two that are linked both ways are two steps of one path in words.
  expect([...new Set(written)].toSorted()).toEqual([...new Set(everyPath(links))].toSorted());
  expect(all.paths.length).toBeGreaterThan(200);
  const lengths = all.paths.map(({ edges }) => edges.length);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));

  const count = all.paths.length;
  for (const limit of [1, 2, 50, count - 1]) {
    const few = { paths: all.paths.slice(0, limit), truncated: true };
    expect(asked((db) => paths(db, limit))).toEqual(few);
    const others = [
      [11, 21],
      [12, 22],
      [13, target],
      [target, source],
    ] as const;
    const warm = asked((db) => {
      for (const [one, other] of others)
        pathsBetween(db, { ...usual, sources: [one], targets: [other], limit: 1 + (limit % 60) });
      return [paths(db, limit), paths(db, limit)];
    });
    expect(warm).toEqual([few, few]);
  }
  expect(asked((db) => paths(db, count))).toEqual(all);
});

test('nor does the order depend on what was known of an entity that has lost a relationship since', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'graph.db');
  // One more than are read at once; those by the other predicate have the smaller keys.
  const [many, first] = [1025, 100];
  const links = function* (): Generator<Link> {
    for (let i = 0; i < 3000; i++) yield [10_000 + i, target];
    for (const middle of [first + 50, first + 800]) yield [10_000 + middle, middle];
  };
  const db = filled(file, links());
  const known = new Set(db.all<{ key: number }>('SELECT key FROM entity').map(({ key }) => key));
  for (let i = 0; i < many; i++) {
    const node = first + i;
    db.run('INSERT INTO edge VALUES (?, ?, ?)', node, i < 500 ? 8 : 7, source);
    if (!known.has(node)) db.run("INSERT INTO entity (key, id, tip, type) VALUES (?, ?, 1, 't')", node, `${node}`);
  }
  const asked = (reader: Connection) => pathsBetween(reader, { ...usual, depth: 3 }).paths.map(nodesOf);
  const warm = openReader(file);
  expect(asked(warm)).toHaveLength(2);
  const gone = first + many - 1;
  db.run('DELETE FROM edge WHERE source = ?', gone);
  db.run("INSERT INTO moves (entity, new_tip, origin, time) VALUES (?, 1, 'here', 0)", gone);
  const cold = openReader(file);
  expect(asked(warm)).toEqual(asked(cold));
  for (const one of [warm, cold, db]) one.close();
});
