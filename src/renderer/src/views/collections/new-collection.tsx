import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { CreateEnd } from '../../components/create-end.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input, TextArea } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useMadeOnce } from '../../components/use-made-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { collectionsKey } from './collections-query.ts';

/** Asks for a name, makes the collection and goes to it. */
export function NewCollection({ open, onClose }: { open: boolean; onClose(): void }) {
  const { t } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const [label, setLabel] = useState('');
  const [description, setDescription] = useState('');
  const { idFor, forget, isAwaited } = useMadeOnce();
  const show = (id: string, ignoreBlocker: boolean) =>
    void go({ to: '/collections/$id', params: { id }, ignoreBlocker });
  /** Whoever has closed the dialog meanwhile is told that it was made all the same. */
  const tell = ({ id }: { id: string }) => {
    if (!isAwaited(id)) toast(t('collections.made'), { label: t('list.open'), run: () => show(id, false) });
  };
  const create = useMutation({
    mutationFn: async () => {
      const body = { label: label.trim(), ...(description && { description: description.trim() }) };
      return answered(api.POST('/collections', { body: { id: await idFor(body), ...body } }));
    },
    onSuccess: (made) => {
      tell(made);
      void queries.invalidateQueries({ queryKey: collectionsKey });
    },
  });
  const close = () => {
    setLabel('');
    setDescription('');
    forget();
    create.reset();
    onClose();
  };
  const look = ({ id }: { id: string }) => {
    close();
    show(id, true);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={(label !== '' || description !== '') && 'typed'}
      title={t('collections.new')}
      about={t('collections.newAbout')}
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim()) create.mutate(undefined, { onSuccess: look });
        }}
      >
        <Field label={t('column.label')}>
          {(ids) => <Input {...ids} required value={label} onChange={({ target }) => setLabel(target.value)} />}
        </Field>
        <Field label={t('collections.description')}>
          {(ids) => (
            <TextArea {...ids} rows={3} value={description} onChange={({ target }) => setDescription(target.value)} />
          )}
        </Field>
        <CreateEnd making={create} ready={label.trim() !== ''} onCancel={close} />
      </form>
    </Dialog>
  );
}
