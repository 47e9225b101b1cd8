import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '../../../components/toasts.tsx';
import { useOnce } from '../../../components/use-once.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { type BulkProgress, undoAll } from '../bulk.ts';
import type { DeletedRow } from './deleted-query.ts';

/** Brings entities back, one by one; what could not be restored stays in the list and is told. */
export function useRestore() {
  const { counted } = useTexts();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const once = useOnce();
  const restore = useMutation({
    mutationFn: (rows: readonly DeletedRow[]) =>
      undoAll(
        rows.map((row) => ({ row, after: row.cid, deleted: true })),
        '',
        { onProgress: setProgress, stopped: () => false },
      ),
    onSuccess: async ({ changed }) => {
      if (changed.length > 0) toast(counted('deleted.restored', changed.length));
      await queries.invalidateQueries();
    },
    onSettled: () => setProgress(null),
  });
  return {
    run: (rows: readonly DeletedRow[]) => {
      if (rows.length > 0) once(() => restore.mutateAsync(rows));
    },
    busy: restore.isPending,
    /** How many of `total` are done, while it goes on. */
    progress: restore.isPending ? { done: progress?.done ?? 0, total: restore.variables.length } : null,
    failed: restore.data?.failed ?? [],
  };
}
