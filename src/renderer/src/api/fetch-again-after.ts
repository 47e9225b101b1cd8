import type { Query, QueryClient } from '@tanstack/react-query';

/** What is fetched anew as soon as what is under way has come. */
const awaited = new WeakSet<Query>();

/**
 * What is being fetched is not given up, but asked for once more after that: where an answer takes longer than moves are apart none
 * would ever come.
 */
export async function fetchAgainAfter(queries: QueryClient, query: Query): Promise<void> {
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
export async function seeThrough(queries: QueryClient, query: Query): Promise<void> {
  await ended(query);
  if (fetchesMore(query)) await fetchAgainAfter(queries, query);
}

function fetchesMore({ state }: Query): boolean {
  return state.fetchStatus === 'fetching' && state.fetchMeta?.fetchMore !== undefined;
}

/** Resolves when what is being fetched has come, or not. */
async function ended({ promise }: Query): Promise<void> {
  await Promise.resolve(promise).catch(() => undefined);
}
