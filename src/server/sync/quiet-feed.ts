import { UnreachableError } from '../errors.ts';
import { jsonOf } from '../model/from-json.ts';
import { type LastKnown, lastRun } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import { checkMeant, HeldOffError } from './remote-errors.ts';
import { retention } from './stand.ts';
import { readTip } from './wire.ts';

// The feed of a remote at which nothing was changed for a month is empty, and so is that of one that lost everything
// (SPEC.md, F7).

type Needs = Pick<SyncContext, 'store' | 'remote' | 'client'>;

/** So much earlier than they should be events may be gone, for clocks and for jobs that run late, in milliseconds. */
const early = 24 * 3600 * 1000;

/** Whether events may have come to a feed, and left it, since all of it was read. */
export function mayHaveMissed({ store, remote, now }: Pick<SyncContext, 'store' | 'remote' | 'now'>): boolean {
  const level = levelOf({ store, remote });
  const age = level === null ? null : now() - level;
  return age === null || age < 0 || age > retention - early;
}

/**
 * Whether something is known of a remote whose feed has not been read to the end since: it was reset, more of it is wanted or
 * shown now, or a first run did not come so far. Its feed may begin anew, and need not name what was there before.
 */
export async function isBegunAgain({ store, remote }: Pick<SyncContext, 'store' | 'remote'>): Promise<boolean> {
  return levelOf({ store, remote }) === null && (await lastKnownAt({ store, remote })) !== null;
}

async function lastKnownAt({ store, remote }: Pick<SyncContext, 'store' | 'remote'>): Promise<LastKnown | null> {
  const json = await store.readLong('lastKnown', { remote: remote.key });
  return jsonOf(json) as LastKnown | null;
}

/** When all that a remote's feed held had last been dealt with, in epoch milliseconds; null for never. */
export function levelOf({ store, remote }: Pick<SyncContext, 'store' | 'remote'>): number | null {
  return store.read((db) => lastRun(db, remote.key))?.level ?? null;
}

/**
 * What gives away that a remote with an empty feed lost everything: it does not know the newest version that was seen there, or
 * where that is not here, another one that it had. Null for nothing, also where it fails at that.
 * @param newest its CID; null where it is not known
 * @throws HeldOffError
 */
export async function emptied(needs: Needs, newest: string | null): Promise<string | null> {
  const { store, remote } = needs;
  const seen = newest === null ? undefined : store.read((db) => findVersion(db, newest));
  // Another service may not tell of what is deleted.
  const had =
    seen && !seen.manifest.deleted ? { entity: seen.entity, cid: seen.cid } : await lastKnownAt({ store, remote });
  const lost = had && (await lostOf(needs, had));
  return lost ? `it shows no event any more, and does not have ${lost}, which it had` : null;
}

/** The entity or the version that a remote does not have any more; null where it has both, or fails at that. */
async function lostOf({ client }: Needs, { entity, cid }: { entity: string; cid: string }): Promise<string | null> {
  const read = async (path: string) => {
    const answer = await client.read(path, undefined, 2);
    checkMeant(client.host, answer);
    return answer;
  };
  try {
    const { status, body } = await read(`/entities/${entity}/tip`);
    if (status === 404) return entity;
    if (status !== 200 || readTip(body) === cid) return null;
    return (await read(`/versions/manifest/${cid}`)).status === 404 ? `version ${cid}` : null;
  } catch (error) {
    if (error instanceof UnreachableError && !(error instanceof HeldOffError)) return null;
    throw error;
  }
}
