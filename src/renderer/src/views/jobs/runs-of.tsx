import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { runsQuery } from './job-queries.ts';
import { PhaseMark } from './phase-mark.tsx';

/** What a processor did last. */
export function RunsOf({ processor }: { processor: string }) {
  const { t, number } = useTexts();
  const list = useInfiniteQuery(runsQuery(processor, 8));
  const runs = list.data?.pages[0]?.runs ?? [];
  return (
    <section aria-labelledby="runs-of" className="space-y-2">
      <h2 id="runs-of" className="text-base font-semibold">
        {t('jobs.title')}
      </h2>
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      {list.data && runs.length === 0 && <p className="text-quiet">{t('jobs.noneOf')}</p>}
      {runs.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {runs.map(({ job_id, status, progress, created_at }) => (
            <li key={job_id} className="flex items-center gap-3 py-1.5">
              <PhaseMark phase={status} />
              <Link to="/jobs/$id" params={{ id: job_id }} className="min-w-0 flex-1 truncate hover:underline">
                <Moment at={created_at} />
              </Link>
              <span className="text-xs text-quiet tabular-nums">
                {t('bulk.ofAll', { done: number(progress.done), total: number(progress.total) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
