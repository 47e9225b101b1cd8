import type { ImportStanding } from '../store/imports/import-sources.ts';

/**
 * What an import does with one draft:
 * - `create`: nothing stands under its id;
 * - `revive`: it was deleted when an earlier import was undone, and by nobody since;
 * - `update`: its source has changed, and the tip is still what an import made;
 * - `left_alone`: its source has changed, and so has the entity, or it was deleted. A live one whose tip another node's
 *   import wrote is updated all the same (import-step.ts);
 * - `unchanged`: nothing, since the source is the same; and a mention inside a record never changes what is there.
 */
export type Plan = 'create' | 'revive' | 'update' | 'left_alone' | 'unchanged';

/** `digest` is that of the draft's source; it is asked for only where it decides. */
export function planOf(nested: boolean, standing: ImportStanding | undefined, digest: () => string): Plan {
  if (!standing) return 'create';
  // Imports delete nothing but what they undo.
  if (standing.deleted && standing.untouched) return 'revive';
  if (nested || standing.digest === digest()) return 'unchanged';
  return standing.untouched && !standing.deleted ? 'update' : 'left_alone';
}
