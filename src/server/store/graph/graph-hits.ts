import type { Reader } from '../connection.ts';
import type { GraphEdge } from './graph-edges.ts';
import { type Ends, fitting } from './graph-ends.ts';
import { asParameters, oneOf, type Way } from './graph-statements.ts';

/** A relationship at which a walk may end. */
export interface Hit {
  /** The place of the node that it is of, among those asked about. */
  at: number;
  predicate: number;
  /** What it leads to. */
  node: number;
  way: Way;
}

/** A relationship, and what it leads to. */
export interface Led {
  node: number;
  edge: GraphEdge;
}

/** The same of a row. */
export function led(from: number, { way, node, predicate }: { way: Way; node: number; predicate: number }): Led {
  const [subject, object] = way === 'out' ? [from, node] : [node, from];
  return { node, edge: { subject, predicate, object } };
}

/** Which relationships are looked at, and what is told of how many there were, before that. */
export interface Looking {
  ways: readonly Way[];
  /** Keys of predicates; null for any. */
  only: readonly number[] | null;
  spend(rows: number): void;
}

type Parameters = (number | string)[];

/** Relationships that one statement looks at, at most. */
const atOnce = 4096;
const [own, other] = [
  { out: 'source', in: 'peer' },
  { out: 'peer', in: 'source' },
];

/**
 * The relationships of some nodes at whose other end a walk may end, in the order of the nodes, then as a node's
 * relationships are read (graph-edges.ts). What does not fit never leaves the database: that costs a fifth of reading it.
 */
export function* hitsOf(db: Reader, nodes: readonly number[], ends: Ends, looking: Looking): Generator<Hit> {
  if (nodes.length === 0) return;
  const count = counted(db, nodes, looking);
  if (count <= atOnce) {
    looking.spend(count);
    yield* together(db, nodes, ends, looking);
  } else if (nodes.length > 1) {
    const half = nodes.length >> 1;
    yield* hitsOf(db, nodes.slice(0, half), ends, looking);
    for (const hit of hitsOf(db, nodes.slice(half), ends, looking)) yield { ...hit, at: hit.at + half };
  } else {
    const [node] = nodes as [number];
    for (const way of looking.ways)
      for (const predicate of looking.only ?? [-1]) yield* paged(db, { node, way, predicate }, ends, looking);
  }
}

/** How many relationships the nodes have; of very many only that there are more than are looked at at once. */
function counted(db: Reader, nodes: readonly number[], { ways, only }: Looking): number {
  const parts = ways.map((way) => `SELECT 1 FROM ${joined(way, only)}`);
  const params = ways.flatMap(() => [JSON.stringify(nodes), ...among(only)]);
  const sql = `SELECT count(*) AS n FROM (${parts.join(' UNION ALL ')} LIMIT ${atOnce + 1})`;
  return db.get<{ n: number }>(sql, ...params)?.n ?? 0;
}

function together(db: Reader, nodes: readonly number[], ends: Ends, { ways, only }: Looking): Hit[] {
  const place = ({ predicate }: Hit) => only?.indexOf(predicate) ?? 0;
  return ways
    .flatMap((way) => {
      const fit = fitting(`d.${other[way]}`, ends);
      const sql = `SELECT n.key AS at, d.predicate, d.${other[way]} AS node FROM ${joined(way, only)} WHERE ${fit.sql}`;
      const rows = db.all<Omit<Hit, 'way'>>(sql, JSON.stringify(nodes), ...among(only), ...fit.params);
      return rows.map((row) => ({ ...row, way }));
    })
    .sort(
      (a, b) =>
        a.at - b.at ||
        ways.indexOf(a.way) - ways.indexOf(b.way) ||
        place(a) - place(b) ||
        a.predicate - b.predicate ||
        a.node - b.node,
    );
}

function joined(way: Way, only: readonly number[] | null): string {
  const predicates = only === null ? '' : ` AND d.predicate ${oneOf(only)}`;
  return `json_each(?) n CROSS JOIN edge d ON d.${own[way]} = n.value${predicates}`;
}

function among(only: readonly number[] | null): Readonly<Parameters> {
  return only === null ? [] : asParameters(only);
}

/** Of one node with very many relationships; `predicate`: -1 for all. */
function* paged(
  db: Reader,
  { node, way, predicate: one }: { node: number; way: Way; predicate: number },
  ends: Ends,
  { spend }: Looking,
): Generator<Hit> {
  const to = `d.${other[way]}`;
  const fit = fitting(to, ends);
  const after = `FROM edge d WHERE d.${own[way]} = ? AND (d.predicate, ${to}) > (?, ?) AND (d.predicate, ${to}) <= (?, ?)`;
  const whole = [one === -1 ? Number.MAX_SAFE_INTEGER : one, Number.MAX_SAFE_INTEGER];
  for (let place: Parameters = [one, -1]; ; ) {
    const last = db.get<{ predicate: number; node: number }>(
      `SELECT d.predicate, ${to} AS node ${after} ORDER BY d.predicate, ${to} LIMIT 1 OFFSET ${atOnce - 1}`,
      ...[node, ...place, ...whole],
    );
    const page = [node, ...place, ...(last ? [last.predicate, last.node] : whole)];
    spend(last ? atOnce : (db.get<{ n: number }>(`SELECT count(*) AS n ${after}`, ...page)?.n ?? 0));
    const rows = db.all<Pick<Hit, 'predicate' | 'node'>>(
      `SELECT d.predicate, ${to} AS node ${after} AND ${fit.sql} ORDER BY d.predicate, ${to}`,
      ...[...page, ...fit.params],
    );
    for (const row of rows) yield { ...row, at: 0, way };
    if (!last) return;
    place = [last.predicate, last.node];
  }
}
