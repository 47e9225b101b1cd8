import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { versionQuery } from './history-queries.ts';
import { type Restoring, restoreVersion } from './restore-version.ts';

interface RestoreDialogProps {
  id: string;
  restoring: Restoring;
  /** The newest version by now. */
  tip: string | undefined;
  onClose(): void;
  /** Shows what has come since it was asked for. */
  onLook(since: string): void;
}

/** Asks, then makes a new version that says what an old one said; no version between them is lost, or is not looked at. */
export function RestoreDialog({ id, restoring, tip, onClose, onLook }: RestoreDialogProps) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: (wanted: Restoring) =>
      restoreVersion(id, wanted, t('history.restoreNote', { ver: wanted.version.ver })),
    onSuccess: (ver) => {
      toast(t('entity.restored', { ver }));
      void queries.invalidateQueries();
    },
  });
  const once = useOnce();
  const deleted = useQuery(versionQuery(restoring.version.cid)).data?.deleted === true;
  const conflict = restore.error instanceof Failure && restore.error.kind === 'conflict';
  const overtaken = restore.isIdle ? tip !== restoring.tip : conflict;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('history.restore', { ver: restoring.version.ver })}
      about={t(deleted ? 'history.deletion' : 'history.restoreAbout')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            look="main"
            autoFocus
            disabled={restore.isPending || overtaken || deleted}
            // Not where the dialog was closed meanwhile: that of another version may be open by then.
            onClick={() => once(() => restore.mutateAsync(restoring, { onSuccess: onClose }))}
          >
            {t('entity.restore')}
          </Button>
        </>
      }
    >
      {overtaken && (
        <Notice text={t('history.moved', { ver: restoring.version.ver })}>
          <Button
            onClick={() => {
              onClose();
              onLook(restoring.tip);
            }}
          >
            {t('history.look')}
          </Button>
        </Notice>
      )}
      {restore.error && !overtaken && <Problem error={restore.error} />}
    </Dialog>
  );
}
