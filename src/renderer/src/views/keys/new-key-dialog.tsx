import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy-text.ts';
import { CreateEnd } from '../../components/create-end.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { Moment } from '../../components/moment.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { keysQuery } from './keys-query.ts';

const days = [1, 7, 30, 90, 365] as const;

/** Makes a key and shows it, this once: it is in no list and no cache, and gone with the dialog. */
export function NewKeyDialog({ onClose }: { onClose(): void }) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const [label, setLabel] = useState('');
  const [lasts, setLasts] = useState<number>(90);
  const [copied, setCopied] = useState(false);
  const [byHand, setByHand] = useState(false);
  const shown = useRef<HTMLInputElement>(null);
  const make = useMutation({
    gcTime: 0,
    mutationFn: () =>
      answered(
        api.POST('/users/me/keys', {
          body: { ...(label.trim() ? { label: label.trim() } : {}), expires_in: lasts * 86_400 },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const made = make.data;
  if (made) {
    const copy = async () => {
      const done = await copyText(made.key);
      setCopied(done);
      setByHand(!done);
      if (!done) shown.current?.select();
    };
    const Icon = copied ? Check : Copy;
    return (
      <Dialog
        open
        onClose={onClose}
        unsaved={!copied && 'key'}
        title={t('keys.made')}
        about={t('keys.madeAbout')}
        actions={
          <Button look="main" onClick={onClose}>
            {t('keys.kept')}
          </Button>
        }
      >
        <div className="space-y-3">
          <div className="flex items-center gap-2">
            <Input
              ref={shown}
              readOnly
              aria-label={t('keys.key')}
              value={made.key}
              onFocus={({ target }) => target.select()}
              className="w-full flex-1 font-mono text-xs"
            />
            <Button onClick={() => void copy()}>
              <Icon size={15} aria-hidden />
              {t(copied ? 'action.copied' : 'action.copy')}
            </Button>
          </div>
          {byHand && <p role="alert">{t('action.copyByHand')}</p>}
          <p className="text-quiet">
            {t('keys.goodUntil')} <Moment at={made.expires_at} />
          </p>
          <p className="text-quiet">{t('keys.how')}</p>
          <code className="block rounded bg-sunken px-2 py-1 font-mono text-xs">Authorization: ApiKey uk_…</code>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={make.isPending ? 'key' : label !== '' && 'typed'}
      title={t('keys.new')}
      about={t('keys.newAbout')}
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label={t('column.label')} hint={t('keys.labelAbout')}>
          {(ids) => <Input {...ids} maxLength={100} value={label} onChange={({ target }) => setLabel(target.value)} />}
        </Field>
        <Field label={t('keys.lasts')}>
          {(ids) => (
            <Select {...ids} value={lasts} onChange={({ target }) => setLasts(Number(target.value))}>
              {days.map((count) => (
                <option key={count} value={count}>
                  {t('keys.days', { count, number: number(count) })}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <CreateEnd making={make} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
