import { useEffect, useState } from 'react';
import { TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Json, same } from '../entity/model/json.ts';
import { draftOf, type FlowDraft } from './model/flow-draft.ts';

/** The flow as JSON, to read, to copy and to type; it counts as soon as it is a flow again. */
export function FlowJson({ draft, onChange }: { draft: FlowDraft; onChange(draft: FlowDraft): void }) {
  const { t } = useTexts();
  const [text, setText] = useState(() => textOf(draft));
  useEffect(() => {
    setText((old) => {
      const typed = parsed(old);
      return typed && same(typed as unknown as Json, draft as unknown as Json) ? old : textOf(draft);
    });
  }, [draft]);
  const wrong = parsed(text) === null;
  return (
    <div className="flex h-full flex-col gap-1 p-3">
      <TextArea
        aria-label={t('flow.json')}
        aria-invalid={wrong || undefined}
        spellCheck={false}
        dir="ltr"
        className="min-h-64 w-full flex-1 font-mono text-xs"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const next = parsed(target.value);
          if (next) onChange(next);
        }}
      />
      <p className={wrong ? 'text-xs text-danger' : 'text-xs text-quiet'}>
        {t(wrong ? 'flow.noJson' : 'flow.jsonAbout')}
      </p>
    </div>
  );
}

function textOf({ entry, flow }: FlowDraft): string {
  return JSON.stringify({ entry, flow }, null, 2);
}

function parsed(text: string): FlowDraft | null {
  try {
    return draftOf(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
