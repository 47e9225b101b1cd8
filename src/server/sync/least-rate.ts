import { FailedAnswerError } from './remote-errors.ts';

/** So much at least comes of an answer in each window, as of one that ends it does not matter. */
const leastBytes = 65_536;

/**
 * What comes of an answer, for as long as that is worth waiting for: a byte now and then would hold a run for ever, since each
 * begins the connection's own time anew. Only the time in which bytes are waited for counts.
 * @param what who answers what, for the message
 * @param window milliseconds
 * @throws FailedAnswerError
 */
export async function* notTrickling(
  body: AsyncIterable<Uint8Array>,
  what: string,
  window = 120_000,
): AsyncGenerator<Uint8Array> {
  let [waited, came, from] = [0, 0, performance.now()];
  for await (const chunk of body) {
    waited += performance.now() - from;
    came += chunk.length;
    if (waited >= window) {
      if (came < leastBytes)
        throw new FailedAnswerError(`${what} with ${came} bytes in ${Math.ceil(waited / 1000)} seconds`);
      [waited, came] = [0, 0];
    }
    yield chunk;
    from = performance.now();
  }
}
