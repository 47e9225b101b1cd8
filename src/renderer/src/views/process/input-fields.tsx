import { useState } from 'react';
import { Field, Select } from '../../components/field.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Json, JsonMap } from '../entity/model/json.ts';
import { fieldsOfInput, type InputField, withField } from './model/schema-form.ts';
import { TypedField } from './typed-field.tsx';

interface InputFieldsProps {
  fields: readonly InputField[];
  input: JsonMap;
  onInput(input: JsonMap): void;
  faults: ReadonlyMap<string, string>;
}

/** A field for each member that the schema names, and for what else the input has: all that is given is shown. */
export function InputFields({ fields, input, onInput, faults }: InputFieldsProps) {
  // Those of the beginning, so that none goes while it is typed in.
  const [all] = useState(() => fieldsOfInput(fields, input));
  return all.map((field) => (
    <OneField
      key={field.name}
      field={field}
      value={Object.hasOwn(input, field.name) ? input[field.name] : undefined}
      onChange={(value) => onInput(withField(input, field.name, value))}
      fault={faults.get(field.name)}
    />
  ));
}

interface OneFieldProps {
  field: InputField;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
  fault: string | undefined;
}

function OneField({ field, value, onChange, fault }: OneFieldProps) {
  const { t } = useTexts();
  const { name, kind, title, about, required, choices, fallback } = field;
  const usual = fallback === undefined ? undefined : t('process.usual', { value: shown(fallback) });
  const hint = [about, usual].filter(Boolean).join(' ') || undefined;
  const label = required ? t('process.required', { name: title }) : title;
  if (kind === 'number' || kind === 'json')
    return <TypedField {...{ name, label, hint, fault, kind, value, onChange }} />;
  return (
    <Field label={label} hint={hint} error={fault}>
      {(ids) => {
        if (kind === 'text')
          return (
            <TextField
              {...ids}
              value={typeof value === 'string' ? value : ''}
              onChange={(next) => onChange(next === '' ? undefined : next)}
            />
          );
        const all: Json[] = kind === 'boolean' ? [true, false] : choices;
        const said = (one: Json) => (kind === 'boolean' ? t(one ? 'value.true' : 'value.false') : shown(one));
        return (
          <Select
            {...ids}
            value={value === undefined ? '' : JSON.stringify(value)}
            onChange={({ target }) => onChange(target.value === '' ? undefined : (JSON.parse(target.value) as Json))}
          >
            <option value="">{t(required && fallback === undefined ? 'process.choose' : 'process.unset')}</option>
            {all.map((one) => (
              <option key={JSON.stringify(one)} value={JSON.stringify(one)}>
                {said(one)}
              </option>
            ))}
          </Select>
        );
      }}
    </Field>
  );
}

function shown(value: Json): string {
  return typeof value === 'string' ? value.slice(0, 200) : JSON.stringify(value).slice(0, 200);
}
