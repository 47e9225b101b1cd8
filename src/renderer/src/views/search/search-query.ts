import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';

/** What is sought, as the address has it. */
export interface SearchAddress {
  q?: string;
  types?: string[];
  /** A collection's id. */
  collection?: string;
}

export function searchAddress({ q, types, collection }: Record<string, unknown>): SearchAddress {
  const names = Array.isArray(types) ? types.filter((one) => typeof one === 'string').slice(0, 100) : [];
  return {
    ...(q === undefined || q === '' ? {} : { q: String(q).slice(0, 500) }),
    ...(names.length > 0 ? { types: names } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
  };
}

/** So many are asked for, which is as many as the node gives. */
export const mostHits = 100;

/** The best hits, and from how many collections. */
export function hitsQuery({ q = '', types, collection }: SearchAddress) {
  return queryOptions({
    queryKey: ['search', q, types ?? [], collection ?? null],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/search/entities', {
          body: {
            query: q,
            limit: mostHits,
            expand: 'preview',
            ...(types ? { types } : {}),
            ...(collection ? { collection_id: collection } : {}),
          },
          signal,
        }),
      ),
    enabled: q.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
