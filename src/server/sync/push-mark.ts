import { UnreachableError } from '../errors.ts';
import { pushMark } from '../store/remotes.ts';
import type { SyncContext } from './arrivals.ts';
import { type FeedPage, feedStep, startFeed } from './feed.ts';
import { askPage } from './pull.ts';
import { FailedAnswerError } from './remote.ts';

// Of a remote that is only pushed to no feed is walked. What a pull knows by that, that the remote was set back, is known by one
// event: the newest one after the last push (SPEC.md, Push).

/**
 * What gives away that a remote was set back since the last push to it; null for nothing, also where it shows no feed by now or
 * fails at it, which is no reason to send nothing.
 * @throws UnreachableError where it does not answer
 */
export async function setBackSince(ctx: SyncContext): Promise<string | null> {
  const mark = ctx.store.read((db) => pushMark(db, ctx.remote.key));
  if (!mark) return null;
  let feed = startFeed([{ first: mark.id, last: mark.id, cid: mark.cid, lost: false }]);
  do {
    const page = await pageThere(ctx, feed);
    if (page === null) return null;
    feed = feedStep(feed, page).state;
  } while (feed.phase === 'checking');
  return feed.phase === 'reset' ? feed.reason : null;
}

/** Notes where the feed is after a push. What cannot be read leaves the mark of before, which says less and nothing wrong. */
export async function noteMark(ctx: SyncContext): Promise<void> {
  const { store, remote, now } = ctx;
  let page: FeedPage | null;
  try {
    page = await pageThere(ctx, startFeed([]));
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return;
  }
  const newest = page?.events[0];
  const known = store.read((db) => pushMark(db, remote.key));
  if (!newest || (known?.id === newest.id && known.cid === newest.cid)) return;
  const row = { kind: 'push_mark', remote: remote.name, mark: { id: newest.id, cid: newest.cid } } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: `remote:${remote.name}`, time: now() }]);
}

/** @throws UnreachableError where it does not answer at all */
async function pageThere(ctx: SyncContext, feed: Parameters<typeof askPage>[1]): Promise<FeedPage | null> {
  try {
    const { page } = await askPage(ctx, feed, 1);
    return page;
  } catch (error) {
    if (error instanceof FailedAnswerError) return null;
    throw error;
  }
}
