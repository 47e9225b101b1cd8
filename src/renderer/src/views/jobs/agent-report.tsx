import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { RunLine } from './job-queries.ts';
import { PhaseMark, ProgressBar } from './phase-mark.tsx';

/** What an agent says of its job. It is asked now and then while it works. */
export function AgentReport({ run: { processor, job_id, status } }: { run: RunLine }) {
  const { t } = useTexts();
  const said = useQuery({
    queryKey: ['agent-job', processor.id, job_id],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/agents/{id}/jobs/{job_id}/status', { params: { path: { id: processor.id, job_id } }, signal }),
      ),
    enabled: status === 'unknown',
    retry: false,
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === 'pending' || state.data.status === 'running' ? 4000 : false,
  });
  if (status !== 'unknown') return null;
  return (
    <section aria-label={t('job.agentSays')} className="space-y-2 border-b border-line px-5 py-3">
      <p className="text-quiet">{t('job.agentSays')}</p>
      {said.error && <Problem error={said.error} retry={() => void said.refetch()} />}
      {said.data && (
        <>
          <PhaseMark phase={said.data.status} />
          <ProgressBar progress={said.data.progress} />
          {said.data.error && <p className="break-words text-danger">{said.data.error.message}</p>}
          {said.data.result && (
            <pre className="max-h-48 overflow-auto rounded bg-sunken p-2 font-mono text-xs" dir="ltr">
              {JSON.stringify(said.data.result, null, 2).slice(0, 20_000)}
            </pre>
          )}
        </>
      )}
    </section>
  );
}
