import { useEffect, useState } from 'react';
import { TextArea } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { type Json, same } from '../model/json.ts';
import { useFault, useForm } from './form.ts';
import type { FieldProps } from './value-field.tsx';

/** A value as JSON text; it counts as soon as it is JSON again. */
export function JsonField({ path, value, ...props }: FieldProps) {
  const { t } = useTexts();
  const { change } = useForm();
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(typed);
  useFault(path, parsed === undefined);
  useEffect(() => {
    setTyped((old) => (parse(old) === undefined || same(parse(old), value) ? old : JSON.stringify(value, null, 2)));
  }, [value]);
  const type = (text: string) => {
    setTyped(text);
    const next = parse(text);
    if (next !== undefined) change(path, next);
  };
  return (
    <>
      <TextArea
        {...props}
        spellCheck={false}
        rows={Math.min(20, typed.split('\n').length + 1)}
        className="w-full font-mono text-xs"
        aria-invalid={parsed === undefined || undefined}
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
      {parsed === undefined && <p className="text-xs text-danger">{t('field.noJson')}</p>}
    </>
  );
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
