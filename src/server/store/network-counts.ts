import type { Reader } from './connection.ts';
import { countEntities } from './entities.ts';

/** How much a network holds; `moves` is how often a tip has moved. It counts an index through: a long read. */
export interface NetworkCounts {
  live: number;
  deleted: number;
  moves: number;
}

export function networkCounts(db: Reader): NetworkCounts {
  const row = db.get<{ moves: number }>('SELECT coalesce(max(id), 0) AS moves FROM moves');
  return { ...countEntities(db), moves: row?.moves ?? 0 };
}
