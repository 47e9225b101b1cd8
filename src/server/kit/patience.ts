import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { derivedId, type Network } from '../model/ids.ts';
import { NodeCallError } from './job-error.ts';
import type { NodeApi } from './node-api.ts';

/** How long a call is made again that the node could not answer. */
export interface Patience {
  /** Epoch milliseconds: when the answer would come too late. */
  until: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/** Pauses grow from one to the other, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [200, 10_000];
/** No answer makes a worker wait for longer, in milliseconds. */
const longestAskedMs = 60_000;
/** How often on end a call is made that makes the node fail, in a minute: what is damaged may stay so. */
const faultyTries = 12;

/**
 * Makes a call until the node answers it: while it is not reached or is busy for as long as there is time, while it fails for a
 * minute.
 * @throws NodeCallError with the last answer; whatever else the call throws, at once
 */
export async function untilAnswered<T>(call: () => Promise<T>, { until, now, signal }: Patience): Promise<T> {
  let faults = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      faults = error instanceof NodeCallError && error.isFault ? faults + 1 : 0;
      const ms = faults >= faultyTries ? null : pauseAfter(error, faults || attempt);
      if (ms === null || signal.aborted || now() + ms >= until) throw error;
      await sleep(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

/** Milliseconds; null where the call is not to be made again. */
function pauseAfter(error: unknown, attempt: number): number | null {
  if (!(error instanceof NodeCallError) || !error.isPassing) return null;
  const growing = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.max(growing, Math.min(longestAskedMs, (error.retryAfter ?? 0) * 1000));
}

/**
 * The node, asked with patience. Whatever is asked twice is there once: an entity without an id is given one here, since the
 * answer that names it may be lost.
 */
export function patientNode(api: NodeApi, network: Network, patience: () => Patience): NodeApi {
  const asked = <T>(call: () => Promise<T>) => untilAnswered(call, patience());
  return {
    read: (id) => asked(() => api.read(id)),
    create: ({ id = derivedId(network, 'entity', randomUUID()), ...entity }) =>
      asked(() => api.create({ id, ...entity })),
    add: (additions) => asked(() => api.add(additions)),
    addNow: (additions) => asked(() => api.addNow(additions)),
    addWith: async (...given) => (await asked(async () => api.addWith?.(...given))) ?? false,
    change: (id, next) => asked(() => api.change(id, next)),
    invoke: (klados, invocation) => asked(() => api.invoke(klados, invocation)),
  };
}
