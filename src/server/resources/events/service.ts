import type { Network } from '../../model/ids.ts';
import { feedFloor, floorAt, movesAfter, movesBefore } from '../../store/events.ts';
import type { Networks } from '../../store/networks.ts';
import type { EventsView } from './wire.ts';

const retention = 30 * 24 * 3600 * 1000;
const pruningInterval = 3600 * 1000;

export interface EventsQuery {
  /** Only events with a higher id. */
  since?: number | undefined;
  /** Only events with a lower id. */
  until?: number | undefined;
  limit: number;
}

/** Where a failure of the hourly job goes. */
interface Log {
  error(details: object, message: string): void;
}

/** The public change feed (interface.md, Events): the moves of the last 30 days. */
export class EventsService implements Disposable {
  readonly #networks: Networks;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;

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
   * empty page answers the `since` that it came with, so that a poll goes on from there, and else 0.
   */
  async list(network: Network, { since, until = Number.MAX_SAFE_INTEGER, limit }: EventsQuery): Promise<EventsView> {
    const store = await this.#networks.get(network);
    const { moves, more } = store.read((db) =>
      since === undefined
        ? movesBefore(db, until, limit)
        : movesAfter(db, Math.max(since, feedFloor(db)), limit, until),
    );
    const ts = timeWriter();
    return {
      events: moves.map(({ id, entity, cid, time }) => ({ id, pi: entity, entity_id: entity, cid, ts: ts(time) })),
      has_more: more,
      cursor: moves.at(-1)?.id ?? since ?? 0,
    };
  }

  /** Moves the floor of each open network's feed to 30 days ago; the rows stay (decisions.md, Events). */
  async prune(): Promise<void> {
    const time = this.#now();
    for (const store of this.#networks.opened()) {
      const { floor, before } = store.read((db) => ({
        floor: floorAt(db, time - retention),
        before: feedFloor(db),
      }));
      if (floor > before)
        await store.submit([
          { changes: [], guards: [], rows: [{ kind: 'feed_floor', move: floor }], origin: 'local', time },
        ]);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Writes times (epoch ms) as ISO 8601. What was written together has one time, and each takes as long as all else of an event. */
function timeWriter(): (time: number) => string {
  let [last, text] = [Number.NaN, ''];
  return (time) => {
    if (time !== last) [last, text] = [time, new Date(time).toISOString()];
    return text;
  };
}
