import type { Reader } from '../connection.ts';

/** What an entity is to a path. */
export interface NodeFacts {
  /** Here and not deleted. */
  live: boolean;
  /** Empty for an id that is only known. */
  type: string;
}

interface FactsRow {
  key: number;
  type: string | null;
  live: number;
}

const columns = 'e.key, e.type, e.tip IS NOT NULL AND e.deleted = 0 AS live';

/** Each value once, as there are many nodes and few such values. */
const all = new Map<string, NodeFacts>();
const maxValues = 10_000;

/** A row's facts. */
export function factsOf({ type, live }: Partial<FactsRow> = {}): NodeFacts {
  const name = `${live} ${type}`;
  const known = all.get(name);
  if (known) return known;
  if (all.size === maxValues) all.clear();
  const facts = { live: live === 1, type: type ?? '' };
  all.set(name, facts);
  return facts;
}

export function readFacts(db: Reader, node: number): NodeFacts {
  return factsOf(db.get<FactsRow>(`SELECT ${columns} FROM entity e WHERE e.key = ?`, node));
}

/** Of several at once, which costs a third of asking for each. */
export function readAllFacts(db: Reader, nodes: readonly number[], into: Map<number, NodeFacts>): void {
  const unknown = nodes.filter((node) => !into.has(node));
  if (unknown.length === 0) return;
  const sql = `SELECT ${columns} FROM json_each(?) n CROSS JOIN entity e ON e.key = n.value`;
  for (const row of db.all<FactsRow>(sql, JSON.stringify(unknown))) into.set(row.key, factsOf(row));
}
