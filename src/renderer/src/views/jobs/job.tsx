import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { AgentReport } from './agent-report.tsx';
import { JobDetails } from './job-details.tsx';
import { JobLines } from './job-lines.tsx';
import { isLive, mostJobs, type RunLine, runQuery } from './job-queries.ts';
import { treeOf } from './model/job-tree.ts';
import { PhaseMark, ProgressBar } from './phase-mark.tsx';

const route = getRouteApi('/jobs/$id');

/** One run as it goes: its jobs as a tree, what each says, what it made, and what can be done about what failed. */
export function Job() {
  const { t } = useTexts();
  const { id } = route.useParams();
  const { at } = route.useSearch();
  const go = useNavigate({ from: '/jobs/$id' });
  const [failedOf, setFailedOf] = useState<string>();
  const failed = failedOf === id;
  const found = useQuery({
    ...runQuery(id, failed),
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  });
  const lines = treeOf(found.data?.jobs ?? []);
  const [shown, setShown] = useState<string>();
  // The one that was chosen; else the one that is shown; else what failed and was not repeated; else the first.
  const chosen =
    lines.find(({ job }) => job.job_id === at) ??
    lines.find(({ job }) => job.job_id === shown) ??
    lines.find(({ job, repeatedBy }) => job.status === 'error' && repeatedBy === null) ??
    lines[0];
  // Whoever reads it, or is about to press its button, is taken to no other that fails meanwhile.
  if (chosen && chosen.job.job_id !== shown) setShown(chosen.job.job_id);
  const choose = (job: string) => void go({ search: (old) => ({ ...old, at: job }), replace: true });
  const place = chosen ? lines.indexOf(chosen) : -1;
  useCommands(stepCommands(t, place, lines.length, (to) => lines[to] && choose(lines[to].job.job_id)));
  if (found.isPending) return <Waiting />;
  if (!found.data)
    return (
      <div className="mx-auto w-full max-w-2xl p-6">
        <Problem error={found.error} retry={() => void found.refetch()}>
          <Link to="/jobs" className={buttonClasses()}>
            {t('jobs.title')}
          </Link>
        </Problem>
      </div>
    );
  const { run, total } = found.data;
  return (
    <>
      <RunHead run={run} shown={id} />
      {run.kind === 'agent' && <AgentReport run={run} />}
      <div className="grid grid-cols-1 min-h-0 flex-1 lg:grid-cols-[minmax(18rem,2fr)_3fr]">
        <div className="min-h-40 overflow-auto border-b border-line lg:border-r lg:border-b-0">
          {run.progress.total > mostJobs && (
            <p className="flex flex-wrap items-center gap-3 p-3 text-xs text-quiet">
              {total > mostJobs && t('job.firstOnly', { most: mostJobs, total })}
              {(failed || run.progress.error > 0) && (
                <Button small onClick={() => setFailedOf(failed ? undefined : id)}>
                  {t(failed ? 'job.showAll' : 'job.showFailed')}
                </Button>
              )}
            </p>
          )}
          <JobLines lines={lines} chosen={chosen?.job.job_id} onChoose={choose} />
        </div>
        <div className="min-h-40 overflow-auto p-5">
          {chosen && <JobDetails key={chosen.job.job_id} run={run} line={chosen} />}
        </div>
      </div>
    </>
  );
}

function RunHead({ run, shown }: { run: RunLine; shown: string }) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const { job_id, kind, processor, target, status, progress } = run;
  const resume = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/rhizai/{id}/jobs/{job_id}/resume', { params: { path: { id: processor.id, job_id } }, body: {} }),
      ),
    onSuccess: ({ resumed, skipped, error }) => {
      toast(resumed > 0 ? t('job.resumed', { count: resumed }) : t('job.resumedNone', { skipped: number(skipped) }));
      if (error !== undefined) toast(t('job.resumedInPart', { skipped: number(skipped), reason: error }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', shown] }),
  });
  return (
    <>
      <PageHead
        above={
          <Link to="/jobs" className="hover:underline">
            {t('jobs.title')}
          </Link>
        }
        title={processor.label || processor.id}
        about={
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span role="status">
              <PhaseMark phase={status} />
            </span>
            <span className="tabular-nums">
              {t('bulk.ofAll', { done: number(progress.done), total: number(progress.total) })}
            </span>
            <span className="w-32">
              <ProgressBar progress={progress} />
            </span>
            <span>
              {t('job.in')}{' '}
              <Link to="/collections/$id" params={{ id: target.id }} className="text-accent hover:underline">
                <bdi>{target.label || target.id}</bdi>
              </Link>
            </span>
            <span>
              <Moment at={run.created_at} />
            </span>
            {isLive(status) && (
              <span>
                {t('job.until')} <Moment at={run.expires_at} />
              </span>
            )}
          </div>
        }
        actions={
          <>
            <Link to="/processors/$id" params={{ id: processor.id }} className={buttonClasses()}>
              {t(`job.open.${kind === 'batch' ? 'klados' : kind}`)}
            </Link>
            <Link to="/collections/$id" params={{ id: run.job_collection }} className={buttonClasses()}>
              {t('job.logs')}
            </Link>
            {kind === 'rhiza' && status === 'error' && (
              <Button look="main" onClick={() => resume.mutate()} disabled={resume.isPending}>
                <RotateCw size={15} aria-hidden />
                {t('job.resume')}
              </Button>
            )}
          </>
        }
      />
      {resume.error && (
        <div className="px-5 pt-4">
          <Problem error={resume.error} />
        </div>
      )}
    </>
  );
}
