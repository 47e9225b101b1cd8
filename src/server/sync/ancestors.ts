import type { Reader } from '../store/connection.ts';
import { contentHash } from '../store/content-hash.ts';
import { findEntity } from '../store/entities.ts';
import { findKnown } from '../store/remotes/remotes.ts';
import { findVersion, versionHead } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import type { Chain, Head } from './manifests.ts';

/** Longer ways down a stored chain are walked in turns. */
const near = 64;

/** Whether so much of a chain is stored that a look at it could take long. */
export function isDeep({ head, blocks }: Chain): boolean {
  return head.ver - blocks.length > near;
}

/**
 * A chain with what its stored part holds, as far down as the decision on it may look (entity.ts), walked without holding
 * up anything else. Without a tip here there is nothing to compare it with.
 */
export async function withAncestors(
  { store, remote, turns }: Pick<SyncContext, 'store' | 'remote' | 'turns'>,
  chain: Chain,
): Promise<Chain> {
  const { id } = chain.head;
  const here = store.read((db) => {
    const local = findEntity(db, id);
    if (!local || local.cid === chain.cid) return null;
    const { theirs, twin } = findKnown(db, remote.key, id);
    // Nothing is known of a remote that is new: the last common version may be any.
    const known = theirs === null ? 1 : (versionHead(db, theirs)?.ver ?? 1);
    return { floor: Math.min(local.ver, known), known, edited: local.cid !== twin, tip: local.cid };
  });
  if (!here) return chain;
  const heads = new Map<string, Head>();
  const said = new Set<string>();
  // What the chain here holds as well is no answer to what was edited here since.
  let mine: string | null = here.tip;
  let isShared = false;
  let next = chain.blocks.length === 0 ? chain.cid : (chain.manifests[0]?.prev ?? null);
  const step = (cid: string): string | null =>
    store.look((db) => {
      const head = versionHead(db, cid);
      if (!head) return null;
      heads.set(cid, head);
      const isAsked = here.edited && !isShared && head.ver > here.known;
      if (isAsked) {
        mine = downTo(db, mine, head.ver);
        isShared = mine === cid;
      }
      const version = isAsked && !isShared ? findVersion(db, cid) : undefined;
      if (version) said.add(contentHash(version.manifest));
      return head.ver > here.floor ? head.prev : null;
    });
  while (next !== null) {
    await turns.next();
    const until = performance.now() + 3;
    while (next !== null && performance.now() < until) next = step(next);
  }
  return { ...chain, below: { floor: here.floor, heads, said } };
}

/** The version of a stored chain with that number, or the first below it; null where the chain does not go so far. */
function downTo(db: Reader, tip: string | null, ver: number): string | null {
  for (let cid = tip; cid !== null; ) {
    const head = versionHead(db, cid);
    if (!head) return null;
    if (head.ver <= ver) return cid;
    cid = head.prev;
  }
  return null;
}
