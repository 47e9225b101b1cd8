import type Database from 'better-sqlite3';
import { decodeManifest } from '../../blocks/encode.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { lastLive } from '../versions.ts';
import { deletedRows } from './0013-deleted-rows.ts';

/**
 * Earlier programs took a deletion by another one that does not say `deleted` (tombstones.ts) for what the entity says: its rows come
 * to be those of a deletion.
 */
export function foreignGraves(db: Database.Database): void {
  const reader: Reader = {
    get: <T>(sql: string, ...params: unknown[]) => db.prepare<unknown[], T>(sql).get(...params),
    all: <T>(sql: string, ...params: unknown[]) => db.prepare<unknown[], T>(sql).all(...params),
    each: <T>(sql: string, ...params: unknown[]) => db.prepare<unknown[], T>(sql).iterate(...params),
  };
  const graves: { key: number; tip: number }[] = [];
  const sql = 'SELECT key, tip FROM entity WHERE tip IS NOT NULL AND deleted = 0';
  for (const row of reader.each<{ key: number; tip: number }>(sql)) if (isGrave(reader, row.tip)) graves.push(row);
  if (graves.length === 0) return;
  for (const { key, tip } of graves) bury(db, key, collectionBefore(reader, tip));
  db.exec(deletedRows);
}

/** What is damaged is left to a verification, which names it. */
function isGrave(db: Reader, tip: number): boolean {
  try {
    return decodeManifest(blockBytes(db, tip)).deleted === true;
  } catch {
    return false;
  }
}

/** A deleted entity stays in the collection of its last live version; undefined where that is not known. */
function collectionBefore(db: Reader, tip: number): string | null | undefined {
  try {
    const live = lastLive(db, decodeManifest(blockBytes(db, tip)))?.manifest;
    return live && (collectionsOf(live)[0] ?? null);
  } catch {
    return undefined;
  }
}

function bury(db: Database.Database, key: number, collection: string | null | undefined): void {
  db.prepare('UPDATE entity SET deleted = 1, json = NULL WHERE key = ?').run(key);
  if (collection === undefined) return;
  const sql = 'UPDATE entity SET collection = (SELECT c.key FROM entity c WHERE c.id = ?) WHERE key = ?';
  db.prepare(sql).run(collection, key);
}
