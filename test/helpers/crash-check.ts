import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '../../src/server/store/connection.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { chain, findVersion } from '../../src/server/store/versions.ts';
import { rebuiltProjections, storedProjections } from './projections.ts';

/** What is wrong with the store of a killed node, given the versions (`[id, cid]`) whose writes were answered. */
export async function problemsAfterCrash(data: string, answered: [string, string][]): Promise<string[]> {
  const store = await NetworkStore.open(data, 'main', { writer: 'here' });
  try {
    return store.read((db) => [...contradictions(db), ...lost(db, answered)]);
  } finally {
    await store.close();
  }
}

/** What the database and what is derived in it say against each other. */
export function contradictions(db: Reader): string[] {
  const problems: string[] = [];
  const checked = db.all<{ integrity_check: string }>('PRAGMA integrity_check');
  if (checked[0]?.integrity_check !== 'ok') problems.push(...checked.map((it) => it.integrity_check));
  if (!isDeepStrictEqual(storedProjections(db), rebuiltProjections(db)))
    problems.push('the projections are not what a rebuild makes');
  const moves = db.get<{ n: number; last: number | null }>('SELECT count(*) AS n, max(id) AS last FROM moves');
  if (moves?.n !== (moves?.last ?? 0)) problems.push(`${moves?.n} moves, the last of which is ${moves?.last}`);
  return problems;
}

/**
 * An answered version is the tip, or the tip's chain leads to it: a later write may have been kept without an answer. A sync with
 * another node leaves that so, since versions go there as they are.
 */
export function lost(db: Reader, answered: [string, string][]): string[] {
  const chains = new Map<string, Set<string>>();
  return answered.flatMap(([id, cid]) => {
    const known = chains.get(id) ?? new Set(chain(db, findTip(db, id) ?? '', 1000).map((version) => version.cid));
    chains.set(id, known);
    if (known.has(cid)) return [];
    if (!findVersion(db, cid)) return [`the answered version ${cid} of ${id} is lost`];
    return [`the answered version ${cid} of ${id} is not in its history any more: ${movesOf(db, id).join(', ')}`];
  });
}

/** By what an entity came to its versions, in words. */
function movesOf(db: Reader, id: string): string[] {
  const sql = 'SELECT m.cid, m.origin FROM moves m JOIN entity e ON e.key = m.entity WHERE e.id = ? ORDER BY m.id';
  return db.all<{ cid: string; origin: string }>(sql, id).map(({ cid, origin }) => {
    const { type, ver, prev, edited_by } = findVersion(db, cid)?.manifest ?? {};
    return `${origin} ${type} ${ver} ${cid} over ${prev} by ${edited_by?.user_id}`;
  });
}
