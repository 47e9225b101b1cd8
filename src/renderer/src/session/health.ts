import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';

/** Whether the node answers: every five seconds, and every second and a half while it does not. */
const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => answered(api.GET('/health')),
  retry: false,
  staleTime: 0,
  refetchInterval: (query) => (query.state.status === 'error' ? 1500 : 5000),
});

export function useHealth() {
  return useQuery(healthQuery);
}
