import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../../model/actor.ts';
import type { Network } from '../../../model/ids.ts';
import { feedFloor, lastMove, type Move, movesAfter } from '../../../store/events.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { StreamSeats } from '../../stream-seats.ts';
import type { MoveEventView, ReadyEventView, ResetEventView } from './wire.ts';

/** What a stream sends at once; `id` is where it then stands. */
export type Streamed =
  | { event: 'ready'; id: number; data: ReadyEventView }
  | { event: 'reset'; id: number; data: ResetEventView }
  | { event: 'move'; id: number; data: MoveEventView[] };

const perRead = 200;
/** After some moves it waits so long for more, in milliseconds: under load they go out together. */
const gathering = 20;

/** Wakes whoever waits for the next moves. */
class News {
  #next = Promise.withResolvers<void>();

  get next(): Promise<void> {
    return this.#next.promise;
  }

  wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve();
  }
}

/** The change feed as it happens. It is read from the store at the pace of each client, so nothing is buffered. */
export class EventStreamService {
  readonly #networks: Pick<Networks, 'get'>;
  readonly #instance: string;
  readonly #news = new Map<NetworkStore, News>();
  readonly #seats = new StreamSeats();
  #closed = false;

  constructor(networks: Pick<Networks, 'get'>, instance: string) {
    this.#networks = networks;
    this.#instance = instance;
  }

  /**
   * Every move after `after`, then each new one, until `gone` or the end of the node; null: only new ones.
   * @throws BusyError where too many are open
   */
  async *follow(network: Network, actor: Actor, after: number | null, gone: AbortSignal): AsyncGenerator<Streamed> {
    using _seat = this.#seats.take(actor, 'Too many clients follow the events; poll GET /events.');
    const store = await this.#networks.get(network);
    const news = this.#newsOf(store);
    gone.addEventListener('abort', () => news.wake());
    const start = this.#start(store, after);
    yield start;
    let at = start.id;
    while (!gone.aborted && !this.#closed) {
      // Before it is read: what comes while it is read wakes this too.
      const { next } = news;
      const { moves } = store.read((db) => movesAfter(db, at, perRead));
      const last = moves.at(-1);
      if (last) {
        at = last.id;
        yield { event: 'move', id: at, data: moves.map(view) };
        await sleep(gathering);
      } else await next;
    }
  }

  #start(store: NetworkStore, after: number | null): Streamed {
    const { head, floor } = store.read((db) => ({ head: lastMove(db), floor: feedFloor(db) }));
    const instance = this.#instance;
    if (after !== null && (after < floor || after > head)) {
      const reason = after > head ? 'this feed has never come so far' : 'events after it have left the feed';
      return { event: 'reset', id: head, data: { instance, head, floor, reason: `${reason}; page back GET /events` } };
    }
    return { event: 'ready', id: after ?? head, data: { instance, head } };
  }

  #newsOf(store: NetworkStore): News {
    let news = this.#news.get(store);
    if (!news) {
      const made = new News();
      store.onMoves(() => made.wake());
      this.#news.set(store, made);
      news = made;
    }
    return news;
  }

  /** Ends every stream; for when the node stops, which would wait for them. */
  close(): void {
    this.#closed = true;
    for (const news of this.#news.values()) news.wake();
  }
}

function view({ id, entity, cid, time }: Move): MoveEventView {
  return { id, pi: entity, entity_id: entity, cid, ts: new Date(time).toISOString() };
}
