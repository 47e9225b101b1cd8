import { isCid } from '../../blocks/cid.ts';
import { NotFoundError, ValidationError } from '../../errors.ts';
import type { Reader } from '../../store/connection.ts';
import { findVersion, type Version } from '../../store/versions.ts';

/**
 * The version of an entity that a query parameter names by its CID.
 * @throws NotFoundError where it is not here, ValidationError where that is no CID, or one of another entity's versions
 */
export function namedVersion(db: Reader, id: string, cid: string, name: 'from' | 'to'): Version {
  const found = findVersion(db, cid);
  if (!found && !isCid(cid)) throw ValidationError.at([name], 'is no CID');
  if (!found) throw new NotFoundError(undefined, { [name]: cid });
  if (found.entity !== id) throw ValidationError.at([name], 'is a version of another entity');
  return found;
}
