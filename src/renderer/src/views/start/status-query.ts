import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';

/** What the node is and holds. It counts everything, so it is not asked at each move. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => answered(api.GET('/node/status')),
  staleTime: 15_000,
});
