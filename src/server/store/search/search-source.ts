import type { Reader } from '../connection.ts';
import { predicateKey } from '../entity-keys.ts';

/** An entity as the index sees it; `json` is null where it is deleted. */
export interface SourceRow {
  key: number;
  id: string;
  type: string;
  label: string;
  json: string | null;
  /** The first collection, a deleted entity's last one. */
  collection: number | null;
  /** The keys of all that it lies in, between spaces; null for none. */
  collections: string | null;
}

export function sourceRow(db: Reader, key: number): SourceRow | undefined {
  return db.get(
    `SELECT key, id, type, label, json, collection,
        (SELECT group_concat(peer, ' ' ORDER BY peer) FROM edge WHERE source = entity.key AND predicate = ?) AS collections
       FROM entity WHERE key = ? AND tip IS NOT NULL`,
    predicateKey(db, 'collection') ?? -1,
    key,
  );
}

/** What an entity leads to, by predicate; the collections that it lies in are left out. */
export function neighboursOf(db: Reader, key: number, limit: number): { predicate: string; label: string }[] {
  return db.all(
    `SELECT p.name AS predicate, e.label FROM edge d JOIN predicate p ON p.key = d.predicate
       JOIN entity e ON e.key = d.peer
      WHERE d.source = ? AND p.name <> 'collection' AND e.deleted = 0 AND e.label <> '' LIMIT ?`,
    key,
    limit,
  );
}

/** Whom an id in a text stands for. */
export function labelOfId(db: Reader, id: string): string | undefined {
  return db.get<{ label: string }>("SELECT label FROM entity WHERE id = ? AND deleted = 0 AND label <> ''", id)?.label;
}

/** Live entities that lead to an entity, in the order of their keys. */
export function sourcesOf(db: Reader, peer: number, after: number, limit: number): number[] {
  const rows = db.all<{ source: number }>(
    `SELECT DISTINCT d.source FROM edge d WHERE d.peer = ? AND d.source > ? AND d.predicate <> ? ORDER BY d.source LIMIT ?`,
    peer,
    after,
    predicateKey(db, 'collection') ?? -1,
    limit,
  );
  return rows.map(({ source }) => source);
}

/** Whether entities lead to an entity, beside those that lie in it. */
export function isPeer(db: Reader, key: number): boolean {
  const among = 'EXISTS (SELECT 1 FROM edge WHERE peer = ? AND predicate';
  const collection = predicateKey(db, 'collection') ?? -1;
  const row = db.get<{ found: number }>(
    `SELECT ${among} < ?) OR ${among} > ?) AS found`,
    ...[key, collection, key, collection],
  );
  return row?.found === 1;
}

/**
 * What a collection holds, from its newest entities: their labels, their types, and what most of them lead to, beside other
 * collections that they lie in.
 */
export function collectionSummary(db: Reader, key: number, sample: number): string[] {
  const members = db.all<{ entity: number; type: string; label: string }>(
    `SELECT l.entity, l.type, e.label FROM listing l JOIN entity e ON e.key = l.entity
      WHERE l.collection = ? ORDER BY l.created_at DESC, l.id LIMIT ?`,
    key,
    sample,
  );
  const peers = db.all<{ label: string }>(
    `SELECT p.label FROM json_each(?) m JOIN edge d ON d.source = m.value JOIN entity p ON p.key = d.peer
      WHERE p.label <> '' AND p.deleted = 0 AND d.peer <> ? AND d.predicate <> ? GROUP BY d.peer ORDER BY count(*) DESC, d.peer LIMIT 50`,
    JSON.stringify(members.map(({ entity }) => entity)),
    key,
    predicateKey(db, 'collection') ?? -1,
  );
  const types = [...new Set(members.map(({ type }) => type))];
  return [...types, ...peers.map(({ label }) => label), ...members.map(({ label }) => label)];
}
