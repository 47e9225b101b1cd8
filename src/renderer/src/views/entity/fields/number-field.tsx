import { useEffect, useState } from 'react';
import { Input } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { numberOf } from '../model/kinds.ts';
import { useFault } from './faults.ts';
import { useForm } from './form.ts';
import type { FieldProps } from './value-field.tsx';

/** A number as it is typed; what is none yet, such as a lone minus, is kept and cannot be saved. */
export function NumberField({ path, value, ...props }: FieldProps<number>) {
  const { t } = useTexts();
  const { change } = useForm();
  const [typed, setTyped] = useState(String(value));
  // What is there already is no fault of whoever looks at it.
  const wrong = numberOf(typed) === null && typed !== String(value);
  useFault(path, wrong);
  useEffect(() => {
    // The value became another one elsewhere.
    setTyped((old) => (numberOf(old) === value || numberOf(old) === null ? old : String(value)));
  }, [value]);
  const type = (text: string) => {
    setTyped(text);
    const next = numberOf(text);
    if (next !== null) change(path, next);
  };
  return (
    <>
      <Input
        {...props}
        inputMode="decimal"
        className="w-full max-w-48 tabular-nums"
        value={typed}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${props.id}?fault` : undefined}
        onChange={({ target }) => type(target.value)}
      />
      {wrong && (
        <p id={`${props.id}?fault`} className="text-xs text-danger">
          {t('field.noNumber')}
        </p>
      )}
    </>
  );
}
