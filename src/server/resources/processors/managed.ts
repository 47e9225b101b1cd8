import { ForbiddenError, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, isOperator, registered } from '../../model/caller.ts';
import type { Reader } from '../../store/connection.ts';
import type { EntityRow } from '../../store/entities.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { inMirror } from './in-mirror.ts';

/** Processors with an endpoint, which keys and verification are for. */
export type Served = 'agent' | 'klados';

/** A processor that the caller may manage, live or deleted. @throws NotFoundError, also for one of another type */
export function managed(writes: EntityWrites, db: Reader, caller: Caller, type: Served, id: string): EntityRow {
  const row = writes.row(db, caller.network, id);
  if (row.type !== type) throw new NotFoundError();
  const [actor, action] = [registered(caller), `${type}:manage`];
  const reason = isOperator(caller) ? inMirror(db, row) : null;
  if (reason !== null && !writes.env.permissions.may(db, actor, action, row))
    throw new ForbiddenError(`${row.label || `The ${type}`} ${reason}.`);
  writes.env.permissions.require(db, actor, action, row);
  return row;
}

/** The same, and it is not deleted. */
export function managedLive(writes: EntityWrites, db: Reader, caller: Caller, type: Served, id: string): EntityRow {
  const row = managed(writes, db, caller, type, id);
  if (row.deleted) throw ValidationError.at(['id'], 'the entity is deleted');
  return row;
}
