import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../model/ids.ts';
import { Connection, openReader, type Reader, rollBackJournal, syncLog, type Writer } from './connection.ts';
import { durably } from './durably.ts';
import { openSameFile } from './file-identity.ts';
import { knownVersion, type Migration, migrate } from './migrations/migrate.ts';
import { opening } from './storage-error.ts';

/**
 * The attestation log's own database. Leaves and nodes can be made again from the moves; heads cannot: they are
 * evidence, and none is ever removed. Leaves are numbered as the moves are, from 1. `place` counts nodes as a tree in
 * post-order has them, so that rows are only ever added at the end.
 */
export const attestMigrations: readonly Migration[] = [
  `
  CREATE TABLE leaf (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    entity INTEGER NOT NULL,
    ver INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX leaf_hash ON leaf (hash);
  CREATE INDEX leaf_version ON leaf (entity, ver);

  -- Complete subtrees above the leaves.
  CREATE TABLE node (place INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;

  -- The public keys of heads.
  CREATE TABLE signer (key_id TEXT PRIMARY KEY, public_key BLOB NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE head (
    number INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    instance TEXT NOT NULL,
    size INTEGER NOT NULL,
    root BLOB NOT NULL,
    time INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    signature BLOB NOT NULL
  ) STRICT;
  CREATE INDEX head_size ON head (size);
  `,
];

/** The log's file in a network's folder. */
export function attestFile(folder: string): string {
  return join(folder, 'attest.db');
}

/** The one writing connection; makes the database where there is none. Each transaction is durable when it ends. `fileId`: as of openReader. */
export function openLogWriter(file: string, fileId: string | null = null): Connection {
  syncLog(file);
  const db = openSameFile(file, fileId);
  try {
    opening(file, () => {
      knownVersion(db, attestMigrations, 'attest.db');
      db.pragma('journal_mode = WAL');
    });
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    db.pragma('cache_size = -4096');
    migrate(db, attestMigrations);
    return new Connection(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** All of `fn` or nothing; on disk when it returns. */
export function logged<T>(log: Connection, fn: () => T): T {
  return durably(log.db, fn);
}

/** Null where there is no log yet. `fileId`: as of openReader. @throws StorageError where a newer program has written it */
export function openLogReader(file: string, fileId: string | null = null): Connection | null {
  if (fileId === null && !existsSync(file)) return null;
  rollBackJournal(file, fileId);
  const connection = openReader(file, fileId);
  let version = 0;
  try {
    // The file is there before its tables are.
    version = knownVersion(connection.db, attestMigrations, 'attest.db');
    return version === 0 ? null : connection;
  } finally {
    if (version === 0) connection.close();
  }
}

/** A head as it is kept. */
export interface StoredHead {
  network: Network;
  instance: string;
  size: number;
  root: Uint8Array;
  /** Epoch milliseconds. */
  time: number;
  key_id: string;
  signature: Uint8Array;
}

const headColumns = 'network, instance, size, root, time, key_id, signature';

export function newestHead(log: Reader): StoredHead | undefined {
  return log.get<StoredHead>(`SELECT ${headColumns} FROM head ORDER BY number DESC LIMIT 1`);
}

/** Heads with sizes above `after` and up to `last`, smallest first, with the keys that they name. */
export function headsBetween(
  log: Reader,
  after: number,
  last: number,
): (StoredHead & { public_key: Uint8Array | null })[] {
  return log.all(
    `SELECT ${headColumns}, (SELECT public_key FROM signer s WHERE s.key_id = head.key_id) AS public_key FROM head
      WHERE size > ? AND size <= ? ORDER BY size, number`,
    after,
    last,
  );
}

/** How many heads are kept, the number of the last, and how many are of fewer leaves than the one before. */
export function countHeads(log: Reader): { kept: number; last: number; less: number } {
  const counts = log.get<{ kept: number; last: number; less: number }>(
    `SELECT count(*) AS kept, coalesce(max(number), 0) AS last, coalesce(sum(less), 0) AS less
      FROM (SELECT number, size < lag(size) OVER (ORDER BY number) AS less FROM head)`,
  );
  return counts ?? { kept: 0, last: 0, less: 0 };
}

export function publicKeyOf(log: Reader, keyId: string): Uint8Array | undefined {
  return log.get<{ key: Uint8Array }>('SELECT public_key AS key FROM signer WHERE key_id = ?', keyId)?.key;
}

export function addHead(log: Writer, head: StoredHead, publicKey: Uint8Array): void {
  const { network, instance, size, root, time, key_id, signature } = head;
  log.run('INSERT INTO signer (key_id, public_key) VALUES (?, ?) ON CONFLICT DO NOTHING', key_id, publicKey);
  log.run(
    `INSERT INTO head (${headColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[network, instance, size, root, time, key_id, signature],
  );
}

/** How many leaves the log has. */
export function logSize(log: Reader): number {
  return log.get<{ size: number | null }>('SELECT max(seq) AS size FROM leaf')?.size ?? 0;
}

/** A leaf's row. `entity` is the store's key. */
export interface LeafRow {
  seq: number;
  hash: Uint8Array;
  entity: number;
  ver: number;
}

export function addLeaf(log: Writer, { seq, hash, entity, ver }: LeafRow): void {
  log.run('INSERT INTO leaf (seq, hash, entity, ver) VALUES (?, ?, ?, ?)', seq, hash, entity, ver);
}

export function addNode(log: Writer, level: number, index: number, hash: Uint8Array): void {
  log.run('INSERT INTO node (place, hash) VALUES (?, ?)', placeOf(level, index), hash);
}

/** Where a node stands in post-order, from 0. */
function placeOf(level: number, index: number): number {
  const last = (index + 1) * 2 ** level - 1;
  let ones = 0;
  for (let rest = last; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return 2 * last - ones + level;
}

/** The hash of a complete subtree; `level` 0 are the leaves, by their index from 0. */
export function subtreeHash(log: Reader, level: number, index: number): Uint8Array | undefined {
  const row =
    level === 0
      ? log.get<{ hash: Uint8Array }>('SELECT hash FROM leaf WHERE seq = ?', index + 1)
      : log.get<{ hash: Uint8Array }>('SELECT hash FROM node WHERE place = ?', placeOf(level, index));
  return row?.hash;
}

/** How many nodes above the leaves the log has. */
export function countNodes(log: Reader): number {
  return log.get<{ n: number }>('SELECT count(*) AS n FROM node')?.n ?? 0;
}

export function leafBySeq(log: Reader, seq: number): LeafRow | undefined {
  return log.get<LeafRow>('SELECT seq, hash, entity, ver FROM leaf WHERE seq = ?', seq);
}

export function leafByHash(log: Reader, hash: Uint8Array): LeafRow | undefined {
  return log.get<LeafRow>('SELECT seq, hash, entity, ver FROM leaf WHERE hash = ? LIMIT 1', hash);
}

/** The leaves up to `size` of an entity's versions with that number, newest first. */
export function leavesOfVersion(log: Reader, entity: number, ver: number, size: number): LeafRow[] {
  return log.all<LeafRow>(
    'SELECT seq, hash, entity, ver FROM leaf WHERE entity = ? AND ver = ? AND seq <= ? ORDER BY seq DESC',
    entity,
    ver,
    size,
  );
}

/** The first version of an entity above `ver` that has a leaf up to `size`. */
export function nextAttested(log: Reader, entity: number, ver: number, size: number): number | undefined {
  return log.get<{ ver: number }>(
    'SELECT ver FROM leaf WHERE entity = ? AND ver > ? AND seq <= ? ORDER BY ver LIMIT 1',
    entity,
    ver,
    size,
  )?.ver;
}
