import { newestPushed } from '../store/remotes.ts';
import type { SyncContext } from './arrivals.ts';
import { readTip } from './wire.ts';

/**
 * An entity of which a remote that is only pushed to has lost the version that it came to have last, null for none: one that was
 * restored from a backup lacks the newest first, so that one question tells, whatever was written there since.
 * @throws UnreachableError
 */
export async function lostNewest({ store, remote, client }: SyncContext): Promise<string | null> {
  const newest = store.read((db) => newestPushed(db, remote.key));
  if (!newest) return null;
  const { id, cid } = newest;
  if ((await client.read(`/versions/manifest/${cid}`)).status !== 404) return null;
  // It may have the version and not show it.
  const { status, body } = await client.read(`/entities/${id}/tip`);
  const tip = status === 200 ? readTip(body) : null;
  return status === 404 || (tip !== null && tip !== cid) ? id : null;
}
