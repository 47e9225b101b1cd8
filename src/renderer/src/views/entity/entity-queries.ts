import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { isOutOfReach } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { keptOrNew } from './model/json.ts';

export type Entity = components['schemas']['EntityView'];

/** An entity as it is now. @throws Failure of kind `gone` for a deleted one */
export function entityQuery(id: string) {
  return queryOptions({
    queryKey: ['entity', id],
    queryFn: ({ signal }) => answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } }, signal })),
    structuralSharing: keptOrNew,
  });
}

/** Gives up what is being fetched of it: that may have been answered before what was just done, and would be shown after it. */
export function giveUpFetching(queries: QueryClient, id: string): Promise<void> {
  return queries.cancelQueries({ queryKey: entityQuery(id).queryKey, exact: true });
}

/** The entity as it is after what was just done. */
export async function fetchAnew(queries: QueryClient, id: string): Promise<Entity> {
  await giveUpFetching(queries, id);
  return queries.fetchQuery({ ...entityQuery(id), staleTime: 0 });
}

/** The relationships that stand in other entities and lead to this one, page by page. */
export function incomingQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['incoming', id],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/links/{id}/incoming', {
          params: { path: { id }, query: pageParam === null ? {} : { after: pageParam } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** What the node says of itself; it stays the same as long as it runs. */
export const cardQuery = queryOptions({
  queryKey: ['card'],
  queryFn: () => answered(api.GET('/.well-known/archeion')),
  staleTime: Infinity,
});

/** An entity in short. @throws Failure */
export function fetchPreview(id: string, signal: AbortSignal) {
  return answered(api.GET('/entities/{id}/preview', { params: { path: { id } }, signal }));
}

/**
 * An entity in short: of what a text refers to. Null where it is not in reach, which is known then for as long as a name is: as a
 * failure it would be asked for again on each screen.
 */
export function previewQuery(id: string) {
  return queryOptions({
    queryKey: ['preview', id],
    queryFn: async ({ signal }) => {
      try {
        return await fetchPreview(id, signal);
      } catch (error) {
        if (isOutOfReach(error)) return null;
        throw error;
      }
    },
    staleTime: 60_000,
    retry: false,
  });
}
