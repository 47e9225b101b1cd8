import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Direction, DirectionField } from './direction-field.tsx';
import { KeyField } from './key-field.tsx';
import { isRemoteName } from './sync-queries.ts';

/** Makes a remote known: its address, a key, a test of both, and a name. */
export function AddRemote({ open, onClose }: { open: boolean; onClose(): void }) {
  const { t } = useTexts();
  const form = useId();
  const go = useNavigate();
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [direction, setDirection] = useState<Direction | ''>('');
  const [watch, setWatch] = useState(true);
  const name = typed ?? hostOf(url);
  const address = { url: url.trim(), ...(key.trim() ? { key: key.trim() } : {}) };
  const check = useMutation({
    mutationFn: () => answered(api.POST('/node/remotes/check', { body: address })),
  });
  const add = useMutation({
    mutationFn: (body: components['schemas']['AddRemoteBody']) => answered(api.POST('/node/remotes', { body })),
    onSuccess: async (_, sent) => {
      toast(t('sync.added', { name: sent.name }));
      await queries.invalidateQueries({ queryKey: ['sync'] });
    },
  });
  const empty = () => {
    // The key does not stay on the page.
    setKey('');
    setUrl('');
    setTyped(null);
  };
  const close = () => {
    empty();
    check.reset();
    add.reset();
    onClose();
  };
  const badName = typed !== null && typed !== '' && !isRemoteName(typed);
  const ready = url.trim() !== '' && isRemoteName(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check.reset();
    if (!ready || add.isPending) return;
    const added = () => {
      empty();
      void go({ to: '/sync/remotes/$name', params: { name }, ignoreBlocker: true });
    };
    add.mutate({ ...address, name, watch, ...(direction ? { direction } : {}) }, { onSuccess: added });
  };
  const test = () => {
    add.reset();
    check.mutate();
  };
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    check.reset();
    add.reset();
  };
  const failed = check.error ?? add.error;
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={(url !== '' || key !== '' || typed !== null) && 'typed'}
      title={t('sync.add')}
      about={t('sync.addAbout')}
      actions={
        <>
          <Button onClick={test} disabled={url.trim() === '' || check.isPending}>
            {t('sync.test')}
          </Button>
          <Button look="main" type="submit" form={form} disabled={!ready || add.isPending}>
            {t('sync.add')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-3">
        <Field label={t('sync.url')} hint={t('sync.urlAbout')}>
          {(ids) => (
            <Input
              {...ids}
              type="url"
              required
              maxLength={2000}
              placeholder="https://node.example.org"
              value={url}
              onChange={({ target }) => change(setUrl)(target.value)}
            />
          )}
        </Field>
        <KeyField value={key} onChange={change(setKey)} />
        <Field label={t('sync.name')} error={badName ? t('sync.badName') : undefined}>
          {(ids) => <Input {...ids} maxLength={50} value={name} onChange={({ target }) => setTyped(target.value)} />}
        </Field>
        <DirectionField value={direction} usual={t('sync.direction.usual')} onChange={setDirection} />
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={watch}
            onChange={({ target }) => setWatch(target.checked)}
          />
          {t('sync.watch.switch')}
        </label>
        <div aria-live="polite">
          {(check.isPending || add.isPending) && <p className="text-quiet">{t('state.waiting')}</p>}
          {check.data && (
            <p className="flex gap-2 rounded-md bg-good-soft p-3">
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-good" aria-hidden />
              <span>
                {t(check.data.instance === null ? 'sync.testService' : 'sync.testNode')}{' '}
                {check.data.user === null ? t('sync.testNoKey') : t('sync.testUser', { user: check.data.user })}
              </span>
            </p>
          )}
          {failed && <Problem error={failed} />}
        </div>
      </form>
    </Dialog>
  );
}

/** The first part of a host's name, as a name to begin with. */
function hostOf(url: string): string {
  try {
    const { hostname } = new URL(url.trim());
    const [first = ''] = /^[\d.]+$|:/.test(hostname) ? [hostname.replace(/[^\d.]/g, '')] : hostname.split('.');
    return isRemoteName(first) ? first : '';
  } catch {
    return '';
  }
}
