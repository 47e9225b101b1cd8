import { blockBytes, storedManifest } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';

/** So many versions are looked at, the newest and the first. */
const maxVersions = 1000;

/**
 * Whether an entity came to be on this node by one of these users, and one of them has written a version here with that
 * endpoint. What came by a mirror, an archive or an import did not, whoever it says wrote it.
 */
export function madeHere(
  db: Reader,
  { id, users, endpoint }: { id: string; users: string[]; endpoint: string },
): boolean {
  const entity = entityKey(db, id) ?? -1;
  const first = db.get<{ tip: number; origin: string }>(
    'SELECT new_tip AS tip, origin FROM moves WHERE entity = ? ORDER BY id LIMIT 1',
    entity,
  );
  if (first?.origin !== 'local' || !users.includes(manifest(db, first.tip).edited_by.user_id)) return false;
  const moves = db.all<{ tip: number }>(
    `SELECT new_tip AS tip FROM moves WHERE entity = ? AND origin = 'local' ORDER BY id DESC LIMIT ?`,
    entity,
    maxVersions,
  );
  return [...moves, first].some(({ tip }) => {
    const { edited_by, properties } = manifest(db, tip);
    return properties.endpoint === endpoint && users.includes(edited_by.user_id);
  });
}

/** Whether an entity's current version was written on this node. Who wrote another only its own node knows. */
export function isWrittenHere(db: Reader, id: string): boolean {
  const last = db.get<{ origin: string }>(
    'SELECT origin FROM moves WHERE entity = ? ORDER BY id DESC LIMIT 1',
    entityKey(db, id) ?? -1,
  );
  return last?.origin === 'local';
}

function manifest(db: Reader, key: number) {
  return storedManifest(blockBytes(db, key));
}
