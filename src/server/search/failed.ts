import { StorageError } from '../errors.ts';
import { isDamage, storageError, storing } from '../store/storage-error.ts';

/** What the database said; an error's class does not survive the way to another thread. */
export interface Failed {
  failed: { reason: string; full: boolean; damaged: boolean };
}

/** The same at the other end. `damaged`: what was read is no sound database. */
export class ThreadError extends StorageError {
  readonly damaged: boolean;
  constructor({ reason, full, damaged }: Failed['failed']) {
    super(reason, full);
    this.damaged = damaged;
  }
}

/** Errors of the database are returned; all others pass. */
export function failing<T extends object | null>(work: () => T): T | Failed {
  let damaged = false;
  const noted = (): T => {
    try {
      return work();
    } catch (error) {
      damaged = isDamage(error);
      throw error;
    }
  };
  try {
    return storing(noted);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { failed: { ...storageError(error), damaged } };
  }
}

export function isFailed(result: unknown): result is Failed {
  return typeof result === 'object' && result !== null && 'failed' in result;
}
