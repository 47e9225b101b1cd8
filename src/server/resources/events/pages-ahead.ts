import type { NetworkStore } from '../../store/network-store.ts';
import { RecentMap } from '../../store/recent-map.ts';
import { type EventsPage, type EventsQuery, eventsPage } from './page.ts';

/** Of as many readers the next page is kept, 190 kB each. */
const mostReaders = 8;

/**
 * The next pages of those who read a whole feed, made while they take in the one before. A page that has others after it stays
 * as it is: rows do not change, and newer ones come at the end. Only the floor can move into it.
 */
export class PagesAhead implements Disposable {
  readonly #pages = new RecentMap<string, EventsPage>(mostReaders);
  #closed = false;

  /** The page of a query, once, if it is there. */
  take(store: NetworkStore, query: EventsQuery): EventsPage | undefined {
    const key = keyOf(store, query);
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    return page;
  }

  /** Makes the page of a query, as soon as what is being answered has been sent. */
  make(store: NetworkStore, query: EventsQuery): void {
    setImmediate(() => {
      if (this.#closed) return;
      try {
        const page = eventsPage(store, query);
        if (page.more) this.#pages.set(keyOf(store, query), page);
      } catch {
        // Whoever asks for it reads it again, and is told what is wrong.
      }
    });
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
