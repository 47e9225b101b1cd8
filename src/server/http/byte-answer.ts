import { once } from 'node:events';
import { refuseRevoked } from '../model/caller.ts';
import { closingOf, type StreamRequest } from './streams.ts';

/**
 * Answers with bytes as they come, no faster than they are read. An error before the first of them is an answer like any
 * other; a later one ends the connection, so that what came is not taken for whole. A client that leaves ends the source.
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
    response.writeHead(200, { ...headers, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
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
