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

/**
 * A page of what leads to an entity, after a place, and how much there is in all; null where it is not here. `total`:
 * where it is known from a page before; an entity to which very much leads is not counted for each.
 */
export function incomingPage(
  db: Reader,
  { id, after, limit, total }: { id: string; after: IncomingPlace; limit: number; total?: number | undefined },
): { rows: IncomingRow[]; total: number } | null {
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
  const count = () => db.get<{ n: number }>('SELECT count(*) AS n FROM edge WHERE peer = ?', key)?.n ?? 0;
  return { rows, total: total ?? count() };
}
