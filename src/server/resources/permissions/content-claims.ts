import { isContentCid } from '../../blocks/cid.ts';
import type { Issue } from '../../errors.ts';
import { contentCids, namedContents } from '../../model/content.ts';
import type { Manifest } from '../../model/manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { isHeld, isHeldBy } from '../../store/content/content-holders.ts';
import { hasReceived } from '../../store/content/uploads.ts';

/** What decides whether a writer may name content that it did not send. */
export interface ClaimRules {
  /** Whether this node has the bytes. */
  hasBytes: (cid: string) => boolean;
  /** Content that came with this write. */
  sent: readonly string[];
}

/**
 * Content that a step names and the version before did not, where that would give access to private bytes: who knows a
 * CID has no right to its bytes. Naming them takes that a version of the same entity named them, that they came to an
 * upload address of the entity, or that a live entity, which everybody may view, holds them. Bytes that are not here may be
 * named: they are elsewhere, or come later.
 */
export function claimIssues(
  db: Reader,
  step: { base: Manifest | null; next: Manifest },
  { hasBytes, sent }: ClaimRules,
): Issue[] {
  const named = namedContents(step.next);
  if (named.length === 0) return [];
  const before = new Set([...(step.base ? contentCids(step.base) : []), ...sent]);
  const { id } = step.next;
  const verdicts = new Map<string, boolean>();
  const isFree = (cid: string): boolean =>
    isHeldBy(db, cid, id) || isHeld(db, cid) || hasReceived(db, id, cid) || !hasBytes(cid);
  return named.flatMap(({ cid, path }) => {
    if (before.has(cid) || !isContentCid(cid)) return [];
    const free = verdicts.get(cid) ?? isFree(cid);
    verdicts.set(cid, free);
    return free ? [] : [{ path, message: 'names bytes that no entity which you may view holds: upload them' }];
  });
}
