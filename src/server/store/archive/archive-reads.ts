import type { History, Scope } from '../../blocks/archive-tree.ts';
import { cidBytes } from '../../blocks/cid.ts';
import { manifestHead } from '../../blocks/manifest-head.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes, blockCidText, findBlock, newestBlock, storedAfter } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { isDamagedVersion, storing } from '../storage-error.ts';
import { lastLive, versionByKey } from '../versions.ts';

/** One entity of an export. `tip` is the block's key, `start` where its history begins if not with version 1. */
export interface ListedTip {
  id: string;
  tip: number;
  cid: string;
  ver: number;
  start?: string;
}

export interface TipsQuery {
  scope: Scope;
  history: History;
}

interface TipRow {
  key: number;
  id: string;
  tip: number;
  cid: string;
  ver: number;
  member: number;
  deleted: number;
  partial: number;
}

const pageRows = 1000;

/** Selects from `e`, entities with a tip; `member` is whether one lies in the collection (a deleted one: lay there first of all). */
function selection(db: Reader, scope: Scope): { member: string; params: number[] } {
  if (scope.kind !== 'collection') return { member: '1', params: [] };
  const key = entityKey(db, scope.id) ?? -1;
  return {
    member: `(e.key = ? OR e.collection IS ? OR EXISTS (SELECT 1 FROM listing l
      WHERE l.collection = ? AND l.created_at = e.created_at AND l.id = e.id))`,
    params: [key, key, key],
  };
}

function rowsWhere(db: Reader, scope: Scope, where: string, params: (string | number)[]): TipRow[] {
  const { member, params: memberParams } = selection(db, scope);
  return db.all<TipRow>(
    `SELECT e.key, e.id, e.tip, e.cid, e.ver, e.deleted, ${member} AS member,
        EXISTS (SELECT 1 FROM partial p WHERE p.entity = e.key) AS partial
       FROM (SELECT key, id, tip, cid, ver, deleted, collection, created_at FROM entity WHERE tip IS NOT NULL AND ${where}) e
       ORDER BY e.id`,
    ...memberParams,
    ...params,
  );
}

/**
 * Of those in which a deleted entity lay its row knows the first alone. Of one whose versions are damaged nobody knows the others, and
 * what lay elsewhere first is not in the way of an export.
 */
function isMember(db: Reader, scope: Scope, { member, deleted, tip }: TipRow): boolean {
  if (member === 1 || deleted === 0 || scope.kind !== 'collection') return member === 1;
  try {
    const live = storing(() => {
      const grave = versionByKey(db, tip);
      return grave && lastLive(db, grave.manifest);
    });
    return live !== undefined && collectionsOf(live.manifest).includes(scope.id);
  } catch (error) {
    if (isDamagedVersion(error)) return false;
    throw error;
  }
}

function listed(db: Reader, row: TipRow, history: History): ListedTip {
  const start = row.partial === 1 && history === 'all' ? startOf(db, row.tip) : null;
  return { id: row.id, tip: row.tip, cid: row.cid, ver: row.ver, ...(start === null ? {} : { start }) };
}

/**
 * The oldest version here of a history that does not go back to version 1; null for one that does. Versions before the tip with
 * a key after `newest` count as not here.
 */
export function startOf(db: Reader, tip: number, newest = Number.MAX_SAFE_INTEGER): string | null {
  for (let key = tip; ; ) {
    const { prev } = manifestHead(blockBytes(db, key));
    if (prev === null) return null;
    const before = findBlock(db, prev);
    if (!before || before.key > newest) return blockCidText(db, key);
    key = before.key;
  }
}

/** The last id of the next page of all entities; null where the rest is shorter than a page. Reads one index alone. */
export function pageEnd(db: Reader, after: string): string | null {
  const row = db.get<{ id: string }>(
    'SELECT id FROM entity WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?',
    after,
    pageRows - 1,
  );
  return row?.id ?? null;
}

/** A scope's entities in id order, deleted ones too, with ids after `after` up to `until`; null: to the last one. */
export function tipsOfScope(
  db: Reader,
  { scope, history, after, until }: TipsQuery & { after: string; until: string | null },
): ListedTip[] {
  const rows =
    scope.kind === 'entity' || scope.kind === 'selection'
      ? rowsWhere(db, scope, 'id IN (SELECT value FROM json_each(?))', [JSON.stringify(chosen(scope))])
      : until === null
        ? rowsWhere(db, scope, 'id > ?', [after])
        : rowsWhere(db, scope, 'id > ? AND id <= ?', [after, until]);
  return rows.filter((row) => isMember(db, scope, row)).map((row) => listed(db, row, history));
}

/** The ids that a scope names one by one. */
function chosen(scope: Scope): string[] {
  if (scope.kind === 'selection') return scope.ids;
  return scope.kind === 'entity' ? [scope.id] : [];
}

/** Up to which move, and which version by its key, a list is what is here. */
export interface TakenUp {
  move: number;
  stored: number;
}

/**
 * What moved since, or had versions stored, as it is now: `gone` no longer belongs to the scope; `complete` when it is all;
 * `newest` is the key of the last version that is stored.
 */
export function movedTips(
  db: Reader,
  { scope, history, after }: TipsQuery & { after: TakenUp },
): { tips: ListedTip[]; gone: string[]; last: TakenUp; newest: number; complete: boolean } {
  const moves = db.all<{ id: number; entity: number }>(
    'SELECT id, entity FROM moves WHERE id > ? ORDER BY id LIMIT ?',
    after.move,
    pageRows,
  );
  const blocks = storedAfter(db, after.stored, pageRows);
  const rows = [...new Set([...moves, ...blocks].map(({ entity }) => entity))].flatMap((key) =>
    rowsWhere(db, scope, 'key = ?', [key]),
  );
  const ids = new Set(chosen(scope));
  const belongs = (row: TipRow) => isMember(db, scope, row) && (ids.size === 0 || ids.has(row.id));
  return {
    tips: rows.filter(belongs).map((row) => listed(db, row, history)),
    gone: rows.filter((row) => !belongs(row)).map(({ id }) => id),
    last: { move: moves.at(-1)?.id ?? after.move, stored: blocks.at(-1)?.key ?? after.stored },
    newest: newestBlock(db),
    complete: moves.length < pageRows && blocks.length < pageRows,
  };
}

/** The block that a chain's walk is at: a text CID as it stands in `prev`, found here. */
export function blockBefore(db: Reader, bytes: Uint8Array): { key: number; cid: Uint8Array } | null {
  const { prev } = manifestHead(bytes);
  const found = prev === null ? undefined : findBlock(db, prev);
  return prev !== null && found ? { key: found.key, cid: cidBytes(prev) } : null;
}

/** Whether one stored version is another or descends from it, by no more than so many steps. */
export function descends(
  db: Reader,
  { from, to, steps = Number.POSITIVE_INFINITY }: { from: string; to: string; steps?: number },
): boolean {
  const end = findBlock(db, to);
  let at = findBlock(db, from);
  if (!end || !at) return false;
  const { ver } = manifestHead(blockBytes(db, end.key));
  for (let left = steps; at && at.key !== end.key; left--) {
    const head = manifestHead(blockBytes(db, at.key));
    if (left === 0 || head.ver <= ver || head.prev === null) return false;
    at = findBlock(db, head.prev);
  }
  return at !== undefined;
}
