import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
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

/** An entity in short: of what a text refers to. */
export function previewQuery(id: string) {
  return queryOptions({
    queryKey: ['preview', id],
    queryFn: ({ signal }) => answered(api.GET('/entities/{id}/preview', { params: { path: { id } }, signal })),
    staleTime: 60_000,
    retry: false,
  });
}
