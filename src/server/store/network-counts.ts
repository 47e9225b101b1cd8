import type { Reader } from './connection.ts';
import { countEntities } from './entities.ts';
import { lastMove } from './events.ts';

/** How much a network holds; `moves` is how often a tip has moved. It counts an index through: a long read. */
export interface NetworkCounts {
  live: number;
  deleted: number;
  moves: number;
}

export function networkCounts(db: Reader): NetworkCounts {
  return { ...countEntities(db), moves: lastMove(db) };
}
