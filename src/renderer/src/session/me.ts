import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';

/** Whoever is signed in, as the user of the network that is shown. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answered(api.GET('/users/me')),
});
