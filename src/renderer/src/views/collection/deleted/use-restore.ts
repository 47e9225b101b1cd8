import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
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
  const stopped = useRef(false);
  const once = useOnce();
  const restore = useMutation({
    mutationFn: async (rows: readonly DeletedRow[]) => {
      stopped.current = false;
      const deleted = rows.map((row) => ({ row, after: row.cid, deleted: true }));
      const bulk = undoing(deleted, '');
      const { changed, failed, left, halted } = await goThrough(bulk, begun(bulk), {
        onProgress: setProgress,
        stopped: () => stopped.current,
      });
      // What was left because somebody stopped it is in the list still.
      const unreached = halted === null ? [] : left.map((row) => ({ row, error: halted }));
      return { changed, failed: [...failed, ...unreached] };
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
    /** Leaves what is not restored yet as it is. */
    stop: () => {
      stopped.current = true;
    },
    /** How many of `total` are done, and why the node is waited for if it is, while it goes on. */
    progress: restore.isPending
      ? {
          done: progress ? progress.changed.length + progress.failed.length : 0,
          total: restore.variables.length,
          waiting: progress?.waiting ?? null,
        }
      : null,
    failed: restore.data?.failed ?? [],
  };
}
