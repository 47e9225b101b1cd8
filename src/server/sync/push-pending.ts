import { setImmediate } from 'node:timers/promises';
import { findEntity } from '../store/entities.ts';
import { lackingPeers, type PendingRow, pendingPage } from '../store/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import { loadEntity } from './entity.ts';
import { type Intent, intentOf } from './state.ts';

/** Everything that waits to be pushed. */
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

/** @param self the operator's own ids, in whose place the remote's user goes out */
export async function previewPush(
  ctx: Pick<SyncContext, 'store' | 'remote' | 'turns'>,
  self: readonly string[],
): Promise<PushPreview[]> {
  const found: PushPreview[] = [];
  const pending = await allPending(ctx);
  const there = new Set([...self, '*', ...pending.filter(({ deleted }) => !deleted).map(({ id }) => id)]);
  await ctx.turns.each(pending, ({ id, type, deleted }) => {
    const { intent, label, lacks } = ctx.store.read((db) => {
      const { state } = loadEntity(db, ctx.remote.key, id);
      // What its own version names is not news to it.
      const named = new Set(state.theirs ? findVersion(db, state.theirs.cid)?.manifest.relationships.map(peerOf) : []);
      const isNews = (peer: string) => !there.has(peer) && !named.has(peer);
      return {
        intent: intentOf(state),
        label: findEntity(db, id)?.label ?? '',
        lacks: deleted ? [] : lackingPeers(db, ctx.remote.key, id).filter(isNews).slice(0, shown),
      };
    });
    if (intent !== 'none' && intent !== 'same' && intent !== 'prefer') found.push({ id, type, label, intent, lacks });
  });
  return found;
}

const shown = 100;

function peerOf({ peer }: { peer: string }): string {
  return peer;
}
