import { setImmediate } from 'node:timers/promises';
import { findEntity } from '../store/entities.ts';
import { lackingPeers, type PendingRow, pendingPage, pendingPeers } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import { isVersionOf, loadEntity } from './entity.ts';
import { ownNames } from './own-names.ts';
import type { Named } from './pull-preview.ts';
import { type Intent, intentOf, type Standing } from './state.ts';

/** Everything that waits to be pushed, but for what is meant for another remote. */
export async function allPending({ store, remote }: Pick<SyncContext, 'store' | 'remote'>): Promise<PendingRow[]> {
  const all: PendingRow[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const page = store.read((db) => pendingPage(db, remote.key, from, 500));
    all.push(...page.rows);
    after = page.next;
    await setImmediate();
  }
  return all;
}

/** What a push would do with one entity. */
export interface PushPreview {
  id: string;
  type: string;
  label: string;
  intent: Intent;
  /** What it points at that the remote is not known to have, and that does not go there with it; at most a hundred. */
  lacks: string[];
}

/**
 * What a push would do once the feed has been read.
 * @param self the operator's own ids, in whose place the remote's user goes out
 * @param named what its unread part names: the remote has that, also where it is not known, as when it was added again
 * @returns `ask` too where that is not here: what comes of both is for the run to find out
 */
export async function previewPush(
  ctx: Pick<SyncContext, 'store' | 'remote' | 'turns'>,
  self: readonly string[],
  named: Named,
): Promise<PushPreview[]> {
  const found: PushPreview[] = [];
  const pending = await allPending(ctx);
  const there = new Set([...self, '*', ...pending.filter(({ deleted }) => !deleted).map(({ id }) => id)]);
  await ctx.turns.each(pending, (row) => {
    const isThere = (peer: string) => there.has(peer) || named.has(peer);
    const { here, there: _there, standing: _, ...preview } = look(ctx, row, isThere);
    const event = named.get(row.id);
    if (isSent(preview.intent) && event !== undefined) {
      const isHere = ctx.store.read((db) => isVersionOf(db, row.id, event));
      preview.intent = isHere ? intentOver(preview.intent, event === here) : 'ask';
    }
    if (isSent(preview.intent)) found.push(preview);
  });
  return found;
}

/** What is left to do where the remote's newest version is one of those here, or `same`, the tip. */
function intentOver(intent: Intent, same: boolean): Intent {
  if (same) return 'none';
  return intent === 'create' ? 'update' : intent;
}

/** An entity that differs from what a remote is known to have. */
export interface PendingChange extends PushPreview {
  /** The tip here, and the one there as far as it is known; CIDs. */
  here: string | null;
  there: string | null;
  standing: Standing;
}

export interface PendingChanges {
  changes: PendingChange[];
  /** Where the next page begins; null on the last. */
  next: number | null;
}

/**
 * A page of what differs, also of what is held back by a conflict or a refusal, but not of what is meant for another remote.
 * @param self see previewPush
 */
export async function pendingChanges(
  ctx: Pick<SyncContext, 'store' | 'remote' | 'turns'>,
  self: readonly string[],
  { after, limit }: { after: number; limit: number },
): Promise<PendingChanges> {
  const { rows, next } = ctx.store.read((db) => pendingPage(db, ctx.remote.key, after, limit));
  const changes: PendingChange[] = [];
  await ctx.turns.each(rows, (row) => {
    const waiting = new Set(ctx.store.read((db) => pendingPeers(db, ctx.remote.key, row.id)));
    changes.push(look(ctx, row, (peer) => peer === '*' || self.includes(peer) || waiting.has(peer)));
  });
  return { changes, next };
}

function look(
  { store, remote }: Pick<SyncContext, 'store' | 'remote'>,
  { id, type, deleted }: PendingRow,
  goesAlong: (peer: string) => boolean,
): PendingChange {
  return store.read((db) => {
    const { state } = loadEntity(db, remote.key, id);
    // What its own version names is not news to it.
    const theirs = state.theirs ? findVersion(db, state.theirs.cid)?.manifest : undefined;
    const own = ownNames(db, remote, { type }, theirs ?? null);
    const named = new Set([...(theirs?.relationships.map(peerOf) ?? []), ...own]);
    const isNews = (peer: string) => !goesAlong(peer) && !named.has(peer);
    return {
      ...{ id, type, intent: intentOf(state), standing: state.standing },
      label: findEntity(db, id)?.label ?? '',
      lacks: deleted ? [] : lackingPeers(db, remote.key, id).filter(isNews).slice(0, shown),
      ...{ here: state.local?.cid ?? null, there: state.theirs?.cid ?? null },
    };
  });
}

function isSent(intent: Intent): boolean {
  return intent !== 'none' && intent !== 'same' && intent !== 'prefer';
}

const shown = 100;

function peerOf({ peer }: { peer: string }): string {
  return peer;
}
