import type { Commit, Row } from '../store/commit.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';

/** With which remote, and when, in epoch milliseconds. */
interface Noting {
  remote: { name: string };
  now: () => number;
}

/** `signal` ends the run, also while it waits for room. */
interface NotingRun extends Noting {
  store: NetworkStore;
  signal: AbortSignal;
}

/** What is known of a remote, kept without moving a tip; nothing where there are no rows. */
export async function noteRows({ store, signal, ...noting }: NotingRun, ...rows: Row[]): Promise<void> {
  if (rows.length > 0) await submitWhenFree(store, [rowsCommit(noting, ...rows)], signal);
}

/** As a commit, beside others. */
export function rowsCommit({ remote, now }: Noting, ...rows: Row[]): Commit {
  return { changes: [], preconditions: [], rows, origin: `remote:${remote.name}`, time: now() };
}
