import { dueTroubles, isDue } from '../store/remote-troubles.ts';
import { type SyncContext, takeOver } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import { tipsThere } from './tips-there.ts';

/** So many a run: a remote at which very much cannot be read is not asked for all of it at once. */
const limit = 100;

/**
 * Asks again for what could not be taken over, some of what is due in each run (SPEC.md, Feed). Gives back deletions of what
 * is live here, which are not made yet.
 * @param knownOnly nothing is taken of which no version has ever been read
 * @throws UnreachableError
 */
export async function askAgain(ctx: SyncContext, { knownOnly = false } = {}): Promise<FeedEvent[]> {
  const { store, remote, report } = ctx;
  const now = ctx.now();
  const due = store.read((db) => dueTroubles(db, remote.key, { now, limit, knownOnly }));
  if (due.length === 0) return [];
  const { tips, views } = await tipsThere(
    ctx,
    due.map(({ id }) => id),
  );
  const events = due.flatMap(({ id }): FeedEvent[] => {
    const cid = tips.get(id) ?? null;
    return cid === null ? [] : [{ id: 0, entity: id, cid }];
  });
  const { troubles } = report;
  const held = await takeOver(ctx, events, views ? { views } : {});
  // What still cannot be read is no news.
  report.troubles = troubles;
  const waits = new Set(held.map(({ entity }) => entity));
  const left = due.filter(({ id }) => !waits.has(id) && store.read((db) => isDue(db, remote.key, id, now)));
  const rows = left.map(
    ({ id, trouble, evidence }) =>
      ({ kind: 'remote_trouble', remote: remote.name, id, event: 0, trouble, evidence: evidence ?? '' }) as const,
  );
  if (rows.length > 0)
    await store.submit([{ changes: [], guards: [], rows, origin: `remote:${remote.name}`, time: now }]);
  return held;
}
