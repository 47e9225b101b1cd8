import { once } from 'node:events';
import { DomainError } from '../errors.ts';
import { refuseRevoked } from '../model/caller.ts';
import { closingOf, type StreamRequest } from './streams.ts';

export interface EventAnswer<T extends object> {
  /** Makes the events; the signal is given when the client leaves. */
  events: (signal: AbortSignal) => AsyncGenerator<T>;
  headers: Record<string, string>;
  /** The last events where an error ends the answer after it has begun. */
  failed: (error: unknown) => T[];
  /** What stands in the event after the last one; null for no such event. */
  end: string | null;
  /** An event as text; without it its JSON as the data of one without name or id. */
  frame?: (event: T) => string;
  /** How often there is a sign of life, so that nobody between takes a client that waits for one that is gone; 3 s. */
  beatMs?: number;
}

function plain(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** A client that takes nothing for so long is given up. */
const stalledMs = 60_000;

/**
 * Answers with server-sent events, no faster than they are read. An error before the first of them is an answer like any
 * other, unless the wait for it was so long that the answer had to begin.
 * @throws what is no refusal, once the answer has ended, so that it is logged
 */
export async function answerEvents<T extends object>(
  request: StreamRequest,
  { events, headers, failed, end, frame = plain, beatMs = 3000 }: EventAnswer<T>,
): Promise<never> {
  const response = request.res;
  const gone = closingOf(request);
  const begin = () => {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    });
  };
  if (request.method === 'HEAD') {
    // Express takes it for a GET, and there is nothing to wait for.
    begin();
    response.end();
    return undefined as never;
  }
  const write = async (text: string) => {
    begin();
    if (response.destroyed || response.write(text)) return;
    const stalled = AbortSignal.timeout(stalledMs);
    await once(response, 'drain', { signal: AbortSignal.any([gone, stalled]) }).catch(() => response.destroy());
  };
  const beat = setInterval(() => {
    if (request.caller.isRevoked?.()) return void response.destroy();
    begin();
    if (!response.destroyed && !response.writableNeedDrain) response.write(': waiting\n\n');
  }, beatMs);
  let fault: unknown;
  try {
    for await (const event of events(gone)) {
      refuseRevoked(request.caller);
      await write(frame(event));
      if (response.destroyed) break;
    }
  } catch (error) {
    if (!response.headersSent && !response.destroyed) throw error;
    for (const event of failed(error)) await write(frame(event));
    if (!(error instanceof DomainError)) fault = error;
  } finally {
    clearInterval(beat);
  }
  if (!response.destroyed) response.end(end === null ? undefined : `data: ${end}\n\n`);
  if (fault !== undefined) throw fault;
  return undefined as never;
}
