import { Link } from '@tanstack/react-router';
import { classes } from '../../components/classes.ts';
import { Moment } from '../../components/moment.tsx';
import { ownWords } from '../../components/node-words.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import { meaningOf } from './error-words.ts';
import type { RunLine } from './job-queries.ts';
import { PhaseMark, ProgressBar } from './phase-mark.tsx';

/** What was started, a line each; `active` is the one that the keys are at. */
export function RunLines({ runs, active }: { runs: readonly RunLine[]; active: number }) {
  const { t, number } = useTexts();
  const row = useIntoView<HTMLTableRowElement>(active, runs[active]?.job_id);
  return (
    <table className="w-full table-fixed">
      <thead className="text-left text-xs text-quiet">
        <tr className="border-b border-line">
          <th className="px-5 py-2 font-medium">{t('job.what')}</th>
          <th className="w-36 px-3 py-2 font-medium">{t('processor.state')}</th>
          <th className="w-36 px-3 py-2 font-medium">{t('job.progress')}</th>
          <th className="hidden w-56 px-3 py-2 font-medium xl:table-cell">{t('job.target')}</th>
          <th className="hidden w-44 px-5 py-2 font-medium lg:table-cell">{t('job.started')}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ job_id, kind, processor, target, status, progress, created_at, error }, i) => (
          <tr
            key={job_id}
            ref={i === active ? row : null}
            className={classes('border-b border-line align-top hover:bg-surface', i === active && 'bg-accent-soft')}
          >
            <td className="px-5 py-2">
              <Link
                to="/jobs/$id"
                params={{ id: job_id }}
                className="block truncate font-medium hover:underline"
                dir="auto"
              >
                {processor.label || processor.id}
              </Link>
              {error && status === 'error' ? (
                <p className="line-clamp-2 text-xs break-words text-danger">
                  <ErrorLine error={error} />
                </p>
              ) : (
                <p className="truncate text-xs text-quiet">{t(`job.kind.${kind}`)}</p>
              )}
              <p className="truncate text-xs text-quiet lg:hidden">
                <Moment at={created_at} />
              </p>
            </td>
            <td className="px-3 py-2">
              <PhaseMark phase={status} />
            </td>
            <td className="px-3 py-2">
              <p className="mb-1 text-xs text-quiet tabular-nums">
                {t('bulk.ofAll', { done: number(progress.done), total: number(progress.total) })}
              </p>
              <ProgressBar progress={progress} />
            </td>
            <td className="hidden truncate px-3 py-2 xl:table-cell">
              <Link to="/collections/$id" params={{ id: target.id }} className="hover:underline">
                <bdi>{target.label || target.id}</bdi>
              </Link>
            </td>
            <td className="hidden px-5 py-2 text-quiet lg:table-cell">
              <Moment at={created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a job failed with, briefly: what its code means comes before what may be in any language. */
function ErrorLine({ error: { code, message } }: { error: NonNullable<RunLine['error']> }) {
  const { t } = useTexts();
  const meaning = meaningOf(code);
  return <bdi>{ownWords(t, message) ?? [meaning && t(meaning), message || code].filter(Boolean).join(' ')}</bdi>;
}
