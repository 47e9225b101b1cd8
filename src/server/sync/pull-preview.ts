import PQueue from 'p-queue';
import { type EntityRow, findEntity } from '../store/entities.ts';
import { seenIntervals } from '../store/remotes/remotes.ts';
import { feedStep, isEmpty, isOpen, newestSeen, startFeed } from './feed.ts';
import { readPage } from './feed-page.ts';
import { isDeletedBy, type PreviewNeeds } from './preview-deletions.ts';
import { setBackSince } from './push-mark.ts';
import { emptied, isBegunAgain, mayHaveMissed } from './quiet-feed.ts';
import { readBatch, saysWhy } from './wire.ts';

/** How much a pull would look at, and what it would delete. */
export interface PullPreview {
  /** What gives away that the remote was reset; null for nothing. */
  reset: string | null;
  /** New events. */
  events: number;
  /** Of how many entities. */
  entities: number;
  /** What is live here and not there any more. */
  deletions: { id: string; type: string; label: string }[];
  /** Whether all entities were looked at for that. */
  looked_at_all: boolean;
  /** The feed does not tell all that was changed: everything would be compared, and what comes of that is not counted. */
  compares_all: boolean;
}

export const emptyPreview: PullPreview = {
  ...{ reset: null, events: 0, entities: 0, deletions: [], looked_at_all: true, compares_all: false },
};

/** Counted no further. */
const maxCounted = 1_000_000;
/** Looked at, a batch at a time, for what would be deleted; and how many of these are asked for one by one. */
const maxLooked = 5000;
const maxMissing = 1000;
const batchSize = 100;
const atOnce = 8;

/** The newest version of each entity that the new events name, by its id. */
export type Named = ReadonlyMap<string, string>;

/** Walks the feed as a pull does, and takes nothing over. @throws UnreachableError */
export async function previewPull(needs: PreviewNeeds): Promise<{ pull: PullPreview; named: Named }> {
  const { store, remote } = needs;
  const named = new Map<string, string>();
  const back = await setBackSince(needs);
  let events = 0;
  const seen = store.read((db) => seenIntervals(db, remote.key));
  let hasGap = (await isBegunAgain(needs)) || seen.some((it) => it.lost && !it.swept);
  let feed = startFeed(seen);
  while (isOpen(feed)) {
    const page = await readPage(needs, feed);
    const step = feedStep(feed, page);
    feed = step.state;
    hasGap ||= step.lost.length > 0 && (seen.length > 0 || mayHaveMissed(needs));
    events += step.events.length;
    // The newest come first.
    for (const { entity, cid } of step.events)
      if (named.size < maxCounted && !named.has(entity)) named.set(entity, cid);
  }
  const reset = back ?? feed.reason ?? (isEmpty(feed) ? await emptied(needs, newestSeen(feed)) : null);
  const compares_all = hasGap || (isEmpty(feed) && mayHaveMissed(needs));
  const found = await deletionsAmong(needs, named);
  return { pull: { reset, events, entities: named.size, ...found, compares_all }, named };
}

async function deletionsAmong(needs: PreviewNeeds, named: Named) {
  const entities = [...named.keys()];
  const looked = entities.slice(0, maxLooked);
  const missing: EntityRow[] = [];
  for (let at = 0; at < looked.length; at += batchSize)
    missing.push(...(await missingOf(needs, looked.slice(at, at + batchSize))));
  const queue = new PQueue({ concurrency: atOnce });
  const gone = await queue.addAll(
    missing.slice(0, maxMissing).map((row) => () => isGone(needs, row, named.get(row.id) ?? '')),
  );
  return {
    deletions: missing.filter((_, at) => gone[at]).map(({ id, type, label }) => ({ id, type, label })),
    looked_at_all: looked.length === entities.length && missing.length <= maxMissing,
  };
}

/** Those that are live here, and that the remote gives nothing of. */
async function missingOf({ store, client }: PreviewNeeds, ids: string[]): Promise<EntityRow[]> {
  const found = store.read((db) => ids.map((id) => findEntity(db, id)));
  const live = found.filter((row) => row !== undefined && !row.deleted) as EntityRow[];
  if (live.length === 0) return [];
  const { status, body } = await client.read('/entities/batch-get', { ids: live.map(({ id }) => id) });
  const there = new Set(((status === 200 ? readBatch(body) : null) ?? []).map(({ entity }) => entity));
  return live.filter(({ id }) => !there.has(id));
}

/** What is only not shown (403) stays here. @param cid the newest version that the feed names */
async function isGone(needs: PreviewNeeds, { id }: EntityRow, cid: string): Promise<boolean> {
  const { status, body } = await needs.client.read(`/entities/${id}`);
  return status === 404 && saysWhy(body) && (await isDeletedBy(needs, id, cid));
}
