import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Copied } from '../../components/copied.tsx';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { ownWords } from '../../components/node-words.ts';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { meaningOf } from './error-words.ts';
import { isLive, type RunLine } from './job-queries.ts';
import { LogMessages } from './log-messages.tsx';
import type { TreeLine } from './model/job-tree.ts';
import { PhaseMark } from './phase-mark.tsx';

/** One job: what it works on, what it says, what it made, why it failed and how it is repeated. */
export function JobDetails({ run, line: { job, repeatedBy } }: { run: RunLine; line: TreeLine }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const log = useQuery({ ...entityQuery(job.log ?? ''), enabled: job.log !== null });
  const again = useMutation({
    mutationFn: () => {
      const { job_id } = job;
      return answered(api.POST('/node/jobs/{job_id}/repeat', { params: { path: { job_id } }, body: {} }));
    },
    onSuccess: ({ accepted, error }) => toast(accepted ? t('job.repeated') : t('job.refused', { why: error ?? '' })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run'] }),
  });
  const { log: logId } = job;
  const meaning = job.error ? meaningOf(job.error.code) : undefined;
  return (
    <article aria-label={job.step ?? job.processor.label} className="space-y-5">
      <header className="flex flex-wrap items-start gap-3">
        <div className="min-w-40 flex-1">
          <h2 className="text-base font-semibold break-words">
            <bdi>{job.step ?? (job.processor.label || job.processor.id)}</bdi>
          </h2>
          <p className="flex flex-wrap gap-x-3 text-quiet">
            <PhaseMark phase={job.status} />
            <Link to="/processors/$id" params={{ id: job.processor.id }} className="hover:underline">
              <bdi>{job.processor.label || job.processor.id}</bdi>
            </Link>
          </p>
        </div>
        {job.status === 'error' && run.kind !== 'agent' && repeatedBy === null && (
          <Button onClick={() => again.mutate()} disabled={again.isPending}>
            <RotateCw size={15} aria-hidden />
            {t('job.repeat')}
          </Button>
        )}
      </header>
      {job.error && (
        <div className="rounded-md border border-danger/40 bg-danger-soft p-3">
          {meaning && <p className="font-medium">{t(meaning)}</p>}
          <p className={classes('break-words', !meaning && 'font-medium')}>
            <bdi>{ownWords(t, job.error.message) ?? (job.error.message || job.error.code)}</bdi>
          </p>
          <p className="text-xs text-quiet">
            <code className="font-mono">{job.error.code.slice(0, 200)}</code> ·{' '}
            {repeatedBy === null ? t(job.error.retryable ? 'job.retryable' : 'job.notRetryable') : t('job.wasRepeated')}
          </p>
        </div>
      )}
      {/* Somebody else may have repeated it, which is said already. */}
      {again.error && repeatedBy === null && <Problem error={again.error} />}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        <Fact name={t('job.worksOn')}>
          <Entities ids={job.targets} count={job.target_count} none={t('job.wholeCollection')} />
        </Fact>
        <Fact name={t('job.made')}>
          <Entities
            ids={job.outputs}
            count={job.output_count}
            none={t(isLive(job.status) ? 'job.madeNothing' : 'job.madeNone')}
          />
        </Fact>
        <Fact name={t('job.times')}>
          <Moment at={job.started_at ?? job.created_at} />
          {job.started_at && job.completed_at && (
            <span className="text-quiet"> · {t('job.took', { seconds: took(job.started_at, job.completed_at) })}</span>
          )}
        </Fact>
        {job.sending !== 'accepted' && (
          <Fact name={t('job.request')}>
            {t(`job.sending.${job.sending}`)}
            {job.error === null && job.sending_error !== null && (
              <p className="text-quiet break-words">
                <bdi>{ownWords(t, job.sending_error) ?? job.sending_error}</bdi>
              </p>
            )}
          </Fact>
        )}
        <Fact name={t('job.id')}>
          <Copied text={job.job_id} />
        </Fact>
      </dl>
      {isLive(job.status) && (
        <p className="text-xs text-quiet">
          {t('job.noCancel')} <Moment at={job.expires_at} />
        </p>
      )}
      <section aria-labelledby="job-log" className="space-y-2">
        <h3 id="job-log" className="flex flex-wrap items-baseline gap-3 font-semibold">
          {t('job.log')}
          {logId !== null && (
            <Link to="/entities/$id" params={{ id: logId }} className="text-xs font-normal text-accent hover:underline">
              {t('processor.asEntity')}
            </Link>
          )}
        </h3>
        {logId === null ? (
          <p className="text-quiet">{t(run.kind === 'agent' ? 'job.agentLog' : 'job.noLog')}</p>
        ) : (
          <LogMessages properties={log.data?.properties} />
        )}
        {log.error && <Problem error={log.error} retry={() => void log.refetch()} />}
      </section>
    </article>
  );
}

/** Entities as links; of many the first. */
function Entities({ ids, count, none }: { ids: readonly string[]; count: number; none: string }) {
  const { t } = useTexts();
  if (count === 0) return <span className="text-quiet">{none}</span>;
  return (
    <ul>
      {ids.map((id) => (
        <li key={id} className="truncate">
          <Link to="/entities/$id" params={{ id }} className="text-accent hover:underline">
            <PeerName id={id} />
          </Link>
        </li>
      ))}
      {count > ids.length && <li className="text-quiet">{t('job.andMore', { count: count - ids.length })}</li>}
    </ul>
  );
}

/** Seconds between two times, short ones to the tenth. */
function took(from: string, to: string): number {
  const seconds = Math.max(0, Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}
