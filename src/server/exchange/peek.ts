/** The first bytes of a stream, and the whole stream with them still in it. */
export interface Peeked {
  head: Uint8Array;
  stream: AsyncIterable<Uint8Array>;
  /** Lets go of the source, also where nobody read the stream. */
  close(): Promise<void>;
}

/** In bytes. */
export const mostPeeked = 64 * 1024;

/**
 * Reads until `enough` says so of what came first, or the stream ends, or `mostPeeked` are there. The stream comes in the same parts,
 * and fails where the source did: what is wrong before that is told first.
 */
export async function peek(source: AsyncIterable<Uint8Array>, enough: (head: Uint8Array) => boolean): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let head: Uint8Array = new Uint8Array();
  let fault: { error: unknown } | null = null;
  while (!fault && !enough(head) && head.length < mostPeeked) {
    try {
      const next = await iterator.next();
      if (next.done) break;
      parts.push(next.value);
      head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    } catch (error) {
      if (head.length === 0) throw error;
      fault = { error };
    }
  }
  return {
    head,
    stream: rest(parts, fault, iterator),
    close: async () => {
      await iterator.return?.();
    },
  };
}

async function* rest(
  parts: readonly Uint8Array[],
  fault: { error: unknown } | null,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
    if (fault) throw fault.error;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
