import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { contentOf, updateBetween } from '../entity/model/content.ts';
import { type Version, versionQuery } from './history-queries.ts';

/** A version that is to be restored, and the one that was the newest when that was asked for. */
export interface Restoring {
  version: Version;
  tip: string;
}

interface RestoreDialogProps {
  id: string;
  restoring: Restoring | null;
  /** Whether the newest version says that it was deleted. */
  gone: boolean;
  /** The newest version by now. */
  tip: string | undefined;
  onClose(): void;
  /** Shows what has come since it was asked for. */
  onLook(since: string): void;
}

/** Asks, then makes a new version that says what an old one said; no version between them is lost, or is not looked at. */
export function RestoreDialog({ id, restoring, gone, tip, onClose, onLook }: RestoreDialogProps) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const contentAt = async (cid: string) => contentOf((await queries.fetchQuery(versionQuery(cid))).manifest);
  const restore = useMutation({
    mutationFn: async ({ version, tip }: Restoring) => {
      const params = { path: { id } };
      const wanted = await contentAt(version.cid);
      const back = gone
        ? await answered(api.POST('/entities/{id}/restore', { params, body: { expect_tip: tip } }))
        : null;
      const update = updateBetween(back ? contentOf(back) : await contentAt(tip), wanted);
      if (back && Object.keys(update).length === 0) return back;
      const note = t('history.restoreNote', { ver: version.ver });
      return answered(api.PUT('/entities/{id}', { params, body: { expect_tip: back?.cid ?? tip, note, ...update } }));
    },
    onSuccess: async ({ ver }) => {
      close();
      toast(t('entity.restored', { ver }));
      await queries.invalidateQueries();
    },
  });
  const close = () => {
    restore.reset();
    onClose();
  };
  const once = useOnce();
  const conflict = restore.error instanceof Failure && restore.error.kind === 'conflict';
  const overtaken = restore.isIdle ? tip !== restoring?.tip : conflict;
  return (
    <Dialog
      open={restoring !== null}
      onClose={close}
      title={t('history.restore', { ver: restoring?.version.ver ?? 0 })}
      about={t('history.restoreAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="main"
            disabled={restore.isPending || overtaken}
            onClick={() => restoring && once(() => restore.mutateAsync(restoring))}
          >
            {t('entity.restore')}
          </Button>
        </>
      }
    >
      {restoring && overtaken && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warning-soft px-3 py-2">
          <p className="min-w-48 flex-1">{t('history.moved')}</p>
          <Button
            onClick={() => {
              close();
              onLook(restoring.tip);
            }}
          >
            {t('history.look')}
          </Button>
        </div>
      )}
      {restore.error && !overtaken && <Problem error={restore.error} />}
    </Dialog>
  );
}
