import { Failure } from '../../../api/failure.ts';

/** The most bytes that the node keeps as one file. */
export const maxFileBytes = 524_288_000;

/** Refuses a file that is too large to be kept as one, or cannot be read. @throws Failure */
export async function refuseUnsendable(file: File): Promise<void> {
  if (file.size > maxFileBytes) throw new Failure('too-large', `${file.size} bytes, of at most ${maxFileBytes}`);
  await refuseUnreadable(file);
}

/**
 * Reads the first byte of a file: a folder looks like one until then, and one that has changed, and cannot be sent therefore, like a
 * node that is gone. @throws Failure of kind `unreadable`
 */
export async function refuseUnreadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw new Failure('unreadable', error instanceof Error ? error.message : String(error));
  }
}
