import type { Reader, Writer } from './connection.ts';

/**
 * Blocks are found by the last six bytes of their CID, a number, in two tables: `block_cid_recent` has those that came last. CIDs
 * are in no order, so that each write to a table of all would change a page of its own; this one has few pages, and when it is
 * full its rows go over in order, many to a page.
 */
const recentRows = 4096;

const among = (table: string) =>
  `SELECT block FROM ${table} t WHERE tail = ? AND (SELECT cid FROM block WHERE key = t.block) = ?`;
const sought = `${among('block_cid_recent')} UNION ALL ${among('block_cid')}`;

/** The key of the block with a binary CID; undefined where it is not stored. */
export function blockKey(db: Reader, cid: Uint8Array): number | undefined {
  const tail = cidTail(cid);
  return db.get<{ block: number }>(sought, tail, cid, tail, cid)?.block;
}

/** The number that a binary CID is sought by; others may have the same. Those with a short hash, which anybody may name, have less. */
export function cidTail(cid: Uint8Array): number {
  let tail = 0;
  for (const byte of cid.subarray(-6)) tail = tail * 256 + byte;
  return tail;
}

/** Makes a block that has just been stored found by its CID. */
export function noteBlockKey(db: Writer, cid: Uint8Array, block: number): void {
  const before = counts.get(db) ?? countOf(db, 'block_cid_recent');
  db.run('INSERT INTO block_cid_recent (tail, block) VALUES (?, ?)', cidTail(cid), block);
  counts.set(db, before + 1);
  if (before + 1 < recentRows) return;
  db.run('INSERT INTO block_cid SELECT tail, block FROM block_cid_recent ORDER BY tail, block');
  db.run('DELETE FROM block_cid_recent');
  counts.set(db, 0);
}

/** How many rows `block_cid_recent` has; see entity-keys.ts on what is remembered of a connection. */
const counts = new WeakMap<Writer, number>();

/** How many blocks can be found. */
export function findableBlocks(db: Reader): number {
  return countOf(db, 'block_cid') + countOf(db, 'block_cid_recent');
}

function countOf(db: Reader, table: 'block_cid' | 'block_cid_recent'): number {
  return db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
}
