import { useMemo, useState } from 'react';
import { TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { faultText } from '../entity/fault-text.ts';
import { useFault } from '../entity/fields/faults.ts';
import { type Json, same } from '../entity/model/json.ts';
import type { FlowDraft } from './model/flow-draft.ts';
import { besideFlow, flowFault, flowIn, flowText } from './model/flow-text.ts';

/** The flow as JSON, to read, to copy and to type; it counts as soon as it is a flow again. */
export function FlowJson({ draft, onChange }: { draft: FlowDraft; onChange(draft: FlowDraft): void }) {
  const { t, list } = useTexts();
  const [typed, setTyped] = useState(() => flowText(draft));
  const wrong = useMemo(() => flowFault(typed), [typed]);
  useFault([], wrong !== null);
  // What was changed elsewhere is shown unless something is being typed that is no flow yet.
  const shown = wrong || sameFlow(flowIn(typed), draft) ? typed : flowText(draft);
  const beside = useMemo(() => besideFlow(shown), [shown]);
  const type = (text: string) => {
    setTyped(text);
    const next = flowIn(text);
    if (next) onChange(next);
  };
  return (
    <div className="flex h-full flex-col gap-1 p-3">
      <TextArea
        aria-label={t('flow.json')}
        aria-invalid={wrong !== null || undefined}
        aria-describedby="flow-json-about"
        spellCheck={false}
        dir="ltr"
        className="min-h-64 w-full flex-1 font-mono text-xs"
        value={shown}
        onChange={({ target }) => type(target.value)}
      />
      <p id="flow-json-about" className={wrong ? 'text-xs text-danger' : 'text-xs text-quiet'}>
        {wrong === null ? t('flow.jsonAbout') : wrong.reason === 'object' ? t('flow.noJson') : faultText(t, wrong)}
      </p>
      {beside.length > 0 && (
        <p role="status" className="text-xs text-danger">
          {t('flow.jsonBeside', { names: list(beside.map((name) => `“${name.slice(0, 50)}”`)) })}
        </p>
      )}
    </div>
  );
}

function sameFlow(one: FlowDraft | null, other: FlowDraft): boolean {
  return one !== null && same(one as unknown as Json, other as unknown as Json);
}
