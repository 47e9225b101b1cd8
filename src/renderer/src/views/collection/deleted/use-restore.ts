import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '../../../components/toasts.tsx';
import { useOnce } from '../../../components/use-once.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { undoing } from '../bulk.ts';
import { type BulkProgress, begun, goThrough } from '../go-through.ts';
import type { DeletedRow } from './deleted-query.ts';

/** Brings entities back, one by one; what could not be restored stays in the list and is told. */
export function useRestore() {
  const { counted } = useTexts();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const once = useOnce();
  const restore = useMutation({
    mutationFn: async (rows: readonly DeletedRow[]) => {
      const deleted = rows.map((row) => ({ row, after: row.cid, deleted: true }));
      const bulk = undoing(deleted, '');
      const { changed, failed, left, halted } = await goThrough(bulk, begun(bulk), {
        onProgress: setProgress,
        stopped: () => false,
      });
      return { changed, failed: [...failed, ...left.map((row) => ({ row, error: halted }))] };
    },
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
    progress: restore.isPending
      ? { done: progress ? progress.changed.length + progress.failed.length : 0, total: restore.variables.length }
      : null,
    failed: restore.data?.failed ?? [],
  };
}
