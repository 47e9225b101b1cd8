import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Failure } from '../../api/failure.ts';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { bringBackTyped, manifestOf } from './bring-back.ts';

/** Takes the deletion of an entity back, of which `gone` tells (Failure of kind `gone`). */
export function useRestore(id: string, gone: Failure) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const once = useOnce();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async () => {
      const { ver } = await manifestOf(await bringBackTyped(queries, id, tipOf(gone)));
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
