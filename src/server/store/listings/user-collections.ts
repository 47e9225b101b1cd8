import { fromJson } from '../../model/from-json.ts';
import { accessOf, isExpired, type Member } from '../../model/roles.ts';
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

/** The roles that a user holds now, a line for each, as the wire has it (interface.md, GET /users/{id}/collections). */
export function userCollections(db: Reader, query: UserCollectionsQuery): string {
  const { user: user_id, limit, offset } = query;
  const found = lines(db, query);
  const collections = found.slice(offset, offset + limit);
  const has_more = found.length > offset + limit;
  return JSON.stringify({ user_id, collections, pagination: { offset, limit, count: collections.length, has_more } });
}

/** The lines up to the end of the page and one more: what stands on a collection is read by the rules of its roles. */
function lines(db: Reader, { ids, registered, predicate, limit, offset, now }: UserCollectionsQuery): Line[] {
  const { peers, holds } = byAnyWay(db, ids, { registered, now });
  const found: Line[] = [];
  let at: Looked | undefined;
  for (const { key, predicate: role } of collectionsNaming(db, peers, predicate)) {
    if (at?.key !== key) at = look(db, key);
    const isHeld = at.members.some((m) => m.role === role && holds(m) && !isExpired(m, now));
    if (isHeld) found.push({ ...at.line, predicate: role });
    if (found.length > offset + limit) break;
  }
  return found;
}

/** A collection, with who has roles there. */
interface Looked {
  key: number;
  line: Omit<Line, 'predicate'>;
  members: readonly Member[];
}

function look(db: Reader, key: number): Looked {
  const row = db.get<{ id: string; label: string; created_at: string; json: string }>(
    'SELECT id, label, created_at, json FROM entity WHERE key = ?',
    key,
  );
  if (!row) throw new Error(`the collection ${key} is gone within one read`);
  const { json, ...line } = row;
  const { members } = accessOf(fromJson(json) as WireManifest);
  return { key, line: { ...line, pi: row.id }, members };
}
