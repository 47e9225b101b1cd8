import { StorageError } from '../../errors.ts';
import { isDamage, isOfStorage, storageError } from '../storage-error.ts';

/** What the database said; an error's class does not survive the way to another thread. `damaged`: what was read is no sound database. */
export interface FailedWork {
  failed: { reason: string; full: boolean; damaged: boolean };
}

/** The same at the other end. */
export class FailedWorkError extends StorageError {
  readonly damaged: boolean;
  constructor({ reason, full, damaged }: FailedWork['failed']) {
    super(reason, full);
    this.damaged = damaged;
  }
}

/** Work with a database on a thread. Where that fails, `forget` is called: a connection remembers pages, also bad ones. */
export function workOrFailure<T>(work: () => T, forget: () => void): T | FailedWork {
  try {
    return work();
  } catch (error) {
    if (!isOfStorage(error)) throw error;
    forget();
    return { failed: { ...storageError(error), damaged: isDamage(error) } };
  }
}

/** @throws FailedWorkError */
export function workResult<T extends object | null>(result: T | FailedWork): T {
  if (isFailed(result)) throw new FailedWorkError(result.failed);
  return result;
}

export function isFailed(result: object | null): result is FailedWork {
  return result !== null && 'failed' in result;
}
