import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { RemoteClient } from './remote.ts';
import { HeldOffError } from './remote-errors.ts';

export interface LiveOptions {
  /** Whether the remote offers such a stream, asked each time before it is opened. */
  offers: () => Promise<boolean>;
  /**
   * Something has moved at the remote: the number of the event, or null where all that is known is that there may be
   * something (the stream has just been opened, or the feed was reset). To be returned from at once.
   */
  onNews: (event: number | null) => void;
  /** Whether the stream is open. */
  onState?: ((open: boolean) => void) | undefined;
  /** Ends it. */
  signal: AbortSignal;
  /** Between 0 and 1. */
  random: () => number;
  /** Milliseconds to wait before it is opened again; tests give their own. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

const firstWait = 500;
const longestWait = 60_000;
const longestHeld = 24 * 3600 * 1000;
/** One event; a remote that sends more in one is no node. */
const maxEventLength = 64 * 1024;

/**
 * Keeps a node's stream of events open until `signal`: opened again, after waits that grow, whenever it ends or breaks
 * off, from the last event that came. What was missed while it was closed comes first, so that none is lost. Gives false
 * where the remote does not offer it.
 */
export async function followLive(client: RemoteClient, options: LiveOptions): Promise<boolean> {
  const { offers, signal, random, onNews, onState, wait } = options;
  let last: number | null = null;
  for (let failures = 0; !signal.aborted; failures++) {
    let held = 0;
    try {
      if (!(await offers())) return false;
      for await (const { name, id } of eventsOf(client, last, signal)) {
        failures = 0;
        if (name === 'ready') onState?.(true);
        if (name === 'reset' || (name === 'ready' && last === null)) onNews(null);
        if (name === 'move') onNews(id);
        if (id !== null) last = id;
      }
    } catch (error) {
      // Whatever it was, the stream is closed: the pull that this node makes by its schedule says what is wrong.
      if (error instanceof HeldOffError) held = error.retryAfter;
    }
    onState?.(false);
    if (signal.aborted) break;
    const growing = Math.min(firstWait * 2 ** Math.min(failures, 10), longestWait) * (0.5 + random());
    const ms = Math.min(Math.max(held, growing), longestHeld);
    await (wait ? wait(ms, signal) : sleep(ms, undefined, { signal })).catch(() => undefined);
  }
  return true;
}

interface LiveEvent {
  name: string;
  id: number | null;
}

async function* eventsOf(client: RemoteClient, after: number | null, signal: AbortSignal): AsyncGenerator<LiveEvent> {
  const found: LiveEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ event = '', id }) =>
      found.push({ name: event, id: id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null }),
    onError: (error) => {
      if (error.type !== 'invalid-retry' && error.type !== 'unknown-field') throw error;
    },
  });
  const decoder = new TextDecoder();
  const path = `/node/events/stream${after === null ? '' : `?after=${after}`}`;
  for await (const chunk of client.stream(path, signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
}
