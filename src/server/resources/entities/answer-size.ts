import { type IssuePath, ValidationError } from '../../errors.ts';
import type { Reader } from '../../store/connection.ts';
import { jsonSize } from '../../store/entities.ts';

/** MiB of JSON of several entities in one answer: each may have 32, and all are in memory at once, more than one time. */
const most = 128;

/** One alone is answered, however large it is. `path`: of what asks for so many. @throws ValidationError */
export function refuseLargeAnswer(db: Reader, ids: readonly string[], path: IssuePath): void {
  if (ids.length > 1 && jsonSize(db, ids) > most * 2 ** 20)
    throw ValidationError.at(path, `asks for more than an answer has at most, ${most} MiB: ask for fewer at once`);
}
