import { createHash, type Hash } from 'node:crypto';

/** What was counted while bytes passed: how many, and their SHA-256 in hexadecimal. */
export interface Digest {
  bytes: number;
  sha256: string;
}

/** The same bytes; `done` is told their digest when they are through. */
export async function* digested(
  chunks: AsyncIterable<Uint8Array>,
  done: (digest: Digest) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  done({ bytes, sha256: hash.digest('hex') });
}
