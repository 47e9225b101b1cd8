import type { RemoteClient } from './remote.ts';
import type { IdPage } from './wire.ts';

/** How many ids of listings are gone through; a page is counted as ten at least, however short it is. */
export interface Allowance {
  left: number;
}

/** What a remote gives in place of ids: it does not show them (403, 404), or says what nobody here understands. */
export type NoIds = 'refused' | 'unread';

const pageSize = 1000;
const leastCounted = 10;

/**
 * The pages of a listing, each id of a page once; why there are none, and then nothing more, where one cannot be read. It ends
 * with the page that says so; with the second in a row that brings nothing new (a remote that knows of no offsets gives the same
 * for ever), or the first where it is not said whether there is more; and where the allowance is used up.
 * @param path up to the `?`
 * @throws UnreachableError
 */
export async function* idPages(
  client: Pick<RemoteClient, 'read'>,
  { path, query = {}, read }: { path: string; query?: Record<string, string>; read: (body: unknown) => IdPage | null },
  allowance: Allowance,
): AsyncGenerator<string[] | NoIds> {
  let first = new Set<string>();
  let before = first;
  let wasFruitless = false;
  const stride = new Stride();
  for (let offset = 0; allowance.left > 0; ) {
    const range = new URLSearchParams({ limit: String(pageSize), offset: String(offset), ...query });
    const { status, body } = await client.read(`${path}?${range}`);
    const page = status === 200 ? read(body) : null;
    if (page === null) {
      yield status === 200 ? 'unread' : 'refused';
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
