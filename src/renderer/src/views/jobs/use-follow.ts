import { useQueryClient } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { fetchAgainAfter } from '../../api/fetch-again-after.ts';
import { isLive, type RunLine, runQuery } from './job-queries.ts';

/** Looks at a run again whenever the node says that it has moved, until it has ended. */
export function useFollow(run: RunLine | undefined, shown: string): void {
  const queries = useQueryClient();
  const live = run !== undefined && run.kind !== 'agent' && isLive(run.status);
  const of = run?.processor.id;
  const job = run?.job_id;
  const workflow = run?.kind === 'rhiza';
  useEffect(() => {
    if (!live || of === undefined || job === undefined) return;
    const gone = new AbortController();
    const again = () => {
      const query = queries.getQueryCache().find(runQuery(shown));
      if (query) void fetchAgainAfter(queries, query);
    };
    void follow({ of, job, workflow }, again, gone.signal).catch(() => undefined);
    return () => gone.abort();
  }, [live, of, job, workflow, shown, queries]);
}

/** A stream that breaks is not begun again: the run is asked for now and then in any case. */
async function follow(
  { of, job, workflow }: { of: string; job: string; workflow: boolean },
  onState: () => void,
  signal: AbortSignal,
): Promise<void> {
  const options = { params: { path: { id: of, job_id: job } }, parseAs: 'stream', signal } as const;
  const { data } = workflow
    ? await api.GET('/rhizai/{id}/jobs/{job_id}/status/stream', options)
    : await api.GET('/kladoi/{id}/jobs/{job_id}/status/stream', options);
  if (!data) return;
  const events = data.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  for (;;) {
    const { done } = await events.read();
    if (done) return;
    onState();
  }
}
