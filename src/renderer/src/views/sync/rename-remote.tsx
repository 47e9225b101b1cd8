import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { isRemoteName, remoteQuery } from './sync-queries.ts';

interface RenameRemoteProps {
  name: string;
  open: boolean;
  /** Told before its screen is gone to, which is the one that is shown. */
  onRenamed(to: string): void;
  onClose(): void;
}

/** Gives a remote another name, and says what stays. */
export function RenameRemote({ name, open, onRenamed, onClose }: RenameRemoteProps) {
  const { t } = useTexts();
  const form = useId();
  const go = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const rename = useMutation({
    mutationFn: (to: string) =>
      answered(api.POST('/node/remotes/{name}/rename', { params: { path: { name } }, body: { name: to } })),
    onSuccess: (remote, to) => {
      toast(t('sync.renamed', { name: to }));
      queries.setQueryData(remoteQuery(to).queryKey, remote);
      void queries.invalidateQueries({ queryKey: ['sync'] });
    },
  });
  const close = () => {
    setTyped(name);
    // What is under way is told all the same.
    if (!rename.isPending) rename.reset();
    onClose();
  };
  const fits = isRemoteName(typed) && typed !== name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!fits || rename.isPending) return;
    const look = () => {
      setTyped(typed);
      onClose();
      onRenamed(typed);
      void go({ to: '/sync/remotes/$name', params: { name: typed }, replace: true, ignoreBlocker: true });
    };
    rename.mutate(typed, { onSuccess: look });
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={typed !== name && 'typed'}
      title={t('sync.rename')}
      about={t('sync.renameAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button look="main" type="submit" form={form} disabled={!fits || rename.isPending}>
            {t('sync.rename')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Field label={t('sync.name')} error={isRemoteName(typed) ? undefined : t('sync.badName')}>
          {(ids) => <Input {...ids} maxLength={50} value={typed} onChange={({ target }) => setTyped(target.value)} />}
        </Field>
      </form>
      {rename.error && (
        <div className="mt-3">
          <Problem error={rename.error} />
        </div>
      )}
    </Dialog>
  );
}
