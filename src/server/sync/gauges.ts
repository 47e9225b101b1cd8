import type { NetworkStore } from '../store/network-store.ts';
import { countOpen, listRemotes, type OpenCounts, seenIntervals } from '../store/remotes/remotes.ts';
import type { Runs } from './runs.ts';
import { lagOf } from './stand.ts';

/** How things stand with a remote, as far as it is known without a look at its entities; times are epoch milliseconds. */
export interface RemoteGauges extends OpenCounts {
  remote: string;
  unread: number | null;
  level: number | null;
  ended: number | null;
  succeeded: number | null;
  failing: boolean;
  running: boolean;
}

/** Of all remotes of a network. */
export function gaugesOf(store: NetworkStore, runs: Runs, now: number): RemoteGauges[] {
  return store.read((db) =>
    listRemotes(db).map((remote): RemoteGauges => {
      const last = runs.last(store, remote);
      const running = runs.current(store.network, remote.name);
      const failing = last !== null && (last.error !== null || last.report.stopped !== null);
      const level = last?.level ?? null;
      return {
        remote: remote.name,
        ...countOpen(db, remote.key),
        unread: lagOf(seenIntervals(db, remote.key), { lastRun: last, running }, now).events,
        level,
        ended: last?.ended ?? null,
        succeeded: failing ? level : (last?.ended ?? null),
        failing,
        running: running !== null,
      };
    }),
  );
}
