import { NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { maxOnLoop } from '../../model/large.ts';
import type { Reader } from '../../store/connection.ts';
import { entitySize, type Standing } from '../../store/entities.ts';
import type { EntityWrites } from '../entities/writes.ts';

/** Processors with an endpoint, which keys and verification are for. */
export type Served = 'agent' | 'klados';

/** A processor that the caller may manage, live or deleted. @throws NotFoundError, also for one of another type */
export function managed(writes: EntityWrites, db: Reader, caller: Caller, type: Served, id: string): Standing {
  if (entitySize(db, id) > maxOnLoop)
    throw ValidationError.at(
      ['id'],
      `is too large: keys and verification are for processors of at most ${maxOnLoop} bytes`,
    );
  const base = writes.standing(db, caller.network, id);
  if (base.type !== type) throw new NotFoundError();
  writes.env.permissions.require(db, registered(caller), `${type}:manage`, base);
  return base;
}

/** The same, and it is not deleted. */
export function managedLive(writes: EntityWrites, db: Reader, caller: Caller, type: Served, id: string): Standing {
  const base = managed(writes, db, caller, type, id);
  if (base.deleted) throw ValidationError.at(['id'], 'the entity is deleted');
  return base;
}
