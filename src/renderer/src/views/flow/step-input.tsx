import { useMemo, useState } from 'react';
import { Field, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { faultText } from '../entity/fault-text.ts';
import { useFault } from '../entity/fields/faults.ts';
import { type JsonMap, same } from '../entity/model/json.ts';
import { inputFault, inputOf } from '../process/model/schema-form.ts';

interface StepInputProps {
  step: string;
  input: JsonMap;
  onChange(input: JsonMap): void;
}

/** A step's own input as JSON text; it counts as soon as it is JSON again. */
export function StepInput({ step, input, onChange }: StepInputProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState(() => textOf(input));
  const [open, setOpen] = useState(typed !== '');
  const wrong = useMemo(() => inputFault(typed), [typed]);
  useFault([step, 'input'], wrong !== null);
  // Another version came, or was taken over: it is shown unless something is being typed that is no JSON yet.
  const shown = wrong || same(inputOf(typed) ?? undefined, input) ? typed : textOf(input);
  const type = (text: string) => {
    setTyped(text);
    const next = inputOf(text);
    if (next) onChange(next);
  };
  return (
    // Of what is typed alone it does not close: the focus, and with it the keys, would be elsewhere.
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-xs font-medium text-quiet">{t('flow.input')}</summary>
      <div className="mt-1">
        <Field
          label={t('process.inputJson')}
          hint={t('flow.inputAbout')}
          error={wrong ? faultText(t, wrong) : undefined}
        >
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              spellCheck={false}
              dir="ltr"
              className="w-full font-mono text-xs"
              value={shown}
              onChange={({ target }) => type(target.value)}
            />
          )}
        </Field>
      </div>
    </details>
  );
}

function textOf(input: JsonMap): string {
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input, null, 2);
}
