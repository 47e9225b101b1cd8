import { Flag, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { pressedKey } from '../../components/pressed-key.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { ProcessorPicker } from '../process/processor-picker.tsx';
import { DepthField } from './depth-field.tsx';
import { findingWords } from './finding-words.ts';
import type { Finding } from './model/findings.ts';
import {
  type FlowDraft,
  type Form,
  forms,
  type Said,
  type Step,
  saidBy,
  withForm,
  withMember,
  withoutStep,
  withThen,
} from './model/flow-draft.ts';
import { RouteRules } from './route-rules.tsx';
import { StepInput } from './step-input.tsx';

interface StepFormProps {
  draft: FlowDraft;
  step: Step;
  onChange(draft: FlowDraft): void;
  onChoose(step: string | null): void;
  /** Told a name that no other step has. */
  onRename(to: string): void;
  findings: readonly Finding[];
  /** Whether something stands in it that cannot be saved, and would go with its name. */
  locked: boolean;
  /** What it said that its way on has no room for now. */
  said: Said | undefined;
  onSaid(said: Said): void;
}

/** One step: its name, what it runs, what follows, and its own input. All of the canvas can be done here by keys. */
export function StepForm(props: StepFormProps) {
  const { draft, step, onChange, onChoose, onRename, findings, locked, said, onSaid } = props;
  const { t } = useTexts();
  const [name, setName] = useState(step.name);
  useEffect(() => setName(step.name), [step.name]);
  useUnsaved(name !== step.name);
  const taken = name !== step.name && (name.trim() === '' || Object.hasOwn(draft.flow, name.trim()));
  const others = Object.keys(draft.flow);
  const rename = () => {
    const to = name.trim();
    // A name may have blanks at its ends: one that was only looked at stays.
    if (taken || name === step.name || to === step.name) return setName(step.name);
    onRename(to);
  };
  const follow = (form: Form) => {
    const now = saidBy(step, said);
    onSaid(now);
    onChange(withForm(draft, step.name, form, now));
  };
  return (
    <div className="space-y-3 border-t border-line bg-paper p-3">
      {findings.length > 0 && (
        <div role="alert">
          <ul className="space-y-1">
            {findings.map(({ place, code, message, serious }) => (
              <li
                key={`${place} ${message}`}
                className={`rounded px-2 py-1 break-words ${serious ? 'bg-danger-soft' : 'bg-warning-soft'}`}
              >
                {findingWords(t, { code, message })}
                {code === null && place && <code className="block font-mono text-xs text-quiet">{place}</code>}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Field label={t('flow.name')} error={taken ? t('flow.taken') : undefined}>
        {(ids) => (
          <Input
            {...ids}
            dir="auto"
            maxLength={100}
            readOnly={locked}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onBlur={rename}
            onKeyDown={(event) => pressedKey(event) === 'Enter' && rename()}
          />
        )}
      </Field>
      <div className="space-y-1">
        <p className="text-xs font-medium text-quiet">{t('flow.runs')}</p>
        {step.klados !== null && (
          <p className="truncate font-medium">
            <PeerName id={step.klados} />
          </p>
        )}
        <ProcessorPicker
          label={t('flow.chooseKlados')}
          kinds={['klados', 'rhiza']}
          onChoose={({ id, type }) => onChange(withMember(draft, step.name, ['klados'], { id, type }))}
        />
      </div>
      <div className="grid grid-cols-2 gap-2">
        <Field label={t('flow.then')}>
          {(ids) => (
            <Select {...ids} value={step.form ?? ''} onChange={({ target }) => follow(target.value as Form)}>
              {step.form === null && <option value="">{t('flow.unclear')}</option>}
              {forms.map((form) => (
                <option key={form} value={form}>
                  {t(`flow.form.${form}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {step.form !== null && step.form !== 'done' && (
          <Field label={t('flow.next')}>
            {(ids) => (
              <Select
                {...ids}
                value={step.target}
                onChange={({ target }) => onChange(withThen(draft, step.name, step.form ?? 'pass', target.value))}
              >
                {others.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
      {step.form !== null && <p className="text-xs text-quiet">{t(`flow.about.${step.form}`)}</p>}
      {step.form === 'recurse' && (
        <DepthField
          step={step.name}
          value={step.maxDepth}
          onChange={(depth) => onChange(withMember(draft, step.name, ['then', 'max_depth'], depth ?? undefined))}
        />
      )}
      {step.form !== null && step.form !== 'done' && (
        <RouteRules draft={draft} step={step} names={others} onChange={onChange} />
      )}
      <StepInput
        step={step.name}
        input={step.input}
        onChange={(input) =>
          onChange(withMember(draft, step.name, ['input'], Object.keys(input).length === 0 ? undefined : input))
        }
      />
      <div className="flex flex-wrap gap-2">
        {draft.entry !== step.name && (
          <Button onClick={() => onChange({ ...draft, entry: step.name })}>
            <Flag size={14} aria-hidden />
            {t('flow.makeEntry')}
          </Button>
        )}
        <Button
          onClick={() => {
            onChange(withoutStep(draft, step.name));
            onChoose(null);
          }}
        >
          <Trash2 size={14} aria-hidden />
          {t('flow.remove')}
        </Button>
      </div>
    </div>
  );
}
