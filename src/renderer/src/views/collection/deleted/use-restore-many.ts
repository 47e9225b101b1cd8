import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '../../../components/toasts.tsx';
import { useOnce } from '../../../components/use-once.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { useUnsaved } from '../../../session/unsaved.ts';
import { undoing } from '../bulk.ts';
import { type BulkProgress, begun, goThrough } from '../go-through.ts';
import { useStop } from '../use-stop.ts';
import type { DeletedRow } from './deleted-query.ts';

/** Brings entities back, one by one; what could not be restored stays in the list and is told. It ends with its screen. */
export function useRestoreMany() {
  const { counted } = useTexts();
  const queries = useQueryClient();
  /** null while nothing is under way. */
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const { stop, isStopped, begin } = useStop();
  useUnsaved(progress !== null, 'bulk');
  const once = useOnce();
  const restore = useMutation({
    mutationFn: async (rows: readonly DeletedRow[]) => {
      begin();
      const deleted = rows.map((row) => ({ row, after: row.cid, deleted: true }));
      const bulk = undoing(deleted, '');
      setProgress(begun(bulk));
      const { changed, failed, left, halted } = await goThrough(bulk, begun(bulk), {
        onProgress: setProgress,
        stopped: isStopped,
      });
      setProgress(null);
      // What was left because somebody stopped it is in the list still.
      const unreached = halted === null ? [] : left.map((row) => ({ row, error: halted }));
      return { changed, failed: [...failed, ...unreached] };
    },
    onSuccess: async ({ changed }) => {
      if (changed.length > 0) toast(counted('deleted.restored', changed.length));
      await queries.invalidateQueries();
    },
  });
  return {
    run: (rows: readonly DeletedRow[]) => {
      if (rows.length > 0) once(() => restore.mutateAsync(rows));
    },
    busy: restore.isPending,
    /** Leaves what is not restored yet as it is. */
    stop,
    /** How many of `total` are done, and why the node is waited for if it is, while it goes on. */
    progress: progress && {
      done: progress.changed.length + progress.failed.length,
      total: restore.variables?.length ?? 0,
      waiting: progress.waiting,
    },
    failed: restore.data?.failed ?? [],
  };
}
