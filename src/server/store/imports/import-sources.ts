import { labelOf } from '../../model/manifest.ts';
import type { Reader } from '../connection.ts';
import { inTypeIndex } from '../indexed-types.ts';
import { lastLive, versionByKey } from '../versions.ts';

/** What stands under an id that an import wants to write, live or deleted. */
export interface ImportStanding {
  id: string;
  /** The tip's block key. */
  tip: number;
  deleted: boolean;
  /** The digest of the source that the last import made a version from; null where no import has written it. */
  digest: string | null;
  /** Whether the tip is still the version that the last import made. */
  untouched: boolean;
}

interface Columns {
  id: string;
  tip: number;
  deleted: number;
  digest: string | null;
  made: number | null;
}

/** Those of `ids` that are here, by id, in one look-up. */
export function importStandings(db: Reader, ids: string[]): Map<string, ImportStanding> {
  const rows = db.all<Columns>(
    `SELECT e.id, e.tip, e.deleted, s.digest, s.tip AS made
       FROM json_each(?) wanted CROSS JOIN entity e ON e.id = wanted.value LEFT JOIN import_source s ON s.entity = e.key
      WHERE e.tip IS NOT NULL`,
    JSON.stringify(ids),
  );
  return new Map(
    rows.map(({ id, tip, deleted, digest, made }) => [
      id,
      { id, tip, deleted: deleted === 1, digest, untouched: made === tip },
    ]),
  );
}

/** The block key of an entity's tip where that is its deletion by the undo of an archive's import. */
export function undoneTip(db: Reader, id: string): number | undefined {
  const sql = `SELECT e.tip FROM entity e JOIN import_source s ON s.entity = e.key AND s.tip = e.tip
     WHERE e.id = ? AND e.deleted = 1 AND EXISTS (SELECT 1 FROM import_run r JOIN import_made m ON m.run = r.key
       WHERE r.collection IS NULL AND m.entity = e.key)`;
  return db.get<{ tip: number }>(sql, id)?.tip;
}

/** The last collection of that label that an import made and the undo of one deleted, and nobody since. */
export function undoneCollection(db: Reader, label: string): string | undefined {
  const sql = `SELECT DISTINCT e.id, e.tip FROM import_run r JOIN entity e ON e.id = r.collection
     JOIN import_source s ON s.entity = e.key AND s.tip = e.tip
     WHERE r.made = 1 AND e.deleted = 1 ORDER BY e.updated_at DESC, e.id LIMIT 1000`;
  return db.all<{ id: string; tip: number }>(sql).find(({ tip }) => {
    const grave = versionByKey(db, tip)?.manifest;
    const last = grave && lastLive(db, grave)?.manifest;
    return last !== undefined && labelOf(last) === label;
  })?.id;
}

/**
 * The live collections of that label, as ids in the order in which they were made; at most 100. Where none has it, those of one
 * that only has its accents encoded in another way, as names of files on some systems do.
 */
export function collectionsLabelled(db: Reader, label: string): string[] {
  const exact = labelledAny(db, [label]);
  const others = [label.normalize('NFC'), label.normalize('NFD')].filter((other) => other !== label);
  return exact.length > 0 || others.length === 0 ? exact : labelledAny(db, others);
}

function labelledAny(db: Reader, labels: string[]): string[] {
  return db
    .all<{ id: string }>(
      `SELECT id FROM entity WHERE type = 'collection' AND ${inTypeIndex} AND label IN (SELECT value FROM json_each(?))
        AND deleted = 0 AND tip IS NOT NULL ORDER BY created_at, id LIMIT 100`,
      JSON.stringify(labels),
    )
    .map(({ id }) => id);
}
