import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { CreateEnd } from '../../components/create-end.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';

const all = { agent: '/agents/{id}/keys', klados: '/kladoi/{id}/keys' } as const;
const single = { agent: '/agents/{id}/keys/{prefix}', klados: '/kladoi/{id}/keys/{prefix}' } as const;

/** The keys with which a processor comes back to the node: made, shown once, revoked. */
export function KeysPanel({ id, kind }: { id: string; kind: 'agent' | 'klados' }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<string>();
  const queryKey = ['processor-keys', id];
  const again = () => queries.invalidateQueries({ queryKey });
  const keys = useQuery({
    queryKey,
    queryFn: ({ signal }) => answered(api.GET(all[kind], { params: { path: { id } }, signal })),
  });
  const revoke = useMutation({
    mutationFn: (prefix: string) => answered(api.DELETE(single[kind], { params: { path: { id, prefix } } })),
    onSuccess: (_, prefix) => setRevoking((old) => (old === prefix ? undefined : old)),
    onSettled: again,
  });
  const askAbout = (prefix: string | undefined) => {
    // What went wrong with another key is not said of this one.
    revoke.reset();
    setRevoking(prefix);
  };
  return (
    <section aria-labelledby="processor-keys" className="space-y-2">
      <div className="flex items-center justify-between">
        <h2 id="processor-keys" className="text-base font-semibold">
          {t('processorKeys.title')}
        </h2>
        <Button onClick={() => setMaking(true)}>
          <KeyRound size={14} aria-hidden />
          {t('processorKeys.make')}
        </Button>
      </div>
      <p className="text-quiet">{t('processorKeys.about')}</p>
      {keys.isPending && <Waiting />}
      {keys.error && <Problem error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && keys.data.keys.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {keys.data.keys.map(({ id: key, prefix, label, expires_at, last_used_at }) => (
            <li key={key} className="flex items-center gap-2 py-1.5">
              <div className="min-w-0 flex-1">
                <p className="truncate">
                  <code className="font-mono text-xs">{prefix}…</code> <bdi>{label}</bdi>
                </p>
                <p className="text-xs text-quiet">
                  {last_used_at ? (
                    <>
                      {t('processorKeys.used')} <Moment at={last_used_at} />
                    </>
                  ) : (
                    t('processorKeys.unused')
                  )}
                  {expires_at && (
                    <>
                      {' · '}
                      {t('processorKeys.until')} <Moment at={expires_at} day />
                    </>
                  )}
                </p>
              </div>
              <Button small onClick={() => askAbout(prefix)} aria-label={t('processorKeys.revokeOne', { prefix })}>
                {t('keys.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NewKey id={id} kind={kind} open={making} onClose={() => setMaking(false)} onMade={() => void again()} />
      <Dialog
        open={revoking !== undefined}
        onClose={() => askAbout(undefined)}
        title={t('processorKeys.revokeOne', { prefix: revoking ?? '' })}
        about={t('processorKeys.revokeAbout')}
        actions={
          <>
            <Button onClick={() => askAbout(undefined)}>{t('action.cancel')}</Button>
            <Button look="danger" disabled={revoke.isPending} onClick={() => revoking && revoke.mutate(revoking)}>
              {t('keys.revoke')}
            </Button>
          </>
        }
      >
        {revoke.error && <Problem error={revoke.error} />}
      </Dialog>
    </section>
  );
}

interface NewKeyProps {
  id: string;
  kind: 'agent' | 'klados';
  open: boolean;
  onClose(): void;
  onMade(): void;
}

function NewKey({ id, kind, open, onClose, onMade }: NewKeyProps) {
  const { t } = useTexts();
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('365');
  const [copied, setCopied] = useState(false);
  const make = useMutation({
    gcTime: 0,
    mutationFn: () =>
      answered(
        api.POST(all[kind], {
          params: { path: { id } },
          body: { expires_in_days: Number(days), ...(label.trim() ? { label: label.trim() } : {}) },
        }),
      ),
    onSuccess: onMade,
  });
  const close = () => {
    make.reset();
    setLabel('');
    setCopied(false);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={make.data || make.isPending ? !copied && 'key' : label !== '' && 'typed'}
      title={t('processorKeys.make')}
      about={t(make.data ? 'processorKeys.once' : 'processorKeys.about')}
    >
      {make.data ? (
        <div className="space-y-4">
          <div className="rounded-md bg-sunken p-3">
            <Copied text={make.data.key} whole className="break-all" onCopied={() => setCopied(true)} />
          </div>
          <div className="flex justify-end">
            <Button look="main" onClick={close}>
              {t('keys.kept')}
            </Button>
          </div>
        </div>
      ) : (
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            make.mutate();
          }}
        >
          <Field label={t('processorKeys.label')}>
            {(ids) => (
              <Input {...ids} maxLength={100} value={label} onChange={({ target }) => setLabel(target.value)} />
            )}
          </Field>
          <Field label={t('processorKeys.days')}>
            {(ids) => (
              <Input
                {...ids}
                type="number"
                required
                min={1}
                max={365}
                value={days}
                onChange={({ target }) => setDays(target.value)}
                className="w-28"
              />
            )}
          </Field>
          <CreateEnd making={make} onCancel={close} />
        </form>
      )}
    </Dialog>
  );
}
