import { jsonOf } from '../model/from-json.ts';
import { findEntity } from '../store/entities.ts';
import type { DeletedPage } from '../store/remotes/known-tips.ts';
import { pushMark } from '../store/remotes/remotes.ts';
import { type SyncContext, takeOver } from './arrivals.ts';
import { isVersionOf } from './entity.ts';
import type { FeedEvent } from './feed.ts';
import type { PreviewNeeds } from './preview-deletions.ts';
import type { PushPreview } from './push-pending.ts';
import { isOutside } from './scope.ts';
import { mostViews, tipsThere } from './tips-there.ts';
import { readBatch } from './wire.ts';

// A remote that is only pushed to and was added again: no feed of it is walked, so that nothing tells that it has what was deleted here.

type Needs = Pick<SyncContext, 'store' | 'remote'>;

/** Whether a remote is only pushed to, and nothing was yet since it was added, as far as is known. */
export function isNewThere({ store, remote }: Needs): boolean {
  return remote.direction === 'push' && store.read((db) => pushMark(db, remote.key)) === undefined;
}

/**
 * Comes to know what a new remote has that was deleted here, so that it is deleted there, too. What was changed there since is left:
 * nothing is read from it.
 * @throws UnreachableError where it fails at very much of it
 */
export async function meetDeleted(ctx: SyncContext): Promise<void> {
  if (ctx.memory.deletedMet || !isNewThere(ctx)) return;
  for await (const ids of deletedHere(ctx)) {
    const { tips } = await tipsThere(ctx, ids, { liveOnly: true });
    ctx.patience.check();
    const events = [...tips].flatMap(([entity, cid]): FeedEvent[] =>
      typeof cid === 'string' && isVersionHere(ctx, { entity, cid }) ? [{ id: 0, entity, cid }] : [],
    );
    await takeOver(ctx, events);
  }
  ctx.memory.deletedMet = true;
}

/** What a push to a new remote would delete there, of which nothing is known yet. @throws UnreachableError */
export async function deletedThere(needs: PreviewNeeds): Promise<PushPreview[]> {
  const found: PushPreview[] = [];
  if (!isNewThere(needs)) return found;
  for await (const ids of deletedHere(needs)) {
    const { status, body } = await needs.client.read('/entities/batch-get', { ids });
    for (const view of (status === 200 && readBatch(body)) || []) {
      if (!isVersionHere(needs, view) || isOutside(needs, view.entity, { manifest: view })) continue;
      const label = needs.store.read((db) => findEntity(db, view.entity)?.label ?? '');
      found.push({ id: view.entity, type: view.type, label, intent: 'delete', lacks: [] });
    }
  }
  return found;
}

function isVersionHere({ store }: Needs, { entity, cid }: Pick<FeedEvent, 'entity' | 'cid'>): boolean {
  return store.read((db) => isVersionOf(db, entity, cid));
}

/** Ids of what is deleted here and not known of a remote, a batch at a time. */
async function* deletedHere({ store, remote }: Needs): AsyncGenerator<string[]> {
  for (let after: number | null = 0; after !== null; ) {
    const json = await store.readLong('deletedPage', { remote: remote.key, after, limit: mostViews });
    const { ids, next } = jsonOf(json) as DeletedPage;
    if (ids.length > 0) yield ids;
    after = next;
  }
}
