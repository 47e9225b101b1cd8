import { jsonOf } from '../model/from-json.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { countOpen, isMuchOpen, type OpenCounts } from '../store/remotes/open-counts.ts';
import { listRemotes, seenIntervals } from '../store/remotes/remotes.ts';
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

/**
 * Of each kind so many are counted on the event loop, which takes less than a reader thread for them; of several remotes each of what
 * waits may wait for another one, which takes a look.
 */
const countedAtOnce = { one: 10_000, several: 1000 };

/** Of all remotes of a network. */
export async function gaugesOf(
  store: NetworkStore,
  runs: Pick<Runs, 'last' | 'current'>,
  now: number,
): Promise<RemoteGauges[]> {
  const remotes = store.read(listRemotes);
  const most = remotes.length > 1 ? countedAtOnce.several : countedAtOnce.one;
  const counts = await Promise.all(remotes.map(({ key }) => openAt(store, key, most)));
  return store.read((db) =>
    remotes.map((remote, i): RemoteGauges => {
      const last = runs.last(store, remote);
      const running = runs.current(store.network, remote.name);
      const isUndone = last !== null && (last.error !== null || last.report.stopped !== null);
      const level = last?.level ?? null;
      return {
        remote: remote.name,
        ...(counts[i] as OpenCounts),
        unread: lagOf(seenIntervals(db, remote.key), { lastRun: last, running }, now).events,
        level,
        ended: last?.ended ?? null,
        succeeded: isUndone ? level : (last?.ended ?? null),
        // Nobody has to look at what somebody, or the end of the node, has stopped.
        failing: isUndone && last.fault !== 'ended',
        running: running !== null,
      };
    }),
  );
}

async function openAt(store: NetworkStore, remote: number, most: number): Promise<OpenCounts> {
  const few = store.read((db) => (isMuchOpen(db, remote, most) ? null : countOpen(db, remote)));
  return few ?? muchOpenAt(store, remote);
}

/** Counts under way: who asks meanwhile, and some ask every second, is answered with them. */
const counting = new WeakMap<NetworkStore, Map<number, Promise<OpenCounts>>>();

function muchOpenAt(store: NetworkStore, remote: number): Promise<OpenCounts> {
  const ofStore = counting.get(store) ?? new Map<number, Promise<OpenCounts>>();
  counting.set(store, ofStore);
  const counted =
    ofStore.get(remote) ??
    store
      .readLong('openCounts', { remote })
      .then((json) => jsonOf(json) as OpenCounts)
      .finally(() => ofStore.delete(remote));
  ofStore.set(remote, counted);
  return counted;
}
