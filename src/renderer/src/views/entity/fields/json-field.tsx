import { useEffect, useMemo, useState } from 'react';
import { TextArea } from '../../../components/field.tsx';
import { type Json, same } from '../model/json.ts';
import { valueFault } from '../model/json-fault.ts';
import { useFault } from './faults.ts';
import { useForm } from './form.ts';
import { JsonSaid } from './json-said.tsx';
import type { FieldProps } from './value-field.tsx';

/** A value as JSON text; it counts as soon as it is JSON again. */
export function JsonField({ path, value, ...props }: FieldProps) {
  const { change } = useForm();
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2));
  const wrong = useMemo(() => valueFault(typed), [typed]);
  useFault(path, wrong !== null);
  useEffect(() => {
    setTyped((old) => (valueFault(old) || same(JSON.parse(old) as Json, value) ? old : JSON.stringify(value, null, 2)));
  }, [value]);
  const type = (text: string) => {
    setTyped(text);
    if (!valueFault(text)) change(path, JSON.parse(text) as Json);
  };
  return (
    <>
      <TextArea
        {...props}
        spellCheck={false}
        rows={Math.min(20, typed.split('\n').length + 1)}
        className="w-full font-mono text-xs"
        aria-invalid={wrong !== null || undefined}
        aria-describedby={wrong ? `${props.id}?fault` : undefined}
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
      {wrong && <JsonSaid id={`${props.id}?fault`} fault={wrong} />}
    </>
  );
}
