import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Remote } from './sync-queries.ts';

/** Asks before a remote is forgotten, and says what stays and what does not. */
export function RemoveRemote({
  remote: { name, mirrored, pending, conflicts },
  open,
  onClose,
}: {
  remote: Remote;
  open: boolean;
  onClose(): void;
}) {
  const { t, number, counted } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/node/remotes/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      toast(t('sync.removed', { name }));
      void queries.invalidateQueries({ queryKey: ['sync'] });
    },
  });
  const close = () => {
    // What is under way is told all the same.
    if (!remove.isPending) remove.reset();
    onClose();
  };
  const submit = () => {
    const removed = async () => {
      onClose();
      await go({ to: '/sync', ignoreBlocker: true });
      queries.removeQueries({ queryKey: ['sync', 'remote', name] });
    };
    remove.mutate(undefined, { onSuccess: () => void removed() });
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t('sync.removeTitle', { name })}
      about={t('sync.removeAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button look="danger" onClick={submit} disabled={remove.isPending}>
            {t('sync.remove')}
          </Button>
        </>
      }
    >
      <dl className="space-y-2">
        <dt className="font-medium">{t('sync.stays')}</dt>
        <dd className="text-quiet">{t('sync.staysHere', { count: mirrored, number: number(mirrored) })}</dd>
        {conflicts > 0 && <dd className="text-warning">{counted('sync.staysConflicts', conflicts)}</dd>}
        <dd className="text-quiet">{t('sync.staysThere')}</dd>
        <dt className="font-medium">{t('sync.goes')}</dt>
        <dd className="text-quiet">{t('sync.goesKey')}</dd>
        {pending > 0 && (
          <dd className="text-warning">{t('sync.goesPending', { count: pending, number: number(pending) })}</dd>
        )}
      </dl>
      {remove.error && (
        <div className="mt-3">
          <Problem error={remove.error} />
        </div>
      )}
    </Dialog>
  );
}
