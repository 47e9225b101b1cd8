import { DomainError } from '../errors.ts';

/** An archive that cannot be trusted: `reason` in plain words, `offset` the byte of the file where it shows. */
export class DamagedArchiveError extends DomainError {
  override readonly name = 'DamagedArchiveError';
  readonly code = 'VALIDATION_ERROR';
  readonly reason: string;
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(`The archive is damaged at byte ${offset}: ${reason}`, { reason, offset });
    this.reason = reason;
    this.offset = offset;
  }
}
