import { useState } from 'react';
import { Input, TextArea } from './field.tsx';
import { keptLines, withLineEnds } from './kept-lines.ts';

interface TextFieldProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-label'?: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
}

/** A text: in a field of one line, and of several from the moment on at which several are pasted. Lines keep their ends. */
export function TextField({ value, onChange, ...ids }: TextFieldProps) {
  const [several, setSeveral] = useState(false);
  if (!several && /[\r\n]/.test(value)) setSeveral(true);
  const props = { ...ids, dir: 'auto', value };
  return several ? (
    <TextArea {...props} rows={4} onChange={({ target }) => onChange(withLineEnds(value, target.value))} />
  ) : (
    <Input {...props} onChange={({ target }) => onChange(target.value)} {...keptLines(ids.id, value, onChange)} />
  );
}
