import { UnreachableError } from '../errors.ts';
import { lastRun } from '../store/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import { HeldOffError } from './remote-errors.ts';
import { retention } from './stand.ts';

// The feed of a remote at which nothing was changed for a month is empty, and so is that of one that lost everything
// (SPEC.md, F7).

type Needs = Pick<SyncContext, 'store' | 'remote' | 'client'>;

/** So much earlier than they should be events may be gone, for clocks and for jobs that run late, in milliseconds. */
const early = 24 * 3600 * 1000;

/** Whether events may have come to a feed, and left it, since all of it was read. */
export function mayHaveMissed({ store, remote, now }: Pick<SyncContext, 'store' | 'remote' | 'now'>): boolean {
  const level = store.read((db) => lastRun(db, remote.key))?.level ?? null;
  const age = level === null ? null : now() - level;
  return age === null || age < 0 || age > retention - early;
}

/**
 * What gives away that a remote with an empty feed lost everything: it does not know the newest version that was seen there,
 * which is here. Null for nothing, also where it fails at that.
 * @param newest its CID; null where it is not known
 * @throws HeldOffError
 */
export async function emptied({ store, client }: Needs, newest: string | null): Promise<string | null> {
  if (newest === null || store.read((db) => findVersion(db, newest)) === undefined) return null;
  try {
    const { status } = await client.read(`/versions/manifest/${newest}`, undefined, 2);
    return status === 404
      ? `it shows no event any more, and does not have version ${newest}, which was its newest`
      : null;
  } catch (error) {
    if (error instanceof UnreachableError && !(error instanceof HeldOffError)) return null;
    throw error;
  }
}
