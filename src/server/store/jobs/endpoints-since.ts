import { blockBytes, storedManifest } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { findStanding } from '../entities.ts';
import { entityKey } from '../entity-keys.ts';

/** A processor's endpoints: before and after each of its moves since a time, and now. */
interface Endpoints {
  moves: { time: number; before: unknown; after: unknown }[];
  now: unknown;
}

/**
 * Every endpoint that a processor has had since a time that is not before `earliest`, epoch milliseconds: the one that it has, the
 * one that it had then, and those between. Each processor is read once, since ten thousand jobs may be of one: what is returned is
 * good for one snapshot.
 */
export function endpointsSince(db: Reader, earliest: number): (id: string, time: number) => string[] {
  const known = new Map<string, Endpoints>();
  return (id, time) => {
    const found = known.get(id) ?? read(db, id, earliest);
    known.set(id, found);
    const since = found.moves.filter((move) => move.time >= time);
    const all = [found.now, since[0]?.before, ...since.map(({ after }) => after)];
    return all.filter((endpoint) => typeof endpoint === 'string');
  };
}

function read(db: Reader, id: string, earliest: number): Endpoints {
  const moves = db.all<{ before: number | null; tip: number; time: number }>(
    'SELECT old_tip AS before, new_tip AS tip, time FROM moves WHERE entity = ? AND time >= ? ORDER BY id',
    entityKey(db, id) ?? -1,
    earliest,
  );
  const keys = new Set(moves.flatMap(({ before, tip }) => [before, tip]).filter((key) => key !== null));
  const at = new Map([...keys].map((key) => [key, storedManifest(blockBytes(db, key)).properties.endpoint]));
  const endpointAt = (key: number | null) => (key === null ? undefined : at.get(key));
  return {
    moves: moves.map(({ before, tip, time }) => ({ time, before: endpointAt(before), after: endpointAt(tip) })),
    now: findStanding(db, id)?.manifest.properties.endpoint,
  };
}
