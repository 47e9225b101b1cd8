import { StorageError } from '../../errors.ts';
import { storageError, storing } from '../storage-error.ts';

/** What the database said; an error's class does not survive the way to another thread. */
export interface FailedWork {
  failed: { reason: string; full: boolean };
}

/** Work with a database on a thread. Where that fails, `forget` is called: a connection remembers pages, also bad ones. */
export function workOrFailure<T>(work: () => T, forget: () => void): T | FailedWork {
  try {
    return storing(work);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    forget();
    return { failed: storageError(error) };
  }
}

/** The same at the other end. @throws StorageError */
export function workResult<T extends object>(result: T | FailedWork): T {
  if (isFailed(result)) throw new StorageError(result.failed.reason, result.failed.full);
  return result;
}

function isFailed(result: object): result is FailedWork {
  return 'failed' in result;
}
