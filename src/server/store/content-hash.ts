import { valueHash } from '../blocks/encode.ts';
import { collectionsOf, type Manifest } from '../model/manifest.ts';

/**
 * A hash of what a version says, whoever made it and when (decisions.md, Equal content): type, properties, relationships by
 * predicate and peer, and which of several collections stands first, since that one decides permissions. All tombstones of a type
 * say the same.
 */
export function contentHash(manifest: Manifest): string {
  const [first, ...others] = collectionsOf(manifest);
  return hashOf(manifest, others.length > 0 ? { first } : {});
}

/** As it was before it said which collection stands first: a request that was sent then may be open yet. */
export function earlierHash(manifest: Manifest): string {
  return hashOf(manifest, {});
}

function hashOf({ type, properties, relationships, deleted }: Manifest, place: { first?: string | undefined }): string {
  if (deleted) return valueHash({ type, deleted: true });
  const sorted = relationships.toSorted((a, b) => order(a.predicate, b.predicate) || order(a.peer, b.peer));
  return valueHash({ type, properties, relationships: sorted, ...place });
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
