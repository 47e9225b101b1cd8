import { jsonOf } from '../model/from-json.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { RemoteCounts } from '../store/remotes/open-counts.ts';
import { type ContentTroubleRow, listContentTroubles } from '../store/remotes/remote-content.ts';
import {
  listTroubles,
  type RefusalRow,
  type Remote,
  type SeenRow,
  seenIntervals,
  type TroubleRow,
} from '../store/remotes/remotes.ts';
import { listUnlisted, type Unlisted } from '../store/remotes/unlisted.ts';
import { countsOf } from './brake.ts';
import type { Report } from './report.ts';
import type { LastRun, Runs } from './runs.ts';

/** A remote with how things stand with it. */
export interface RemoteStatus extends RemoteCounts {
  remote: Omit<Remote, 'secret' | 'key'> & { keyed: boolean };
  /** Feed ids that have been dealt with, and those that were gone before. */
  seen: SeenRow[];
  unreadable: TroubleRow[];
  /** Bytes that could not be had. */
  missingContent: ContentTroubleRow[];
  refusals: RefusalRow[];
  /** Listings there that could not be read, and are asked for again. */
  unlisted: Unlisted[];
  lastRun: LastRun | null;
  /** What the run under way has done so far. */
  running: Report | null;
}

const shown = 100;

/** How things stand with a remote; its secret is left out. */
export async function statusOf(store: NetworkStore, found: Remote, runs: Runs): Promise<RemoteStatus> {
  const { secret, key, ...remote } = found;
  const counts = await countsOf(store, key);
  const refusals = counts.refused > 0 ? await refusalsOf(store, key) : [];
  return store.read((db) => ({
    remote: { ...remote, keyed: secret !== null },
    ...counts,
    refusals,
    seen: seenIntervals(db, key),
    unreadable: listTroubles(db, key, shown),
    missingContent: listContentTroubles(db, key, shown),
    unlisted: listUnlisted(db, found, shown),
    lastRun: runs.last(store, found),
    running: runs.current(store.network, remote.name),
  }));
}

async function refusalsOf(store: NetworkStore, remote: number): Promise<RefusalRow[]> {
  return jsonOf(await store.readLong('refusals', { remote, limit: shown })) as RefusalRow[];
}
