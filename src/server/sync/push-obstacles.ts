// What stands in the way of a version that a remote finds invalid, and can be brought, or left out, first.

import type { Manifest } from '../model/manifest.ts';
import { namedBytes } from './named-bytes.ts';
import type { PushContext } from './push-context.ts';
import type { RemoteAnswer } from './remote.ts';
import { isInvalid, readIssuePaths } from './wire.ts';
import { withoutNewLinks } from './withheld.ts';

interface Tips {
  local: Manifest;
  theirs: Manifest | null;
}

/** Whether a remote does not take names of bytes that it was not sent; it says so once, then the bytes go first. */
export function isClaim(ctx: PushContext, local: Manifest, { status, body }: RemoteAnswer): boolean {
  if (!isInvalid(status) || ctx.bytesFirst.has(local.id)) return false;
  const names = readIssuePaths(body).some(
    ([at, name]) => at === 'properties' && (name === 'cid' || name === 'content'),
  );
  return names && namedBytes(local).some(({ cid }) => ctx.files.has(cid));
}

/**
 * Whether a remote does not take the new place of a folder, perhaps because another folder has not left its own yet: then
 * it leaves its place first, and takes the new one when all have.
 */
export function isLink(ctx: PushContext, { local, theirs }: Tips, { status, body }: RemoteAnswer): boolean {
  if (!isInvalid(status) || ctx.linking || ctx.unlinked.has(local.id)) return false;
  return (
    readIssuePaths(body).some(([at]) => String(at).startsWith('relationships')) &&
    withoutNewLinks(local, theirs) !== local
  );
}
