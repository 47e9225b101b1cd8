import { useState } from 'react';
import { Field, Input, Select, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Json, JsonMap } from '../entity/model/json.ts';
import { fieldsOf, type InputField, inputOf, withField } from './model/schema-form.ts';

interface InputFormProps {
  schema: Json | undefined;
  text: string;
  onText(text: string): void;
  faults: ReadonlyMap<string, string>;
}

/** What is given along: by the fields that the processor's schema names, or as JSON. */
export function InputForm({ schema, text, onText, faults }: InputFormProps) {
  const { t } = useTexts();
  const fields = fieldsOf(schema);
  const [wanted, setWanted] = useState<'json' | 'form'>('form');
  const asJson = fields === null || wanted === 'json';
  const input = inputOf(text);
  const set = (next: JsonMap) => onText(Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2));
  const showFields = fields !== null && !asJson && input !== null;
  return (
    <div className="space-y-3">
      {fields !== null && (
        <button
          type="button"
          onClick={() => setWanted(asJson ? 'form' : 'json')}
          disabled={asJson && input === null}
          className="text-xs text-accent hover:underline disabled:opacity-50"
        >
          {t(asJson ? 'entity.asForm' : 'entity.asJson')}
        </button>
      )}
      {showFields ? (
        fields.map((field) => (
          <OneField
            key={field.name}
            field={field}
            value={Object.hasOwn(input, field.name) ? input[field.name] : undefined}
            onChange={(value) => set(withField(input, field.name, value))}
            fault={faults.get(field.name)}
          />
        ))
      ) : (
        <Field
          label={t('process.inputJson')}
          hint={t('process.inputAbout')}
          error={
            input === null ? t('field.noObject') : [...faults].map((one) => one.join(': ')).join('; ') || undefined
          }
        >
          {(ids) => (
            <TextArea
              {...ids}
              spellCheck={false}
              dir="ltr"
              rows={Math.min(14, Math.max(3, text.split('\n').length))}
              className="w-full font-mono text-xs"
              placeholder="{ }"
              value={text}
              onChange={({ target }) => onText(target.value)}
            />
          )}
        </Field>
      )}
    </div>
  );
}

interface OneFieldProps {
  field: InputField;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
  fault: string | undefined;
}

function OneField({ field, value, onChange, fault }: OneFieldProps) {
  const { t } = useTexts();
  const { kind, title, about, required, choices, fallback } = field;
  const usual = fallback === undefined ? undefined : t('process.usual', { value: shown(fallback) });
  const hint = [about, usual].filter(Boolean).join(' ');
  return (
    <Field label={required ? t('process.required', { name: title }) : title} hint={hint || undefined} error={fault}>
      {(ids) => {
        if (kind === 'choice' || kind === 'boolean') {
          const all: Json[] = kind === 'boolean' ? [true, false] : choices;
          const name = (one: Json) => (kind === 'boolean' ? t(one ? 'value.true' : 'value.false') : shown(one));
          return (
            <Select
              {...ids}
              value={value === undefined ? '' : JSON.stringify(value)}
              onChange={({ target }) => onChange(target.value === '' ? undefined : (JSON.parse(target.value) as Json))}
            >
              <option value="">{t('process.unset')}</option>
              {all.map((one) => (
                <option key={JSON.stringify(one)} value={JSON.stringify(one)}>
                  {name(one)}
                </option>
              ))}
            </Select>
          );
        }
        if (kind === 'json') return <JsonInput {...ids} value={value} onChange={onChange} />;
        return (
          <Input
            {...ids}
            dir="auto"
            type={kind === 'number' ? 'number' : 'text'}
            {...(kind === 'number' ? { step: 'any' } : {})}
            value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
            onChange={({ target }) => {
              if (target.value === '') onChange(undefined);
              else onChange(kind === 'number' ? Number(target.value) : target.value);
            }}
          />
        );
      }}
    </Field>
  );
}

function JsonInput({
  value,
  onChange,
  ...ids
}: {
  id: string;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value)));
  const type = (next: string) => {
    setText(next);
    if (next.trim() === '') onChange(undefined);
    else
      try {
        onChange(JSON.parse(next) as Json);
      } catch {
        // It counts as soon as it is JSON again.
      }
  };
  return (
    <TextArea
      {...ids}
      rows={2}
      spellCheck={false}
      dir="ltr"
      className="w-full font-mono text-xs"
      value={text}
      onChange={({ target }) => type(target.value)}
    />
  );
}

function shown(value: Json): string {
  return typeof value === 'string' ? value.slice(0, 200) : JSON.stringify(value).slice(0, 200);
}
