import type { Reader } from '../../store/connection.ts';
import { mirrorOf } from '../../store/remotes/remotes.ts';

/**
 * Why this node gives no keys for an agent or klados and does not verify its endpoint, where that lies in a mirror: what that writes
 * the remote would refuse. Null where it lies elsewhere.
 */
export function inMirror(db: Reader, { collection }: { collection: string | null }): string | null {
  const mirror = collection === null ? undefined : mirrorOf(db, collection);
  return mirror
    ? `is in a collection that is mirrored from "${mirror.name}": its endpoint is verified and its keys are made at ${mirror.url} alone. To use it from this node, register one of your own with that endpoint, in a collection of this node`
    : null;
}
