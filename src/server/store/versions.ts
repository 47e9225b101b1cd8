import { cidBytes } from '../blocks/cid.ts';
import { manifestHead } from '../blocks/manifest-head.ts';
import { maxOnLoop } from '../model/large.ts';
import type { EditedBy, Manifest } from '../model/manifest.ts';
import { blockKey } from './block-keys.ts';
import { blockBytes, blockCidText, blockSize, storedManifest } from './blocks.ts';
import type { Reader } from './connection.ts';

/** One stored version. `entity` is the id that it belongs to. */
export interface Version {
  key: number;
  cid: string;
  entity: string;
  ver: number;
  bytes: Uint8Array;
  manifest: Manifest;
}

const columns = 'b.key, b.ver, (SELECT e.id FROM entity e WHERE e.key = b.entity) AS entity';

/** A version by CID; undefined where the text is no CID or no version of this store. */
export function findVersion(db: Reader, cid: string): Version | undefined {
  const key = storedKey(db, cid);
  return key === undefined ? undefined : versionByKey(db, key);
}

/** The bytes of a version; 0 where the text is no CID or no version of this store. */
export function versionSize(db: Reader, cid: string): number {
  const key = storedKey(db, cid);
  return key === undefined ? 0 : blockSize(db, key);
}

/** Versions that a page of a history has at most (wire-contract.md, GET /versions/{id}). */
export const maxPage = 10;

/**
 * The bytes of a version and of the one before it, which need not have the number before: an open conflict has two with the
 * same. Of a large one alone, which is too much already.
 */
export function pairSize(db: Reader, cid: string): number {
  const size = versionSize(db, cid);
  if (size === 0 || size > maxOnLoop) return size;
  const prev = versionHead(db, cid)?.prev ?? null;
  return prev === null ? size : size + versionSize(db, prev);
}

/** The bytes of as many of an entity's versions as a page of its history may have: of the newest ones, or from one on backwards. */
export function historySize(db: Reader, id: string, from: string | null): number {
  const newest = from === null ? undefined : versionNumber(db, from);
  const sql = `SELECT sum(size) AS size FROM (SELECT b.size FROM block b
     WHERE b.entity = (SELECT key FROM entity WHERE id = ?) AND b.ver <= ? ORDER BY b.ver DESC LIMIT ?)`;
  return db.get<{ size: number | null }>(sql, id, newest ?? Number.MAX_SAFE_INTEGER, maxPage)?.size ?? 0;
}

/** The number of a version; undefined where the text is no CID or no version of this store. */
export function versionNumber(db: Reader, cid: string): number | undefined {
  const key = storedKey(db, cid);
  return key === undefined ? undefined : db.get<{ ver: number }>('SELECT ver FROM block WHERE key = ?', key)?.ver;
}

/** The key of a version; undefined where the text is no CID or no version of this store. */
function storedKey(db: Reader, cid: string): number | undefined {
  let binary: Uint8Array;
  try {
    binary = cidBytes(cid);
  } catch {
    return undefined;
  }
  return blockKey(db, binary);
}

export function versionByKey(db: Reader, key: number): Version | undefined {
  const row = db.get<{ key: number; entity: string; ver: number }>(
    `SELECT ${columns} FROM block b WHERE b.key = ?`,
    key,
  );
  return row && loaded(db, row);
}

function loaded(db: Reader, row: { key: number; entity: string; ver: number }): Version {
  const bytes = blockBytes(db, row.key);
  return { ...row, cid: blockCidText(db, row.key), bytes, manifest: storedManifest(bytes) };
}

/** Up to `limit` versions from `cid` backwards along `prev`, newest first; it ends early where a version is not here. */
export function chain(db: Reader, cid: string, limit: number): Version[] {
  const versions: Version[] = [];
  for (let next: string | null = cid; next !== null && versions.length < limit; ) {
    const version = findVersion(db, next);
    if (!version) break;
    versions.push(version);
    next = version.manifest.prev;
  }
  return versions;
}

/**
 * The block (by its key) after which all of an entity is stored that came since a time (epoch ms); undefined where nothing did. Versions
 * say when they were written, which of what another node brought may be long ago.
 */
export function lastBefore(db: Reader, id: string, since: number): number | undefined {
  const sql = `SELECT min(coalesce(old_tip, 0)) AS key FROM moves
    WHERE entity = (SELECT key FROM entity WHERE id = ?) AND time >= ?`;
  return db.get<{ key: number | null }>(sql, id, since)?.key ?? undefined;
}

/** A page of what of an entity is stored after a block, of whatever history, the highest first; `before`: the last one of the page above. */
export function versionsAfter(
  db: Reader,
  id: string,
  { after, before, limit }: { after: number; before: Pick<Version, 'ver' | 'key'> | undefined; limit: number },
): Version[] {
  const { ver, key } = before ?? { ver: Number.MAX_SAFE_INTEGER, key: 0 };
  const sql = `SELECT ${columns} FROM block b WHERE b.entity = (SELECT key FROM entity WHERE id = ?)
    AND (b.ver, b.key) < (?, ?) AND b.key > ? ORDER BY b.ver DESC, b.key DESC LIMIT ?`;
  return db
    .all<{ key: number; entity: string; ver: number }>(sql, id, ver, key, after, limit)
    .map((row) => loaded(db, row));
}

/** Whether a version is stored, without reading it. */
export function hasVersion(db: Reader, cid: string): boolean {
  return blockKey(db, cidBytes(cid)) !== undefined;
}

/** The last version before the tombstone `grave` that was not deleted; undefined where it is not here. */
export function lastLive(db: Reader, grave: Manifest): Version | undefined {
  for (let cid = grave.prev; cid !== null; ) {
    const version = findVersion(db, cid);
    if (!version?.manifest.deleted) return version;
    cid = version.manifest.prev;
  }
  return undefined;
}

/** Who wrote an entity's version 1; undefined where that version is not here. */
export function firstAuthor(db: Reader, id: string): string | undefined {
  return firstEdit(db, id)?.user_id;
}

/** The same, or on whose behalf a service account did: with their permissions (interface.md, Authentication 6). */
export function creatorOf(db: Reader, id: string): string | undefined {
  return makerOf(db, id) ?? firstAuthor(db, id);
}

/** The same, but undefined where a service account did on nobody's behalf: as that one many may write. */
export function makerOf(db: Reader, id: string): string | undefined {
  const edit = firstEdit(db, id);
  return edit?.method === 'system' ? edit.on_behalf_of : edit?.user_id;
}

/** Whether somebody wrote one of the versions of an entity (by its key) that are here. */
export function hasAuthor(db: Reader, entity: number, author: string): boolean {
  const rows = db.all<{ key: number }>('SELECT key FROM block WHERE entity = ?', entity);
  return rows.some(({ key }) => versionByKey(db, key)?.manifest.edited_by.user_id === author);
}

/**
 * How an entity's version 1 was written; undefined where that version is not here. Of several histories the one counts by which it came
 * here: who made an entity stays, though a remote's own version of it has taken the place of that one.
 */
export function firstEdit(db: Reader, id: string): EditedBy | undefined {
  const rows = db.all<{ key: number; tip: number | null; first: number | null; partial: number }>(
    `SELECT b.key, e.tip, (SELECT m.new_tip FROM moves m WHERE m.entity = e.key ORDER BY m.id LIMIT 1) AS first,
            EXISTS (SELECT 1 FROM partial p WHERE p.entity = e.key) AS partial
       FROM entity e JOIN block b ON b.entity = e.key AND b.ver = 1 WHERE e.id = ?`,
    id,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  // Forks may have a version 1 of their own.
  const isKnown = row.tip === null || (rows.length === 1 && row.partial === 0);
  const key = isKnown ? row.key : (beginning(db, row.first) ?? beginning(db, row.tip));
  return key === undefined ? undefined : versionByKey(db, key)?.manifest.edited_by;
}

/** The block of the version 1 that a tip descends from; undefined where it is not here. */
function beginning(db: Reader, tip: number | null): number | undefined {
  for (let key = tip ?? undefined; key !== undefined; ) {
    const { ver, prev } = manifestHead(blockBytes(db, key));
    if (prev === null) return ver === 1 ? key : undefined;
    key = blockKey(db, cidBytes(prev));
  }
  return undefined;
}

/** Number and predecessor of a stored version, without what it says; undefined where it is not stored. */
export function versionHead(
  db: Reader,
  cid: string,
): { ver: number; prev: string | null; deleted: boolean } | undefined {
  const key = blockKey(db, cidBytes(cid));
  return key === undefined ? undefined : manifestHead(blockBytes(db, key));
}

/**
 * The version of that number which the tip of an entity (by its key) descends from, where it has several; else undefined, as where
 * that one is not here.
 */
export function amongNumbered(
  db: Reader,
  { key, cid: tip }: { key: number; cid: string },
  ver: number,
): string | undefined {
  if (db.all('SELECT 1 FROM block WHERE entity = ? AND ver = ? LIMIT 2', key, ver).length < 2) return undefined;
  for (let cid: string | null = tip; cid !== null; ) {
    const head = versionHead(db, cid);
    if (!head || head.ver < ver) return undefined;
    if (head.ver === ver) return cid;
    cid = head.prev;
  }
  return undefined;
}

/** Whether an entity (by its key) has a version of that number. */
export function hasVersionNumber(db: Reader, entity: number, ver: number): boolean {
  return db.get('SELECT 1 FROM block WHERE entity = ? AND ver = ?', entity, ver) !== undefined;
}
