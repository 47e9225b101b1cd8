import { setImmediate } from 'node:timers/promises';
import { findEntity } from '../store/entities.ts';
import { type PendingRow, pendingPage } from '../store/remotes.ts';
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
}

export async function previewPush(ctx: Pick<SyncContext, 'store' | 'remote' | 'turns'>): Promise<PushPreview[]> {
  const found: PushPreview[] = [];
  await ctx.turns.each(await allPending(ctx), ({ id, type }) => {
    const { intent, label } = ctx.store.read((db) => ({
      intent: intentOf(loadEntity(db, ctx.remote.key, id).state),
      label: findEntity(db, id)?.label ?? '',
    }));
    if (intent !== 'none' && intent !== 'same' && intent !== 'prefer') found.push({ id, type, label, intent });
  });
  return found;
}
