/** From which side of its relationships a node is read. */
export type Way = 'out' | 'in';

/** How a page of a node's relationships is read; `again`: it costs nothing. */
export interface PageRead {
  sql: { [W in Way]: string };
  again?: boolean;
}

/** A row of it. */
export interface NeighbourRow {
  predicate: number;
  node: number;
  /** What the node is, where that was asked for. */
  type?: string | null;
  live?: number;
  way: Way;
}

export const pages = {
  out: 'SELECT d.predicate, d.peer AS node FROM edge d WHERE d.source = ? AND (d.predicate, d.peer) > (?, ?) AND d.predicate <= ? ORDER BY d.predicate, d.peer LIMIT ?',
  in: 'SELECT d.predicate, d.source AS node FROM edge d WHERE d.peer = ? AND (d.predicate, d.source) > (?, ?) AND d.predicate <= ? ORDER BY d.predicate, d.source LIMIT ?',
};
/** Of a few values, each length is a statement of its own: they are looked up much faster than those of a list. */
const maxInline = 4;

export function oneOf(values: readonly number[]): string {
  if (values.length > maxInline) return 'IN (SELECT value FROM json_each(?))';
  return `IN (${values.map(() => '?').join()})`;
}

export function asParameters(values: readonly number[]): readonly (number | string)[] {
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

/** At most so many of a node's neighbours at once, as a JSON array of keys: much faster than a row for each. */
export function listOf(ways: readonly Way[], only: string): string {
  const parts = ways.map((way) => lists[way] + only).join(' UNION ALL ');
  return `SELECT json_group_array(node) AS nodes FROM (${parts} LIMIT ?)`;
}

/** The same of each of some nodes. */
export function listsOf(ways: readonly Way[], only: string): string {
  const parts = ways.map((way) => lists[way].replace('?', 'n.value') + only).join(' UNION ALL ');
  return `SELECT n.value AS node, (SELECT json_group_array(node) FROM (${parts} LIMIT ?)) AS nodes FROM json_each(?) n`;
}

const lists = {
  out: 'SELECT peer AS node FROM edge WHERE source = ?',
  in: 'SELECT source AS node FROM edge WHERE peer = ?',
};

/** Of a JSON array of predicates each, a JSON array of so many neighbours above a key, in ascending order. */
export const nextOf = { out: nextBy('source', 'peer'), in: nextBy('peer', 'source') };

function nextBy(from: string, to: string): string {
  const next = `SELECT ${to} AS node FROM edge WHERE ${from} = ? AND predicate = p.value AND ${to} > ? ORDER BY ${to} LIMIT ?`;
  return `SELECT (SELECT json_group_array(node) FROM (${next})) AS nodes FROM json_each(?) p`;
}

/** Those of a JSON array of keys that have a relationship to the node, or the node one to them: one look-up a predicate. */
export const touching = {
  out: (among: readonly number[]) =>
    `SELECT json_group_array(n.value) AS nodes FROM json_each(?) n WHERE EXISTS (
       SELECT 1 FROM edge t WHERE t.source = ? AND t.predicate ${oneOf(among)} AND t.peer = n.value)`,
  in: (among: readonly number[]) =>
    `SELECT json_group_array(n.value) AS nodes FROM json_each(?) n WHERE EXISTS (
       SELECT 1 FROM edge t WHERE t.peer = ? AND t.predicate ${oneOf(among)} AND t.source = n.value)`,
};

/** What some nodes own, at most so many of each: predicate and peer in turn, separated by commas. */
export const ownedOf = `SELECT n.value AS subject, (SELECT group_concat(predicate || ',' || peer)
  FROM (SELECT predicate, peer FROM edge WHERE source = n.value LIMIT ?)) AS pairs FROM json_each(?) n`;
