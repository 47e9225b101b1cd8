import type { ImportStanding } from '../store/imports/import-sources.ts';
import type { LeftAlone } from './import-tally.ts';

/**
 * What an import does with one draft:
 * - `create`: nothing stands under its id;
 * - `revive`: it was deleted when an earlier import was undone, and by nobody since;
 * - `update`: its source has changed, and the tip is still what an import made, this node's or another's;
 * - `follow`: its tip says what the source says, whoever wrote it: from now on it follows the source;
 * - `unchanged`: nothing, since the source is the same; and a mention inside a record never changes what is there;
 * - left alone: its source has changed, and so has the entity, or it was deleted.
 */
export type Plan = 'create' | 'revive' | 'update' | 'follow' | 'unchanged' | { leftAlone: LeftAlone['reason'] };

/** What is asked for only where it decides: digests of what the draft and the tip say, and by which method the tip was written. */
export interface Facts {
  digest: () => string;
  tip: () => { digest: string; method: string | undefined };
}

export function planOf(nested: boolean, standing: ImportStanding | undefined, { digest, tip }: Facts): Plan {
  if (!standing) return 'create';
  // Imports delete nothing but what they undo.
  if (standing.deleted && standing.untouched) return 'revive';
  if (nested || standing.digest === digest()) return 'unchanged';
  if (standing.untouched) return 'update';
  if (standing.deleted) return { leftAlone: 'deleted' };
  const written = tip();
  if (written.digest === digest()) return 'follow';
  // Another node's import made it, and an archive or a sync brought it: nobody has edited what says so of itself.
  if (written.method === 'import') return 'update';
  return { leftAlone: standing.digest === null ? 'not_imported' : 'edited' };
}
