import { type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { answered, api, currentNetwork } from '../api/client.ts';
import { fetchAgainAfter, seeThrough } from '../api/fetch-again-after.ts';
import { Waiting } from '../components/waiting.tsx';

/** What is no content of the node, so that no move of a tip changes it. */
const steady = new Set<unknown>(['session', 'health', 'moves']);
/**
 * What is not asked for at each move: what takes too long, and is asked for now and then where it is shown
 * (views/start/status-query.ts), and the names of others, of which a screen may show hundreds. They are when they are shown next.
 */
const slow = new Set<unknown>(['status', 'preview']);

/**
 * Fetches what is shown anew when something on the node has changed, by whomever. It asks for the last move every three
 * seconds: a stream would take one of the six connections that a browser has for all its tabs together. What is in it comes
 * once that is known for the first time: of what it asked for before, nobody could tell whether it is older. Where the answer fails
 * it comes, and stays, all the same.
 */
export function LiveUpdates({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const { data, isFetched, errorUpdateCount } = useQuery({
    queryKey: ['moves'],
    queryFn: () => answered(api.GET('/events', { params: { query: { limit: 1, network: currentNetwork() } } })),
    select: ({ events }) => events[0]?.id ?? 0,
    retry: false,
    refetchInterval: 3000,
  });
  const seen = useRef(data);
  useEffect(() => {
    if (data === undefined || data === seen.current) return;
    const wasShown = seen.current !== undefined || errorUpdateCount > 0;
    seen.current = data;
    if (wasShown) fetchAllAnew(queries);
  }, [data, errorUpdateCount, queries]);
  // A query that has no data yet is pending anew with each time it is asked.
  return isFetched ? children : <Waiting />;
}

function fetchAllAnew(queries: QueryClient): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => slow.has(queryKey[0]), refetchType: 'none' });
  const fetched = () => queries.getQueryCache().findAll({ predicate: isContent, fetchStatus: 'fetching' });
  const under = new Set(fetched());
  void queries.invalidateQueries({ predicate: (query) => isContent(query) && !under.has(query) });
  for (const query of fetched()) void (under.has(query) ? fetchAgainAfter(queries, query) : seeThrough(queries, query));
}

function isContent({ queryKey }: Query): boolean {
  return !steady.has(queryKey[0]) && !slow.has(queryKey[0]);
}
