import { Field, Input, Select } from '../../components/field.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import { type BulkDraft, propertyMeant, truths } from './bulk-draft.ts';

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
  const meant = kind === 'relate' ? name : propertyMeant(name, properties);
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
        <Field
          label={t(kind === 'relate' ? 'relationship.predicate' : 'bulk.property')}
          hint={meant !== '' && meant !== name && t('bulk.withoutBlanks', { name: meant })}
        >
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
            predicate={name.trim()}
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
