import { NotFoundError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';

/** A collection, live or deleted. @throws NotFoundError, also for what is no collection */
export function findCollection(writes: EntityWrites, db: Reader, caller: Caller, id: string): Standing {
  const base = writes.standing(db, caller.network, id);
  if (base.type !== 'collection') throw new NotFoundError();
  return base;
}

/** A live collection that the caller may view. */
export function viewedCollection(
  { writes, entities }: { writes: EntityWrites; entities: EntitiesService },
  db: Reader,
  caller: Caller,
  id: string,
): Standing {
  const { type } = findCollection(writes, db, caller, id);
  writes.env.permissions.require(db, accepted(caller), 'collection:view', { id, type, collection: id });
  return entities.viewed(db, caller, id);
}
