import type { NetworkStore } from '../../store/network-store.ts';
import { type EventsPage, type EventsQuery, eventsPage } from './page.ts';

/** Of so many readers the next page is kept, 190 kB each, and for so long (ms) where it is not asked for. */
const [mostReaders, keptFor] = [4, 5000];

/**
 * The next pages of those who read a whole feed, made while they take in the one before. A page that has others after it stays
 * as it is: rows do not change, and newer ones come at the end. Only the floor can move into it.
 */
export class PagesAhead implements Disposable {
  /** Null while a page is being made. */
  readonly #pages = new Map<string, { page: EventsPage; made: number } | null>();
  #closed = false;

  /** The page of a query, once, if it is there. */
  take(store: NetworkStore, query: EventsQuery): EventsPage | undefined {
    const key = keyOf(store, query);
    const kept = this.#pages.get(key);
    if (kept) this.#pages.delete(key);
    return kept?.page;
  }

  /** Makes the page of a query as soon as what is being answered has been sent, unless there are enough readers already. */
  make(store: NetworkStore, query: EventsQuery): void {
    if (this.#pages.size >= mostReaders) this.#forgetOld();
    const key = keyOf(store, query);
    if (this.#pages.size >= mostReaders || this.#pages.has(key)) return;
    this.#pages.set(key, null);
    setImmediate(() => {
      // Cleared meanwhile.
      if (this.#closed || this.#pages.get(key) !== null) return;
      this.#pages.delete(key);
      try {
        const page = eventsPage(store, query);
        if (page.more) this.#pages.set(key, { page, made: performance.now() });
      } catch {
        // Whoever asks for it reads it again, and is told what is wrong.
      }
    });
  }

  #forgetOld(): void {
    const before = performance.now() - keptFor;
    for (const [key, kept] of this.#pages) if (kept && kept.made < before) this.#pages.delete(key);
  }

  /** To be called when a floor has moved. */
  clear(): void {
    this.#pages.clear();
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.clear();
  }
}

function keyOf({ network }: NetworkStore, { since, until, limit }: EventsQuery): string {
  return JSON.stringify([network, since, until, limit]);
}
