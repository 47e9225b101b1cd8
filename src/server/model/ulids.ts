import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Gives ULIDs, each after the one before it, also within a millisecond; `ms` are Epoch milliseconds. */
export function ulids(): (ms: number) => string {
  return monotonicFactory(randomFractions());
}

/** Numbers from 0 to 1, of one byte each. The library would ask the system for every byte, which takes longer than a write. */
function randomFractions(): () => number {
  const bytes = Buffer.alloc(4096);
  let next = bytes.length;
  return () => {
    if (next === bytes.length) {
      randomFillSync(bytes);
      next = 0;
    }
    return (bytes[next++] ?? 0) / 256;
  };
}
