import { ForbiddenError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import type { EntitiesService } from '../entities/service.ts';
import { isTooLarge, tooLarge } from '../jobs/flow-kladoi.ts';
import type { PermissionsService } from '../permissions/service.ts';

/**
 * A workflow that may be run: an active one, and one in development by those who may manage it (decisions.md, Processors).
 * @throws ValidationError, ForbiddenError
 */
export function inUse(
  { entities, permissions }: { entities: EntitiesService; permissions: PermissionsService },
  db: Reader,
  caller: Caller,
  id: string,
): Standing {
  if (isTooLarge(db, id)) throw ValidationError.at(['id'], `the workflow is too large: ${tooLarge}`);
  const rhiza = entities.viewed(db, caller, id);
  const status = rhiza.manifest.properties.status ?? 'development';
  if (status === 'active') return rhiza;
  const way = 'set its status to active (PUT /rhizai/{id})';
  if (status !== 'development') throw ValidationError.at(['id'], `the workflow is in status ${status}: ${way}`);
  if (permissions.may(db, registered(caller), 'rhiza:manage', rhiza)) return rhiza;
  throw new ForbiddenError(
    `Action not allowed: rhiza:manage. The workflow is in development: ask its owner to ${way}.`,
  );
}
