import type { Caller } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import type { RunStatus } from '../../model/run-status.ts';
import { hasMoreJobs } from '../../store/jobs/jobs.ts';
import { failuresOfRun, toldStatus } from '../../store/jobs/run-failures.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { StreamSeats } from '../stream-seats.ts';

/** The state of a larger run is put together on a reader thread. */
const maxOnLoop = 200;
/** A stream looks again so long after something has moved, and after so long in any case: time changes states, too. */
const gatheringMs = 250;
const lookMs = 1000;

/** The state of a run as it is now. */
export async function runStatusNow(store: NetworkStore, run: string, nowMs: number): Promise<RunStatus> {
  const args = { run, nowMs };
  if (!isLong(store, run)) return store.read((db) => toldStatus(db, args));
  return jsonOf(await store.readLong('runStatus', args)) as RunStatus;
}

/** What has failed of a run as it is now. */
export async function runFailuresNow(
  store: NetworkStore,
  args: Parameters<typeof failuresOfRun>[1],
): Promise<ReturnType<typeof failuresOfRun>> {
  if (!isLong(store, args.run)) return store.read((db) => failuresOfRun(db, args));
  return jsonOf(await store.readLong('runFailures', args)) as ReturnType<typeof failuresOfRun>;
}

function isLong(store: NetworkStore, run: string): boolean {
  return store.look((db) => hasMoreJobs(db, run, maxOnLoop));
}

/** The members that every answer about a run has. */
export function runView(status: RunStatus) {
  const { progress, current, errors, started, completed } = status;
  return {
    status: status.status,
    progress,
    ...(current.length > 0 && { current_kladoi: current }),
    ...(errors.length > 0 && { errors }),
    started_at: started,
    ...(completed !== null && { completed_at: completed }),
  };
}

/** One who looks on. */
interface Looker {
  /** Whether something has moved since it began to look. */
  moved: boolean;
  wake: () => void;
}

/** Wakes whoever looks on when something in a network has moved. */
export class RunWatch {
  readonly #lookers = new WeakMap<NetworkStore, Set<Looker>>();
  readonly #stop: AbortSignal;
  readonly #seats = new StreamSeats();

  /** `stop` ends every stream: the node closes. */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
  }

  /**
   * What `look` gives, at once and whenever it gives something else, until it is final or `gone`.
   * @throws BusyError where too many look on already
   */
  async *follow<T extends { status: string }>(
    store: NetworkStore,
    { actor }: Caller,
    look: () => Promise<T>,
    gone: AbortSignal,
  ): AsyncGenerator<T> {
    using _seat = this.#seats.take(actor, 'Too many clients follow jobs; ask for the status instead.');
    const ended = AbortSignal.any([gone, this.#stop]);
    const looker: Looker = { moved: false, wake: () => undefined };
    const lookers = this.#lookersOf(store);
    lookers.add(looker);
    ended.addEventListener('abort', () => looker.wake(), { once: true });
    const rest = (ms: number, isOver: () => boolean) =>
      new Promise<void>((resolve) => {
        if (isOver()) return resolve();
        const timer = setTimeout(resolve, ms).unref();
        looker.wake = () => {
          if (!isOver()) return;
          clearTimeout(timer);
          resolve();
        };
      });
    try {
      let last = '';
      for (;;) {
        looker.moved = false;
        const seen = await look();
        const text = JSON.stringify(seen);
        if (text !== last) yield seen;
        last = text;
        if (seen.status === 'done' || seen.status === 'error') return;
        await rest(lookMs, () => looker.moved || ended.aborted);
        if (looker.moved) await rest(gatheringMs, () => ended.aborted);
        if (ended.aborted) return;
      }
    } finally {
      lookers.delete(looker);
    }
  }

  #lookersOf(store: NetworkStore): Set<Looker> {
    const known = this.#lookers.get(store);
    if (known) return known;
    const lookers = new Set<Looker>();
    store.onMoves(() => {
      for (const looker of lookers) {
        looker.moved = true;
        looker.wake();
      }
    });
    this.#lookers.set(store, lookers);
    return lookers;
  }
}
