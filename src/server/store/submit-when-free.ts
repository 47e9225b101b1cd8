import { setTimeout } from 'node:timers/promises';
import { BusyError } from '../errors.ts';
import type { Commit, Outcome } from './commit.ts';
import type { NetworkStore } from './network-store.ts';

/** A full queue is looked at again after so many milliseconds. */
const busyMs = 50;

/** As CommitQueue.submit, but of work that waits while too much waits already, rather than fail. */
export async function submitWhenFree(store: Pick<NetworkStore, 'submit'>, commits: Commit[]): Promise<Outcome[]> {
  for (;;) {
    try {
      return await store.submit(commits);
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      await setTimeout(busyMs);
    }
  }
}
