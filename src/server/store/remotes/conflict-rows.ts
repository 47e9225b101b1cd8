import { archiveRemote, forkNameSql } from '../archive/archive-forks.ts';
import type { Reader } from '../connection.ts';

export interface ConflictRow {
  /** A name of its own (archive-forks.ts) where theirs came in an archive, or its remote is gone. */
  remote: string;
  id: string;
  type: string | null;
  label: string | null;
  base: string | null;
  ours: string;
  theirs: string;
  /** Epoch milliseconds. */
  time: number;
}

const conflicts = `SELECT coalesce(${forkNameSql}, r.name) AS remote, e.id, e.type, e.label, c.base, c.ours, c.theirs, c.time
  FROM sync_conflict c CROSS JOIN entity e ON e.key = c.entity LEFT JOIN remote r ON r.key = c.remote`;

/** The first of them: remote by remote, those without one before all others, and as the entities came to be known. */
export function listConflicts(db: Reader, limit: number): ConflictRow[] {
  const rows: ConflictRow[] = [];
  for (const remote of remotesInConflict(db)) {
    const left = limit - rows.length;
    rows.push(...db.all<ConflictRow>(`${conflicts} WHERE c.remote = ? ORDER BY c.entity LIMIT ?`, remote, left));
    if (rows.length === limit) break;
  }
  return rows;
}

/** The conflicts of one entity, with any remote. */
export function conflictsOf(db: Reader, id: string): ConflictRow[] {
  const entity = db.get<{ key: number }>('SELECT key FROM entity WHERE id = ?', id)?.key;
  if (entity === undefined) return [];
  return remotesInConflict(db).flatMap((remote) =>
    db.all<ConflictRow>(`${conflicts} WHERE c.remote = ? AND c.entity = ?`, remote, entity),
  );
}

export function countConflicts(db: Reader): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM sync_conflict')?.n ?? 0;
}

/** The keys under which conflicts stand, in the order in which they are listed; of so many conflicts as there are, none is read. */
function remotesInConflict(db: Reader): number[] {
  const remotes: number[] = [];
  const next = 'SELECT min(remote) AS remote FROM sync_conflict WHERE remote > ?';
  for (let last: number | null = Number.MIN_SAFE_INTEGER; last !== null; ) {
    last = db.get<{ remote: number | null }>(next, last)?.remote ?? null;
    if (last !== null) remotes.push(last);
  }
  const isWithout = (remote: number) => remote <= archiveRemote;
  return [...remotes.filter(isWithout).reverse(), ...remotes.filter((remote) => !isWithout(remote))];
}
