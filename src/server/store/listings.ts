import type { Reader } from './connection.ts';
import { entityKey, predicateKey } from './entity-keys.ts';
import { afterAnchor, ListingAnchors } from './listing-anchors.ts';

/** One line of a collection's listing. */
export interface ListedEntity {
  id: string;
  type: string;
  label: string;
  created_at: string;
  updated_at: string;
  /** The stored wire JSON, for expansion. */
  json: string;
}

export interface ListingQuery {
  collection: string;
  type?: string | undefined;
  limit: number;
  offset: number;
  /** A condition over the entity's row `e`, with bound parameters; see filter.ts. */
  filter?: { sql: string; params: (string | number | null)[] } | undefined;
  /** Whether `json` is wanted. */
  expand: boolean;
}

export interface Listed {
  entities: ListedEntity[];
  /** Whether others follow. */
  more: boolean;
}

const apart = 2000;
const anchorsOf = new WeakMap<Reader, ListingAnchors>();

/** A page of a collection's live entities, newest created first, then by id. In a snapshot. */
export function listEntities(db: Reader, query: ListingQuery): Listed {
  const collection = entityKey(db, query.collection);
  if (collection === undefined) return { entities: [], more: false };
  const anchors = anchorsOf.get(db) ?? new ListingAnchors(apart);
  anchorsOf.set(db, anchors);
  const anchor = query.filter || query.offset < apart ? null : anchors.before(db, { ...query, collection });
  // The page is cut in the narrow rows: what an offset skips is not looked up, unless a filter wants to see it.
  const rows = db.all<ListedEntity>(
    `SELECT e.id, e.type, e.label, e.created_at, e.updated_at, ${query.expand ? 'e.json' : "'' AS json"}
       FROM (SELECT l.entity, l.created_at, l.id
               FROM listing l${query.filter ? ' JOIN entity e ON e.key = l.entity' : ''}
              WHERE l.collection = ?${query.type === undefined ? '' : ' AND l.type = ?'}${query.filter ? ` AND (${query.filter.sql})` : ''}
                ${anchor ? `AND ${afterAnchor}` : ''}
              ORDER BY l.created_at DESC, l.id LIMIT ? OFFSET ?) page
       JOIN entity e ON e.key = page.entity
      ORDER BY page.created_at DESC, page.id`,
    collection,
    ...(query.type === undefined ? [] : [query.type]),
    ...(query.filter?.params ?? []),
    ...(anchor ? [anchor.created_at, anchor.created_at, anchor.id] : []),
    query.limit + 1,
    query.offset - (anchor?.offset ?? 0),
  );
  return { entities: rows.slice(0, query.limit), more: rows.length > query.limit };
}

/** Groups whose relationships name one of the users as a member; whether that counts is for model/groups.ts to say. */
export function groupsNaming(db: Reader, users: readonly string[], limit: number): { id: string; json: string }[] {
  const keys = users.map((id) => entityKey(db, id)).filter((key) => key !== undefined);
  const member = predicateKey(db, 'member');
  if (keys.length === 0 || member === undefined) return [];
  return db.all(
    `SELECT DISTINCT e.id, e.json FROM edge d JOIN entity e ON e.key = d.source
      WHERE d.peer IN (${keys.map(() => '?').join()}) AND d.predicate = ? AND e.type = 'group' AND e.deleted = 0
        AND e.collection IS NOT NULL ORDER BY e.key LIMIT ?`,
    ...keys,
    member,
    limit,
  );
}

/** Live collections on which one of the peers stands, with the predicate (interface.md, GET /users/{id}/collections). */
export function collectionsNaming(
  db: Reader,
  peers: string[],
  query: { predicate?: string | undefined; limit: number; offset: number },
): {
  collections: { id: string; label: string; predicate: string; created_at: string; json: string }[];
  more: boolean;
} {
  const keys = peers.map((id) => entityKey(db, id)).filter((key) => key !== undefined);
  const predicate = query.predicate === undefined ? undefined : predicateKey(db, query.predicate);
  if (keys.length === 0 || (query.predicate !== undefined && predicate === undefined))
    return { collections: [], more: false };
  const rows = db.all<{ id: string; label: string; predicate: string; created_at: string; json: string }>(
    `SELECT e.id, e.label, p.name AS predicate, e.created_at, e.json
       FROM edge d JOIN entity e ON e.key = d.source JOIN predicate p ON p.key = d.predicate
      WHERE d.peer IN (${keys.map(() => '?').join()}) AND e.type = 'collection' AND e.deleted = 0
        ${predicate === undefined ? '' : 'AND d.predicate = ?'}
      GROUP BY d.source, d.predicate ORDER BY e.created_at DESC, e.id LIMIT ? OFFSET ?`,
    ...keys,
    ...(predicate === undefined ? [] : [predicate]),
    query.limit + 1,
    query.offset,
  );
  return { collections: rows.slice(0, query.limit), more: rows.length > query.limit };
}
