import { setTimeout } from 'node:timers/promises';
import { BusyError } from '../errors.ts';
import type { Commit, Outcome } from './commit.ts';
import type { NetworkStore } from './network-store.ts';

/** A full queue is looked at again after so many milliseconds. */
const busyMs = 50;

/**
 * As CommitQueue.submit, but of work that waits while too much waits already, rather than fail. Where `signal` ends the waiting
 * its reason is thrown, and nothing is written; what has found room is waited for.
 */
export async function submitWhenFree(
  store: Pick<NetworkStore, 'submit'>,
  commits: Commit[],
  signal?: AbortSignal,
): Promise<Outcome[]> {
  for (;;) {
    try {
      return await store.submit(commits);
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      signal?.throwIfAborted();
      await setTimeout(busyMs);
    }
  }
}
