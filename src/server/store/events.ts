import { findBlock } from './blocks.ts';
import type { Reader } from './connection.ts';

/** One entry of the public feed (interface.md, Events): a move of a tip. `time` is when it was recorded, epoch ms. */
export interface Move {
  id: number;
  entity: string;
  cid: string;
  time: number;
  origin: string;
}

const selectMove = 'SELECT id, pi AS entity, cid, time, origin FROM moves';

/** The newest moves with an id below `before` and above the feed's floor, newest first; one more than `limit` tells that older ones remain. */
export function movesBefore(db: Reader, before: number, limit: number): { moves: Move[]; more: boolean } {
  const rows = db.all<Move>(
    `${selectMove} WHERE id < ? AND id > ? ORDER BY id DESC LIMIT ?`,
    before,
    feedFloor(db),
    limit + 1,
  );
  return { moves: rows.slice(0, limit), more: rows.length > limit };
}

/** Moves with an id above `after` and below `before`, oldest first. */
export function movesAfter(
  db: Reader,
  after: number,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): { moves: Move[]; more: boolean } {
  const rows = db.all<Move>(`${selectMove} WHERE id > ? AND id < ? ORDER BY id LIMIT ?`, after, before, limit + 1);
  return { moves: rows.slice(0, limit), more: rows.length > limit };
}

/**
 * The entities, by key, that have moved after a move, as SQL. Left to itself SQLite reads all moves by their entities, which spares
 * it telling the few after that one apart.
 */
export const selectMoved = 'SELECT DISTINCT entity FROM moves NOT INDEXED WHERE id > ?';

export function movedAfter(db: Reader, move: number): number[] {
  return db.all<{ entity: number }>(selectMoved, move).map(({ entity }) => entity);
}

/** How many times the tip of an entity became this version. */
export function timesTip(db: Reader, cid: string): number {
  const block = findBlock(db, cid);
  if (!block) return 0;
  const sql = 'SELECT count(*) AS n FROM moves WHERE entity = ? AND new_tip = ?';
  return db.get<{ n: number }>(sql, block.entity, block.key)?.n ?? 0;
}

/** The versions that were the tip of an entity after this one was it last, oldest first, at most `limit`; none where it never was. */
export function tipsSince(db: Reader, cid: string, limit: number): string[] {
  const block = findBlock(db, cid);
  if (!block) return [];
  const last = 'SELECT max(id) FROM moves WHERE entity = ? AND new_tip = ?';
  const sql = `SELECT cid FROM moves WHERE entity = ? AND id > (${last}) ORDER BY id LIMIT ?`;
  return db.all<{ cid: string }>(sql, block.entity, block.entity, block.key, limit).map((move) => move.cid);
}

/** Moves up to this id have left the feed (interface.md: 30 days); the rows stay. */
export function feedFloor(db: Reader): number {
  return Number(db.get<{ value: string }>("SELECT value FROM meta WHERE name = 'feed_floor'")?.value ?? 0);
}

/**
 * Where the look for the floor of a feed without moves recorded before `since` (epoch ms) begins: at the floor that it has, or at
 * 0 where the move there is not that old. A clock that was ahead has moved it then.
 */
export function floorBefore(db: Reader, since: number): number {
  const floor = feedFloor(db);
  const at = db.get<{ time: number }>('SELECT time FROM moves WHERE id <= ? ORDER BY id DESC LIMIT 1', floor);
  return at !== undefined && at.time >= since ? 0 : floor;
}

/** Moves that one look for a floor goes through. */
const perLook = 5000;

/** From one floor towards that of a feed without moves recorded before `since` (epoch ms), as far as one short look goes. */
export function floorAfter(
  db: Reader,
  floor: number,
  since: number,
  most = perLook,
): { floor: number; isLast: boolean } {
  const end = db.get<{ id: number }>('SELECT id FROM moves WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?', floor, most - 1);
  const last = end?.id ?? Math.max(floor, lastMove(db));
  const first = db.get<{ id: number }>(
    'SELECT id FROM moves WHERE id > ? AND id <= ? AND time >= ? ORDER BY id LIMIT 1',
    ...[floor, last, since],
  );
  return first ? { floor: first.id - 1, isLast: true } : { floor: last, isLast: end === undefined };
}

/** The number of the last move of a tip, which is how many there have been; 0 for none. */
export function lastMove(db: Reader): number {
  return db.get<{ id: number | null }>('SELECT max(id) AS id FROM moves')?.id ?? 0;
}

/** The entities that moves after `after` are about, and the last of these moves; undefined where there are none. */
export function movedPage(db: Reader, after: number, limit: number): { last: number; keys: number[] } | undefined {
  const rows = db.all<{ id: number; entity: number }>(
    'SELECT id, entity FROM moves WHERE id > ? ORDER BY id LIMIT ?',
    after,
    limit,
  );
  const last = rows.at(-1);
  return last && { last: last.id, keys: [...new Set(rows.map(({ entity }) => entity))] };
}

/** The last move of an entity, by its key. */
export function lastMoveOf(db: Reader, key: number): number {
  return db.get<{ last: number | null }>('SELECT max(id) AS last FROM moves WHERE entity = ?', key)?.last ?? 0;
}

/** The last but one; -1 where there is none. */
export function earlierMoveOf(db: Reader, key: number): number {
  const sql = 'SELECT id FROM moves WHERE entity = ? ORDER BY id DESC LIMIT 1 OFFSET 1';
  return db.get<{ id: number }>(sql, key)?.id ?? -1;
}

/** The CID that a move led to; undefined where there is no such move. */
export function movedCid(db: Reader, move: number): string | undefined {
  return db.get<{ cid: string }>('SELECT cid FROM moves WHERE id = ?', move)?.cid;
}
