import { useQuery, useQueryClient } from '@tanstack/react-query';
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
    if (seen.current !== undefined && data !== undefined && seen.current !== data)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => !steady.has(queryKey[0]) });
    seen.current = data ?? seen.current;
  }, [data, queries]);
  return null;
}
