import type { Commit } from '../store/commit.ts';
import { type DueTrouble, dueTroubles, isDue } from '../store/remote-troubles.ts';
import { findKnown } from '../store/remotes.ts';
import { type SyncContext, takeOver, troubleCommit } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import type { Unusable } from './manifests.ts';
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
    const cid = tips.get(id);
    return typeof cid === 'string' ? [{ id: 0, entity: id, cid }] : [];
  });
  const { troubles } = report;
  const held = await takeOver(ctx, events, views ? { views } : {});
  // What still cannot be read is no news.
  report.troubles = troubles;
  const waits = new Set(held.map(({ entity }) => entity));
  const left = due.filter(({ id }) => !waits.has(id) && store.read((db) => isDue(db, remote.key, id, now)));
  await store.submit(left.map((one) => leftCommit(ctx, one, tips.get(one.id) ?? null)));
  return held;
}

/** What was not taken over waits for its next time, unless it can be read now and is none of what is wanted. */
function leftCommit(ctx: SyncContext, { id, known, ...before }: DueTrouble, tip: string | Unusable | null): Commit {
  const { store, remote } = ctx;
  const isOpen = store.read((db) => findKnown(db, remote.key, id).intent !== null);
  const same = { trouble: before.trouble, evidence: before.evidence ?? '' };
  const why = tip === null || typeof tip === 'string' ? same : tip;
  const commit = troubleCommit(ctx, { id: 0, entity: id }, why);
  if (typeof tip !== 'string' || known || isOpen) return commit;
  return { ...commit, rows: [{ kind: 'remote_forgot', remote: remote.name, id }] };
}
