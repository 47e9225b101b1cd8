import { blockBytes, storedManifest } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { findStanding } from '../entities.ts';
import { entityKey } from '../entity-keys.ts';

/**
 * Every endpoint that a processor has had since a time, epoch milliseconds: the one that it has, the one that it had then, and
 * those between.
 */
export function endpointsSince(db: Reader, id: string, time: number): string[] {
  const moves = db.all<{ before: number | null; tip: number }>(
    'SELECT old_tip AS before, new_tip AS tip FROM moves WHERE entity = ? AND time >= ? ORDER BY id',
    entityKey(db, id) ?? -1,
    time,
  );
  const versions = [moves[0]?.before ?? null, ...moves.map(({ tip }) => tip)].filter((key) => key !== null);
  const manifests = versions.map((key) => storedManifest(blockBytes(db, key)));
  const all = [findStanding(db, id)?.manifest, ...manifests].map((manifest) => manifest?.properties.endpoint);
  return all.filter((endpoint) => typeof endpoint === 'string');
}
