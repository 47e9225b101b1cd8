import { Failure } from '../../../api/failure.ts';

/** The most bytes that the node keeps as one file. */
export const maxFileBytes = 524_288_000;

/**
 * Refuses a file that is too large, and reads the first byte of any other: a folder looks like a file until then, and one that
 * cannot be sent like a node that is gone. @throws Failure
 */
export async function refuseUnsendable(file: File): Promise<void> {
  if (file.size > maxFileBytes) throw new Failure('too-large', `${file.size} bytes, of at most ${maxFileBytes}`);
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw new Failure('unreadable', error instanceof Error ? error.message : String(error));
  }
}
