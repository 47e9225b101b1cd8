import { queryOptions } from '@tanstack/react-query';
import { endOf } from '../../../api/answer-lines.ts';
import { answered, api } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';

export type Made = components['schemas']['ImportMadeView'];
export type Undone = components['schemas']['UndoneView'];
export type UndoProgress = components['schemas']['UndoProgressView'];

/** What is left of what an import made. */
export const madeQuery = (id: string) =>
  queryOptions({
    queryKey: ['import-made', id],
    queryFn: () => answered(api.GET('/node/imports/{id}/made', { params: { path: { id } } })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.import.state === 'open' ? 5000 : false),
  });

/** Whether what an import made has all been deleted. Of one that made nothing but its collection, that tells. */
export function isUndone({ import: { collection, counts }, made, untouched, changed }: Made): boolean {
  return (
    (made > 0 || (collection?.created === true && collection.deleted && counts.updated === 0)) &&
    untouched + changed === 0
  );
}

/** The newest hundred imports. */
export const importsQuery = queryOptions({
  queryKey: ['imports'],
  queryFn: () => answered(api.GET('/node/imports')),
  // That one has begun, or ended, moves nothing.
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.imports.some((one) => one.state === 'open') ? 5000 : false),
});

/** Deletes what an import made. @throws Failure; what has been deleted by then stays so, and asking again goes on */
export function undoImport(
  id: string,
  signal: AbortSignal,
  onProgress: (progress: UndoProgress) => void,
): Promise<Undone> {
  return endOf<UndoProgress, Undone>(
    api.POST('/node/imports/{id}/undo', { params: { path: { id } }, parseAs: 'stream', signal }),
    onProgress,
  );
}
