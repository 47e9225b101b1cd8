/** The first bytes of a stream, and the whole stream with them still in it. */
export interface Peeked {
  head: Uint8Array;
  stream: AsyncIterable<Uint8Array>;
  /** Lets go of the source, also where nobody read the stream. */
  close(): Promise<void>;
}

/** In bytes. */
export const mostPeeked = 64 * 1024;

/** Reads until `enough` says so of what came first, or the stream ends, or `mostPeeked` are there. */
export async function peek(source: AsyncIterable<Uint8Array>, enough: (head: Uint8Array) => boolean): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  let done = false;
  while (!done && !enough(head) && head.length < mostPeeked) {
    const next = await iterator.next();
    if (next.done) done = true;
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return {
    head,
    stream: rest(head, iterator),
    close: async () => {
      await iterator.return?.();
    },
  };
}

async function* rest(head: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
