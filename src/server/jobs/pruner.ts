import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { oldestJob, spentJobs, spentPage } from '../store/jobs/spent-runs.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { JobSender } from './sender.ts';

export interface PrunerNeeds {
  sender: Pick<JobSender, 'commit'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** So long after the last of a run's permissions have ended its records are kept, in milliseconds. */
  keepMs: number;
  log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** Given when the node closes. */
  stop: AbortSignal;
}

const betweenMs = 6 * 3_600_000;
const firstMs = 60_000;

/** Forgets runs that have long ended: what was sent, granted and asked for together. Their logs are entities and stay. */
export class JobPruner {
  readonly #needs: PrunerNeeds;

  constructor(needs: PrunerNeeds) {
    this.#needs = needs;
  }

  /** Prunes a network soon, and then now and again until the node closes. */
  async follow(store: NetworkStore): Promise<void> {
    const { stop, log } = this.#needs;
    const pause = (ms: number) => sleep(ms, undefined, { signal: stop, ref: false }).catch(() => undefined);
    for (await pause(firstMs); !stop.aborted; await pause(betweenMs)) {
      try {
        const runs = await this.prune(store);
        if (runs > 0) log.info({ network: store.network, runs }, 'records of runs that ended long ago were removed');
      } catch (error) {
        if (!stop.aborted) log.error({ err: error }, 'old records of runs could not be removed; it is tried again');
      }
    }
  }

  /** Removes all that is old enough; says how many runs. */
  async prune(store: NetworkStore): Promise<number> {
    const before = this.#needs.now() - this.#needs.keepMs;
    const seen = new Set<string>();
    let pruned = 0;
    for (let page = store.look((db) => spentPage(db, before, null)); ; ) {
      for (const run of page.runs) {
        if (seen.has(run)) continue;
        seen.add(run);
        if (await this.#pruneRun(store, run, before)) pruned++;
      }
      const { next } = page;
      if (next === null || this.#needs.stop.aborted) return pruned;
      page = store.look((db) => spentPage(db, before, next));
    }
  }

  async #pruneRun(store: NetworkStore, run: string, before: number): Promise<boolean> {
    const { sender, stop } = this.#needs;
    if (!(await this.#isSpent(store, run, before))) return false;
    let some = false;
    let oldest = store.look((db) => oldestJob(db, run));
    while (oldest !== undefined && !stop.aborted) {
      await store.submit([sender.commit([{ kind: 'job_prune', run, before }])]);
      const left = store.look((db) => oldestJob(db, run));
      // One of its jobs has been repeated since it was looked at.
      if (left === oldest) return some;
      some = true;
      oldest = left;
    }
    return some;
  }

  async #isSpent(store: NetworkStore, run: string, before: number): Promise<boolean> {
    for (let after: number | null = 0; after !== null; await setImmediate()) {
      const from: number = after;
      const { spent, next } = store.look((db) => spentJobs(db, run, { before, after: from }));
      if (!spent) return false;
      after = next;
    }
    return true;
  }
}
