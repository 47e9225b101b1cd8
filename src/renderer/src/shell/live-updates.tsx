import { type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answered, api, currentNetwork } from '../api/client.ts';

/** What is no content of the node, so that no move of a tip changes it. */
const steady = new Set<unknown>(['session', 'health', 'moves']);
/**
 * What is not asked for at each move: what takes too long, and is asked for now and then where it is shown
 * (views/start/status-query.ts), and the names of others, of which a screen may show hundreds. They are when they are shown next.
 */
const slow = new Set<unknown>(['status', 'preview']);

/**
 * Fetches what is shown anew when something on the node has changed, by whomever. It asks for the last move every three
 * seconds: a stream would take one of the six connections that a browser has for all its tabs together.
 */
export function LiveUpdates() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['moves'],
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

/** What is fetched anew as soon as what is under way has come. */
const awaited = new WeakSet<Query>();

function fetchAllAnew(queries: QueryClient): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => slow.has(queryKey[0]), refetchType: 'none' });
  const fetched = () => queries.getQueryCache().findAll({ predicate: isContent, fetchStatus: 'fetching' });
  const under = new Set(fetched());
  void queries.invalidateQueries({ predicate: (query) => isContent(query) && !under.has(query) });
  for (const query of fetched()) void (under.has(query) ? fetchAnew(queries, query) : seeThrough(queries, query));
}

/**
 * What is being fetched is not given up, but asked for once more after that: where an answer takes longer than moves are apart none
 * would ever come.
 */
async function fetchAnew(queries: QueryClient, query: Query): Promise<void> {
  if (awaited.has(query)) return;
  awaited.add(query);
  await ended(query);
  while (fetchesMore(query)) await ended(query);
  awaited.delete(query);
  // Where it was given up for another reason, that has asked for it anew by now.
  void queries.invalidateQueries({ predicate: (one) => one === query }, { cancelRefetch: false });
  await seeThrough(queries, query);
}

/** A further page that somebody asks for gives up what is under way, and brings nothing but itself. */
async function seeThrough(queries: QueryClient, query: Query): Promise<void> {
  await ended(query);
  if (fetchesMore(query)) await fetchAnew(queries, query);
}

function fetchesMore({ state }: Query): boolean {
  return state.fetchStatus === 'fetching' && state.fetchMeta?.fetchMore !== undefined;
}

/** Resolves when what is being fetched has come, or not. */
async function ended({ promise }: Query): Promise<void> {
  await Promise.resolve(promise).catch(() => undefined);
}

function isContent({ queryKey }: Query): boolean {
  return !steady.has(queryKey[0]) && !slow.has(queryKey[0]);
}
