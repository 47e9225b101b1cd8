import { findJob, type StoredJob, waitingJobs } from '../store/jobs/jobs.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { JobSender } from './sender.ts';

interface UnansweredNeeds {
  sender: Pick<JobSender, 'commit' | 'told'>;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Handoffs that had not arrived when the node stopped, by their digests: whoever began them has had no answer. */
export class Unanswered {
  readonly #store: NetworkStore;
  readonly #needs: UnansweredNeeds;
  readonly #ids = new Map<string, string[]>();

  constructor(store: NetworkStore, needs: UnansweredNeeds) {
    this.#store = store;
    this.#needs = needs;
  }

  /** Notes those in a page of what waits, before any of it is sent; how many wait there, and after which key to look on. */
  note(page: { after: number; last: number; limit: number }): { jobs: number; next: number | null } {
    const waiting = this.#store.read((db) => waitingJobs(db, page));
    for (const { id, handoff, error } of waiting) {
      if (handoff === null || error === null) continue;
      const ids = this.#ids.get(handoff);
      if (ids) ids.push(id);
      else this.#ids.set(handoff, [id]);
    }
    return { jobs: waiting.length, next: (waiting.length === page.limit && waiting.at(-1)?.key) || null };
  }

  /**
   * A job of one of them, which is sent since; each is given once, also where the node stops again before it arrives.
   * @throws StorageError
   */
  async tell(handoff: string): Promise<StoredJob | undefined> {
    const job = this.#next(handoff);
    if (!job) return undefined;
    try {
      await this.#store.submit([this.#needs.sender.commit([{ kind: 'job_told', id: job.id }])]);
    } catch (error) {
      this.#ids.set(handoff, [job.id, ...(this.#ids.get(handoff) ?? [])]);
      throw error;
    }
    return job;
  }

  #next(handoff: string): StoredJob | undefined {
    const { sender, now } = this.#needs;
    const ids = this.#ids.get(handoff) ?? [];
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const job = this.#store.read((db) => findJob(db, id ?? ''));
      const sending = job && (sender.told(job.id) ?? job.sending);
      if (sending && sending.state !== 'refused' && job.expires > now()) return job;
    }
    this.#ids.delete(handoff);
    return undefined;
  }
}
