import { infiniteQueryOptions } from '@tanstack/react-query';
import { answered, api } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';

export type DeletedRow = components['schemas']['DeletedRowView'];

const pageSize = 100;

/** What was deleted in a collection, the last first. */
export function deletedQuery(collection: string) {
  return infiniteQueryOptions({
    queryKey: ['deleted', collection],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/collections/{id}/deleted', {
          params: { path: { id: collection }, query: { offset: pageParam, limit: pageSize } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ offset, rows, total }) => {
      const next = offset + rows.length;
      return rows.length > 0 && next < total ? next : undefined;
    },
  });
}
