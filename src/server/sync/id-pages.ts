import { checkKey } from './key-check.ts';
import type { RemoteAnswer, RemoteClient } from './remote.ts';
import { checkMeant, FailedAnswerError } from './remote-errors.ts';
import { type IdPage, readWords } from './wire.ts';

/** How many ids of listings are gone through; a page is counted as ten at least, however short it is. */
export interface Allowance {
  left: number;
}

/** What a remote gives in place of ids: it does not show them, or says what nobody here understands. */
export type NoIds = 'hidden' | 'unread';

interface IdListing {
  /** Up to the `?`. */
  path: string;
  query?: Record<string, string>;
  read: (body: unknown) => IdPage | null;
  /** Every remote has it: what is neither its ids nor the remote's own word that it does not show them is no answer. */
  isCertain?: boolean;
}

const pageSize = 1000;
const leastCounted = 10;

/**
 * The pages of a listing, each id of a page once; why there are none, and then nothing more, where one cannot be read. It ends
 * with the page that says so; with the second in a row that brings nothing new (a remote that knows of no offsets gives the same
 * for ever), or the first where it is not said whether there is more; and where the allowance is used up.
 * @throws UnreachableError, of what is certain FailedAnswerError for what is no answer
 */
export async function* idPages(
  client: RemoteClient,
  { path, query = {}, read, isCertain = false }: IdListing,
  allowance: Allowance,
): AsyncGenerator<string[] | NoIds> {
  let first = new Set<string>();
  let before = first;
  let wasFruitless = false;
  const stride = new Stride();
  for (let offset = 0; allowance.left > 0; ) {
    const range = new URLSearchParams({ limit: String(pageSize), offset: String(offset), ...query });
    const answer = await client.read(`${path}?${range}`);
    const isGiven = answer.status === 200;
    const page = isGiven ? read(answer.body) : null;
    if (page === null) {
      if (isCertain && !isGiven) checkHidden(client, answer, offset === 0);
      yield isGiven ? 'unread' : 'hidden';
      return;
    }
    const ids = new Set(page.ids);
    allowance.left -= Math.max(leastCounted, ids.size);
    const fresh = [...ids].filter((id) => !first.has(id) && !before.has(id));
    if (fresh.length > 0) yield fresh;
    const isFruitless = fresh.length === 0;
    if (page.more === false || (isFruitless && (wasFruitless || page.more === null))) return;
    wasFruitless = isFruitless;
    if (first.size === 0) first = ids;
    if (ids.size > 0) before = ids;
    offset += stride.after(page.ids.length, isFruitless);
  }
}

/** What shows its first page shows the others, too. @throws UnreachableError where the key counts no more, FailedAnswerError */
function checkHidden(client: RemoteClient, answer: RemoteAnswer, isFirst: boolean): void {
  checkMeant(client.host, answer);
  const what = isFirst ? 'does not list it' : 'lists no more of it';
  checkKey(client, answer, what);
  const { status, body } = answer;
  if (!isFirst || ![401, 403, 404].includes(status))
    throw new FailedAnswerError(`${client.host} ${what}: ${readWords(body, status)}`);
}

/**
 * How far a page goes. A remote may give less than it was asked for at once, or leave out of a page what it does not show: what
 * comes after what it gave is asked for next, where some of it comes again in the second case. A page without anything new is
 * passed over whole; two of one length in a row tell how long pages are there.
 */
class Stride {
  #page = pageSize;
  #before = 0;

  after(held: number, isFruitless: boolean): number {
    if (held >= leastCounted && held === this.#before) this.#page = held;
    this.#before = held;
    return isFruitless ? this.#page : held;
  }
}
