import type { Manifest } from '../model/manifest.ts';
import { blockBytes, storedManifest } from './blocks.ts';
import type { Reader } from './connection.ts';

/** What the store knows of an entity without decoding a block. */
export interface EntityRow {
  key: number;
  id: string;
  /** The tip's block. */
  tip: number;
  /** The tip's CID. */
  cid: string;
  type: string;
  label: string;
  ver: number;
  /** The first collection's id; a deleted entity's last one; null for none. */
  collection: string | null;
  deleted: boolean;
  created_at: string;
  updated_at: string;
  /** Of a mirrored collection: the store's number for the remote that it came from. */
  mirror: number | null;
}

type Columns = Omit<EntityRow, 'deleted'> & { deleted: number };

const columns = `e.key, e.id, e.tip, e.cid, e.type, e.label, e.ver, e.deleted, e.created_at, e.updated_at, e.mirror,
  (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection`;

function toRow(row: Columns | undefined): EntityRow | undefined {
  return row && { ...row, deleted: row.deleted === 1 };
}

/** An entity that is here, live or deleted; undefined for unknown ids and stubs. */
export function findEntity(db: Reader, id: string): EntityRow | undefined {
  return toRow(db.get<Columns>(`SELECT ${columns} FROM entity e WHERE e.id = ? AND e.tip IS NOT NULL`, id));
}

/** The stored wire JSON with what a permission check needs, in one row. */
export interface StoredEntity {
  type: string;
  collection: string | null;
  /** Null for a deleted entity, and where it is longer than was asked for. */
  json: string | null;
  /** In bytes; null for a deleted entity. */
  size: number | null;
}

/** `limit`: the most bytes of JSON that are read. */
export function findStored(db: Reader, id: string, limit: number): StoredEntity | undefined {
  return db.get(
    `SELECT e.type, CASE WHEN octet_length(e.json) <= ? THEN e.json END AS json, octet_length(e.json) AS size,
       (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection
       FROM entity e WHERE e.id = ? AND e.tip IS NOT NULL`,
    limit,
    id,
  );
}

/** The stored wire JSON alone; null where there is none. */
export function storedJson(db: Reader, id: string): string | null {
  return db.get<{ json: string | null }>('SELECT json FROM entity WHERE id = ?', id)?.json ?? null;
}

/** How many bytes of wire JSON entities have together, each as often as it is named. */
export function jsonSize(db: Reader, ids: readonly string[]): number {
  const sql = `SELECT coalesce(sum(octet_length(e.json)), 0) AS size
     FROM json_each(?) named CROSS JOIN entity e ON e.id = named.value`;
  return db.get<{ size: number }>(sql, JSON.stringify(ids))?.size ?? 0;
}

/** The bytes of an entity's current version, of a deleted one's largest version (which may be restored); 0 for none. */
export function entitySize(db: Reader, id: string): number {
  const sql = `SELECT coalesce(octet_length(e.json), (SELECT max(size) FROM block WHERE entity = e.key)) AS size
     FROM entity e WHERE e.id = ?`;
  return db.get<{ size: number | null }>(sql, id)?.size ?? 0;
}

/** The bytes of an entity's largest version, here or as a remote has it; 0 for none. */
export function largestSize(db: Reader, id: string): number {
  const sql = 'SELECT max(size) AS size FROM block WHERE entity = (SELECT key FROM entity WHERE id = ?)';
  return db.get<{ size: number | null }>(sql, id)?.size ?? 0;
}

/** The tip's CID, also of a deleted entity; undefined where the entity is not here. */
export function findTip(db: Reader, id: string): string | undefined {
  return db.get<{ cid: string }>('SELECT cid FROM entity WHERE id = ? AND cid IS NOT NULL', id)?.cid;
}

/** An entity with its current manifest: what every write starts from. */
export interface Standing extends EntityRow {
  manifest: Manifest;
}

export function findStanding(db: Reader, id: string): Standing | undefined {
  const row = findEntity(db, id);
  return row && withManifest(db, row);
}

export function withManifest(db: Reader, row: EntityRow): Standing {
  return { ...row, manifest: storedManifest(blockBytes(db, row.tip)) };
}

/** Whether an id is known here, as an entity (deleted ones do not count) or as a stub that a remote's record names. */
export function isKnownTarget(db: Reader, id: string): boolean {
  const sql = `SELECT 1 FROM entity e WHERE e.id = ? AND e.deleted = 0 AND (e.tip IS NOT NULL
     OR EXISTS (SELECT 1 FROM remote_entity k WHERE k.entity = e.key)
     OR EXISTS (SELECT 1 FROM edge d JOIN remote_entity k ON k.entity = d.source WHERE d.peer = e.key))`;
  return db.get(sql, id) !== undefined;
}

/** Type and label of a relationship's target, for its stored copies, and its first collection. */
export function peerFacts(
  db: Reader,
  id: string,
): { type: string; label: string; collection: string | null } | undefined {
  return db.get(
    `SELECT e.type, e.label, (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection
       FROM entity e WHERE e.id = ? AND e.tip IS NOT NULL AND e.deleted = 0`,
    id,
  );
}

/** Entities that are live, by their ids from `after` on, at most `limit`. */
export function liveAfter(db: Reader, after: string, limit: number): EntityRow[] {
  return db
    .all<Columns>(
      `SELECT ${columns} FROM entity e WHERE e.id > ? AND e.tip IS NOT NULL AND e.deleted = 0 ORDER BY e.id LIMIT ?`,
      after,
      limit,
    )
    .map((row) => ({ ...row, deleted: false }));
}

/** Types of live entities with how many there are of each, the most common first. It walks all entities: a long read. */
export function countTypes(db: Reader): { type: string; count: number }[] {
  return db.all(
    `SELECT type, count(*) AS count FROM entity WHERE tip IS NOT NULL AND deleted = 0
       GROUP BY type ORDER BY count DESC, type LIMIT 1000`,
  );
}

export function countEntities(db: Reader): { live: number; deleted: number } {
  // Each from the narrowest index that has them: the rows themselves hold whole manifests.
  const row = db.get<{ known: number; unknown: number; deleted: number }>(
    `SELECT (SELECT count(*) FROM entity) AS known, (SELECT count(*) FROM entity WHERE tip IS NULL) AS unknown,
       (SELECT count(*) FROM entity WHERE deleted = 1 AND tip IS NOT NULL) AS deleted`,
  );
  const { known, unknown, deleted } = row ?? { known: 0, unknown: 0, deleted: 0 };
  return { live: known - unknown - deleted, deleted };
}
