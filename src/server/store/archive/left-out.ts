import { jsonOf } from '../../model/from-json.ts';
import { findBlock } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import type { NetworkStore } from '../network-store.ts';
import type { TipList } from './tip-list.ts';

const pageTips = 5000;

/** `tips`: keys of blocks, for the versions of their entities; null: for all. `starts`: CIDs; `newest`: the last key that counts. */
interface VersionsQuery {
  tips: number[] | null;
  starts: string[];
  newest: number;
}

/** How many versions are stored, and how many lie before those with which histories start here. */
export function countVersions(db: Reader, { tips, starts, newest }: VersionsQuery): { stored: number; before: number } {
  const count = (sql: string, ...params: (number | string)[]) => db.get<{ n: number }>(sql, ...params)?.n ?? 0;
  const entities = 'SELECT entity FROM block WHERE key IN (SELECT value FROM json_each(?))';
  const stored =
    tips === null
      ? count('SELECT count(*) AS n FROM block') - count('SELECT count(*) AS n FROM block WHERE key > ?', newest)
      : count(
          `SELECT count(*) AS n FROM block WHERE entity IN (${entities}) AND key <= ?`,
          JSON.stringify(tips),
          newest,
        );
  const before = starts.reduce((sum, cid) => {
    const start = findBlock(db, cid);
    return sum + (start ? count('SELECT ver AS n FROM block WHERE key = ?', start.key) - 1 : 0);
  }, 0);
  return { stored, before };
}

/**
 * How many stored versions of what a list is of no history in it reaches: those of others in open conflicts, those that a
 * decision has left beside, and those that a remote has replaced by its own. No version's bytes are read: in a history each
 * number is one more than the one before.
 */
export async function leftOutVersions(store: NetworkStore, list: TipList): Promise<number> {
  const { newest, starts, versions } = list.sizes();
  let left = -versions;
  const ask = async (query: Omit<VersionsQuery, 'newest'>) => {
    const json = await store.readLong('countVersions', { ...query, newest });
    const { stored, before } = jsonOf(json) as ReturnType<typeof countVersions>;
    left += stored + before;
  };
  if (list.scope.kind === 'all') await ask({ tips: null, starts: [] });
  else
    for (let at = 0; at < list.length; at += pageTips)
      await ask({ tips: [...list.tips(at, Math.min(list.length, at + pageTips))], starts: [] });
  for (let at = 0; at < starts.length; at += pageTips) await ask({ tips: [], starts: starts.slice(at, at + pageTips) });
  return Math.max(0, left);
}
