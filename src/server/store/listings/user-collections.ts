import { accessOf, isExpired } from '../../model/roles.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import { byAnyWay } from '../accounts/role-holders.ts';
import type { Reader } from '../connection.ts';
import { collectionsNaming } from './listings.ts';

export interface UserCollectionsQuery {
  user: string;
  /** All ids of the user, its aliases too. */
  ids: string[];
  /** Whether the user has an account here, so that what everyone holds counts. */
  registered: boolean;
  /** Only this role. */
  predicate?: string | undefined;
  limit: number;
  offset: number;
  /** Epoch milliseconds. */
  now: number;
}

interface Line {
  id: string;
  pi: string;
  label: string;
  predicate: string;
  created_at: string;
}

/** How many memberships are looked at in one query. */
const lookedAt = 500;

/** The roles that a user holds now, a line for each, as the wire has it (interface.md, GET /users/{id}/collections). */
export function userCollections(db: Reader, query: UserCollectionsQuery): string {
  const { user: user_id, limit, offset } = query;
  const found = lines(db, query);
  const collections = found.slice(offset, offset + limit);
  const has_more = found.length > offset + limit;
  return JSON.stringify({ user_id, collections, pagination: { offset, limit, count: collections.length, has_more } });
}

/** The lines up to the end of the page and one more: what stands on a collection is read by the rules of its roles. */
function lines(db: Reader, { ids, registered, predicate, limit, offset: from, now }: UserCollectionsQuery): Line[] {
  const { peers, holds } = byAnyWay(db, ids, { registered, now });
  const wanted = from + limit + 1;
  const found: Line[] = [];
  for (let offset = 0, more = true; more && found.length < wanted; offset += lookedAt) {
    const page = collectionsNaming(db, peers, { predicate, limit: lookedAt, offset });
    more = page.more;
    for (const { json, ...line } of page.collections) {
      const { members } = accessOf(JSON.parse(json) as WireManifest);
      const isHeld = members.some((m) => m.role === line.predicate && holds(m) && !isExpired(m, now));
      if (isHeld) found.push({ ...line, pi: line.id });
    }
  }
  return found;
}
