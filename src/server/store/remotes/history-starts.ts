import { cidText } from '../../blocks/cid.ts';
import type { Reader } from '../connection.ts';

/** A version that is not here though one that follows it is, of an entity that a remote has. */
export interface MissingVersion {
  id: string;
  cid: string;
  ver: number;
  /** The key of the version that follows it. */
  above: number;
}

/**
 * A page of what stands before histories that start here with a later version than 1, by the keys of the versions that they start
 * with, from `after` on; `next` is null on the last page.
 */
export function missingVersions(
  db: Reader,
  remote: number,
  { after, limit }: { after: number; limit: number },
): { versions: MissingVersion[]; next: number | null } {
  const rows = db.all<{ above: number; id: string; missing: Uint8Array; ver: number; known: number }>(
    `SELECT p.block AS above, e.id, p.missing, b.ver - 1 AS ver,
            EXISTS (SELECT 1 FROM remote_entity k WHERE k.entity = p.entity AND k.remote = ? AND k.theirs IS NOT NULL) AS known
       FROM (SELECT block, entity, missing FROM partial WHERE block > ? ORDER BY block LIMIT ?) p
       CROSS JOIN block b ON b.key = p.block CROSS JOIN entity e ON e.key = p.entity ORDER BY p.block`,
    ...[remote, after, limit],
  );
  return {
    versions: rows.flatMap(({ known, missing, ...row }) => (known ? [{ ...row, cid: cidText(missing) }] : [])),
    next: rows.length === limit ? (rows.at(-1)?.above ?? null) : null,
  };
}
