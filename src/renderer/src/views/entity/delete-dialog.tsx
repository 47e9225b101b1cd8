import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure, sentenceOf } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { versionQuery } from '../history/history-queries.ts';
import { bringBackTyped } from './bring-back.ts';
import { takeDraft } from './draft.ts';
import { type Entity, incomingQuery } from './entity-queries.ts';

interface DeleteDialogProps {
  /** The version that was looked at when it was asked for; null while nobody asks. */
  asked: Entity | null;
  /** The newest version by now. */
  newest: Entity;
  /** Whether somebody has deleted it since. */
  gone: boolean;
  /** Whether something is typed and not saved. */
  typed: boolean;
  collection: string | undefined;
  onClose(): void;
}

/** Asks before an entity is deleted, as it was looked at, and offers the way back afterwards. */
export function DeleteDialog({ asked, newest, gone, typed, collection, onClose }: DeleteDialogProps) {
  const { id, type, ver, cid } = newest;
  const { t, counted } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const close = () => {
    setNote('');
    remove.reset();
    onClose();
  };
  const remove = useMutation({
    mutationFn: (tip: string) =>
      answered(
        api.DELETE('/entities/{id}', {
          params: { path: { id } },
          body: { expect_tip: tip, ...(note.trim() ? { note: note.trim() } : {}) },
        }),
      ),
    onSuccess: (gone) => {
      onClose();
      const putBack = takeDraft(id);
      const back = async () => {
        await bringBackTyped(queries, id, gone.cid, putBack);
        await queries.invalidateQueries();
        await go({ to: '/entities/$id', params: { id } });
      };
      const undo = () =>
        void back().catch((error) => {
          const again = error instanceof Failure && error.kind === 'unreachable';
          toast(t(sentenceOf(error)), again ? { label: t('action.undo'), run: undo } : undefined);
        });
      toast(t('entity.wasDeleted'), { label: t('action.undo'), run: undo });
      void queries.invalidateQueries();
    },
  });
  // What lies in a collection leads to it; that it stays is said.
  const incoming = useInfiniteQuery({ ...incomingQuery(id), enabled: asked !== null && type !== 'collection' });
  const own = newest.relationships.filter(({ peer }) => peer === id).length;
  const others = (incoming.data?.pages[0]?.total ?? 0) - own;
  const leave = () =>
    void (collection
      ? go({ to: '/collections/$id', params: { id: collection }, ignoreBlocker: true })
      : go({ to: '/collections', ignoreBlocker: true }));
  const once = useOnce();
  const conflict = remove.error instanceof Failure && remove.error.kind === 'conflict' ? remove.error : null;
  const deleted = useQuery(versionQuery(conflict?.actual ?? '')).data?.deleted === true || gone;
  // One's own deletion is a version too.
  const overtaken =
    asked !== null && (remove.isIdle || remove.isError) && (conflict !== null || gone || asked.cid !== cid);
  return (
    <Dialog
      open={asked !== null}
      onClose={close}
      unsaved={note !== '' && 'typed'}
      title={t('entity.delete')}
      about={t(type === 'collection' ? 'entity.deleteCollectionAbout' : 'entity.deleteAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="danger"
            onClick={() => asked && once(() => remove.mutateAsync(asked.cid, { onSuccess: leave }))}
            disabled={remove.isPending || overtaken}
          >
            {t('entity.delete')}
          </Button>
        </>
      }
    >
      {overtaken && (
        <div className="mb-3">
          <Notice
            text={deleted ? t('entity.deletedBefore') : t('entity.deleteMoved', { ver: Math.max(ver, asked.ver + 1) })}
          >
            <Button onClick={close}>{t('entity.deleteLook')}</Button>
          </Notice>
        </div>
      )}
      {others > 0 && type !== 'collection' && <p className="mb-3">{counted('entity.deleteIncoming', others)}</p>}
      {typed && <p className="mb-3">{t('entity.deleteTyped')}</p>}
      <Field label={t('save.note')}>
        {(ids) => <Input {...ids} value={note} onChange={({ target }) => setNote(target.value)} />}
      </Field>
      {remove.error && !overtaken && (
        <div className="mt-3">
          <Problem error={remove.error} />
        </div>
      )}
    </Dialog>
  );
}
