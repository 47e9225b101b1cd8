import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

/** An entity with what leads from it and to it. */
export type Expansion = components['schemas']['GraphEntityView'];
export type Path = components['schemas']['PathView'];

/** So many relationships a path has at most, and so many paths are asked for. */
export const longestPath = 4;
const mostPaths = 50;

export function expansionQuery(id: string, most: number) {
  return queryOptions({
    queryKey: ['graph', id, most],
    queryFn: ({ signal }) =>
      answered<Expansion>(
        api.GET('/graph/entity/{id}', { params: { path: { id }, query: { expand: 'none', limit: most } }, signal }),
      ),
    staleTime: 60_000,
  });
}

/** The ways from one entity to another, shortest first, whatever way their relationships go. */
export function pathsQuery(from: string | undefined, to: string | undefined) {
  return queryOptions({
    queryKey: ['paths', from ?? null, to ?? null],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/graph/paths', {
          params: { query: { expand: 'none' } },
          body: { source_ids: [from ?? ''], target_ids: [to ?? ''], max_depth: longestPath, limit: mostPaths },
          signal,
        }),
      ),
    enabled: from !== undefined && to !== undefined && from !== to,
    staleTime: 60_000,
  });
}
