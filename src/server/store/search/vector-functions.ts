import type Database from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';

/** Gives a connection the functions of sqlite-vec; where there is no build of it, the one that is needed without it. */
export function loadVectorFunctions(db: Database.Database): void {
  try {
    // SQLite opens it by itself, and does not see into the archive of a packaged app.
    db.loadExtension(getLoadablePath().replace(/\.asar(?=[\\/])/, '.asar.unpacked'));
  } catch {
    db.function('vec_distance_cosine', { deterministic: true }, (a, b) => cosineDistance(floats(a), floats(b)));
  }
}

/** The vector in a blob. */
export function floats(blob: unknown): Float32Array {
  return new Float32Array(Uint8Array.from(blob as Uint8Array).buffer);
}

export function blobOf({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** 0 for the same direction, 1 for none in common, 2 for the opposite. */
function cosineDistance(a: Float32Array, b: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [a[k] as number, b[k] as number];
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return 1 - dot / Math.sqrt(left * right);
}
