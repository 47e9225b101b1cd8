import { useState } from 'react';
import { Field, Input } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useFault } from '../entity/fields/faults.ts';
import { numberOf } from '../entity/model/kinds.ts';

interface DepthFieldProps {
  step: string;
  /** Null where it says none. */
  value: number | null;
  onChange(value: number | null): void;
}

/** How often a step goes back at most, as it is typed; what is no number yet is kept, and nothing can be saved with it. */
export function DepthField({ step, value, onChange }: DepthFieldProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState(() => textOf(value));
  const wrong = isNone(typed);
  useFault([step, 'max_depth'], wrong);
  // Another version came, or was taken over: it is shown unless something is being typed that is no number yet.
  const shown = wrong || depthOf(typed) === value ? typed : textOf(value);
  const type = (text: string) => {
    setTyped(text);
    if (!isNone(text)) onChange(depthOf(text));
  };
  return (
    <Field label={t('flow.depth')} error={wrong ? t('field.noNumber') : undefined}>
      {(ids) => (
        <Input
          {...ids}
          inputMode="numeric"
          className="w-24"
          value={shown}
          onChange={({ target }) => type(target.value)}
        />
      )}
    </Field>
  );
}

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}

function isNone(text: string): boolean {
  return text.trim() !== '' && numberOf(text) === null;
}

function depthOf(text: string): number | null {
  return text.trim() === '' ? null : numberOf(text);
}
