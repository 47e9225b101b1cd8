import { useInfiniteQuery } from '@tanstack/react-query';
import { answered, api } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';

export type DeletedRow = components['schemas']['DeletedRowView'];

const limit = 100;

/** What was deleted in a collection, or with null which collections were, the last first. */
export function useDeleted(collection: string | null) {
  return useInfiniteQuery({
    queryKey: ['deleted', collection],
    queryFn: ({ pageParam, signal }): Promise<components['schemas']['DeletedCollectionsView']> => {
      const query = { offset: pageParam, limit };
      return collection === null
        ? answered(api.GET('/node/collections/deleted', { params: { query }, signal }))
        : answered(api.GET('/node/collections/{id}/deleted', { params: { path: { id: collection }, query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ offset, rows, total }) => {
      const next = offset + rows.length;
      return rows.length > 0 && next < total ? next : undefined;
    },
  });
}
