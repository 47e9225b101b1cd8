import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { useUnsaved } from '../session/unsaved.ts';
import { Combobox } from './combobox.tsx';

interface TagsFieldProps {
  id?: string;
  label: string;
  values: readonly string[];
  onChange(values: string[]): void;
  suggestions: readonly string[];
  placeholder?: string;
  /** What a text means, where it is none of the user's own; it is found by that, too. */
  words?(value: string): string | null;
  /** How one is shown; as it is unless said. */
  show?(value: string): ReactNode;
}

/** A list of short texts: chips, and a field that offers what is usual and takes anything else with Enter, or when it is left. */
export function TagsField({
  id,
  label,
  values,
  onChange,
  suggestions,
  placeholder,
  words,
  show = asItIs,
}: TagsFieldProps) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const typed = text.trim();
  useUnsaved(typed !== '');
  const fits = (one: string) =>
    [one, words?.(one) ?? ''].some((text) => text.toLowerCase().includes(typed.toLowerCase()));
  const fitting = suggestions.filter((one) => fits(one) && !values.includes(one));
  const options = typed === '' || fitting.includes(typed) || values.includes(typed) ? fitting : [...fitting, typed];
  const add = (value: string) => {
    setText('');
    if (!values.includes(value)) onChange([...values, value]);
  };
  return (
    <div className="space-y-1.5">
      {values.length > 0 && (
        <ul className="flex flex-wrap gap-1" aria-label={label}>
          {values.map((value) => (
            <li
              key={value}
              className="inline-flex max-w-full items-center gap-1 rounded-full bg-sunken py-0.5 pr-1 pl-2.5"
            >
              <span className="truncate">{show(value)}</span>
              <button
                type="button"
                aria-label={t('tags.remove', { name: value })}
                onClick={() => onChange(values.filter((one) => one !== value))}
                className="rounded-full p-0.5 text-quiet hover:bg-line hover:text-ink"
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        {...(id ? { id } : {})}
        label={label}
        placeholder={placeholder ?? t('tags.add')}
        text={text}
        onText={setText}
        options={options}
        keyOf={(option) => option}
        show={show}
        onChoose={add}
        onLeave={() => typed !== '' && add(typed)}
      />
    </div>
  );
}

function asItIs(value: string): ReactNode {
  return <bdi className="font-mono text-xs">{value}</bdi>;
}
