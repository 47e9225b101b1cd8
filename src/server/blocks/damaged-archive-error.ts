import { DomainError } from '../errors.ts';

/**
 * An archive that cannot be taken in: `reason` in plain words, `offset` the byte of the file where it shows. `sound`: nothing
 * is wrong with it, but that what it builds on is not here; the reason then says all.
 */
export class DamagedArchiveError extends DomainError {
  override readonly name = 'DamagedArchiveError';
  readonly code = 'VALIDATION_ERROR';
  readonly reason: string;
  readonly offset: number;
  readonly sound: boolean;
  constructor(reason: string, offset: number, sound = false) {
    super(sound ? reason : `The archive is damaged at byte ${offset}: ${reason}`, { reason, offset });
    this.sound = sound;
    this.reason = reason;
    this.offset = offset;
  }
}
