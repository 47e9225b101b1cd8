import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type Version = components['schemas']['VersionView'];
export type Historic = components['schemas']['HistoricManifestView'];
export type Move = components['schemas']['HistoryMoveView'];

/** An entity's versions, newest first, ten at a time. */
export function versionsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['history', id],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/versions/{id}', {
          params: { path: { id }, query: { limit: 10, ...(pageParam ? { from: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ has_more, next_cursor }) => (has_more ? next_cursor : null),
  });
}

/** One version as it was hashed; it never changes. */
export function versionQuery(cid: string) {
  return queryOptions({
    queryKey: ['version', cid],
    queryFn: ({ signal }) => answered(api.GET('/versions/manifest/{cid}', { params: { path: { cid } }, signal })),
    select: ({ manifest }) => manifest,
    staleTime: 'static',
    enabled: cid !== '',
  });
}

/** How the latest versions came to this node, the newest first. */
export function originsQuery(id: string) {
  return queryOptions({
    queryKey: ['origins', id],
    queryFn: ({ signal }) =>
      answered(api.GET('/node/history/{id}', { params: { path: { id }, query: { limit: 100 } }, signal })),
    select: ({ moves }) => moves,
  });
}
