import { isOfJob } from '../../model/job-collection-label.ts';
import { plainLetters } from '../../model/plain-letters.ts';
import type { Reader } from '../connection.ts';
import { inTypeIndex } from '../indexed-types.ts';
import { type CollectionLine, linesOf } from './collection-reads.ts';

/** So many characters of an id are no name: all ids of a day begin alike. */
const idPart = 10;

type Named = Pick<CollectionLine, 'id'> & { key: number; label: string; away: number };

/**
 * The live collections that a text may mean, all of them for none: those that it is the name or the id of first, then those whose
 * name begins with it; of these the node's own first, and those of jobs last; newest created first. `total`: how many there are.
 * All names are looked through: a long read.
 */
export function collectionsFound(
  db: Reader,
  { text, limit, offset }: { text: string; limit: number; offset: number },
): { collections: CollectionLine[]; total: number } {
  const rows = db.each<Named>(
    `SELECT key, id, substr(label, 1, 300) AS label, mirror IS NOT NULL AS away FROM entity
      WHERE type = 'collection' AND deleted = 0 AND ${inTypeIndex} ORDER BY created_at DESC, key DESC`,
  );
  const wanted = text.trim();
  const part = plainLetters(wanted);
  const ranks: { key: number }[][] = [];
  for (const row of rows) {
    const fit = fitOf(row, wanted, part);
    if (fit === null) continue;
    const rank = fit * 3 + (isOfJob(row.label) ? 2 : row.away);
    ranks[rank] ??= [];
    ranks[rank].push({ key: row.key });
  }
  const found = ranks.flat();
  return { collections: linesOf(db, found.slice(offset, offset + limit)), total: found.length };
}

/** How well; null for not at all. */
function fitOf({ id, label }: Named, wanted: string, part: string): number | null {
  if (part === '' || id === wanted) return 0;
  const name = plainLetters(label);
  if (name === part) return 0;
  if (name.startsWith(part)) return 1;
  return name.includes(part) || (wanted.length >= idPart && id.startsWith(wanted)) ? 2 : null;
}
