import { UnreachableError } from '../errors.ts';
import type { SyncContext } from './arrivals.ts';
import { type FeedPage, type FeedState, isBlank, limitOf } from './feed.ts';
import type { RemoteAnswer } from './remote.ts';
import { KeyRefusedError } from './remote-errors.ts';
import { readFeedPage, readWords } from './wire.ts';

type Needs = Pick<SyncContext, 'store' | 'client'>;

/** Events a page, unless one is all that is asked for. */
export const pageSize = 500;

/** The page of a remote's feed that comes next. @throws UnreachableError */
export async function readPage(needs: Needs & Pick<SyncContext, 'remote'>, feed: FeedState): Promise<FeedPage> {
  const { status, body, page } = await askPage(needs, feed, { limit: limitOf(feed, pageSize) });
  if (page !== null) return page;
  const { host } = needs.client;
  if (status !== 200) {
    const words = `${host} shows no events: ${readWords(body, status)}`;
    if (status !== 401) throw new UnreachableError(words);
    throw new KeyRefusedError(
      `${words}. Give it a key that it accepts: archeion remote set ${needs.remote.name} --key KEY`,
    );
  }
  throw new UnreachableError(`${host} answers /events with something else than a page of the feed`);
}

/**
 * What a remote answers to the question for a page; `page` is null where that is none.
 * @param tries how often it is asked for at most
 * @throws UnreachableError
 */
export async function askPage(
  { store: { network }, client }: Needs,
  { cursor }: FeedState,
  { limit, tries }: { limit: number; tries?: number },
): Promise<RemoteAnswer & { page: FeedPage | null }> {
  const query = new URLSearchParams({
    limit: String(limit),
    network,
    ...(cursor !== null && { cursor: String(cursor) }),
  });
  const answer = await client.read(`/events?${query}`, undefined, tries);
  const page = answer.status === 200 ? readFeedPage(answer.body, network) : null;
  return { ...answer, page: page !== null && isNext(page, cursor) ? page : null };
}

/** Whether all of a page lies below where it was asked from; an empty one with others after it has to say where they begin. */
function isNext(page: FeedPage, cursor: number | null): boolean {
  if (isBlank(page)) return page.next !== null && (cursor === null || page.next < cursor);
  return page.events.every(({ id }) => cursor === null || id < cursor);
}
