import { dueUnlisted, type Unlisted } from '../store/remotes/unlisted.ts';
import type { SyncContext } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import { untilSpent } from './patience.ts';
import { compareBatch, membersOf, mostListed, noteListing, usersCollections, withMembers } from './sweep.ts';

/** So many listings a run. */
const limit = 20;

/**
 * Asks again for listings that a comparison of everything could not read, and compares what they name and is not known here; what
 * is known was compared then (SPEC.md, W7). Gives back deletions of what is live here, which are not made yet. What the remote
 * fails at again ends nothing but the asking.
 * @param unasked nobody asked for the run: only those whose time has come
 * @throws UnreachableError
 */
export async function listAgain(ctx: SyncContext, { unasked }: { unasked: boolean }): Promise<FeedEvent[]> {
  const { store, remote } = ctx;
  const now = unasked ? ctx.now() : Number.MAX_SAFE_INTEGER;
  const due = store.read((db) => dueUnlisted(db, remote.key, { now, limit }));
  const asking = { ...ctx, patience: ctx.patience.another() };
  const held: FeedEvent[] = [];
  await untilSpent(async () => {
    for (const one of due)
      for await (const ids of listingOf(asking, one))
        held.push(...(await compareBatch(asking, ids, new Map(), false)).held);
  });
  return held;
}

async function* listingOf(ctx: SyncContext, { collection }: Unlisted): AsyncGenerator<string[]> {
  const allowance = { left: mostListed };
  const { collections } = ctx.remote;
  if (collection === null)
    for await (const ids of usersCollections(ctx, new Set(), allowance)) yield* withMembers(ctx, ids, allowance);
  // Another choice of collections was made meanwhile.
  else if (collections.length > 0 && !collections.includes(collection)) await noteListing(ctx, collection, null);
  else yield* membersOf(ctx, collection, allowance);
}
