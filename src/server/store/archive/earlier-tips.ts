import type { Scope } from '../../blocks/archive-tree.ts';
import { decodeManifest } from '../../blocks/encode.ts';
import { manifestHead } from '../../blocks/manifest-head.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes, blockCidText, storedAfter } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { lastLive } from '../versions.ts';
import { startOf, type TipsQuery } from './archive-reads.ts';

/** `move`: an earlier one; `newest`: see newestAt. */
export interface EarlierQuery extends TipsQuery {
  move: number;
  newest: number;
}

/** An entity with its tip after an earlier move; null where it had none or lay outside the scope. See ListedTip. */
export interface EarlierTip {
  id: string;
  before: { tip: number; cid: string; ver: number; start?: string } | null;
}

const pageRows = 1000;

/**
 * The key of a version that was stored when a move was recorded, and few or none after it: what has a later key counts as stored
 * since, so that an export rather brings something twice than leaves it out.
 */
export function newestAt(db: Reader, move: number): number {
  const last = 'SELECT new_tip FROM moves WHERE id <= ? ORDER BY id DESC LIMIT ?';
  return db.get<{ newest: number | null }>(`SELECT max(new_tip) AS newest FROM (${last})`, move, pageRows)?.newest ?? 0;
}

/**
 * A page of the entities that have moved, from after the move `after` on. `earliest`: when the first of their moves by the clock
 * was recorded, epoch milliseconds.
 */
export function earlierTips(
  db: Reader,
  { after, ...query }: EarlierQuery & { after: number },
): { tips: EarlierTip[]; last: number; earliest: number; complete: boolean } {
  const rows = db.all<{ move: number; entity: number; id: string; old_tip: number | null; time: number }>(
    `SELECT m.id AS move, m.entity, e.id, m.old_tip, m.time FROM moves m JOIN entity e ON e.key = m.entity
      WHERE m.id > ? ORDER BY m.id LIMIT ?`,
    after,
    pageRows,
  );
  const met = new Set<number>();
  const tips: EarlierTip[] = [];
  for (const { entity, id, old_tip } of rows) {
    if (met.has(entity)) continue;
    met.add(entity);
    tips.push({ id, before: old_tip === null ? null : tipThen(db, query, { entity, id, tip: old_tip }) });
  }
  const earliest = rows.reduce((least, { time }) => Math.min(least, time), Number.MAX_SAFE_INTEGER);
  return { tips, last: rows.at(-1)?.move ?? after, earliest, complete: rows.length < pageRows };
}

/**
 * The same of entities that have not moved, but of which versions were stored since, from after the version `after` on: those
 * before the ones that were here, say.
 */
export function completedTips(
  db: Reader,
  { after, ...query }: EarlierQuery & { after: number },
): { tips: EarlierTip[]; last: number; complete: boolean } {
  const rows = storedAfter(db, after, pageRows);
  const tips = [...new Set(rows.map(({ entity }) => entity))].flatMap((entity): EarlierTip[] => {
    const still = db.get<{ id: string; tip: number }>(
      `SELECT e.id, e.tip FROM entity e WHERE e.key = ? AND e.tip IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM moves m WHERE m.entity = e.key AND m.id > ?)`,
      entity,
      query.move,
    );
    return still ? [{ id: still.id, before: tipThen(db, query, { entity, ...still }) }] : [];
  });
  return { tips, last: rows.at(-1)?.key ?? after, complete: rows.length < pageRows };
}

function tipThen(
  db: Reader,
  query: EarlierQuery,
  { entity, id, tip }: { entity: number; id: string; tip: number },
): EarlierTip['before'] {
  if (!belonged(db, query, id, tip)) return null;
  const { ver } = manifestHead(blockBytes(db, tip));
  const isWhole = query.history === 'tip' || !mayHaveLacked(db, query, { entity, ver });
  const start = isWhole ? null : startOf(db, tip, query.newest);
  return { tip, cid: blockCidText(db, tip), ver, ...(start === null ? {} : { start }) };
}

/** Whether a version before that one lacks, or may have come since. */
function mayHaveLacked(
  db: Reader,
  { newest }: EarlierQuery,
  { entity, ver }: { entity: number; ver: number },
): boolean {
  if (db.get('SELECT 1 FROM partial WHERE entity = ?', entity) !== undefined) return true;
  const later = 'SELECT 1 FROM block WHERE entity = ? AND ver < ? AND +key > ? LIMIT 1';
  return db.get(later, entity, ver, newest) !== undefined;
}

function belonged(db: Reader, { scope, newest }: { scope: Scope; newest: number }, id: string, tip: number): boolean {
  if (scope.kind === 'all') return true;
  if (scope.kind === 'selection') return scope.ids.includes(id);
  if (id === scope.id || scope.kind === 'entity') return id === scope.id;
  const manifest = decodeManifest(blockBytes(db, tip));
  if (manifest.deleted !== true) return collectionsOf(manifest).includes(scope.id);
  const live = lastLive(db, manifest);
  return live !== undefined && live.key <= newest && collectionsOf(live.manifest).includes(scope.id);
}
