import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';

/** What is open with each remote, in numbers that cost the node little: it is asked on every screen. */
export const syncStateQuery = queryOptions({
  queryKey: ['sync', 'state'],
  queryFn: ({ signal }) => answered(api.GET('/node/sync/state', { signal })),
  retry: false,
  refetchInterval: ({ state }) => (state.data?.remotes.some(({ running }) => running) ? 1000 : 5000),
});
