import { isContentCid } from '../../blocks/cid.ts';
import { type HeldContent, heldContent } from '../../model/content-entries.ts';
import type { Reader } from '../connection.ts';
import { findStanding } from '../entities.ts';
import { holds } from './content-holders.ts';

/** Content of an entity, by key or by CID; by neither: the one that it has by itself (see heldContent). */
export interface HeldQuery {
  id: string;
  key?: string | undefined;
  cid?: string | undefined;
}

/** By CID also what earlier versions held: these can be read, and so can their bytes. Null where it is not held. */
export function findHeldContent(db: Reader, { id, key, cid }: HeldQuery): HeldContent | null {
  const standing = findStanding(db, id);
  if (!standing || standing.deleted) return null;
  const wanted = { ...(key !== undefined && { key }), ...(cid !== undefined && { cid }) };
  const held = heldContent(standing.manifest, wanted);
  if (held && isContentCid(held.cid) && (cid === undefined || held.cid === cid)) return held;
  const earlier = key === undefined && cid !== undefined && isContentCid(cid) && holds(db, standing.key, cid);
  return earlier ? { cid, type: null, filename: null, size: null } : null;
}
