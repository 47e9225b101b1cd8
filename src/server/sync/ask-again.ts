import type { Commit } from '../store/commit.ts';
import { type DueTrouble, dueTroubles, isDue } from '../store/remotes/remote-troubles.ts';
import { findKnown } from '../store/remotes/remotes.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import { type SyncContext, takeOver, troubleCommit } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import type { Unusable } from './manifests.ts';
import { tipsThere } from './tips-there.ts';

/** So many a run: a remote at which very much cannot be read is not asked for all of it at once. */
const limit = 100;
/** So many at once: what was read of them is kept before more is asked for. */
const together = 20;
/** A tip that stays the one that was known is taken for what it says after so many tries, some days. */
const mostBehind = 8;

/**
 * Asks again for what could not be taken over, some of what is due in each run (SPEC.md, Feed). Gives back deletions of what
 * is live here, which are not made yet. What the remote fails at is no surprise, and ends nothing but the asking.
 * @param knownOnly nothing is taken of which no version has ever been read, or sent there
 * @throws UnreachableError
 */
export async function askAgain(ctx: SyncContext, { knownOnly = false } = {}): Promise<FeedEvent[]> {
  const now = ctx.now();
  const due = ctx.store.read((db) => dueTroubles(db, ctx.remote.key, { now, limit, knownOnly }));
  const asking = { ...ctx, patience: ctx.patience.another() };
  const held: FeedEvent[] = [];
  for (let at = 0; at < due.length && !asking.patience.isOver; at += together)
    held.push(...(await askFor(asking, due.slice(at, at + together), now)));
  return held;
}

async function askFor(ctx: SyncContext, due: DueTrouble[], now: number): Promise<FeedEvent[]> {
  const { store, remote } = ctx;
  const { tips, views } = await tipsThere(
    ctx,
    due.map(({ id }) => id),
  );
  const behind = due.filter((one) => isBehind(ctx, one, tips.get(one.id)));
  await submitWhenFree(
    store,
    behind.map((one) => againCommit(ctx, one)),
    ctx.signal,
  );
  const events = due.flatMap((one): FeedEvent[] => {
    const cid = tips.get(one.id);
    return typeof cid === 'string' && !behind.includes(one) ? [{ id: 0, entity: one.id, cid }] : [];
  });
  const held = await takeOver(ctx, events, views ? { views } : {});
  const waits = new Set(held.map(({ entity }) => entity));
  const asked = due.filter(({ id }) => tips.has(id) && !waits.has(id));
  const left = asked.filter(({ id }) => store.read((db) => isDue(db, remote.key, id, now)));
  await submitWhenFree(
    store,
    left.map((one) => leftCommit(ctx, one, tips.get(one.id) ?? null)),
    ctx.signal,
  );
  return held;
}

/**
 * Whether a remote that named a version which could not be read still tells the tip that was known before: that may come from a
 * place where the new one is not yet. A node tells its tips as they are; of what a remote fails at no version may have been named.
 */
function isBehind({ store, remote, blocks }: SyncContext, one: DueTrouble, tip: string | Unusable | null | undefined) {
  if (blocks || typeof tip !== 'string' || one.tries >= mostBehind) return false;
  if (one.trouble === 'forbidden' || (one.trouble === 'failing' && !one.named)) return false;
  const { theirs, intent } = store.read((db) => findKnown(db, remote.key, one.id));
  return intent === null && theirs === tip;
}

/** It waits for its next time, as it is. */
function againCommit(ctx: SyncContext, { id, trouble, evidence }: DueTrouble): Commit {
  return troubleCommit(ctx, { id: 0, entity: id }, { trouble, evidence: evidence ?? '' });
}

/**
 * What was not taken over waits for its next time, unless it can be read now and is none of what is wanted, or the remote lost
 * it when it was reset, so that it goes there again. Where `patience` is over it may not have been read at all.
 */
function leftCommit(ctx: SyncContext, one: DueTrouble, tip: string | Unusable | null): Commit {
  const { store, remote } = ctx;
  const { id, known, forgotten } = one;
  const isOpen = store.read((db) => findKnown(db, remote.key, id).intent !== null);
  const isLost = tip === null && forgotten;
  const isUnwanted = typeof tip === 'string' && !isOpen && !ctx.patience.isOver;
  const isSame = tip === null || typeof tip === 'string';
  const commit = isSame ? againCommit(ctx, one) : troubleCommit(ctx, { id: 0, entity: id }, tip);
  if (known || !(isLost || isUnwanted)) return commit;
  return { ...commit, rows: [{ kind: 'trouble_gone', remote: remote.name, id }] };
}
