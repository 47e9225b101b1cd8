import type { ReactNode } from 'react';
import { Field, Input } from '../../components/field.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { LabelField } from '../processors/label-field.tsx';

export interface Facts {
  label: string;
  version: string;
  description: string;
}

/** What a workflow is called and about, in one line over its flow. */
export function RhizaFacts({
  facts,
  onChange,
  faults,
  children,
}: {
  facts: Facts;
  onChange(facts: Facts): void;
  faults: ReadonlyMap<string, string>;
  children?: ReactNode;
}) {
  const { t } = useTexts();
  return (
    <div className="grid grid-cols-1 gap-3 border-b border-line px-5 py-3 sm:grid-cols-[minmax(0,2fr)_7rem_minmax(0,3fr)] xl:grid-cols-[minmax(10rem,2fr)_7rem_minmax(10rem,3fr)_auto]">
      <LabelField value={facts.label} onChange={(label) => onChange({ ...facts, label })} fault={faults.get('label')} />
      <Field label={t('column.ver')} error={faults.get('version')}>
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={50}
            value={facts.version}
            onChange={({ target }) => onChange({ ...facts, version: target.value })}
          />
        )}
      </Field>
      <Field label={t('collections.description')} error={faults.get('description')}>
        {(ids) => (
          <TextField
            {...ids}
            value={facts.description}
            onChange={(description) => onChange({ ...facts, description })}
          />
        )}
      </Field>
      {children}
    </div>
  );
}
