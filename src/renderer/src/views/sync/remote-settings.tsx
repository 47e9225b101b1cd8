import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { ScopeForm } from './scope-form.tsx';
import { type Remote, remoteQuery } from './sync-queries.ts';
import { WatchSwitch } from './watch-switch.tsx';

const hoursForm = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/;

/** How the node syncs with a remote by itself: whether, in which hours, how fast; and what of it comes. */
export function RemoteSettings({ remote }: { remote: Remote }) {
  const { t } = useTexts();
  const { name, hours, max_kbps } = remote;
  const queries = useQueryClient();
  // What was typed, and nothing else is sent: the rest may have been set elsewhere since.
  const [typed, setTyped] = useState<{ hours?: string; rate?: string }>({});
  const typedHours = typed.hours ?? hours ?? '';
  const typedRate = typed.rate ?? String(max_kbps ?? '');
  const save = useMutation({
    mutationFn: (sent: { hours?: string; rate?: string }) =>
      answered(
        api.PUT('/node/remotes/{name}', {
          params: { path: { name } },
          body: {
            ...(sent.hours === undefined ? {} : { hours: sent.hours.trim() || null }),
            ...(sent.rate === undefined ? {} : { max_kbps: sent.rate.trim() === '' ? null : Number(sent.rate) }),
          },
        }),
      ),
    onSuccess: (set, sent) => {
      queries.setQueryData(remoteQuery(name).queryKey, set);
      // What was typed while it was saved is not saved yet, and stays.
      setTyped((now) => ({
        ...(now.hours === undefined || now.hours === sent.hours ? {} : { hours: now.hours }),
        ...(now.rate === undefined || now.rate === sent.rate ? {} : { rate: now.rate }),
      }));
      toast(t('sync.settingsSaved'));
    },
  });
  const badHours = typedHours.trim() !== '' && !hoursForm.test(typedHours.trim());
  const badRate = typedRate.trim() !== '' && !(Number.isInteger(Number(typedRate)) && Number(typedRate) >= 8);
  const changed = typedHours.trim() !== (hours ?? '') || typedRate.trim() !== String(max_kbps ?? '');
  useUnsaved(changed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!badHours && !badRate && changed) save.mutate(typed);
  };
  return (
    <section aria-labelledby="remote-settings" className="space-y-4">
      <h2 id="remote-settings" className="text-base font-semibold">
        {t('sync.settings')}
      </h2>
      <div>
        <WatchSwitch remote={remote} />
        <p className="mt-1 text-xs text-quiet">{t('sync.watch.about')}</p>
      </div>
      <form onSubmit={submit} className="space-y-3">
        <Field label={t('sync.hours')} hint={t('sync.hoursAbout')} error={badHours ? t('sync.badHours') : undefined}>
          {(ids) => (
            <Input
              {...ids}
              placeholder="22-6"
              maxLength={5}
              value={typedHours}
              onChange={({ target }) => setTyped({ ...typed, hours: target.value })}
            />
          )}
        </Field>
        <Field label={t('sync.rate')} hint={t('sync.rateAbout')} error={badRate ? t('sync.badRate') : undefined}>
          {(ids) => (
            <Input
              {...ids}
              inputMode="numeric"
              maxLength={9}
              value={typedRate}
              onChange={({ target }) => setTyped({ ...typed, rate: target.value })}
            />
          )}
        </Field>
        <Button type="submit" disabled={!changed || badHours || badRate || save.isPending}>
          {t('save.save')}
        </Button>
        {save.error && <Problem error={save.error} />}
      </form>
      {remote.direction !== 'push' && <ScopeForm remote={remote} />}
    </section>
  );
}
