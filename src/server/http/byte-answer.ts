import { once } from 'node:events';
import { refuseRevoked } from '../model/caller.ts';
import { closingOf, type StreamRequest } from './streams.ts';

const constant = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * Answers with bytes as they come, no faster than they are read. An error before the first of them is an answer like any
 * other; a later one ends the connection, so that what came is not taken for whole. A client that leaves ends the source,
 * and so does a HEAD.
 */
export async function answerBytes(
  request: StreamRequest,
  chunks: AsyncGenerator<Uint8Array>,
  headers: Record<string, string>,
): Promise<void> {
  const response = request.res;
  const closing = closingOf(request);
  try {
    let next = await chunks.next();
    // Express takes it for a GET, and no write of its answer would ever say that it is enough.
    if (request.method === 'HEAD') return answerHead(request, headers);
    // The first of them may have been long in the making.
    refuseRevoked(request.caller);
    response.writeHead(200, { ...headers, ...constant });
    for (; !next.done && !response.destroyed; next = await chunks.next()) {
      refuseRevoked(request.caller);
      if (!response.write(next.value)) await once(response, 'drain', { signal: closing });
    }
    response.end();
  } catch (error) {
    if (closing.aborted) return;
    throw error;
  } finally {
    await chunks.return(undefined);
  }
}

/** Answers a HEAD with what the bytes would come under. */
export function answerHead({ res }: StreamRequest, headers: Record<string, string>): void {
  res.writeHead(200, { ...headers, ...constant }).end();
}
