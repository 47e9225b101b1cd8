import { Progress } from '../../../components/progress.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Step } from './runs.ts';

const known = ['database', 'versions', 'entities', 'files', 'leaves', 'content', 'changes'] as const;

/** How far a task has come: what it is at, of how much. */
export function TaskProgress({ label, step }: { label: string; step: Step | null }) {
  const { t, number } = useTexts();
  const total = step?.total;
  const name = known.find((one) => step?.step.includes(one));
  const counted =
    step && (total ? t('bulk.ofAll', { done: number(step.done), total: number(total) }) : number(step.done));
  return (
    <div className="space-y-1">
      <Progress label={label} done={step?.done ?? 0} total={total ?? null} />
      <p role="status" className="text-xs text-quiet">
        {step ? (
          <>
            {name ? t(`step.${name}`) : step.step}
            {step.done > 0 && ` ${counted}`}
          </>
        ) : (
          t('state.waiting')
        )}
      </p>
    </div>
  );
}
