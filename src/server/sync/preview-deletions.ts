import { isDeep, withAncestors } from './ancestors.ts';
import type { SyncContext } from './arrivals.ts';
import { isVersionOf, loadEntity } from './entity.ts';
import { completeChain, fetchVersion, isUnusable, Room } from './manifests.ts';
import { decideTip } from './remote-tip.ts';
import { isDeletion } from './state.ts';
import { versionOf } from './version-of.ts';

/** What a preview works with for one remote. */
export type PreviewNeeds = Pick<SyncContext, 'store' | 'remote' | 'self' | 'client' | 'schema' | 'now' | 'turns'>;

/**
 * Whether a sync deletes what is live here, where the remote has: of what was done to it here since nobody else knows whether that
 * is a conflict. What cannot be read is not taken over.
 * @param cid the remote's tombstone
 * @throws UnreachableError
 */
export async function isDeletedBy(needs: PreviewNeeds, id: string, cid: string): Promise<boolean> {
  const { store, remote, client } = needs;
  const { state } = store.read((db) => loadEntity(db, remote.key, id));
  if (state.theirs !== null && state.local?.cid === state.twin) return true;
  const tip = await fetchVersion(client, cid);
  if (isUnusable(tip)) return false;
  const isHere = (version: string) => store.read((db) => isVersionOf(db, id, version));
  const found = await completeChain(client, id, tip, isHere, new Room());
  // So many versions are not fetched to look at them: who is asked to agree is rather told of one too many.
  if (found === 'long') return true;
  if (isUnusable(found)) return false;
  const chain = isDeep(found) ? await withAncestors(needs, found) : found;
  return store.read((db) => {
    const loaded = loadEntity(db, remote.key, id);
    const { next } = decideTip(db, loaded, chain, needs, { version: versionOf(chain.cid, chain.manifest) });
    return isDeletion(loaded.state, next);
  });
}
