/** A part of what a search finds. */
export interface SearchPage<T> {
  found: Iterable<T>;
  /** Whether there is no other after it. Of thousands of searches those that have ended need not be kept for another round. */
  isLast: boolean;
}

/** How many searches are begun in the first round; in each later one twice as many. */
const firstBegun = 64;

/**
 * What several searches find that work in pages, a page of each in turn: so a search that finds much answers before one that
 * looks at much in vain, and all together cost at most as many times as much as the easiest as there are of them.
 * Searches are begun in their order, and only as many as one needs.
 */
export function* inTurn<T>(searches: Iterable<Iterable<SearchPage<T>>>): Generator<T> {
  const waiting = searches[Symbol.iterator]();
  let begun: Iterator<SearchPage<T>>[] = [];
  let isLast = false;
  for (let more = firstBegun; !isLast || begun.length > 0; more *= 2) {
    const going: Iterator<SearchPage<T>>[] = [];
    for (const search of begun) if (yield* page(search)) going.push(search);
    for (let i = 0; i < more && !isLast; i++) {
      const { done, value } = waiting.next();
      if (done) {
        isLast = true;
        break;
      }
      const search = value[Symbol.iterator]();
      if (yield* page(search)) going.push(search);
    }
    begun = going;
  }
}

/** Whether there may be another page. */
function* page<T>(search: Iterator<SearchPage<T>>): Generator<T, boolean> {
  const { done, value } = search.next();
  if (done) return false;
  yield* value.found;
  return !value.isLast;
}
