import { ValidationError } from '../errors.ts';
import { maxNodeBytes } from './car-format.ts';

/** What is too much of a version for an archive to hold, as the end of a sentence about it; null where it fits. */
export function excessOf({ length }: Uint8Array): string | null {
  if (length <= maxNodeBytes) return null;
  return `has ${count(length)} bytes, and an archive holds versions of at most ${count(maxNodeBytes)}`;
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
