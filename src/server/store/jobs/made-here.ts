import type { Manifest } from '../../model/manifest.ts';
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

/**
 * Who wrote an entity's current version on this node, or the last one here that does not differ from it: a remote may have that by a
 * version of its own. Null where it came from elsewhere: who wrote such a one only its own node knows.
 */
export function writerHere(
  db: Reader,
  { id, manifest: now }: { id: string; manifest: Manifest },
  differs: (here: Manifest, now: Manifest) => boolean,
): string | null {
  const entity = entityKey(db, id) ?? -1;
  const last = db.get<{ tip: number }>(
    "SELECT new_tip AS tip FROM moves WHERE entity = ? AND origin = 'local' ORDER BY id DESC LIMIT 1",
    entity,
  );
  const here = last && manifest(db, last.tip);
  return here && !differs(here, now) ? here.edited_by.user_id : null;
}

function manifest(db: Reader, key: number) {
  return storedManifest(blockBytes(db, key));
}
