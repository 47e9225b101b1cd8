import { ChevronRight, Flag, TriangleAlert } from 'lucide-react';
import { useRef } from 'react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import { ProcessorPicker } from '../process/processor-picker.tsx';
import type { Finding } from './model/findings.ts';
import { type FlowDraft, freeName, type Said, stepsOf, withName, withStep } from './model/flow-draft.ts';
import { layoutOf } from './model/layout.ts';
import { StepForm } from './step-form.tsx';
import { useStepIds } from './use-step-ids.ts';

interface StepListProps {
  draft: FlowDraft;
  onChange(draft: FlowDraft): void;
  findings: readonly Finding[];
  chosen: string | null;
  onChoose(step: string | null): void;
  /** Whether the chosen step stays so: something stands in it that cannot be saved. */
  locked: boolean;
}

/** The steps as a list, the chosen one with its form; new ones are found by typing. */
export function StepList({ draft, onChange, findings, chosen, onChoose, locked }: StepListProps) {
  const { t } = useTexts();
  const said = useRef(new Map<number, Said>());
  const { idOf, rename } = useStepIds();
  // As they stand on the canvas: the order of the names is that in which they are stored.
  const places = layoutOf(draft);
  const place = (name: string) => places.get(name) ?? { x: 0, y: 0 };
  const steps = stepsOf(draft).toSorted(
    (a, b) => place(a.name).x - place(b.name).x || place(a.name).y - place(b.name).y,
  );
  return (
    <>
      <div className="space-y-1 border-b border-line p-3">
        <p className="text-xs font-medium text-quiet">{t('flow.add')}</p>
        <ProcessorPicker
          label={t('flow.add')}
          kinds={['klados', 'rhiza']}
          onChoose={({ id, type, label }) => {
            const name = freeName(draft, label);
            onChange(
              withStep(
                draft,
                name,
                { id, type: type === 'rhiza' ? type : 'klados' },
                chosen ?? steps.at(-1)?.name ?? null,
              ),
            );
            onChoose(name);
          }}
        />
        {steps.length === 0 && <p className="text-xs text-quiet">{t('flow.addAbout')}</p>}
      </div>
      <ol aria-label={t('flow.steps')} className="divide-y divide-line">
        {steps.map((step) => {
          const { name, klados, form, target } = step;
          const own = findings.filter((one) => one.step === name);
          const open = name === chosen;
          const id = idOf(name);
          return (
            <li key={id}>
              <button
                type="button"
                aria-expanded={open}
                disabled={locked}
                onClick={() => onChoose(open ? null : name)}
                className={classes(
                  'flex w-full items-center gap-2 px-3 py-2 text-left hover:bg-sunken',
                  open && 'bg-accent-soft hover:bg-accent-soft',
                )}
              >
                <ChevronRight size={14} aria-hidden className={classes('shrink-0 text-quiet', open && 'rotate-90')} />
                <span className="min-w-0 flex-1">
                  <span className="flex items-center gap-1.5">
                    <bdi className="truncate font-medium">{name}</bdi>
                    {draft.entry === name && (
                      <Flag size={12} className="shrink-0 text-accent" role="img" aria-label={t('flow.entry')} />
                    )}
                  </span>
                  <span className="block truncate text-xs text-quiet">
                    {klados === null ? t('flow.noKlados') : <PeerName id={klados} />}
                  </span>
                </span>
                <span className="max-w-32 shrink-0 truncate text-xs text-quiet">
                  {form === null ? t('flow.unclear') : t(`flow.form.${form}`)}
                  {form !== 'done' && form !== null && <bdi> → {target}</bdi>}
                </span>
                {own.length > 0 && (
                  <TriangleAlert
                    size={14}
                    role="img"
                    aria-label={t('flow.findings', { count: own.length })}
                    className={own.some(({ serious }) => serious) ? 'shrink-0 text-danger' : 'shrink-0 text-warning'}
                  />
                )}
              </button>
              {open && (
                <StepForm
                  draft={draft}
                  step={step}
                  onChange={onChange}
                  onChoose={onChoose}
                  onRename={(to) => {
                    rename(name, to);
                    onChange(withName(draft, name, to));
                    onChoose(to);
                  }}
                  findings={own}
                  locked={locked}
                  said={said.current.get(id)}
                  onSaid={(now) => said.current.set(id, now)}
                />
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}
