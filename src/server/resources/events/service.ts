import type { Network } from '../../model/ids.ts';
import { feedFloor, floorAt } from '../../store/events.ts';
import type { Networks } from '../../store/networks.ts';
import { type EventsQuery, eventsPage, followingOf } from './page.ts';
import { PagesAhead } from './pages-ahead.ts';

const retention = 30 * 24 * 3600 * 1000;
const pruningInterval = 3600 * 1000;

/** Where a failure of the hourly job goes. */
interface Log {
  error(details: object, message: string): void;
}

/** The public change feed (interface.md, Events): the moves of the last 30 days. */
export class EventsService implements Disposable {
  readonly #networks: Networks;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #ahead = new PagesAhead();

  constructor(networks: Networks, now: () => number, log: Log) {
    this.#networks = networks;
    this.#now = now;
    this.#timer = setInterval(() => {
      this.prune().catch((error: unknown) => log.error({ error }, 'the feed could not be pruned'));
    }, pruningInterval);
    this.#timer.unref();
  }

  /**
   * Newest first, or with `since` oldest first (wire-contract.md 4.5). `has_more` and `cursor` are about the direction: an
   * empty page answers the `since` that it came with, so that a poll goes on from there, and else 0. Gives the JSON of an
   * `EventsView`, in UTF-8.
   */
  async list(network: Network, query: EventsQuery): Promise<Uint8Array> {
    const store = await this.#networks.get(network);
    const page = this.#ahead.take(store, query) ?? eventsPage(store, query);
    const next = followingOf(query, page);
    if (next) this.#ahead.make(store, next);
    return page.json;
  }

  /** Moves the floor of each open network's feed to 30 days ago; the rows stay (decisions.md, Events). */
  async prune(): Promise<void> {
    const time = this.#now();
    for (const store of this.#networks.opened()) {
      const { floor, before } = store.read((db) => ({
        floor: floorAt(db, time - retention),
        before: feedFloor(db),
      }));
      if (floor === before) continue;
      await store.submit([
        { changes: [], guards: [], rows: [{ kind: 'feed_floor', move: floor }], origin: 'local', time },
      ]);
      this.#ahead.clear();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#ahead[Symbol.dispose]();
  }
}
