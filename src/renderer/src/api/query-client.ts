import { hashKey, notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query';
import { currentNetwork, onNoAnswer, onSignedOut } from './client.ts';
import { Failure } from './failure.ts';

/** Only what may be otherwise in a moment is asked again. */
function retry(count: number, error: Error): boolean {
  return error instanceof Failure && (error.kind === 'unreachable' || error.status === 503) && count < 2;
}

/** What is the same on both networks. */
const ofBoth = new Set<unknown>(['session', 'health']);

/** What one network has answered is nothing of the other: which one it is says the address, also on the way back. */
function ofNetwork(key: QueryKey): string {
  return ofBoth.has(key[0]) ? hashKey(key) : `${currentNetwork()} ${hashKey(key)}`;
}

/** The node is on this machine, mostly: that the browser believes itself offline says nothing about it. */
export function createQueryClient(): QueryClient {
  // A second click of a pair that waits its turn comes before any timer: by then its button has to say that the first one counts.
  notifyManager.setScheduler(queueMicrotask);
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        queryKeyHashFn: ofNetwork,
        retry,
        retryDelay: (count) => 300 * 2 ** count,
        staleTime: 10_000,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  onSignedOut(() => client.invalidateQueries({ queryKey: ['session'] }));
  onNoAnswer(() => client.invalidateQueries({ queryKey: ['health'] }, { cancelRefetch: false }));
  return client;
}
