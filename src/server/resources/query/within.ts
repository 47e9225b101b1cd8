import type { Within } from '../../argo/ports.ts';
import type { Within as StoredWithin } from '../../store/search/search-hits.ts';

/** The conditions of a query as the store has them. Public is what lies in no collection, and is none (argo.md A22). */
export function within({ types, collection, loose, ids, filter }: Within): StoredWithin {
  const collections = collection === undefined ? undefined : [collection];
  return { types, ids, filter, ...(loose ? { collections: [], orLoose: true } : { collections }) };
}
