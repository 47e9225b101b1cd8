import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type RunLine = components['schemas']['RunLineView'];
export type RunJob = components['schemas']['RunJobView'];
export type Phase = RunLine['status'];

/** Whether something may still change by itself. */
export function isLive(status: Phase): boolean {
  return status === 'pending' || status === 'running';
}

const often = 3000;

/** What was started, newest first; of one processor if wanted. */
export function runsQuery(processor?: string, limit = 50) {
  return infiniteQueryOptions({
    queryKey: ['runs', processor ?? null, limit],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/jobs', {
          params: {
            query: { limit, ...(processor ? { processor } : {}), ...(pageParam === null ? {} : { before: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ runs }) => runs.some(({ status }) => isLive(status))) ? often : false,
  });
}

/** So many jobs of one run are shown. */
export const mostJobs = 1000;

/**
 * A run with its jobs, or with those that failed. While it is live it is asked for each second: the stream that the node has of it
 * would take one of the six connections that a browser has for all its tabs together.
 */
export function runQuery(job: string, failed = false) {
  return queryOptions({
    queryKey: ['run', job, failed],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/node/jobs/{job_id}', {
          params: { path: { job_id: job }, query: { failed: failed ? 'true' : 'false', limit: mostJobs } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isLive(state.data.run.status) ? 1000 : false),
  });
}
