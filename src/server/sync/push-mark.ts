import { UnreachableError } from '../errors.ts';
import { pushMark, seenIntervals } from '../store/remotes/remotes.ts';
import type { SyncContext } from './arrivals.ts';
import { type FeedEvent, type FeedPage, type FeedState, feedStep, newestSeen, startFeed } from './feed.ts';
import { askPage, pageSize } from './feed-page.ts';
import { noteRows } from './note-rows.ts';
import { emptied } from './quiet-feed.ts';
import { HeldOffError } from './remote-errors.ts';

// What a walk of a remote's feed has seen says nothing of what was pushed after it, and of a remote that is only pushed to no feed
// is walked. That it was set back since is known by one event: the newest one after the last push (SPEC.md, F6).

type Needs = Pick<SyncContext, 'store' | 'remote' | 'client'>;

/**
 * What gives away that a remote was set back since the last push to it; null for nothing, also where it shows no feed by now or
 * fails at it, which is no reason to send nothing.
 * @throws HeldOffError
 */
export async function setBackSince(needs: Needs): Promise<string | null> {
  const { store, remote } = needs;
  const [mark, seen] = store.read((db) => [
    pushMark(db, remote.key),
    seenIntervals(db, remote.key).findLast(({ lost }) => !lost),
  ]);
  const isSeen = seen !== undefined && (mark === undefined || mark.id <= seen.last);
  // The walk that comes begins with what it has seen itself.
  if (isSeen && remote.direction !== 'push') return null;
  if (mark === undefined && remote.direction !== 'push') return null;
  const newest = isSeen ? { id: seen.last, cid: seen.cid } : mark;
  return (await look(needs, newest))?.reason ?? null;
}

/**
 * Notes where the feed is after something was pushed, unless the remote was set back meanwhile: what gives that away, null for
 * nothing. What cannot be looked at leaves the mark of before.
 * @throws HeldOffError
 */
export async function noteMark(ctx: SyncContext): Promise<string | null> {
  const { store, remote } = ctx;
  const known = store.read((db) => pushMark(db, remote.key));
  const found = await look(ctx, known);
  if (found === null || found.reason !== null) return found?.reason ?? null;
  const { head } = found;
  if (!head || (known?.id === head.id && known.cid === head.cid)) return null;
  await noteRows(ctx, { kind: 'push_mark', remote: remote.name, mark: { id: head.id, cid: head.cid } });
  return null;
}

interface Look {
  /** The newest event. */
  head: FeedEvent | undefined;
  /** What gives away that the mark is not in the feed as it was. */
  reason: string | null;
}

/** Null where there is nothing to look at. @throws HeldOffError */
async function look(needs: Needs, mark: { id: number; cid: string | null } | undefined): Promise<Look | null> {
  let feed = startFeed(mark ? [{ first: mark.id, last: mark.id, cid: mark.cid, lost: false }] : []);
  let head: FeedEvent | undefined;
  do {
    const page = await pageThere(needs, feed);
    if (page === null) return null;
    head ??= page.events[0];
    feed = feedStep(feed, page).state;
    // A blank page says nothing of the newest event.
  } while (feed.phase === 'checking' || feed.blank);
  return { head, reason: head ? feed.reason : await emptied(needs, newestSeen(feed)) };
}

/** Whether the remote answers at all is for what comes after to find out. @throws HeldOffError */
async function pageThere(needs: Needs, feed: FeedState): Promise<FeedPage | null> {
  try {
    return (await askPage(needs, feed, { limit: feed.blank ? pageSize : 1, tries: 2 })).page;
  } catch (error) {
    if (error instanceof UnreachableError && !(error instanceof HeldOffError)) return null;
    throw error;
  }
}
