import { hash } from 'node:crypto';

/**
 * The SHA-256 of bytes: 32 bytes, out of memory that small buffers share. Memory of its own for each digest costs more
 * than the hashing of a small block.
 */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}
