import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';

/** What the node is and holds. It counts everything, so it is asked now and then and not at each move (shell/live-updates.tsx). */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => answered(api.GET('/node/status')),
  staleTime: 15_000,
  refetchInterval: 15_000,
});
