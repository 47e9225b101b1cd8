import type { Reader } from '../connection.ts';
import { entityKey, predicateKey } from '../entity-keys.ts';
import { isTimeUp } from '../threads/read-time.ts';
import type { FilterSql } from './filter.ts';
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
  filter?: FilterSql | undefined;
  /** Whether `json` is wanted. */
  expand: boolean;
}

export interface Listed {
  entities: ListedEntity[];
  /** Whether others follow. */
  more: boolean;
  /** Whether time was too short to try the filter on all. */
  late?: boolean;
}

const apart = 2000;
/** For so many milliseconds entities are tried with a filter. */
const longest = 10_000;
const anchorsOf = new WeakMap<Reader, ListingAnchors>();

/** A page of a collection's live entities, newest created first, then by id. In a snapshot. */
export function listEntities(db: Reader, query: ListingQuery): Listed {
  const collection = entityKey(db, query.collection);
  if (collection === undefined) return { entities: [], more: false };
  if (query.filter) return filtered(db, { ...query, collection, filter: query.filter });
  const anchors = anchorsOf.get(db) ?? new ListingAnchors(apart);
  anchorsOf.set(db, anchors);
  const anchor = query.offset < apart ? null : anchors.before(db, { ...query, collection });
  // The page is cut in the narrow rows: what an offset skips is not looked up.
  const rows = db.all<ListedEntity>(
    `SELECT ${shown(query)}
       FROM (SELECT l.entity, l.created_at, l.id FROM listing l WHERE ${listed(query, anchor)}
              ORDER BY l.created_at DESC, l.id LIMIT ? OFFSET ?) page
       JOIN entity e ON e.key = page.entity
      ORDER BY page.created_at DESC, page.id`,
    ...listedParams({ ...query, collection }, anchor),
    query.limit + 1,
    query.offset - (anchor?.offset ?? 0),
  );
  return { entities: rows.slice(0, query.limit), more: rows.length > query.limit };
}

type Place = Pick<ListedEntity, 'created_at' | 'id'> | null;

function shown({ expand }: Pick<ListingQuery, 'expand'>): string {
  return `e.id, e.type, e.label, e.created_at, e.updated_at, ${expand ? 'e.json' : "'' AS json"}`;
}

/** The lines `l` of a listing after a place. */
function listed({ type }: Pick<ListingQuery, 'type'>, after: Place): string {
  return `l.collection = ?${type === undefined ? '' : ' AND l.type = ?'}${after ? ` AND ${afterAnchor}` : ''}`;
}

function listedParams({ collection, type }: { collection: number; type?: string | undefined }, after: Place) {
  return [
    collection,
    ...(type === undefined ? [] : [type]),
    ...(after ? [after.created_at, after.created_at, after.id] : []),
  ];
}

/** One entity at a time, so that a filter that takes long and finds little ends: a few that are large may take as long as many. */
function filtered(
  db: Reader,
  query: Omit<ListingQuery, 'collection'> & { collection: number; filter: NonNullable<ListingQuery['filter']> },
): Listed {
  const { filter, limit, offset } = query;
  const until = performance.now() + longest;
  const found: ListedEntity[] = [];
  let skipped = 0;
  const rows = db.each<{ key: number; fits: number | null }>(
    `SELECT e.key, (${filter.sql}) AS fits FROM listing l CROSS JOIN entity e ON e.key = l.entity
      WHERE ${listed(query, null)} ORDER BY l.created_at DESC, l.id`,
    ...filter.params,
    ...listedParams(query, null),
  );
  for (const { key, fits } of rows) {
    if (fits === 1 && ++skipped > offset) {
      if (found.length === limit) return { entities: found, more: true };
      const row = db.get<ListedEntity>(`SELECT ${shown(query)} FROM entity e WHERE e.key = ?`, key);
      if (row) found.push(row);
    }
    if (isTimeUp(until)) return { entities: found, more: true, late: true };
  }
  return { entities: found, more: false };
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

/**
 * Live collections on which one of the peers stands, a row for each predicate, in the order of GET /users/{id}/collections
 * (interface.md). What stands in them is not read: they are sorted, and there may be very many.
 */
export function collectionsNaming(
  db: Reader,
  peers: string[],
  predicate?: string,
): Iterable<{ key: number; predicate: string }> {
  const keys = peers.map((id) => entityKey(db, id)).filter((key) => key !== undefined);
  const only = predicate === undefined ? undefined : predicateKey(db, predicate);
  if (keys.length === 0 || (predicate !== undefined && only === undefined)) return [];
  return db.each(
    `SELECT e.key, p.name AS predicate
       FROM edge d JOIN entity e ON e.key = d.source JOIN predicate p ON p.key = d.predicate
      WHERE d.peer IN (${keys.map(() => '?').join()}) AND e.type = 'collection' AND e.deleted = 0
        ${only === undefined ? '' : 'AND d.predicate = ?'}
      GROUP BY d.source, d.predicate ORDER BY e.created_at DESC, e.id, d.predicate`,
    ...keys,
    ...(only === undefined ? [] : [only]),
  );
}
