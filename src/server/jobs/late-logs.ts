import { setImmediate } from 'node:timers/promises';
import { findJob } from '../store/jobs/jobs.ts';
import { lateJobs } from '../store/jobs/late-logs.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { JobSender } from './sender.ts';

export interface LateLogNeeds {
  sender: Pick<JobSender, 'endLate'>;
  /** Epoch milliseconds. */
  now: () => number;
  log: { error(details: object, message: string): void };
  /** Given when the node closes. */
  stop: AbortSignal;
}

/**
 * Ends the logs of what ran within the node and could not end them before its permissions did, since the node was down. Does not
 * throw.
 */
export async function endLateLogs(store: NetworkStore, { sender, now, log, stop }: LateLogNeeds): Promise<void> {
  try {
    const nowMs = now();
    for (let page = store.look((db) => lateJobs(db, nowMs, null)); ; ) {
      for (const id of page.ids) {
        const job = store.look((db) => findJob(db, id));
        if (job && !stop.aborted) await sender.endLate(store, job);
      }
      const { next } = page;
      if (next === null) return;
      await setImmediate();
      if (stop.aborted) return;
      page = store.look((db) => lateJobs(db, nowMs, next));
    }
  } catch (error) {
    if (!stop.aborted)
      log.error({ err: error }, 'logs of jobs whose time is up could not be ended; the next start tries again');
  }
}
