import { fromJson } from '../../model/from-json.ts';
import { accessOf, isExpired, type Member } from '../../model/roles.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import { byAnyWay, byName, type RoleHolder } from '../accounts/role-holders.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { inTypeIndex } from '../indexed-types.ts';

export interface CatalogPage {
  collections: { id: string; updated_at: string }[];
  total: number;
}

const liveCollections = `FROM entity WHERE type = 'collection' AND deleted = 0 AND ${inTypeIndex}`;

/** A page of all live collections, newest created first. */
export function catalogPage(db: Reader, { limit, offset }: { limit: number; offset: number }): CatalogPage {
  const collections = db.all<{ id: string; updated_at: string }>(
    `SELECT id, updated_at ${liveCollections} ORDER BY created_at DESC, key DESC LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
  return { collections, total: db.get<{ n: number }>(`SELECT count(*) AS n ${liveCollections}`)?.n ?? 0 };
}

/** A collection in an overview. */
export interface CollectionLine {
  id: string;
  label: string | null;
  created_at: string;
  updated_at: string;
  /** How many live entities it has. */
  entities: number;
  /** The remote that it came from; null for one of this node. */
  mirror: string | null;
}

/** All live collections with the number of their entities, newest created first. It walks the listing: a long read. */
export function collectionsOverview(
  db: Reader,
  { limit, offset }: { limit: number; offset: number },
): { collections: CollectionLine[]; total: number } {
  const { n: total } = db.get<{ n: number }>(`SELECT count(*) AS n ${liveCollections}`) ?? { n: 0 };
  const page = db.all<{ key: number }>(
    `SELECT key ${liveCollections} ORDER BY created_at DESC, key DESC LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
  return { collections: linesOf(db, page), total };
}

/** Of collections by their keys, in that order. */
export function linesOf(db: Reader, keys: { key: number }[]): CollectionLine[] {
  return db.all<CollectionLine>(
    `SELECT e.id, nullif(substr(e.label, 1, 300), '') AS label, e.created_at, e.updated_at,
       (SELECT count(*) FROM listing l WHERE l.collection = e.key) AS entities,
       (SELECT r.name FROM remote r WHERE r.key = e.mirror) AS mirror
       FROM json_each(?) n CROSS JOIN entity e ON e.key = n.value ORDER BY n.key`,
    JSON.stringify(keys.map(({ key }) => key)),
  );
}

interface HeldQuery {
  /** Under which ids somebody holds roles. */
  ids: readonly string[];
  /** Only collections where one of these is held. */
  roles?: string[] | undefined;
  includeExpired: boolean;
  /** Epoch milliseconds: what has expired. */
  now: number;
}

export interface RolesQuery extends HeldQuery {
  limit: number;
  offset: number;
}

/** A collection with all the roles that somebody holds there. */
export interface HeldRoles {
  collection_id: string;
  roles: string[];
  label: string | null;
  /** When the first of them was given; of one that does not say, when the collection was made. */
  granted_at: string;
}

/** The collections whose memberships name somebody, newest created first, then by id. */
export function rolesHeldBy(db: Reader, query: RolesQuery): { collections: HeldRoles[]; total: number } {
  const held = allHeld(db, byName(query.ids), query).map(({ kinds: _, ...line }) => line);
  return { collections: held.slice(query.offset, query.offset + query.limit), total: held.length };
}

/** What somebody holds by name is nearer to them than what everyone does. */
const nearness: Record<Member['kind'], number> = { member: 0, group: 1, wildcard: 2 };

/**
 * The collections in which somebody holds roles as permissions count them, at most `most`: those held by name before those
 * held through a group, and these before those where everyone holds one; the first created first.
 */
export function nearestHeld(
  db: Reader,
  { most, ...query }: HeldQuery & { most: number },
): { ids: string[]; total: number } {
  const held = allHeld(db, byAnyWay(db, query.ids, { registered: true, now: query.now }), query)
    .toReversed()
    .map(({ collection_id, kinds }) => ({ collection_id, away: Math.min(...kinds.map((kind) => nearness[kind])) }))
    .toSorted((a, b) => a.away - b.away);
  return { ids: held.slice(0, most).map(({ collection_id }) => collection_id), total: held.length };
}

type Held = HeldRoles & { kinds: Member['kind'][] };

function allHeld(db: Reader, holder: RoleHolder, query: HeldQuery): Held[] {
  const keys = holder.peers.map((id) => entityKey(db, id)).filter((key) => key !== undefined);
  const named = db.all<{ key: number }>(
    `SELECT e.key FROM entity e WHERE e.key IN (SELECT source FROM edge WHERE peer IN (${keys.map(() => '?').join()}))
        AND e.type = 'collection' AND e.deleted = 0 ORDER BY e.created_at DESC, e.id`,
    ...keys,
  );
  return named.map(({ key }) => heldIn(db, key, holder, query)).filter((one) => one !== undefined);
}

function heldIn(
  db: Reader,
  key: number,
  holder: RoleHolder,
  { roles, includeExpired, now }: HeldQuery,
): Held | undefined {
  const row = db.get<{ json: string; label: string }>('SELECT json, label FROM entity WHERE key = ?', key);
  if (!row) return undefined;
  const { id, created_at, ...manifest } = fromJson(row.json) as WireManifest;
  const mine = accessOf(manifest).members.filter((m) => holder.holds(m) && (includeExpired || !isExpired(m, now)));
  const held = [...new Set(mine.map((m) => m.role))];
  const asked = mine.filter((m) => !roles || roles.includes(m.role));
  if (asked.length === 0) return undefined;
  const granted = mine.map((m) => m.granted_at).filter((at) => at !== undefined);
  return {
    collection_id: id,
    roles: held,
    label: row.label === '' ? null : row.label,
    granted_at: granted.toSorted()[0] ?? created_at,
    kinds: asked.map(({ kind }) => kind),
  };
}
