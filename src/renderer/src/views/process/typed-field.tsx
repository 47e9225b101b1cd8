import { useState } from 'react';
import { Field, Input, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { faultText } from '../entity/fault-text.ts';
import { useFault } from '../entity/fields/faults.ts';
import type { Json } from '../entity/model/json.ts';
import { valueFault } from '../entity/model/json-fault.ts';
import { numberOf } from '../entity/model/kinds.ts';

interface TypedFieldProps {
  name: string;
  label: string;
  hint: string | undefined;
  /** What the node says of it. */
  fault: string | undefined;
  kind: 'number' | 'json';
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}

/** A value that is typed as text: a number, or JSON. What is neither yet is kept, and nothing can be started with it. */
export function TypedField({ name, label, hint, fault, kind, value, onChange }: TypedFieldProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value)));
  const wrong = (text: string): string | null => {
    if (text.trim() === '') return null;
    if (kind === 'number') return numberOf(text) === null ? t('field.noNumber') : null;
    const found = valueFault(text);
    return found && faultText(t, found);
  };
  const said = wrong(typed);
  useFault([name], said !== null);
  const type = (text: string) => {
    setTyped(text);
    if (wrong(text) !== null) return;
    if (text.trim() === '') onChange(undefined);
    else onChange(kind === 'number' ? (numberOf(text) ?? undefined) : (JSON.parse(text) as Json));
  };
  return (
    <Field label={label} hint={hint} error={said ?? fault}>
      {(ids) =>
        kind === 'number' ? (
          <Input {...ids} inputMode="decimal" value={typed} onChange={({ target }) => type(target.value)} />
        ) : (
          <TextArea
            {...ids}
            rows={2}
            spellCheck={false}
            dir="ltr"
            className="w-full font-mono text-xs"
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        )
      }
    </Field>
  );
}
