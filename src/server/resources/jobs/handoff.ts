import { createHash } from 'node:crypto';
import type { Actor } from '../../model/actor.ts';
import type { JobRequest } from '../../model/job-request.ts';
import type { Reader } from '../../store/connection.ts';
import { findLog } from '../../store/job-logs.ts';
import { findJobHead, grantEnd, type JobHead, liveJobIn } from '../../store/jobs.ts';

/** A call by which a klados hands on to the next one within its run. */
export interface Handoff {
  /** The job that hands on. */
  from: JobHead;
}

interface Context {
  job_collection?: string | undefined;
  rhiza?: { parent_logs: string[] } | undefined;
}

/**
 * Whether an invocation is a handoff: a klados with a job whose time is not up asks, within that job's collection, for a
 * klados that was granted what it needs when the run began (decisions.md, Processors).
 */
export function handoffOf(
  db: Reader,
  actor: Actor,
  klados: string,
  { job_collection, rhiza }: Context,
  nowMs: number,
): Handoff | null {
  if (actor.kind !== 'processor' || job_collection === undefined || rhiza === undefined) return null;
  const from = handingOn(db, actor.id, job_collection, rhiza.parent_logs, nowMs);
  if (!from || (grantEnd(db, from.run, klados) ?? 0) <= nowMs) return null;
  return { from };
}

/** The processor's own job in the collection: the one whose log it names, else its newest. */
function handingOn(
  db: Reader,
  processor: string,
  collection: string,
  logs: readonly string[],
  nowMs: number,
): JobHead | undefined {
  for (const id of logs.slice(0, 10)) {
    const log = findLog(db, id);
    if (log?.klados !== processor || log.author !== processor) continue;
    const job = findJobHead(db, log.job);
    if (job?.processor === processor && job.collection === collection) return job.expires > nowMs ? job : undefined;
  }
  return liveJobIn(db, collection, processor, nowMs);
}

/**
 * What makes two handoffs the same one, asked for twice. Where a scatter has no batch, two equal outputs are two jobs, and
 * there is no telling, unless the processor numbers them.
 */
export function handoffDigest(run: string, klados: string, request: Omit<JobRequest, 'job_id'>): string | null {
  const { rhiza, target_entity, target_entities } = request;
  if (!rhiza) return null;
  const { id, path, parent_logs, batch, recurse_depth, scatter_total, scatter_index } = rhiza;
  if (scatter_total !== undefined && batch === undefined && scatter_index === undefined) return null;
  const place = batch ? [batch.id, batch.index] : scatter_index;
  const targets = target_entities ?? [target_entity];
  const text = JSON.stringify([run, klados, id, path, parent_logs, place, recurse_depth, targets]);
  return createHash('sha256').update(text).digest('base64url');
}
