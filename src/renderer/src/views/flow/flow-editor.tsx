import { useState } from 'react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { FlowCanvas } from './flow-canvas.tsx';
import { FlowJson } from './flow-json.tsx';
import type { Finding } from './model/findings.ts';
import type { FlowDraft } from './model/flow-draft.ts';
import { StepList } from './step-list.tsx';

interface FlowEditorProps {
  draft: FlowDraft;
  onChange(draft: FlowDraft): void;
  findings: readonly Finding[];
}

/** A flow on a canvas, and beside it as a list of forms or as JSON: three views of one thing. */
export function FlowEditor({ draft, onChange, findings }: FlowEditorProps) {
  const { t } = useTexts();
  const [chosen, setChosen] = useState<string | null>(null);
  const [beside, setBeside] = useState<'steps' | 'json'>('steps');
  const common = { draft, onChange, findings, chosen, onChoose: setChosen };
  return (
    <div className="grid grid-cols-1 min-h-0 flex-1 grid-rows-[minmax(16rem,1fr)_minmax(16rem,1fr)] lg:grid-cols-[minmax(0,1fr)_25rem] lg:grid-rows-1">
      <div className="relative min-h-0 bg-paper">
        <FlowCanvas {...common} />
      </div>
      <div className="flex min-h-0 flex-col border-t border-line bg-surface lg:border-t-0 lg:border-l">
        <div className="flex gap-1 border-b border-line p-2">
          {(['steps', 'json'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={beside === each}
              onClick={() => setBeside(each)}
              className={classes(
                'rounded-md px-3 py-1',
                beside === each ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-sunken',
              )}
            >
              {t(each === 'steps' ? 'flow.steps' : 'flow.json')}
            </button>
          ))}
        </div>
        <div className="min-h-0 flex-1 overflow-auto">
          {beside === 'steps' ? <StepList {...common} /> : <FlowJson draft={draft} onChange={onChange} />}
        </div>
      </div>
    </div>
  );
}
