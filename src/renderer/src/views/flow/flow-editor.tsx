import { useId, useState } from 'react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { FaultContext, useFaults } from '../entity/fields/faults.ts';
import { FlowCanvas } from './flow-canvas.tsx';
import { FlowJson } from './flow-json.tsx';
import type { Finding } from './model/findings.ts';
import type { FlowDraft } from './model/flow-draft.ts';
import { StepList } from './step-list.tsx';

interface FlowEditorProps {
  draft: FlowDraft;
  onChange(draft: FlowDraft): void;
  findings: readonly Finding[];
  /** Told whether something is being typed that cannot be saved. */
  onFault(wrong: boolean): void;
  /** With another one the text that cannot be saved is gone, as when it is discarded. */
  round?: number;
}

/** A flow on a canvas, and beside it as a list of forms or as JSON: three views of one thing. */
export function FlowEditor({ draft, onChange, findings, onFault, round = 0 }: FlowEditorProps) {
  const { t } = useTexts();
  const first = useId();
  const [last, setLast] = useState<string | null>(null);
  const [beside, setBeside] = useState<'steps' | 'json'>('steps');
  const [faulty, fault] = useFaults(onFault);
  const chosen = last !== null && Object.hasOwn(draft.flow, last) ? last : null;
  const common = {
    draft,
    onChange,
    findings,
    chosen,
    // Another step would be shown, and what is typed into this one gone.
    onChoose: (step: string | null) => faulty || setLast(step),
    locked: faulty,
  };
  return (
    <div className="grid grid-cols-1 min-h-0 flex-1 grid-rows-[minmax(16rem,1fr)_minmax(16rem,1fr)] lg:grid-cols-[minmax(0,1fr)_25rem] lg:grid-rows-1">
      <div className="relative min-h-0 bg-paper">
        <FlowCanvas {...common} />
      </div>
      <div className="flex min-h-0 flex-col border-t border-line bg-surface lg:border-t-0 lg:border-l">
        <div className="flex items-center gap-1 border-b border-line p-2">
          {(['steps', 'json'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={beside === each}
              // The other view would begin with what was there before.
              disabled={faulty}
              aria-describedby={faulty ? first : undefined}
              onClick={() => setBeside(each)}
              className={classes(
                'rounded-md px-3 py-1',
                beside === each ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-sunken',
              )}
            >
              {t(each === 'steps' ? 'flow.steps' : 'flow.json')}
            </button>
          ))}
          {faulty && (
            <p id={first} className="ml-auto text-right text-xs text-quiet">
              {t('entity.faultFirst')}
            </p>
          )}
        </div>
        <div key={round} className="min-h-0 flex-1 overflow-auto">
          <FaultContext value={fault}>
            {beside === 'steps' ? <StepList {...common} /> : <FlowJson draft={draft} onChange={onChange} />}
          </FaultContext>
        </div>
      </div>
    </div>
  );
}
