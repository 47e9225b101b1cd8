import type { Sending } from '../model/job-state.ts';

/** Pauses grow from one to the other, in milliseconds. */
const [firstRestMs, longestRestMs] = [1_000, 300_000];
/** Of what runs within the node: asking it again costs little, and nothing tells that the list of its commands was corrected. */
const longestLocalRestMs = 5_000;

interface Pause {
  /** Milliseconds, of the clock that never is set. */
  until: number;
  /** Where the processor was when it was sent what it did not take; null where it was not in use. */
  place: string | null;
}

/** A processor that did not take what it was sent last. */
interface Rest extends Pause {
  /** How often on end. */
  failures: number;
}

/** Who is sent nothing for a while, and what is not sent: processors that are not reached or ask to wait, and their jobs. */
export class Rests {
  readonly #clock: () => number;
  readonly #isLocal: (place: string) => boolean;
  readonly #processors = new Map<string, Rest>();
  /** Jobs that were put back, and until when: one that its processor never takes holds up no other of it. */
  readonly #jobs = new Map<string, Pause & { processor: string }>();

  /** `clock`: milliseconds. `isLocal`: whether what runs at a place does so within this node. */
  constructor(clock: () => number, isLocal: (place: string) => boolean = () => false) {
    this.#clock = clock;
    this.#isLocal = isLocal;
  }

  /**
   * What came of a job that was sent: `queued` where it was put back. It waits as long as its processor asks; others of that are
   * held up no longer than five minutes. `place`: where the processor was.
   */
  note(
    { id, processor }: { id: string; processor: string },
    { state, attempts, retryAfter }: Sending,
    place: string | null,
  ): void {
    const now = this.#clock();
    const longestMs = place !== null && this.#isLocal(place) ? longestLocalRestMs : longestRestMs;
    const askedMs = state === 'queued' ? (retryAfter ?? 0) * 1000 : 0;
    if (state === 'queued')
      this.#jobs.set(id, { processor, place, until: now + Math.max(askedMs, growing(attempts, longestMs)) });
    const { failures, until } = this.#processors.get(processor) ?? { failures: 0, until: 0 };
    const rests = until > now;
    if (state !== 'queued' && state !== 'unknown') {
      // What was under way when the rest began says nothing of what comes after it.
      if (!rests) this.#processors.delete(processor);
      return;
    }
    // What was under way together fails together, and counts once.
    const count = rests ? failures : failures + 1;
    const ends = now + Math.max(Math.min(askedMs, longestRestMs), rests ? 0 : growing(count, longestMs));
    this.#processors.set(processor, { failures: count, until: Math.max(until, ends), place });
  }

  /**
   * Ends what was noted of processors that are elsewhere by now; true where there was any. `placeOf`: where one is now; null where
   * it is not in use yet.
   */
  endMoved(placeOf: (processor: string) => string | null): boolean {
    const places = new Map([...this.#rested()].map((processor) => [processor, placeOf(processor)]));
    const isMoved = (processor: string, { place }: Pause) => {
      const now = places.get(processor) ?? null;
      return now !== null && now !== place;
    };
    let ended = false;
    for (const [id, job] of this.#jobs) if (isMoved(job.processor, job)) ended = this.#jobs.delete(id);
    for (const [id, rest] of this.#processors) if (isMoved(id, rest)) ended = this.#processors.delete(id);
    return ended;
  }

  #rested(): Set<string> {
    return new Set([...this.#processors.keys(), ...[...this.#jobs.values()].map(({ processor }) => processor)]);
  }

  /** Whether a processor is asked by one job alone, until it takes one. */
  isTried(processor: string): boolean {
    return this.#processors.has(processor);
  }

  isResting(processor: string): boolean {
    return (this.#processors.get(processor)?.until ?? 0) > this.#clock();
  }

  /** Those that rest now. */
  processors(): string[] {
    return [...this.#processors.keys()].filter((one) => this.isResting(one));
  }

  /** Those that are not sent now. */
  jobs(): string[] {
    const now = this.#clock();
    for (const [id, { until }] of this.#jobs) if (until <= now) this.#jobs.delete(id);
    return [...this.#jobs.keys()];
  }

  /** Milliseconds until the first of them may be sent something, or be sent; null where none rests. */
  next(): number | null {
    const now = this.#clock();
    const ends = [...this.#jobs.values(), ...this.#processors.values()].map(({ until }) => until);
    const first = ends.reduce((least, end) => (end > now ? Math.min(least, end) : least), Number.POSITIVE_INFINITY);
    return first === Number.POSITIVE_INFINITY ? null : first - now;
  }
}

function growing(count: number, longestMs: number): number {
  return Math.min(longestMs, firstRestMs * 2 ** Math.min(Math.max(0, count - 1), 20));
}
