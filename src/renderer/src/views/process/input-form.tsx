import { useState } from 'react';
import { Field, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { faultText } from '../entity/fault-text.ts';
import { FaultContext, useFaults } from '../entity/fields/faults.ts';
import type { Json } from '../entity/model/json.ts';
import { InputFields } from './input-fields.tsx';
import { fieldsOf, inputFault, inputOf } from './model/schema-form.ts';

interface InputFormProps {
  schema: Json | undefined;
  text: string;
  onText(text: string): void;
  faults: ReadonlyMap<string, string>;
  /** Told whether something stands in a field that is no value. */
  onFault(wrong: boolean): void;
}

/** What is given along: by the fields that the processor's schema names, or as JSON. */
export function InputForm({ schema, text, onText, faults, onFault }: InputFormProps) {
  const { t } = useTexts();
  const fields = fieldsOf(schema);
  const [wanted, setWanted] = useState<'json' | 'form'>('form');
  const [faulty, fault] = useFaults(onFault);
  const asJson = fields === null || wanted === 'json';
  const input = inputOf(text);
  const wrong = inputFault(text);
  return (
    <div className="space-y-3">
      {fields !== null && (
        <button
          type="button"
          onClick={() => setWanted(asJson ? 'form' : 'json')}
          // The other view would begin with what was there before.
          disabled={asJson ? input === null : faulty}
          className="text-xs text-accent hover:underline disabled:opacity-50"
        >
          {t(asJson ? 'entity.asForm' : 'entity.asJson')}
        </button>
      )}
      {!asJson && input !== null ? (
        <FaultContext value={fault}>
          <InputFields
            key={JSON.stringify(fields)}
            fields={fields}
            input={input}
            onInput={(next) => onText(Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2))}
            faults={faults}
          />
        </FaultContext>
      ) : (
        <Field
          label={t('process.inputJson')}
          hint={t('process.inputAbout')}
          error={wrong ? faultText(t, wrong) : [...faults].map((one) => one.join(': ')).join('; ') || undefined}
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
