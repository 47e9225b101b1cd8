import { labelKey } from '../model/label-fold.ts';
import {
  collectionsOf,
  indexed,
  labelOf,
  type Manifest,
  type Relationship,
  relationshipKey,
} from '../model/manifest.ts';
import { wireManifest } from '../model/wire-manifest.ts';
import type { Writer } from './connection.ts';
import { ensureEntityKey, ensurePredicateKey } from './entity-keys.ts';
import { projectJobLog } from './jobs/job-logs.ts';

/** The current version that an entity's derived rows are made from. */
export interface Current {
  /** The entity's key. */
  key: number;
  /** Whether there is no row of it yet, not even a stub's. */
  isNew: boolean;
  /** The tip's block key. */
  tip: number;
  cid: string;
  manifest: Manifest;
  /** See currentJson. */
  json: string | null;
  /** The first collection, a deleted entity's last one; undefined where the row keeps what it has. */
  collection: string | null | undefined;
}

/** The wire JSON that reads send, given the version as it was written; null for a deleted entity. Throws where the manifest has what JSON cannot say. */
export function currentJson(cid: string, manifest: Manifest): string | null {
  return manifest.deleted === true ? null : JSON.stringify(wireManifest(cid, manifest));
}

/** Writes every row that is derived from the current version, given the version they were derived from before. */
export function project(db: Writer, current: Current, before: Manifest | null): void {
  const now = { ...current, manifest: indexed(current.manifest) };
  const old = before && indexed(before);
  projectEntity(db, now);
  projectEdges(db, now, old);
  projectListings(db, now, old);
  projectLabels(db, now, old);
  projectJobLog(db, now, old);
}

function projectEntity(db: Writer, current: Current): void {
  const { key, tip, cid, manifest, json, collection } = current;
  const columns = [
    ...[tip, cid, manifest.type, labelOf(manifest), manifest.ver, manifest.deleted ? 1 : 0],
    ...[manifest.created_at, manifest.ts, json],
  ];
  const collectionKey = collection == null ? null : ensureEntityKey(db, collection);
  if (current.isNew)
    // In one step: a row that is made first and grows then is moved about twice.
    db.run(
      `INSERT INTO entity (tip, cid, type, label, ver, deleted, created_at, updated_at, json, collection, id, key)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...columns,
      collectionKey,
      manifest.id,
      key,
    );
  else
    db.run(
      `UPDATE entity SET tip = ?, cid = ?, type = ?, label = ?, ver = ?, deleted = ?, created_at = ?, updated_at = ?,
         json = ?, collection = CASE WHEN ? THEN collection ELSE ? END WHERE key = ?`,
      ...columns,
      collection === undefined ? 1 : 0,
      collectionKey,
      key,
    );
}

function edgesOf(manifest: Manifest | null): Map<string, Relationship> {
  return new Map((manifest?.relationships ?? []).map((r) => [relationshipKey(r), r]));
}

function projectEdges(db: Writer, { key, manifest }: Current, before: Manifest | null): void {
  if (manifest.relationships.length === 0 && !before?.relationships.length) return;
  const old = edgesOf(before);
  const now = edgesOf(manifest);
  for (const [name, edge] of old) {
    if (now.has(name)) continue;
    db.run(
      'DELETE FROM edge WHERE source = ? AND predicate = ? AND peer = ?',
      key,
      ensurePredicateKey(db, edge.predicate),
      ensureEntityKey(db, edge.peer),
    );
  }
  for (const [name, edge] of now) {
    if (old.has(name)) continue;
    db.run(
      'INSERT OR IGNORE INTO edge (source, predicate, peer) VALUES (?, ?, ?)',
      key,
      ensurePredicateKey(db, edge.predicate),
      ensureEntityKey(db, edge.peer),
    );
  }
}

const none: ReadonlySet<string> = new Set();

function collectionSet(manifest: Manifest | null): ReadonlySet<string> {
  const ids = manifest ? collectionsOf(manifest) : [];
  return ids.length === 0 ? none : new Set(ids);
}

function projectListings(db: Writer, { key, manifest }: Current, before: Manifest | null): void {
  const old = collectionSet(before);
  const now = collectionSet(manifest);
  const moved = before !== null && (before.created_at !== manifest.created_at || before.type !== manifest.type);
  for (const id of old)
    if (before && (moved || !now.has(id)))
      db.run(
        'DELETE FROM listing WHERE collection = ? AND created_at = ? AND id = ?',
        ensureEntityKey(db, id),
        before.created_at,
        manifest.id,
      );
  for (const id of now)
    if (moved || !old.has(id))
      db.run(
        'INSERT OR IGNORE INTO listing (collection, created_at, id, type, entity) VALUES (?, ?, ?, ?, ?)',
        ensureEntityKey(db, id),
        manifest.created_at,
        manifest.id,
        manifest.type,
        key,
      );
}

function labelKeyOf(manifest: Manifest | null): string {
  return manifest === null ? '' : labelKey(labelOf(manifest));
}

function projectLabels(db: Writer, { key, manifest }: Current, before: Manifest | null): void {
  const [had, has] = [labelKeyOf(before), labelKeyOf(manifest)];
  const old = had === '' ? none : collectionSet(before);
  const now = has === '' ? none : collectionSet(manifest);
  for (const id of old)
    if (!now.has(id)) db.run('DELETE FROM label WHERE collection = ? AND entity = ?', ensureEntityKey(db, id), key);
  for (const id of now)
    if (had !== has || !old.has(id))
      db.run(
        'INSERT OR REPLACE INTO label (collection, entity, folded) VALUES (?, ?, ?)',
        ensureEntityKey(db, id),
        key,
        has,
      );
}
