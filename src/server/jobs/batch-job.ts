import { afterSending, newSending } from '../model/job-state.ts';
import type { JobRow, NewJobBatch } from '../store/jobs/job-rows.ts';

/** The job that one item of a batch becomes. */
export function batchJob(
  { id: run, job, many, held }: NewJobBatch,
  { target_entity, input }: NewJobBatch['items'][number],
  id: string,
): JobRow[] {
  const { input: _, ...common } = job.request;
  const target = many ? { target_entities: [target_entity] } : { target_entity };
  const request = { ...common, job_id: id, ...target, ...(input && { input }) };
  const { state, attempts } = newSending;
  const made: JobRow = { kind: 'job', job: { ...job, id, run, request, state, attempts } };
  if (held === undefined) return [made];
  const to = afterSending(newSending, { kind: 'held', error: held });
  return [made, { kind: 'job_sending', id, from: newSending, to }];
}
