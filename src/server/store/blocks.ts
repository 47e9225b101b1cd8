import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { cidBytes, cidText } from '../blocks/cid.ts';
import { type Block, decodeManifest } from '../blocks/encode.ts';
import { manifestHead } from '../blocks/manifest-head.ts';
import { StorageError } from '../errors.ts';
import { lenientManifest } from '../model/lenient.ts';
import type { Manifest } from '../model/manifest.ts';
import { blockKey, noteBlockKey } from './block-keys.ts';
import type { Reader, Writer } from './connection.ts';
import { noteContent } from './content/content-holders.ts';
import { damagedVersion } from './storage-error.ts';

/** Blocks from this size on are compressed. */
const compressFrom = 4096;
/** Every version whose number this divides is stored whole, so that a read needs at most one other block. */
const wholeEvery = 16;

interface BlockRow {
  key: number;
  enc: number;
  base: number | null;
  bytes: Uint8Array;
}

/** The key of a stored block and the entity that it belongs to. */
export interface StoredBlock {
  key: number;
  entity: number;
}

export function findBlock(db: Reader, cid: string): StoredBlock | undefined {
  const key = blockKey(db, cidBytes(cid));
  return key === undefined ? undefined : db.get<StoredBlock>('SELECT key, entity FROM block WHERE key = ?', key);
}

/** The key of the block that was stored last; 0 where there is none. */
export function newestBlock(db: Reader): number {
  return db.get<{ key: number | null }>('SELECT max(key) AS key FROM block')?.key ?? 0;
}

/** The first of the versions that were stored after one, by their keys. */
export function storedAfter(db: Reader, after: number, limit: number): { key: number; entity: number }[] {
  return db.all('SELECT key, entity FROM block WHERE key > ? ORDER BY key LIMIT ?', after, limit);
}

/** The plain bytes of a block. Throws where the key names none: keys come from this store only. */
export function blockBytes(db: Reader, key: number): Uint8Array {
  const row = db.get<BlockRow>('SELECT key, enc, base, bytes FROM block WHERE key = ?', key);
  if (!row) throw new StorageError(`The database is damaged: version ${key} is missing. ${damagedVersion}`);
  return plainBytes(db, row);
}

function plainBytes(db: Reader, { enc, base, bytes }: BlockRow): Uint8Array {
  if (enc === 0) return bytes;
  if (enc === 1) return zstdDecompressSync(bytes);
  return zstdDecompressSync(bytes, { dictionary: blockBytes(db, base ?? 0) });
}

/** A block's binary CID, its entity's key and its plain bytes, by one statement. Throws where the key names none. */
export function blockWithCid(db: Reader, key: number): { cid: Uint8Array; entity: number; bytes: Uint8Array } {
  const row = db.get<BlockRow & { cid: Uint8Array; entity: number }>(
    'SELECT key, cid, entity, enc, base, bytes FROM block WHERE key = ?',
    key,
  );
  if (!row) throw new StorageError(`The database is damaged: version ${key} is missing. ${damagedVersion}`);
  return { cid: row.cid, entity: row.entity, bytes: plainBytes(db, row) };
}

/** The manifest of a stored block's bytes, for reading (lenientManifest). Throws StorageError where they are none: a version was read before it was stored. */
export function storedManifest(bytes: Uint8Array): Manifest {
  try {
    return lenientManifest(decodeManifest(bytes));
  } catch {
    throw new StorageError(damagedVersion);
  }
}

/** The plain size of a stored version, in bytes. */
export function blockSize(db: Reader, key: number): number {
  return db.get<{ size: number }>('SELECT size FROM block WHERE key = ?', key)?.size ?? 0;
}

export function blockCidText(db: Reader, key: number): string {
  const row = db.get<{ cid: Uint8Array }>('SELECT cid FROM block WHERE key = ?', key);
  if (!row) throw new StorageError(`The database is damaged: version ${key} is missing. ${damagedVersion}`);
  return cidText(row.cid);
}

/** A version to store. `cid` is binary; `prev` the text of the CID before, null for a first version. */
interface NewBlock {
  cid: Uint8Array;
  bytes: Uint8Array;
  ver: number;
  prev: string | null;
}

/** What is known before a block is looked for: that it cannot be stored yet, that the version before it is. */
interface Known {
  isNew?: boolean;
  follows?: boolean;
}

/** Stores a version once; gives its key. `previous`: the block that it may be compressed against. */
export function putBlock(
  db: Writer,
  block: NewBlock,
  entity: number,
  previous: number | null,
  { isNew = false, follows = false }: Known = {},
): number {
  const { cid, bytes: plain, ver, prev } = block;
  const known = isNew ? undefined : blockKey(db, cid);
  if (known !== undefined) return known;
  const { enc, base, bytes } = compress(db, plain, ver, previous);
  const key = db.insert(
    'INSERT INTO block (cid, entity, ver, size, enc, base, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    cid,
    entity,
    ver,
    plain.length,
    enc,
    base,
    bytes,
  );
  noteBlockKey(db, cid, key);
  noteStart(db, { key, entity, cid, prev: follows ? null : prev });
  noteContent(db, entity, plain);
  return key;
}

/** Stores versions of an entity without moving its tip; oldest first. */
export function putBlocks(db: Writer, entity: number, blocks: readonly Block[]): void {
  let previous: number | null = null;
  for (const { cid, bytes } of blocks)
    previous = putBlock(db, { ...manifestHead(bytes), cid: cidBytes(cid), bytes }, entity, previous);
}

/**
 * Keeps `partial`: a history that starts here with a later version, and one that this version completes. `prev`: what may be
 * missing before it.
 */
function noteStart(
  db: Writer,
  { key, entity, cid, prev }: { key: number; entity: number; cid: Uint8Array; prev: string | null },
): void {
  if (!isWhole(db)) db.run('DELETE FROM partial WHERE missing = ?', cid);
  if (prev === null || blockKey(db, cidBytes(prev)) !== undefined) return;
  db.run('INSERT INTO partial (block, entity, missing) VALUES (?, ?, ?)', key, entity, cidBytes(prev));
  whole.delete(db);
}

/** Connections to databases in which no history is partial; see entity-keys.ts on what is remembered of a connection. */
const whole = new WeakSet<Writer>();

function isWhole(db: Writer): boolean {
  if (whole.has(db)) return true;
  if (db.get('SELECT 1 FROM partial LIMIT 1') !== undefined) return false;
  whole.add(db);
  return true;
}

function compress(db: Writer, plain: Uint8Array, ver: number, previous: number | null) {
  if (plain.length < compressFrom) return { enc: 0, base: null, bytes: plain };
  const base = ver % wholeEvery === 0 ? null : wholeBlock(db, previous);
  if (base !== null) {
    const bytes = zstdCompressSync(plain, { dictionary: blockBytes(db, base) });
    if (bytes.length < plain.length) return { enc: 2, base, bytes };
  }
  const bytes = zstdCompressSync(plain);
  return bytes.length < plain.length ? { enc: 1, base: null, bytes } : { enc: 0, base: null, bytes: plain };
}

function wholeBlock(db: Reader, key: number | null): number | null {
  if (key === null) return null;
  const row = db.get<{ enc: number; base: number | null }>('SELECT enc, base FROM block WHERE key = ?', key);
  return row ? (row.enc === 2 ? row.base : key) : null;
}
