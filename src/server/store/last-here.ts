import type { Manifest } from '../model/manifest.ts';
import { descends } from './archive/archive-reads.ts';
import type { Reader } from './connection.ts';
import type { EntityRow } from './entities.ts';
import { lastLive, type Version, versionByKey } from './versions.ts';

/** So many tips are looked through for the last one that was live here: graves give way to each other a few times at most. */
const mostTips = 16;

/**
 * The last version of a deleted entity that was not deleted; undefined where it is not here. Where what was deleted here has given way
 * to a remote's tombstone, which says the same, that one need not lie over what was edited here before: then it is what was the tip here.
 */
export function lastHere(db: Reader, { key }: Pick<EntityRow, 'key'>, grave: Manifest): Version | undefined {
  const last = lastLive(db, grave);
  const deleted = last && deletedHere(db, key);
  if (!deleted || deleted.cid === last.cid) return last;
  return descends(db, { from: deleted.cid, to: last.cid }) ? deleted : last;
}

/** What was the tip of a deleted entity until the version after it made it a deleted one. */
function deletedHere(db: Reader, entity: number): Version | undefined {
  const sql = 'SELECT old_tip, new_tip FROM moves WHERE entity = ? ORDER BY id DESC LIMIT ?';
  for (const { old_tip, new_tip } of db.all<{ old_tip: number | null; new_tip: number }>(sql, entity, mostTips)) {
    const before = old_tip === null ? undefined : versionByKey(db, old_tip);
    if (!before) return undefined;
    if (!before.manifest.deleted) return versionByKey(db, new_tip)?.manifest.prev === before.cid ? before : undefined;
  }
  return undefined;
}
