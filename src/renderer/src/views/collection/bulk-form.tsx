import { Field, Input, Select } from '../../components/field.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { numberOf } from '../entity/model/kinds.ts';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import type { Peer } from '../entity/relationships/peer-query.ts';
import type { BulkChange } from './bulk.ts';

/** A change of many entities as it is typed. */
export interface BulkDraft {
  kind: BulkChange['kind'];
  /** Of a property, or a predicate. */
  name: string;
  value: string;
  as: 'text' | 'number' | 'boolean';
  peer: Peer | null;
  note: string;
}

export const noDraft: BulkDraft = { kind: 'set', name: '', value: '', as: 'text', peer: null, note: '' };

/** Whether there is something to lose. */
export function isTyped({ name, value, peer, note }: BulkDraft): boolean {
  return name !== '' || value !== '' || peer !== null || note !== '';
}

/** What is chosen of yes and no; none as long as neither is. */
const truths = new Map([
  ['true', true],
  ['false', false],
]);

const predicatePattern = /^[a-z][a-z0-9_]{0,49}$/;

/** The change that is meant; null as long as something is missing. */
export function changeOf({ kind, name, value, as, peer }: BulkDraft): BulkChange | null {
  if (kind === 'delete') return { kind };
  if (name.trim() === '') return null;
  if (kind === 'remove') return { kind, name: name.trim() };
  if (kind === 'relate') return peer && predicatePattern.test(name) ? { kind, predicate: name, peer } : null;
  const typed = as === 'number' ? numberOf(value) : as === 'boolean' ? truths.get(value) : value;
  return typed === null || typed === undefined ? null : { kind, name: name.trim(), value: typed };
}

interface BulkFormProps {
  draft: BulkDraft;
  onChange(draft: BulkDraft): void;
  collection: string;
  /** Names that can be chosen from. */
  properties: readonly string[];
}

/** What is to be done with all that is selected. */
export function BulkForm({ draft, onChange, collection, properties }: BulkFormProps) {
  const { t } = useTexts();
  const { kind, name, value, as, peer, note } = draft;
  const change = (next: Partial<BulkDraft>) => onChange({ ...draft, ...next });
  return (
    <div className="space-y-3">
      <Field label={t('bulk.what')}>
        {(ids) => (
          <Select {...ids} value={kind} onChange={({ target }) => change({ kind: target.value as BulkDraft['kind'] })}>
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
              <Input
                {...ids}
                list="bulk-names"
                value={name}
                onChange={({ target }) => change({ name: target.value })}
              />
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
              <Select {...ids} value={as} onChange={({ target }) => change({ as: target.value as BulkDraft['as'] })}>
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
                <Select
                  {...ids}
                  value={truths.has(value) ? value : ''}
                  onChange={({ target }) => change({ value: target.value })}
                >
                  <option value="true">{t('value.true')}</option>
                  <option value="false">{t('value.false')}</option>
                </Select>
              ) : as === 'text' ? (
                <TextField {...ids} value={value} onChange={(next) => change({ value: next })} />
              ) : (
                <Input {...ids} value={value} onChange={({ target }) => change({ value: target.value })} />
              )
            }
          </Field>
        </div>
      )}
      {kind === 'relate' && (
        <div className="space-y-1">
          <PeerPicker
            label={t('relationship.peer')}
            collection={collection}
            onChoose={(chosen) => change({ peer: chosen })}
          />
          {peer && (
            <p>
              → <bdi className="font-medium">{peer.label || peer.id}</bdi>{' '}
              <span className="text-quiet">{peer.type}</span>
            </p>
          )}
        </div>
      )}
      <Field label={t('save.note')}>
        {(ids) => <Input {...ids} value={note} onChange={({ target }) => change({ note: target.value })} />}
      </Field>
    </div>
  );
}
