import { createHash } from 'node:crypto';
import { StorageError } from '../errors.ts';
import { digestOf } from './car-format.ts';
import { cidBytes } from './cid.ts';

/** File bytes: `size` of them, in chunks. */
export interface ContentBytes {
  size: number;
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Kept bytes as they pass. @throws StorageError at their end, where they are not those of the CID that they are kept under */
export async function* checkedContent(
  cid: string,
  { size, chunks }: ContentBytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hasher = createHash('sha256');
  let passed = 0;
  for await (const chunk of chunks) {
    passed += chunk.length;
    hasher.update(chunk);
    yield chunk;
  }
  if (passed !== size || !hasher.digest().equals(digestOf(cidBytes(cid))))
    throw new StorageError(
      `Content ${cid} is stored with other bytes. "archeion verify" sets it aside, and then the rest can be exported.`,
    );
}
