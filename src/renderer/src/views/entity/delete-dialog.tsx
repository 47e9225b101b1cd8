import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure, sentenceOf } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { bringBack } from './bring-back.ts';
import type { Entity } from './entity-queries.ts';

interface DeleteDialogProps {
  entity: Entity;
  collection: string | undefined;
  open: boolean;
  onClose(): void;
}

/** Asks before an entity is deleted, and offers the way back afterwards. */
export function DeleteDialog({ entity: { id, cid, type }, collection, open, onClose }: DeleteDialogProps) {
  const { t } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const close = () => {
    setNote('');
    onClose();
  };
  const remove = useMutation({
    mutationFn: () =>
      answered(
        api.DELETE('/entities/{id}', {
          params: { path: { id } },
          body: { expect_tip: cid, ...(note.trim() ? { note: note.trim() } : {}) },
        }),
      ),
    onSuccess: async (gone) => {
      onClose();
      const back = async () => {
        await bringBack(id, gone.cid);
        await queries.invalidateQueries();
        await go({ to: '/entities/$id', params: { id } });
      };
      const undo = () =>
        void back().catch((error) => {
          const again = error instanceof Failure && error.kind === 'unreachable';
          toast(t(sentenceOf(error)), again ? { label: t('action.undo'), run: undo } : undefined);
        });
      toast(t('entity.wasDeleted'), { label: t('action.undo'), run: undo });
      if (collection) await go({ to: '/collections/$id', params: { id: collection }, ignoreBlocker: true });
      else await go({ to: '/collections', ignoreBlocker: true });
      void queries.invalidateQueries();
    },
  });
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={note !== '' && 'typed'}
      title={t('entity.delete')}
      about={t(type === 'collection' ? 'entity.deleteCollectionAbout' : 'entity.deleteAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button look="danger" onClick={() => remove.mutate()} disabled={remove.isPending}>
            {t('entity.delete')}
          </Button>
        </>
      }
    >
      <Field label={t('save.note')}>
        {(ids) => <Input {...ids} maxLength={500} value={note} onChange={({ target }) => setNote(target.value)} />}
      </Field>
      {remove.error && (
        <div className="mt-3">
          <Problem error={remove.error} />
        </div>
      )}
    </Dialog>
  );
}
