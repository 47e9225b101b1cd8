import { type Issue, type IssuePath, ValidationError } from '../../errors.ts';
import { LoopTurns } from '../../loop/loop-turns.ts';
import { isEntityId, type Network, networkOf } from '../../model/ids.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity, isKnownTarget } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { checkNetwork } from '../entities/writes.ts';

/** What a klados is to work on, as a request names it. */
export interface Targets {
  target_entity?: string | undefined;
  target_entities?: string[] | undefined;
}

export const maxTargets = 10_000;
const maxIssues = 100;

/**
 * The targets as a klados of that cardinality takes them. A single id is always accepted, whatever it was called (decisions.md,
 * Processors), so that a gather over one output does not end in nothing.
 * @throws ValidationError
 */
export function targetsFor(
  cardinality: 'one' | 'many' | undefined,
  { target_entity, target_entities }: Targets,
): { target_entity: string } | { target_entities: string[] } {
  if (target_entity !== undefined && target_entities !== undefined)
    throw ValidationError.at(['target_entities'], 'must not be given beside target_entity');
  const all = target_entities ?? (target_entity === undefined ? [] : [target_entity]);
  const [first] = all;
  if (first === undefined) {
    const name = cardinality === 'many' ? 'target_entities' : 'target_entity';
    throw ValidationError.at([name], `is required: the klados accepts ${cardinality ?? 'one'}`);
  }
  if (cardinality === 'many') return { target_entities: all };
  if (all.length === 1) return { target_entity: first };
  if (cardinality === undefined) return { target_entities: all };
  throw ValidationError.at(['target_entities'], 'has more than one: the klados accepts one entity at a time');
}

const perTurn = 200;
const turns = new LoopTurns();

/** Targets that are not here; thousands are looked up in turns with everything else. */
export async function missingTargets(
  store: NetworkStore,
  { target_entity, target_entities }: Targets,
): Promise<Issue[]> {
  const named = target_entity === undefined ? [] : [{ id: target_entity, path: ['target_entity'] }];
  const listed = (target_entities ?? []).map((id, i) => ({ id, path: ['target_entities', i] }));
  const all = [...named, ...listed];
  const issues: Issue[] = [];
  for (let from = 0; from < all.length && issues.length < maxIssues; from += perTurn) {
    if (from > 0) await turns.next();
    const some = all.slice(from, from + perTurn);
    issues.push(...store.read((db) => some.flatMap(({ id, path }) => targetIssue(db, store.network, id, path))));
  }
  return issues.slice(0, maxIssues);
}

function targetIssue(db: Reader, network: Network, id: string, path: IssuePath): Issue[] {
  if (!isEntityId(id)) return [{ path, message: 'must be an entity id' }];
  if (networkOf(id) !== network) return [{ path, message: `is not an id of the ${network} network` }];
  return isKnownTarget(db, id) ? [] : [{ path, message: `there is no entity ${id}` }];
}

/** A live collection that a body names. @throws ValidationError at its name */
export function namedCollection(db: Reader, network: Network, id: string, name: string): EntityRow {
  checkNetwork(network, id, [name]);
  const row = findEntity(db, id);
  if (row?.type !== 'collection' || row.deleted) throw ValidationError.at([name], `there is no collection ${id}`);
  return row;
}
