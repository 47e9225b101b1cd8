import { LoopTurns } from '../../loop/loop-turns.ts';
import type { Network } from '../../model/ids.ts';
import { feedFloor, floorAfter, floorBefore } from '../../store/events.ts';
import type { NetworkStore } from '../../store/network-store.ts';
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
  readonly #turns = new LoopTurns();
  readonly #failed: (error: unknown) => void;

  constructor(networks: Networks, now: () => number, log: Log) {
    this.#networks = networks;
    this.#now = now;
    this.#failed = (error) => log.error({ err: error }, 'the feed could not be pruned');
    this.#timer = setInterval(() => {
      this.prune().catch(this.#failed);
    }, pruningInterval);
    this.#timer.unref();
  }

  /** A network is opened: what grew old while it was closed is not to be seen until the hourly job comes. */
  async opened(store: NetworkStore): Promise<void> {
    await this.#prune(store).catch(this.#failed);
  }

  /**
   * Newest first, or with `since` oldest first (wire-contract.md 4.5). `has_more` and `cursor` are about the direction: an
   * empty page answers the `since` that it came with, or the floor where that is above it, so that a poll goes on from there and
   * sees that events have left the feed, and else 0. Gives the JSON of an
   * `EventsView`, in UTF-8.
   */
  async list(network: Network, query: EventsQuery): Promise<Uint8Array> {
    const store = await this.#networks.get(network);
    const page = this.#ahead.take(store, query) ?? eventsPage(store, query);
    const next = followingOf(query, page);
    if (next) this.#ahead.make(store, next);
    return page.json;
  }

  /** Moves the floor of each open network's feed to 30 days ago, also back where the clock was ahead; the rows stay (decisions.md, Events). */
  async prune(): Promise<void> {
    for (const store of this.#networks.opened()) await this.#prune(store);
  }

  async #prune(store: NetworkStore): Promise<void> {
    const time = this.#now();
    const since = time - retention;
    const before = store.read(feedFloor);
    let floor = store.read((db) => floorBefore(db, since));
    for (let isLast = false; !isLast; ) {
      await this.#turns.next();
      ({ floor, isLast } = store.read((db) => floorAfter(db, floor, since)));
    }
    if (floor === before) return;
    await store.submit([
      { changes: [], preconditions: [], rows: [{ kind: 'feed_floor', move: floor }], origin: 'local', time },
    ]);
    this.#ahead.clear();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#ahead[Symbol.dispose]();
  }
}
