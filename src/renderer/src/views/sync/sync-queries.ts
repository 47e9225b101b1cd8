import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { keptOrNew } from '../entity/model/json.ts';

export type Remote = components['schemas']['RemoteView'];
export type Report = components['schemas']['SyncReportView'];
export type Run = components['schemas']['SyncRunView'];
export type PendingChange = components['schemas']['PendingChangeView'];
export type OpenConflict = components['schemas']['OpenConflictView'];
export type SyncEvent = components['schemas']['SyncEventView'];
export type SyncEventKind = components['schemas']['SyncEventKind'];

// While a sync is under way its numbers are looked at every second; else they follow what happens on the node.
const busy = 1000;
const calm = 10_000;
// A sync that comes to nothing moves nothing there: what was seen before is not enough for who comes back.
const staleTime = 0;

export const remotesQuery = queryOptions({
  queryKey: ['sync', 'remotes'],
  queryFn: ({ signal }) => answered(api.GET('/node/remotes', { signal })),
  staleTime,
  refetchInterval: ({ state }) => (state.data?.remotes.some(({ running }) => running !== null) ? busy : calm),
});

export function remoteQuery(name: string) {
  return queryOptions({
    queryKey: ['sync', 'remote', name],
    queryFn: ({ signal }) => answered<Remote>(api.GET('/node/remotes/{name}', { params: { path: { name } }, signal })),
    staleTime,
    refetchInterval: ({ state }) => (state.data && state.data.running !== null ? busy : calm),
  });
}

/** Whether a remote can have a name. */
export function isRemoteName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/.test(name);
}

/** A page of what differs from a remote, fifty at a time. */
export function pendingQuery(name: string) {
  return infiniteQueryOptions({
    queryKey: ['sync', 'pending', name],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/remotes/{name}/pending', {
          params: { path: { name }, query: { after: pageParam, limit: 50 } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });
}

/** The conflicts that wait, as many as a list is good for. */
export const conflictsQuery = queryOptions({
  queryKey: ['sync', 'conflicts'],
  queryFn: ({ signal }) => answered(api.GET('/node/conflicts', { params: { query: { limit: 500 } }, signal })),
});

/** Whether a conflict is with no remote; of several about one entity the others have a number behind the name. */
export function isArchive(remote: string): boolean {
  return remote === 'car' || remote.startsWith('car:');
}

/** One conflict with its three versions. What somebody decides about must not change under their hands. */
export function conflictQuery(remote: string, id: string) {
  return queryOptions({
    queryKey: ['sync', 'conflict', remote, id],
    queryFn: ({ signal }) =>
      answered<OpenConflict>(api.GET('/node/conflicts/{id}', { params: { path: { id }, query: { remote } }, signal })),
    structuralSharing: keptOrNew,
    retry: false,
  });
}

export interface LogFilter {
  remote?: string;
  kind?: SyncEventKind | 'open';
}

/** What happened, newest first. */
export function logQuery({ remote, kind }: LogFilter) {
  return infiniteQueryOptions({
    queryKey: ['sync', 'log', remote ?? '', kind ?? ''],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/sync/log', {
          params: {
            query: {
              limit: 50,
              ...(pageParam === null ? {} : { before: pageParam }),
              ...(remote === undefined ? {} : { remote }),
              ...(kind === undefined ? {} : kind === 'open' ? { open: 'true' as const } : { kind }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
}
