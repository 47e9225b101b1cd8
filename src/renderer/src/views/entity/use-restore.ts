import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Failure } from '../../api/failure.ts';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { bringBack, manifestOf } from './bring-back.ts';
import { carryOverSame } from './draft.ts';
import { fetchAnew } from './entity-queries.ts';

/**
 * Takes the deletion of an entity back, of which `gone` tells (Failure of kind `gone`); what is typed over what it says then goes on
 * over that version.
 */
export function useRestore(id: string, gone: Failure) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const once = useOnce();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async () => {
      const cid = await bringBack(id, tipOf(gone));
      const { ver } = await manifestOf(cid);
      // Where that fails it is back all the same: the page fetches it again by itself.
      const now = await fetchAnew(queries, id).catch(() => undefined);
      if (now?.cid === cid) carryOverSame(now);
      return ver;
    },
    onSuccess: async (ver) => {
      toast(t('entity.restored', { ver }));
      await queries.invalidateQueries();
    },
  });
  return { restore: () => once(() => mutateAsync()), isPending, error };
}

/** The CID of the deletion. */
function tipOf(gone: Failure): string {
  const { tip } = gone.details;
  return typeof tip === 'string' ? tip : '';
}
