import { Failure } from '../../../api/failure.ts';

/**
 * Reads a file's first byte: a folder looks like a file until then, and one that cannot be sent like a node that is gone.
 * @throws Failure
 */
export async function refuseUnreadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw new Failure('unreadable', error instanceof Error ? error.message : String(error));
  }
}
