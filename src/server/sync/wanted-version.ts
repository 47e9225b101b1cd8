import { RecentMap } from '../model/recent-map.ts';
import type { SyncContext } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import { checkKey } from './key-check.ts';
import { fetchVersion, isUnusable, rebuilt, type Unusable, type Verified } from './manifests.ts';
import { isOutside, isUnknownUnderFilter } from './scope.ts';
import { type CurrentView, readTip } from './wire.ts';

/** What a current version that was shown says of an event that names it; null where more has to be read. */
export function shownVersion(
  ctx: SyncContext,
  event: FeedEvent,
  view: CurrentView | undefined,
): Verified | 'outside' | null {
  if (view?.cid !== event.cid) return null;
  if (!isOutside(ctx, event.entity, { manifest: view })) return rebuilt(view, view.cid, ctx.schema);
  pass(ctx, event, view.cid);
  return 'outside';
}

/**
 * The version that an event has taken over: the one that it names, or a newer one that the remote shows, whose event may have come
 * before, or is still to come. Under a filter an older version may lie in a collection that the entity has left, so the newest
 * decides; but what the remote shows may be a moment behind its feed, or kept from before, so only numbers say which is newer.
 * @param view the entity's current version, as it was shown
 * @returns null where the entity lies outside of what is wanted; what is not shown to this key is none of it, either
 */
export async function wantedVersion(
  ctx: SyncContext,
  event: FeedEvent,
  view: CurrentView | undefined,
): Promise<Verified | Unusable | null> {
  const shown = view?.cid ?? (await tipNow(ctx, event));
  if (shown !== null && isPassed(ctx, event, shown)) return null;
  const named = await fetched(ctx, event.cid);
  if (shown === null || shown === event.cid || isUnusable(named)) return within(ctx, event, named);
  if (view && view.ver <= named.head.ver) return within(ctx, event, named);
  const current = (view && shownVersion(ctx, { ...event, cid: shown }, view)) ?? (await fetched(ctx, shown));
  return current === 'outside' ? null : within(ctx, event, newer(named, current));
}

/** Where what is shown cannot be read nobody knows which is newer: that is asked for again, also where it is not for this key. */
function newer(named: Verified, shown: Verified | Unusable): Verified | Unusable {
  if (isUnusable(shown)) return shown.trouble === 'forbidden' ? { ...shown, trouble: 'missing' } : shown;
  return shown.head.ver > named.head.ver ? shown : named;
}

/** An entity's tip, where that may be another one than an event says and keep the entity away; null where it is not told. */
async function tipNow(ctx: SyncContext, { id, entity }: FeedEvent): Promise<string | null> {
  // What has no event has been asked for its tip.
  if (id === 0 || !isUnknownUnderFilter(ctx, entity)) return null;
  const answer = await ctx.client.read(`/entities/${entity}/tip`);
  checkKey(ctx.client, answer, 'does not tell tips');
  return answer.status === 200 ? readTip(answer.body) : null;
}

async function fetched(ctx: SyncContext, cid: string): Promise<Verified | Unusable> {
  const version = await fetchVersion(ctx.client, cid);
  if (!isUnusable(version) && typeof version.manifest.schema === 'string' && !version.manifest.deleted)
    ctx.schema = version.manifest.schema;
  return version;
}

function within(ctx: SyncContext, event: FeedEvent, version: Verified | Unusable): Verified | Unusable | null {
  const isAway = isUnusable(version)
    ? version.trouble === 'forbidden' && isUnknownUnderFilter(ctx, event.entity)
    : isOutside(ctx, event.entity, version);
  if (!isAway) return version;
  pass(ctx, event, isUnusable(version) ? event.cid : version.block.cid);
  return null;
}

/** How many versions that keep entities away are remembered, so that older events of these cost no more than a look. */
const mostPassed = 50_000;

export function passedOver(): SyncContext['passed'] {
  return new RecentMap(mostPassed);
}

function pass(ctx: SyncContext, { id }: FeedEvent, cid: string): void {
  ctx.passed.set(cid, Math.max(id, ctx.passed.get(cid) ?? 0));
}

/** Whether a newer event has shown that an entity's current version keeps it away. */
function isPassed(ctx: SyncContext, event: FeedEvent, shown: string): boolean {
  return isUnknownUnderFilter(ctx, event.entity) && (ctx.passed.get(shown) ?? -1) >= event.id;
}
