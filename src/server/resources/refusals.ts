import { BusyError, ConflictError, DomainError, StorageError, ValidationError } from '../errors.ts';

/** Whether something is refused by what it is, not by what happens around it. */
export function isRefusal(error: unknown): boolean {
  const around = error instanceof StorageError || error instanceof BusyError || error instanceof ConflictError;
  return error instanceof DomainError && !around;
}

const maxReasons = 3;

/** A refusal in one sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ValidationError) {
    const told = error.issues
      .slice(0, maxReasons)
      .map(({ path, message }) => `${path.join('.')} ${message}`.trimStart());
    return told.join('; ');
  }
  return error instanceof DomainError ? error.sentence : 'Internal server error';
}
