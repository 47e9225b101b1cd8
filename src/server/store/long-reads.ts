import type { Reader } from './connection.ts';
import { type ListingQuery, listEntities } from './listings.ts';

/** Reads whose result is long: they run on the reader threads and give JSON text (architecture.md, Reads). */
export const longReads = {
  /** `{ entities: [...], more }` of a collection's listing. */
  listing: (db: Reader, query: ListingQuery): string => JSON.stringify(listEntities(db, query)),
};

/** A read by name; `args` is plain data. */
export interface LongRead<N extends keyof typeof longReads = keyof typeof longReads> {
  /** The database file. */
  file: string;
  name: N;
  args: Parameters<(typeof longReads)[N]>[1];
}
