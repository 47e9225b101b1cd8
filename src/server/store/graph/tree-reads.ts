import type { Reader } from '../connection.ts';
import { entityKey, predicateKey } from '../entity-keys.ts';

export interface TreeQuery {
  /** The id of an entity that is here. */
  root: string;
  /** Levels below the root. */
  depth: number;
  /** How many entities at most, the root included. */
  limit: number;
  /** Only entities that lie in this collection; the root need not. */
  collection?: string | undefined;
  /** The predicates to follow; without them all but those that lead up, and a collection's memberships. */
  predicates?: string[] | undefined;
}

/** One entity of a tree. */
export interface TreeEntry {
  id: string;
  /** Empty where the entity is deleted or not here. */
  label: string;
  type: string;
  depth: number;
  /** The place of its parent in the list; -1 for the root. */
  parent: number;
}

interface Node {
  key: number;
  id: string;
  type: string | null;
  label: string | null;
  /** Whether it is live. */
  here: number;
}

/** So many relationships are looked at in one tree: a hub may have any number that lead to nothing new. */
const maxEdges = 100_000;
/** These lead from an entity to what it lies in. */
const upwards = ['collection', 'in'];

const columns = 'e.key, e.id, e.type, e.label, e.tip IS NOT NULL AND e.deleted = 0 AS here';

/** What outgoing relationships lead to (the wildcard `*` is nothing), nearest first, each entity once; `truncated` where the limit left something out. */
export function treeBelow(db: Reader, query: TreeQuery): { entries: TreeEntry[]; truncated: boolean } {
  const root = db.get<Node>(`SELECT ${columns} FROM entity e WHERE e.id = ?`, query.root);
  if (!root) return { entries: [], truncated: false };
  const found = [root];
  const entries = [entry(root, 0, -1)];
  const seen = new Set([root.key]);
  let edges = 0;
  for (let at = 0; at < found.length; at++) {
    const from = found[at] as Node;
    const depth = (entries[at] as TreeEntry).depth + 1;
    if (depth > query.depth) break;
    if (from.here === 0) continue;
    for (const node of below(db, from, query)) {
      if (++edges > maxEdges) return { entries, truncated: true };
      if (seen.has(node.key) || node.inside === 0) continue;
      if (entries.length === query.limit) return { entries, truncated: true };
      seen.add(node.key);
      found.push(node);
      entries.push(entry(node, depth, at));
    }
  }
  return { entries, truncated: false };
}

function entry({ id, label, type, here }: Node, depth: number, parent: number): TreeEntry {
  return { id, label: here === 1 ? (label ?? '') : '', type: type ?? '', depth, parent };
}

/** All of them are given, so that those outside the collection count as looked at. */
function below(db: Reader, from: Node, query: TreeQuery): Iterable<Node & { inside: number }> {
  const named = query.predicates ?? [...upwards, ...roleNames(db, from)];
  const keys = named.map((name) => predicateKey(db, name)).filter((key) => key !== undefined);
  const within =
    query.collection === undefined ? [] : [predicateKey(db, 'collection') ?? -1, entityKey(db, query.collection) ?? -1];
  const inside =
    within.length === 0
      ? '1'
      : 'EXISTS (SELECT 1 FROM edge i WHERE i.source = d.peer AND i.predicate = ? AND i.peer = ?)';
  return db.each<Node & { inside: number }>(
    `SELECT ${columns}, ${inside} AS inside FROM edge d JOIN entity e ON e.key = d.peer
      WHERE d.source = ? AND e.id <> '*' AND d.predicate ${query.predicates ? 'IN' : 'NOT IN'} (${keys.map(() => '?').join()})
      ORDER BY d.predicate, d.peer`,
    ...within,
    from.key,
    ...keys,
  );
}

/** The predicates of a collection's memberships. */
function roleNames(db: Reader, { key, type }: Node): string[] {
  if (type !== 'collection') return [];
  const roles = db.all<{ name: string }>(
    "SELECT r.key AS name FROM entity e, json_each(e.json, '$.roles') r WHERE e.key = ?",
    key,
  );
  return roles.map(({ name }) => name);
}
