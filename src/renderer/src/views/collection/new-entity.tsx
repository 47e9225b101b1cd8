import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { CreateEnd } from '../../components/create-end.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useMadeOnce } from '../../components/use-made-once.ts';
import { useTexts } from '../../messages/texts.tsx';

interface NewEntityProps {
  collection: string;
  /** Types that are there already. */
  types: readonly string[];
  open: boolean;
  onClose(): void;
}

/** Asks for a type and a name, makes the entity in the collection and goes to it. */
export function NewEntity({ collection, types, open, onClose }: NewEntityProps) {
  const { t } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const known = useId();
  const [type, setType] = useState('');
  const [label, setLabel] = useState('');
  const { idFor, forget, isAwaited } = useMadeOnce();
  const show = (id: string, ignoreBlocker: boolean) => void go({ to: '/entities/$id', params: { id }, ignoreBlocker });
  /** Whoever has closed the dialog meanwhile is told that it was made all the same. */
  const tell = ({ id }: { id: string }) => {
    if (!isAwaited(id)) toast(t('entity.made'), { label: t('list.open'), run: () => show(id, false) });
  };
  const create = useMutation({
    mutationFn: async () => {
      const body = { type: type.trim(), collection, properties: label.trim() ? { label: label.trim() } : {} };
      return answered(api.POST('/entities', { body: { id: await idFor(body), ...body } }));
    },
    onSuccess: (made) => {
      tell(made);
      void queries.invalidateQueries({ queryKey: ['table'] });
      void queries.invalidateQueries({ queryKey: ['facets'] });
    },
  });
  // The type is often that of the next one, too.
  const close = () => {
    setLabel('');
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
      unsaved={label !== '' && 'typed'}
      title={t('entity.new')}
      about={t('entity.newAbout')}
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (type.trim()) create.mutate(undefined, { onSuccess: look });
        }}
      >
        <Field label={t('column.type')} hint={t('entity.typeAbout')}>
          {(ids) => (
            <>
              <Input
                {...ids}
                required
                maxLength={100}
                list={known}
                value={type}
                onChange={({ target }) => setType(target.value)}
              />
              <datalist id={known}>
                {types.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label={t('column.label')}>
          {(ids) => <Input {...ids} value={label} onChange={({ target }) => setLabel(target.value)} />}
        </Field>
        <CreateEnd making={create} ready={type.trim() !== ''} onCancel={close} />
      </form>
    </Dialog>
  );
}
