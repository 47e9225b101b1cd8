import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ListChecks, Play } from 'lucide-react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { More } from '../../components/more.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useTexts } from '../../messages/texts.tsx';
import { runsQuery } from './job-queries.ts';
import { RunLines } from './run-lines.tsx';

/** All that was started on the node, newest first. */
export function Jobs() {
  const { t } = useTexts();
  const go = useNavigate();
  const list = useInfiniteQuery(runsQuery());
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const { at, put } = useActive(runs.map(({ job_id }) => job_id));
  const open = (id: string | undefined) => id && void go({ to: '/jobs/$id', params: { id } });
  const start = () => void go({ to: '/process', search: {} });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, runs.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter'], palette: false, run: () => open(runs[at]?.job_id) },
    { id: 'process', label: t('process.title'), group, keys: ['n'], run: start },
  ]);
  return (
    <>
      <PageHead
        title={t('jobs.title')}
        about={t('jobs.about')}
        actions={
          <Button look="main" onClick={start}>
            <Play size={15} aria-hidden />
            {t('process.title')}
          </Button>
        }
      />
      <QueryState query={list} />
      {list.data && runs.length === 0 && (
        <EmptyState icon={ListChecks} title={t('jobs.none')}>
          <p>{t('jobs.noneAbout')}</p>
          <Link to="/processors" className={buttonClasses('main')}>
            {t('processors.title')}
          </Link>
        </EmptyState>
      )}
      {runs.length > 0 && (
        <div className="min-h-0 flex-1 overflow-auto">
          <RunLines runs={runs} active={at} />
          <More list={list} />
        </div>
      )}
    </>
  );
}
