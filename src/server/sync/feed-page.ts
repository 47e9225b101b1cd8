import { UnreachableError } from '../errors.ts';
import type { SyncContext } from './arrivals.ts';
import type { FeedPage, FeedState } from './feed.ts';
import type { RemoteAnswer } from './remote.ts';
import { readFeedPage, readWords } from './wire.ts';

type Needs = Pick<SyncContext, 'store' | 'client'>;

/** The page of a remote's feed that comes next. @throws UnreachableError */
export async function readPage(needs: Needs, feed: FeedState, pageSize: number): Promise<FeedPage> {
  const limit = feed.phase === 'checking' ? 1 : pageSize;
  const { status, body, page } = await askPage(needs, feed, { limit });
  if (page !== null) return page;
  const { host } = needs.client;
  if (status !== 200) throw new UnreachableError(`${host} shows no events: ${readWords(body, status)}`);
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
  const isNext = page?.events.every(({ id }) => cursor === null || id < cursor);
  return { ...answer, page: isNext ? page : null };
}
