import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Progress } from 'radix-ui';
import { useRef, useState } from 'react';
import { sentenceOf } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { numberOf } from '../entity/model/kinds.ts';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import type { Peer } from '../entity/relationships/peer-query.ts';
import { type BulkChange, type BulkProgress, changeAll } from './bulk.ts';
import type { Selection } from './selection.ts';

interface BulkDialogProps {
  collection: string;
  selection: Selection;
  /** Names that can be chosen from. */
  properties: readonly string[];
  open: boolean;
  onClose(): void;
}

const predicatePattern = /^[a-z][a-z0-9_]{0,49}$/;

/** One change for all that is selected: a property, a relationship, or their deletion. Each becomes a version of its own. */
export function BulkDialog({ collection, selection, properties, open, onClose }: BulkDialogProps) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const [kind, setKind] = useState<BulkChange['kind']>('set');
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [as, setAs] = useState<'text' | 'number' | 'boolean'>('text');
  const [peer, setPeer] = useState<Peer | null>(null);
  const [note, setNote] = useState('');
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [busy, setBusy] = useState(false);
  const stop = useRef(false);
  const change = changeOf();

  function changeOf(): BulkChange | null {
    if (kind === 'delete') return { kind };
    if (name.trim() === '') return null;
    if (kind === 'remove') return { kind, name: name.trim() };
    if (kind === 'relate') return peer && predicatePattern.test(name) ? { kind, predicate: name, peer } : null;
    const typed = as === 'number' ? numberOf(value) : as === 'boolean' ? value === 'true' : value;
    return typed === null ? null : { kind, name: name.trim(), value: typed };
  }

  const run = async () => {
    if (!change) return;
    stop.current = false;
    setBusy(true);
    const result = await changeAll(selection.rows, change, note, setProgress, () => stop.current);
    setBusy(false);
    void queries.invalidateQueries();
    if (result.failed.length > 0) return;
    toast(t('bulk.done', { count: result.done, number: number(result.done) }));
    close();
  };
  const close = () => {
    stop.current = true;
    setProgress(null);
    selection.clear();
    onClose();
  };
  const total = selection.size;
  return (
    <Dialog
      open={open}
      onClose={progress ? close : onClose}
      title={t('bulk.title', { count: total, number: number(total) })}
      about={t('bulk.about')}
      actions={
        <>
          <Button onClick={progress ? close : onClose}>
            {t(busy ? 'bulk.stop' : progress ? 'dialog.close' : 'action.cancel')}
          </Button>
          <Button
            look={kind === 'delete' ? 'danger' : 'main'}
            disabled={!change || busy || progress !== null}
            onClick={() => void run()}
          >
            {t(`bulk.${kind}`)}
          </Button>
        </>
      }
    >
      {progress ? (
        <div className="space-y-3">
          <Progress.Root
            value={progress.done}
            max={total}
            aria-label={t('bulk.progress')}
            className="h-2 overflow-hidden rounded-full bg-sunken"
          >
            <Progress.Indicator className="h-full bg-accent" style={{ width: `${(progress.done / total) * 100}%` }} />
          </Progress.Root>
          <p role="status">{t('bulk.ofAll', { done: progress.done, total })}</p>
          {progress.failed.length > 0 && (
            <div role="alert" className="rounded-md bg-danger-soft p-3">
              <p className="font-medium">
                {t('bulk.failed', { count: progress.failed.length, number: number(progress.failed.length) })}
              </p>
              <ul className="mt-1 max-h-60 list-disc overflow-auto pl-5">
                {progress.failed.map(({ row, error }) => (
                  <li key={row.id}>
                    <Link to="/entities/$id" params={{ id: row.id }} className="underline">
                      <bdi>{row.label ?? row.id}</bdi>
                    </Link>
                    : {t(sentenceOf(error))}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
      ) : (
        <div className="space-y-3">
          <Field label={t('bulk.what')}>
            {(ids) => (
              <Select {...ids} value={kind} onChange={({ target }) => setKind(target.value as BulkChange['kind'])}>
                {(['set', 'remove', 'relate', 'delete'] as const).map((one) => (
                  <option key={one} value={one}>
                    {t(`bulk.${one}`)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {kind !== 'delete' && (
            <Field label={t(kind === 'relate' ? 'relationship.predicate' : 'bulk.property')}>
              {(ids) => (
                <>
                  <Input {...ids} list="bulk-names" value={name} onChange={({ target }) => setName(target.value)} />
                  <datalist id="bulk-names">
                    {kind !== 'relate' && properties.map((one) => <option key={one} value={one} />)}
                  </datalist>
                </>
              )}
            </Field>
          )}
          {kind === 'set' && (
            <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-2">
              <Field label={t('bulk.as')}>
                {(ids) => (
                  <Select {...ids} value={as} onChange={({ target }) => setAs(target.value as typeof as)}>
                    {(['text', 'number', 'boolean'] as const).map((one) => (
                      <option key={one} value={one}>
                        {t(`kind.${one}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
              <Field label={t('table.value')}>
                {(ids) =>
                  as === 'boolean' ? (
                    <Select {...ids} value={value} onChange={({ target }) => setValue(target.value)}>
                      <option value="true">{t('value.true')}</option>
                      <option value="false">{t('value.false')}</option>
                    </Select>
                  ) : (
                    <Input {...ids} value={value} onChange={({ target }) => setValue(target.value)} />
                  )
                }
              </Field>
            </div>
          )}
          {kind === 'relate' && (
            <div className="space-y-1">
              <PeerPicker label={t('relationship.peer')} collection={collection} onChoose={setPeer} />
              {peer && (
                <p>
                  → <bdi className="font-medium">{peer.label || peer.id}</bdi>{' '}
                  <span className="text-quiet">{peer.type}</span>
                </p>
              )}
            </div>
          )}
          <Field label={t('save.note')}>
            {(ids) => <Input {...ids} maxLength={500} value={note} onChange={({ target }) => setNote(target.value)} />}
          </Field>
        </div>
      )}
    </Dialog>
  );
}
