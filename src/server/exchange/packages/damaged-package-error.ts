import { DomainError } from '../../errors.ts';

/** A bag or crate that cannot be trusted, or is none: `reason` in plain words. */
export class DamagedPackageError extends DomainError {
  override readonly name = 'DamagedPackageError';
  readonly code = 'VALIDATION_ERROR';
  constructor(reason: string) {
    super(`The package cannot be imported: ${reason}`, { reason });
  }
}
