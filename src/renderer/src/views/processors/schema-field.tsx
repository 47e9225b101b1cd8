import { useMemo, useState } from 'react';
import { Field, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { faultText } from '../entity/fault-text.ts';
import { inputFault } from '../process/model/schema-form.ts';

interface SchemaFieldProps {
  title: string;
  about: string;
  value: string;
  onChange(text: string): void;
  fault: string | undefined;
}

/** A JSON Schema as text, folded away where there is none. */
export function SchemaField({ title, about, value, onChange, fault }: SchemaFieldProps) {
  const { t } = useTexts();
  const [open, setOpen] = useState(value !== '');
  const wrong = useMemo(() => inputFault(value), [value]);
  const said = wrong && (wrong.reason === 'object' ? t('processor.noSchema') : faultText(t, wrong));
  return (
    <details open={open || fault !== undefined} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-xs font-medium text-quiet">{title}</summary>
      <div className="mt-1">
        <Field label={`${title}: ${t('processor.schemaJson')}`} hint={about} error={said ?? fault}>
          {(ids) => (
            <TextArea
              {...ids}
              spellCheck={false}
              dir="ltr"
              rows={Math.min(16, Math.max(4, value.split('\n').length))}
              className="w-full font-mono text-xs"
              value={value}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
