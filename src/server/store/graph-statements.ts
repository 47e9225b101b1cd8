/** From which side of its relationships a node is read. */
export type Way = 'out' | 'in';

const pages = {
  out: 'SELECT d.predicate, d.peer AS node FROM edge d WHERE d.source = ? AND (d.predicate, d.peer) > (?, ?) AND d.predicate <= ? ORDER BY d.predicate, d.peer LIMIT ?',
  in: 'SELECT d.predicate, d.source AS node FROM edge d WHERE d.peer = ? AND (d.predicate, d.source) > (?, ?) AND d.predicate <= ? ORDER BY d.predicate, d.source LIMIT ?',
};
const neighbourOf = { out: 'd.peer', in: 'd.source' };
/** Whether a neighbour n has a relationship to the node, or the node one to it: one look-up a predicate. */
const touches = {
  out: (n: string, among: number[]) =>
    `EXISTS (SELECT 1 FROM edge t WHERE t.source = ? AND t.predicate ${oneOf(among)} AND t.peer = ${n})`,
  in: (n: string, among: number[]) =>
    `EXISTS (SELECT 1 FROM edge t WHERE t.peer = ? AND t.predicate ${oneOf(among)} AND t.source = ${n})`,
};

/** Of a few values, each length is a statement of its own: they are looked up much faster than those of a list. */
const maxInline = 4;
export function oneOf(values: number[]): string {
  if (values.length > maxInline) return 'IN (SELECT value FROM json_each(?))';
  return `IN (${values.map(() => '?').join()})`;
}
export function asParameters(values: number[]): (number | string)[] {
  return values.length > maxInline ? [JSON.stringify(values)] : values;
}

export const distinct = {
  out: ['predicate', 'source'],
  in: ['predicate', 'peer'],
} as const;
export const degrees = {
  out: 'SELECT count(*) AS n FROM (SELECT 1 FROM edge WHERE source = ? LIMIT ?)',
  in: 'SELECT count(*) AS n FROM (SELECT 1 FROM edge WHERE peer = ? LIMIT ?)',
};
export const bothDegrees = `SELECT (${degrees.out}) + (${degrees.in}) AS n`;

/** Whether a neighbour touches a node, by predicates that the node has. */
export interface Probe {
  way: Way;
  node: number;
  among: number[];
}

/** A way to read a node's relationships: statements, and parameters around the usual ones. */
export interface Read {
  sql: { [W in Way]: string };
  before: (number | string)[];
  after: (number | string)[];
  /** Rows that one page looks at, where these are more than it gives. */
  most: number | null;
}

export const allRows: Read = { sql: pages, before: [], after: [], most: null };

/** Of a node with so many relationships only the hits are given; where these are very many, or unknown, all with their hit. */
export function hits(probes: Probe[], degree: number | null): Read {
  const parameters = probes.flatMap(({ node, among }) => [node, ...asParameters(among)]);
  const sql = (way: Way): string => {
    const hit = probes.map((probe) => touches[probe.way](neighbourOf[way], probe.among)).join(' OR ');
    if (degree === null) return pages[way].replace(' AS node', ` AS node, (${hit}) AS hit`);
    return pages[way].replace(' AS node', ' AS node, 1 AS hit').replace(' ORDER BY', ` AND (${hit}) ORDER BY`);
  };
  const [before, after] = degree === null ? [parameters, []] : [[], parameters];
  return { sql: { out: sql('out'), in: sql('in') }, before, after, most: degree };
}
