import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type CollectionLine = components['schemas']['CollectionLineView'];

/** What all that follows begins with. */
export const collectionsKey = ['collections'] as const;

/** So many the browser's own list has; of thousands it takes a second to come, and nobody finds anything in it. */
export const few = 200;

/** So many of those that fit are offered. */
const most = 50;

/** The first of the collections that a text may mean, the likeliest first, and how many these are; all mean none. */
export function collectionsFound(text: string) {
  const q = text.trim().slice(0, 1000);
  return queryOptions({
    queryKey: [...collectionsKey, 'found', q],
    queryFn: ({ signal }) => {
      const query = { q, limit: q === '' ? few : most };
      return answered(api.GET('/node/collections', { params: { query }, signal }));
    },
  });
}

/** The ids of the collections that are called so. */
export function namesakesQuery(label: string) {
  return queryOptions({
    queryKey: [...collectionsKey, 'called', label],
    queryFn: async ({ signal }) => {
      const { ids } = await answered(api.GET('/node/names/collections', { params: { query: { label } }, signal }));
      return ids;
    },
    enabled: label !== '',
  });
}

/** So many the start shows. */
export const shownAtStart = 12;

/** The newest collections, and how many there are. */
export const newestCollections = queryOptions({
  queryKey: [...collectionsKey, 'newest'],
  queryFn: ({ signal }) =>
    answered(api.GET('/node/collections', { params: { query: { limit: shownAtStart } }, signal })),
});

/** So many a page has. */
const limit = 500;

/** All collections, newest created first, or those that a text may mean, page by page. */
export function collectionPages(text: string) {
  return infiniteQueryOptions({
    queryKey: [...collectionsKey, 'pages', text],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit, offset: pageParam, ...(text !== '' && { q: text }) };
      return { ...(await answered(api.GET('/node/collections', { params: { query }, signal }))), offset: pageParam };
    },
    initialPageParam: 0,
    getNextPageParam: ({ offset, collections, total }) => {
      const next = offset + collections.length;
      return collections.length > 0 && next < total ? next : undefined;
    },
    placeholderData: keepPreviousData,
  });
}

/** Which collections are listed, as the address has it: a part of their names. */
export function collectionsAddress({ q }: Record<string, unknown>): { q?: string } {
  return q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) };
}
