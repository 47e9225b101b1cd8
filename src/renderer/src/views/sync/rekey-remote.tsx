import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Direction, DirectionField } from './direction-field.tsx';
import { KeyField } from './key-field.tsx';
import type { Remote } from './sync-queries.ts';

/** Another key for a remote, or none; the remote is asked whose it is before it takes the place of the one before. */
export function RekeyRemote({ remote, open, onClose }: { remote: Remote; open: boolean; onClose(): void }) {
  const { t } = useTexts();
  const { name, keyed } = remote;
  const form = useId();
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const [direction, setDirection] = useState<Direction | ''>('');
  const set = useMutation({
    mutationFn: (wanted: string | null) =>
      answered(
        api.PUT('/node/remotes/{name}/key', {
          params: { path: { name } },
          body: { key: wanted, ...(wanted !== null && direction ? { direction } : {}) },
        }),
      ),
    onSuccess: async ({ user }) => {
      toast(user === null ? t('sync.keyGone') : t('sync.rekeyed', { user }));
      await queries.invalidateQueries({ queryKey: ['sync'] });
    },
  });
  const close = () => {
    // The key does not stay on the page.
    setKey('');
    set.reset();
    onClose();
  };
  // Not where the dialog was closed meanwhile: another one may be open by then.
  const change = (wanted: string | null) => set.mutate(wanted, { onSuccess: close });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '' && !set.isPending) change(key.trim());
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={key !== '' && 'typed'}
      title={t('sync.rekey')}
      about={t('sync.rekeyAbout')}
      actions={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          {keyed && (
            <Button onClick={() => change(null)} disabled={set.isPending}>
              {t('sync.dropKey')}
            </Button>
          )}
          <Button look="main" type="submit" form={form} disabled={key.trim() === '' || set.isPending}>
            {t('sync.rekey')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-3">
        <KeyField value={key} onChange={setKey} />
        <DirectionField
          value={direction}
          usual={t(keyed ? 'sync.direction.asIs' : 'sync.direction.usual')}
          onChange={setDirection}
        />
      </form>
      {set.error && (
        <div className="mt-3">
          <Problem error={set.error} />
        </div>
      )}
    </Dialog>
  );
}
