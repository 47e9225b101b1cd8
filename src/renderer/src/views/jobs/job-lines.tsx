import { CornerDownRight, RotateCw } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { TreeLine } from './model/job-tree.ts';
import { PhaseMark } from './phase-mark.tsx';

const deepest = 8;

/** The jobs of a run, each under the one that handed on to it. */
export function JobLines({
  lines,
  chosen,
  onChoose,
}: {
  lines: readonly TreeLine[];
  chosen: string | undefined;
  onChoose(job: string): void;
}) {
  const { t, number } = useTexts();
  const current = useIntoView<HTMLLIElement>(chosen);
  return (
    <ol aria-label={t('job.all')} className="py-1">
      {lines.map(({ job, depth, repeatedBy }) => {
        const { job_id, processor, step, batch, status, output_count, retries } = job;
        return (
          <li key={job_id} ref={job_id === chosen ? current : null} className="[content-visibility:auto]">
            <button
              type="button"
              aria-current={job_id === chosen || undefined}
              onClick={() => onChoose(job_id)}
              style={{ paddingInlineStart: `${1.25 + Math.min(depth, deepest) * 1.25}rem` }}
              className={classes(
                'flex w-full items-center gap-2 py-1.5 pr-4 text-left hover:bg-surface',
                job_id === chosen && 'bg-accent-soft hover:bg-accent-soft',
                repeatedBy !== null && 'opacity-60',
              )}
            >
              {depth > 0 && <CornerDownRight size={13} className="-ml-4 shrink-0 text-edge" aria-hidden />}
              <PhaseMark phase={status} bare />
              <span className="min-w-0 flex-1 truncate">
                <bdi className="font-medium">{step ?? (processor.label || processor.id)}</bdi>
                {batch && (
                  <span className="text-quiet tabular-nums">
                    {' '}
                    {t('bulk.ofAll', { done: number(batch.index + 1), total: number(batch.total) })}
                  </span>
                )}
                {step !== null && <bdi className="text-quiet"> · {processor.label}</bdi>}
              </span>
              {retries !== null && <RotateCw size={13} role="img" aria-label={t('job.isRepetition')} />}
              {output_count > 0 && (
                <span className="shrink-0 text-xs text-quiet">{t('job.outputs', { count: output_count })}</span>
              )}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
