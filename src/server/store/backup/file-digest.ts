import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/**
 * A file's size and SHA-256. It is read and nothing else, since it may lie on a disc that knows nothing else.
 * @throws what reading throws; an AbortError once `stopped` is aborted
 */
export async function digestOf(path: string, stopped?: AbortSignal): Promise<{ size: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { signal: stopped })) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { size, sha256: hash.digest() };
}
