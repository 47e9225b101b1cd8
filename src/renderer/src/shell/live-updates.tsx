import { type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answered, api, currentNetwork } from '../api/client.ts';

/** What is no content of the node, so that no move of a tip changes it. */
const steady = new Set<unknown>(['session', 'health', 'moves']);

/**
 * Fetches what is shown anew when something on the node has changed, by whomever. It asks for the last move every three
 * seconds: a stream would take one of the six connections that a browser has for all its tabs together.
 */
export function LiveUpdates() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['moves', currentNetwork()],
    queryFn: () => answered(api.GET('/events', { params: { query: { limit: 1, network: currentNetwork() } } })),
    select: ({ events }) => events[0]?.id ?? 0,
    retry: false,
    refetchInterval: 3000,
  });
  const seen = useRef(data);
  useEffect(() => {
    if (seen.current !== undefined && data !== undefined && seen.current !== data) fetchAllAnew(queries);
    seen.current = data ?? seen.current;
  }, [data, queries]);
  return null;
}

/**
 * Whatever is being fetched is given up for what there is now. But a further page that somebody has asked for would not be asked
 * for again, and what is fetched for the first time is not given up: these come first, and are fetched anew after that.
 */
function fetchAllAnew(queries: QueryClient): void {
  const first = queries.getQueryCache().findAll({ predicate: (query) => isContent(query) && comesFirst(query) });
  void queries.invalidateQueries({ predicate: (query) => isContent(query) && !first.includes(query) });
  for (const { promise, queryKey } of first) {
    const anew = () => queries.invalidateQueries({ queryKey, exact: true });
    void promise?.then(anew, anew);
  }
}

function isContent({ queryKey }: Query): boolean {
  return !steady.has(queryKey[0]);
}

function comesFirst({ state: { data, fetchStatus, fetchMeta } }: Query): boolean {
  return fetchStatus === 'fetching' && (data === undefined || fetchMeta?.fetchMore !== undefined);
}
