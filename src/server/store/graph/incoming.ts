import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';

/** A place in the order of what leads to an entity: by predicate, then by entity. */
export interface IncomingPlace {
  predicate: number;
  source: number;
}

/** A relationship that stands in another entity. */
export interface IncomingRow extends IncomingPlace {
  name: string;
  id: string;
  type: string;
  label: string | null;
}

/** So much is counted beside a page. */
const mostCounted = 10_000;

/**
 * A page of what leads to an entity, after a place, and how much there is in all, null where that is more than is counted at once
 * (incomingTotal); null where the entity is not here. `total`: where it is known from a page before.
 */
export function incomingPage(
  db: Reader,
  { id, after, limit, total }: { id: string; after: IncomingPlace; limit: number; total?: number | undefined },
): { rows: IncomingRow[]; total: number | null } | null {
  const key = entityKey(db, id);
  if (key === undefined) return null;
  const rows = db.all<IncomingRow>(
    `SELECT d.predicate, d.source, p.name, e.id, e.type, e.label
       FROM edge d JOIN predicate p ON p.key = d.predicate JOIN entity e ON e.key = d.source
      WHERE d.peer = ? AND (d.predicate, d.source) > (?, ?) ORDER BY d.predicate, d.source LIMIT ?`,
    key,
    after.predicate,
    after.source,
    limit,
  );
  return { rows, total: total ?? countedAtOnce(db, key) };
}

function countedAtOnce(db: Reader, peer: number): number | null {
  const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM edge WHERE peer = ? LIMIT ?)';
  const n = db.get<{ n: number }>(sql, peer, mostCounted + 1)?.n ?? 0;
  return n > mostCounted ? null : n;
}

/** How many relationships of each name lead to an entity, the most first. A long read. */
export function incomingCounts(db: Reader, id: string): { predicate: string; count: number }[] {
  return db.all(
    `SELECT p.name AS predicate, n.count FROM (SELECT predicate, count(*) AS count FROM edge
        WHERE peer = (SELECT key FROM entity WHERE id = ?) GROUP BY predicate) n
       JOIN predicate p ON p.key = n.predicate ORDER BY n.count DESC, p.name`,
    id,
  );
}

/** How much leads to an entity. A long read. */
export function incomingTotal(db: Reader, id: string): number {
  const sql = 'SELECT count(*) AS n FROM edge WHERE peer = (SELECT key FROM entity WHERE id = ?)';
  return db.get<{ n: number }>(sql, id)?.n ?? 0;
}
