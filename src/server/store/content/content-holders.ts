import { cidBytes, cidText } from '../../blocks/cid.ts';
import type { Reader, Writer } from '../connection.ts';
import { contentOfBlock } from './block-content.ts';

/** Keeps `content`: what a version that is being stored names. */
export function noteContent(db: Writer, entity: number, bytes: Uint8Array): void {
  for (const cid of contentOfBlock(bytes))
    db.run('INSERT OR IGNORE INTO content (cid, entity) VALUES (?, ?)', cidBytes(cid), entity);
}

/** Whether a version of the entity with that key, however old, names that content. */
export function holds(db: Reader, entity: number, cid: string): boolean {
  return db.get('SELECT 1 FROM content WHERE cid = ? AND entity = ?', cidBytes(cid), entity) !== undefined;
}

/** The content that versions of an entity name. */
export function contentOf(db: Reader, id: string): string[] {
  const sql = 'SELECT c.cid FROM content c JOIN entity e ON e.key = c.entity WHERE e.id = ?';
  return db.all<{ cid: Uint8Array }>(sql, id).map(({ cid }) => cidText(cid));
}

/** Whether any stored version names that content. */
export function isNamed(db: Reader, cid: string): boolean {
  return db.get('SELECT 1 FROM content WHERE cid = ?', cidBytes(cid)) !== undefined;
}

/** Content by its CID, with an entity of which a version names it. */
export interface NamedContent {
  cid: Uint8Array;
  id: string;
}

/** A page of all content that stored versions name, in the order of its CIDs from the one after `after` on. */
export function namedPage(db: Reader, after: Uint8Array, limit: number): NamedContent[] {
  const rows = db.all<{ cid: Uint8Array; entity: number }>(
    'SELECT cid, min(entity) AS entity FROM content WHERE cid > ? GROUP BY cid ORDER BY cid LIMIT ?',
    after,
    limit,
  );
  return rows.map(({ cid, entity }) => ({
    cid,
    id: db.get<{ id: string }>('SELECT id FROM entity WHERE key = ?', entity)?.id ?? '',
  }));
}

/** Whether any stored version names content at all. */
export function namesAny(db: Reader): boolean {
  return db.get('SELECT 1 FROM content LIMIT 1') !== undefined;
}

/** Whether an entity that is here, live or deleted, has named that content. */
export function isHeldBy(db: Reader, cid: string, id: string): boolean {
  const sql = `SELECT 1 FROM entity e JOIN content h ON h.cid = ? AND h.entity = e.key
     WHERE e.id = ? AND e.tip IS NOT NULL`;
  return db.get(sql, cidBytes(cid), id) !== undefined;
}

/** Whether a live entity has named that content. */
export function isHeld(db: Reader, cid: string): boolean {
  const sql = `SELECT 1 FROM content h JOIN entity e ON e.key = h.entity
     WHERE h.cid = ? AND e.tip IS NOT NULL AND e.deleted = 0 LIMIT 1`;
  return db.get(sql, cidBytes(cid)) !== undefined;
}
