import { ValidationError } from '../errors.ts';
import { maxNodeBytes } from './car-format.ts';
import { countItems } from './cbor-items.ts';

/** How many CBOR items a version has at most; decoding as many takes some hundred megabytes for a moment. */
export const maxVersionItems = 4_000_000;

/** What is too much of a version for an archive to hold, as the end of a sentence about it; null where it fits. */
export function excessOf(bytes: Uint8Array): string | null {
  const { length } = bytes;
  if (length > maxNodeBytes)
    return `has ${count(length)} bytes, and an archive holds versions of at most ${count(maxNodeBytes)}`;
  if (!hasTooManyItems(bytes)) return null;
  return `has more than ${count(maxVersionItems)} values, which is as many as an archive holds of one`;
}

/** Counts where there may be too many alone: each takes a byte or more. @throws RangeError where that is no CBOR */
export function hasTooManyItems(bytes: Uint8Array): boolean {
  return bytes.length > maxVersionItems && countItems(bytes) > maxVersionItems;
}

/** Versions never change: one that no archive holds would keep its history from being exported for good. @throws ValidationError */
export function checkSize(bytes: Uint8Array): void {
  const excess = excessOf(bytes);
  if (excess === null) return;
  const wayOut = 'Keep what is large as a file, or spread it over several entities.';
  throw ValidationError.at([], `the new version ${excess}. ${wayOut}`);
}

function count(number: number): string {
  return number.toLocaleString('en');
}
