import type Database from 'better-sqlite3';
import { decodeManifest } from '../../blocks/encode.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes } from '../blocks.ts';
import type { Reader, Writer } from '../connection.ts';
import { ensureEntityKey } from '../entity-keys.ts';
import { lastLive } from '../versions.ts';
import { deletedRows } from './0013-deleted-rows.ts';
import { writerOf } from './writer-of.ts';

/**
 * Tips that may be deletions which do not say `deleted` (tombstones.ts): the name of their schema has the word, or they have neither
 * properties nor relationships, which ends the JSON of the row. Few are read so; of compressed versions nobody knows unread.
 */
const suspects = `SELECT e.key, e.tip FROM entity e JOIN block b ON b.key = e.tip WHERE e.deleted = 0
  AND (b.enc <> 0 OR instr(b.bytes, CAST('deleted' AS BLOB)) > 0 OR instr(e.json, '"properties":{},"relationships":[]}') > 0)`;

/**
 * Earlier programs took a deletion by another one that does not say `deleted` (tombstones.ts) for what the entity says: its rows come
 * to be those of a deletion.
 */
export function foreignGraves(database: Database.Database): void {
  const db = writerOf(database);
  const graves: { key: number; tip: number }[] = [];
  for (const row of db.each<{ key: number; tip: number }>(suspects)) if (isGrave(db, row.tip)) graves.push(row);
  if (graves.length === 0) return;
  for (const { key, tip } of graves) bury(db, key, collectionBefore(db, tip));
  database.exec(deletedRows);
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

function bury(db: Writer, key: number, collection: string | null | undefined): void {
  db.run('UPDATE entity SET deleted = 1, json = NULL WHERE key = ?', key);
  // A deletion does not wait for a remote that is not known to have the entity (pending.ts).
  db.run(
    `DELETE FROM push_pending AS w WHERE w.entity = ?
       AND NOT EXISTS (SELECT 1 FROM remote_entity k WHERE k.remote = w.remote AND k.entity = w.entity)
       AND NOT EXISTS (SELECT 1 FROM push_intent i WHERE i.remote = w.remote AND i.entity = w.entity)`,
    key,
  );
  if (collection === undefined) return;
  // A chain that came at once left no row of a collection that only its earlier versions name.
  const place = collection === null ? null : ensureEntityKey(db, collection);
  db.run('UPDATE entity SET collection = ? WHERE key = ?', place, key);
}
