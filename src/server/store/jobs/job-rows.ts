import type { JobRequest } from '../../model/job-request.ts';
import type { Sending } from '../../model/job-state.ts';
import type { JsonObject } from '../../model/manifest.ts';
import type { Writer } from '../connection.ts';
import { applyPrune, type RunPruneRow } from './spent-runs.ts';

/** A job as it is recorded, before it is sent. Times are epoch milliseconds. */
export interface NewJob extends Pick<Sending, 'state' | 'attempts'> {
  id: string;
  /** The job or batch with which it all began; its own id where that is this one. */
  run: string;
  type: 'agent' | 'klados';
  processor: string;
  /** The workflow, where this is its first job. */
  rhiza: string | null;
  collection: string;
  target: string;
  /** The job that handed on to it. */
  parent: string | null;
  /** The failed job in whose place it is. */
  retries: string | null;
  /** The digest of what was handed on. */
  handoff: string | null;
  /** Who asked, or for what was handed on who began it: so that the permissions behind its grants can be looked at again. */
  asker: string;
  /** What is sent; a batch's job has no more of the input than is its own (jobs/shared-inputs.ts). */
  request: JobRequest;
  created: number;
  expires: number;
}

/** Invocations of one klados that were asked for together (wire-contract.md, invoke/batch). */
export interface NewJobBatch {
  id: string;
  /** What each of its jobs is made from. */
  job: Omit<NewJob, 'id' | 'run' | 'state' | 'attempts' | 'request'> & { request: Omit<JobRequest, 'job_id'> };
  items: { target_entity: string; input?: JsonObject }[];
  /** Its klados accepts `many`, and gets each as a list of one. */
  many?: true;
  /** Why its jobs are not sent (held-jobs.ts). */
  held?: string;
}

export type JobRow =
  | { kind: 'job'; job: NewJob }
  /** How far the request has come, from where it was. */
  | { kind: 'job_sending'; id: string; from: Pick<Sending, 'state' | 'attempts'>; to: Sending }
  /** Whoever handed it on knows of it: the same once more is another one. */
  | { kind: 'job_told'; id: string }
  | { kind: 'job_grant'; run: string; processor: string; actions: string[]; expires: number }
  | { kind: 'job_batch'; batch: NewJobBatch }
  /** The items before `next` have become jobs. */
  | { kind: 'job_batch_step'; id: string; next: number }
  | RunPruneRow;

export function applyJobRow(db: Writer, row: JobRow): void {
  switch (row.kind) {
    case 'job':
      insertJob(db, row.job);
      return;
    case 'job_sending':
      db.run(
        'UPDATE job SET state = ?, attempts = ?, error = ?, retry_after = ? WHERE id = ? AND state = ? AND attempts = ?',
        row.to.state,
        row.to.attempts,
        row.to.error,
        row.to.retryAfter,
        row.id,
        row.from.state,
        row.from.attempts,
      );
      return;
    case 'job_told':
      db.run('UPDATE job SET handoff = NULL WHERE id = ?', row.id);
      return;
    case 'job_grant':
      db.run(
        `INSERT INTO job_grant (run, processor, actions, expires) VALUES (?, ?, ?, ?)
           ON CONFLICT (run, processor) DO UPDATE SET actions = excluded.actions, expires = max(expires, excluded.expires)`,
        row.run,
        row.processor,
        JSON.stringify(row.actions),
        row.expires,
      );
      return;
    case 'job_batch': {
      const { id, items } = row.batch;
      db.run(
        'INSERT OR IGNORE INTO job_batch (id, next, total, body) VALUES (?, 0, ?, ?)',
        id,
        items.length,
        JSON.stringify(row.batch),
      );
      return;
    }
    case 'job_batch_step':
      db.run('UPDATE job_batch SET next = max(next, ?) WHERE id = ?', row.next, row.id);
      return;
    case 'job_prune':
      applyPrune(db, row);
  }
}

function insertJob(db: Writer, job: NewJob): void {
  db.run(
    `INSERT OR IGNORE INTO job (id, run, type, processor, rhiza, collection, target, parent, retries, handoff, asker,
       request, state, attempts, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.id,
    job.run,
    job.type,
    job.processor,
    job.rhiza,
    job.collection,
    job.target,
    job.parent,
    job.retries,
    job.handoff,
    job.asker,
    JSON.stringify(job.request),
    job.state,
    job.attempts,
    job.created,
    job.expires,
  );
}
