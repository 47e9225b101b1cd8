import { jsonOf } from '../model/from-json.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { RemoteCounts } from '../store/remotes/open-counts.ts';
import type { SyncContext } from './arrivals.ts';

/** What a run changes in any case, however small the mirror is. */
const always = 50;

/** How much is known of a remote's entities. */
export async function countsOf(store: NetworkStore, remote: number): Promise<RemoteCounts> {
  return jsonOf(await store.readLong('remoteCounts', { remote })) as RemoteCounts;
}

/**
 * Of how many entities so many changes are, where they are more than a run makes by itself; null where it makes them.
 * Few changes need no count.
 * @param unmet how many of them are of entities of which no version is known from there yet
 */
export async function braked(
  { store, remote, brake }: Pick<SyncContext, 'store' | 'remote' | 'brake'>,
  changes: number,
  unmet = 0,
): Promise<number | null> {
  if (changes <= always) return null;
  const of = (await countsOf(store, remote.key)).mirrored + unmet;
  return changes > brake * of ? of : null;
}

/** Ends a run at a remote that is not what it was, as `words` say. */
export function stopAtReset({ client, remote, report }: SyncContext, words: string): void {
  report.stopped = `${client.host} is not what it was: ${words}. ${agreement(remote.name)}`;
  report.stop = { kind: 'reset' };
}

/** How to go on, for whoever has looked. */
export function agreement(remote: string): string {
  return `Look at it with "archeion sync ${remote} --dry-run"; if it is right: archeion sync ${remote} --accept-large-change.`;
}
