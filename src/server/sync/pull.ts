import PQueue from 'p-queue';
import { UnreachableError } from '../errors.ts';
import type { Row } from '../store/commit.ts';
import { entityKey } from '../store/entity-keys.ts';
import { findKnown, isKnownAt, knownEvent, seenIntervals } from '../store/remotes/remotes.ts';
import { type SyncContext, type TakeOverOptions, takeOver } from './arrivals.ts';
import { askAgain } from './ask-again.ts';
import { agreement, braked, stopAtReset } from './brake.ts';
import { meetDeleted } from './deleted-here.ts';
import { isVersionOf } from './entity.ts';
import {
  type FeedEvent,
  type FeedStep,
  feedStep,
  type Interval,
  isEmpty,
  isOpen,
  newestSeen,
  startFeed,
} from './feed.ts';
import { readPage } from './feed-page.ts';
import { listAgain } from './list-again.ts';
import { bringMissing } from './missing-versions.ts';
import { noteRows } from './note-rows.ts';
import { untilSpent } from './patience.ts';
import type { PushContext } from './push-context.ts';
import { setBackSince } from './push-mark.ts';
import { emptied, isBegunAgain, mayHaveMissed } from './quiet-feed.ts';
import { noteSwept, sweep, type WholeSweep } from './sweep.ts';

export interface PullOptions {
  /** Somebody has agreed to whatever it changes. */
  accept: boolean;
  /** The remote is another one than before: nothing it said counts any more. */
  reset: boolean;
  /** Nobody asked for this run. */
  unasked: boolean;
  /** All that is known of it was compared in this run. */
  compared?: boolean;
}

/** Entities a request, and requests at once: what a kill costs to fetch again, and what is held in memory. */
const batches = { plain: { size: 100, atOnce: 4 }, blocks: { size: 72, atOnce: 4 } };
/** Pages whose entities are being fetched while the next page is read: each is read again after a kill. */
const pagesAhead = 1;

/** A page whose events are being dealt with. */
interface OpenPage {
  entities: Set<string>;
  done: Promise<void>;
}

/** What is kept of a page once its events are dealt with. */
interface PageRecord {
  intervals: (Interval | null)[];
  /** Its events where it is the newest page. */
  newest: FeedEvent[] | null;
}

/** A page whose deletions wait for the brake's word. */
interface HeldPage {
  events: FeedEvent[];
  /** Null for what no page tells. */
  page: PageRecord | null;
}

/**
 * Takes over what the remote's feed names since the last run: from its head back to the mark, whatever lies between
 * (SPEC.md, F1). An interval is recorded when all its events are dealt with, so that a kill repeats work and loses none.
 * @throws UnreachableError where the remote does not answer; what was done until then stays done
 */
export async function pull(ctx: SyncContext, options: PullOptions): Promise<void> {
  if (options.reset) return afterReset(ctx, options);
  const held: HeldPage[] = [];
  const begunAgain = await isBegunAgain(ctx);
  const walked = await walk(ctx, held);
  const { reset } = walked;
  if (reset !== null) {
    if (options.accept) return afterReset(ctx, options);
    stopAtReset(ctx, `${reset}. Nothing more was taken over`);
    return;
  }
  held.push({ events: await askAgain(ctx), page: null });
  await release(ctx, options, held);
  const hasGap = ctx.store.read((db) => seenIntervals(db, ctx.remote.key)).some((it) => it.lost && !it.swept);
  const mustCompare = hasGap || begunAgain || (walked.isEmpty && mayHaveMissed(ctx));
  if (ctx.report.stopped !== null) return;
  if (mustCompare) await close(ctx, options);
  else await release(ctx, options, [{ events: await listAgain(ctx, options), page: null }]);
  if (ctx.report.stopped === null) await bringMissing(ctx, options);
}

/** What left the feed before it was seen is looked for entity by entity. */
async function close(ctx: SyncContext, options: PullOptions): Promise<void> {
  const { compared = false } = options;
  const swept = await sweep(ctx, { reset: false, compared });
  const { forgotten } = swept;
  if (forgotten !== null) {
    if (options.accept) return afterReset(ctx, options);
    stopAtReset(ctx, `it no longer has ${forgotten}`);
    return;
  }
  await finish(ctx, options, swept, false);
}

/** Another feed: all that is known is compared, and the feed walked from its head to its end, as if it had never been seen. */
async function afterReset(ctx: SyncContext, options: PullOptions): Promise<void> {
  if (await compareAll(ctx, options)) await pull(ctx, { ...options, reset: false, compared: true });
}

/**
 * Compares all that is known of a remote that was reset; false where that stopped.
 * @throws UnreachableError also where it failed at too much of it: nobody knows what it has, so that nothing is sent there
 */
async function compareAll(ctx: SyncContext, options: PullOptions): Promise<boolean> {
  let isWhole = false;
  const spent = await untilSpent(async () => {
    const swept = await sweep(ctx, { reset: true });
    isWhole = await finish(ctx, options, swept, true);
  });
  if (spent) throw new UnreachableError(spent.message);
  return isWhole;
}

/**
 * What is read of a remote that is only pushed to: whether it was set back since, of a new one whether it has what was deleted here, and
 * again what could not be read of it. Where it is another one, or somebody agrees that it was set back, all that is known there is
 * compared.
 * @throws UnreachableError where not all of it could be, so that nothing is sent before
 */
export async function askKnown(ctx: SyncContext, options: PullOptions): Promise<void> {
  const reason = options.reset ? null : await setBackSince(ctx);
  if (reason !== null && !options.accept) {
    stopAtReset(ctx, `${reason}. Nothing was sent`);
    return;
  }
  if (options.reset || reason !== null) return void (await compareAll(ctx, options));
  const spent = await untilSpent(() => meetDeleted(ctx));
  if (spent) throw new UnreachableError(spent.message);
  await release(ctx, options, [{ events: await askAgain(ctx, { knownOnly: true }), page: null }]);
}

/**
 * Makes the deletions that a comparison of everything has found, and records it: one that stops here, or is cut off, is begun
 * again, since no feed tells of these any more. False where it stopped.
 */
async function finish(
  ctx: SyncContext,
  options: PullOptions,
  { held, uncatalogued }: WholeSweep,
  reset: boolean,
): Promise<boolean> {
  if (!(await release(ctx, options, [{ events: held, page: null }], reset))) return false;
  await noteSwept(ctx, { reset, uncatalogued });
  ctx.report.swept = true;
  ctx.report.uncatalogued = uncatalogued;
  return true;
}

/** Makes the deletions that a push has met; not where they are too many to make unasked. */
export async function bury(ctx: PushContext, options: PullOptions): Promise<void> {
  await release(ctx, options, [{ events: ctx.buried, page: null }]);
}

/** Makes the deletions that were held back; false where they are too many to make unasked. */
async function release(ctx: SyncContext, { accept }: PullOptions, held: HeldPage[], reset = false): Promise<boolean> {
  const count = held.reduce((sum, { events }) => sum + events.length, 0);
  const of = accept ? null : await braked(ctx, count, await unmetOf(ctx, held));
  if (of !== null) {
    ctx.report.stopped = `${ctx.client.host} has deleted ${count} of ${of} entities. They are still here. ${agreement(ctx.remote.name)}`;
    ctx.report.stop = { kind: 'deletions', count, of };
    return false;
  }
  for (const { events, page } of held) {
    for (let at = 0; at < events.length; at += batches.plain.size)
      await takenOver(ctx, events.slice(at, at + batches.plain.size), { reset, deletes: true });
    if (page !== null) await record(ctx, page);
  }
  return true;
}

/** How many of what was deleted there is not known from there, as where the remote has been added again. */
async function unmetOf({ store, remote, turns }: SyncContext, held: HeldPage[]): Promise<number> {
  let unmet = 0;
  for (const { events } of held)
    await turns.each(events, ({ entity }) => {
      if (!store.read((db) => isKnownAt(db, remote.key, entity))) unmet++;
    });
  return unmet;
}

interface Walked {
  /** What gives a reset away, null for none. */
  reset: string | null;
  /** The feed shows no event. */
  isEmpty: boolean;
}

/** Walks the feed back to the mark. */
async function walk(ctx: SyncContext, held: HeldPage[]): Promise<Walked> {
  const back = await setBackSince(ctx);
  if (back !== null) return { reset: back, isEmpty: false };
  const queue = new PQueue({ concurrency: (ctx.blocks ? batches.blocks : batches.plain).atOnce });
  const open: OpenPage[] = [];
  const seen = ctx.store.read((db) => seenIntervals(db, ctx.remote.key));
  // What an empty feed left out has been compared: nothing lies between that and its first event.
  const isCompared = seen.length === 0 && !mayHaveMissed(ctx);
  let feed = startFeed(seen);
  try {
    while (isOpen(feed)) {
      const page = await readPage(ctx, feed);
      const step = feedStep(feed, page);
      feed = step.state;
      ctx.report.head ??= page.events[0]?.id ?? (isEmpty(feed) ? 0 : null);
      if (feed.phase === 'reset') break;
      ctx.report.events += step.events.length;
      const events = await newestOf(ctx, lookedAt(ctx, step), open);
      const dealt = { entities: new Set(events.map((event) => event.entity)), done: Promise.resolve() };
      const below = isCompared ? step.lost.map((gap) => ({ ...gap, lost: false })) : step.lost;
      const told = { intervals: [step.covered, ...below], newest: step.newest };
      dealt.done = dealWith(ctx, queue, events).then((deletions) => {
        if (deletions.length === 0) return record(ctx, told);
        held.push({ events: deletions, page: told });
      });
      // Its failure is met below, when it is awaited.
      dealt.done.catch(() => undefined);
      open.push(dealt);
      if (open.length > pagesAhead) await open.shift()?.done;
    }
    for (const page of open) await page.done;
  } finally {
    queue.clear();
    await queue.onIdle();
  }
  const showsNone = isEmpty(feed);
  return { reset: showsNone ? await emptied(ctx, newestSeen(feed)) : feed.reason, isEmpty: showsNone };
}

/**
 * What has not been dealt with, and of a plain remote's newest page also what no run has met there: ids that are given before
 * they are shown may come to lie in what has been dealt with (SPEC.md, F11).
 */
function lookedAt({ blocks, memory }: SyncContext, { events, newest }: FeedStep): FeedEvent[] {
  if (blocks || newest === null) return events;
  const unseen = new Set(events.map(({ id }) => id));
  return newest.filter(({ id }) => unseen.has(id) || !memory.recent.has(id));
}

/** Of several events of one entity the newest counts; what is known already or under way needs no second look. */
async function newestOf(ctx: SyncContext, events: FeedEvent[], open: OpenPage[]): Promise<FeedEvent[]> {
  const newest = new Map<string, FeedEvent>();
  for (const event of events) if (!newest.has(event.entity)) newest.set(event.entity, event);
  const fresh = [...newest.values()].filter(({ entity }) => !open.some((page) => page.entities.has(entity)));
  const older = ctx.blocks ? new Map<string, FeedEvent[]>() : Map.groupBy(events, ({ entity }) => entity);
  const unknown: FeedEvent[] = [];
  await ctx.turns.each(fresh, (event) => {
    // Of what has just been seen for the first time nothing is here: one look says so.
    const isNew = ctx.store.look((db) => entityKey(db, event.entity)) === undefined;
    const known = isNew ? 0 : ctx.store.read((db) => knownEvent(db, ctx.remote.key, event.entity));
    if (known >= event.id) return;
    const unread = isNew ? undefined : unreadOf(ctx, older.get(event.entity) ?? [], known);
    unknown.push(unread === undefined ? event : { ...event, cid: unread });
  });
  return unknown;
}

/**
 * Where the newest event of an entity names what this node has pushed itself, the newest version of its events that is not here: it
 * may have been made over that one, and named before it (SPEC.md, F9). What has been named is compared by numbers (wanted-version.ts).
 * @param known the event up to which all are dealt with
 */
function unreadOf({ store, remote }: SyncContext, events: FeedEvent[], known: number): string | undefined {
  const [newest, ...others] = events;
  if (newest === undefined || others.length === 0) return undefined;
  return store.read((db) => {
    if (findKnown(db, remote.key, newest.entity).theirs !== newest.cid) return undefined;
    return others.find(({ id, entity, cid }) => id > known && !isVersionOf(db, entity, cid))?.cid;
  });
}

async function dealWith(ctx: SyncContext, queue: PQueue, events: FeedEvent[]): Promise<FeedEvent[]> {
  const parts: FeedEvent[][] = [];
  const { size } = ctx.blocks ? batches.blocks : batches.plain;
  for (let at = 0; at < events.length; at += size) parts.push(events.slice(at, at + size));
  return (await Promise.all(parts.map((part) => queue.add(() => takenOver(ctx, part))))).flat();
}

/** @throws UnreachableError where the remote fails at very much, once what it did not fail at is kept */
async function takenOver(ctx: SyncContext, events: FeedEvent[], options: TakeOverOptions = {}): Promise<FeedEvent[]> {
  ctx.patience.check();
  const held = await takeOver(ctx, events, options);
  ctx.patience.check();
  return held;
}

async function record(ctx: SyncContext, { intervals, newest }: PageRecord) {
  const { remote, report, memory } = ctx;
  const rows = intervals
    .filter((interval) => interval !== null)
    .map((interval): Row => ({ kind: 'feed_seen', remote: remote.name, ...interval }));
  await noteRows(ctx, ...rows);
  const lost = intervals.findLast((interval) => interval?.lost && interval.first > 1);
  if (lost) report.lost = { first: lost.first, last: lost.last };
  if (newest !== null) memory.recent = new Set(newest.map(({ id }) => id));
}
