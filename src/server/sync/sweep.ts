import PQueue from 'p-queue';
import { UnreachableError } from '../errors.ts';
import { jsonOf } from '../model/from-json.ts';
import type { Reader } from '../store/connection.ts';
import type { KnownPage, KnownTip } from '../store/remotes/known-tips.ts';
import { isAskedAgain } from '../store/remotes/remote-troubles.ts';
import { findKnown, isKnownAt, knownCollections } from '../store/remotes/remotes.ts';
import { isUnlisted } from '../store/remotes/unlisted.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import { findVersion } from '../store/versions.ts';
import { type SyncContext, takeOver, troubleCommit } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import { type Allowance, idPages } from './id-pages.ts';
import { noteRows } from './note-rows.ts';
import { FailedAnswerError } from './remote-errors.ts';
import { tipsThere } from './tips-there.ts';
import { readCatalog, readListing, readLiveIds, readUsersCollections } from './wire.ts';

// Anti-entropy: everything is compared tip by tip, for what no feed tells any more (SPEC.md, Sweep).

export interface SweepOptions {
  /**
   * The remote was reset: what it said before counts no more. What is known here is compared alone; what else is there comes by
   * its feed, and by the listings where that does not tell all.
   */
  reset: boolean;
  /** What is known here was compared just before. */
  compared?: boolean;
}

export interface Swept {
  /** Deletions that wait for the brake's word. */
  held: FeedEvent[];
  /** An entity that is known there and that the remote no longer has: it was reset. */
  forgotten: string | null;
}

/** What a sweep has found; of what it could not list the store knows (list-again.ts). */
export interface WholeSweep extends Swept {
  /** The remote does not list its collections: what lies in one that is not known is compared as far as a feed told of it. */
  uncatalogued: boolean;
}

/** Entities that are compared at once: what POST /entities/batch-get takes, and what a node tells in little time. */
const batches = { plain: 100, node: 200 };
/** So many batches are under way at once. */
const concurrency = 4;
/** A remote that lists more than that is not gone through. */
export const mostListed = 10_000_000;

/**
 * Compares every tip of what is listed there and of what is known here. Without `reset` it stops at the first entity
 * that the remote has forgotten; what it took over until then stays.
 * @throws UnreachableError
 */
export async function sweep(ctx: SyncContext, options: SweepOptions): Promise<WholeSweep> {
  const swept: WholeSweep = { held: [], forgotten: null, uncatalogued: false };
  const queue = new PQueue({ concurrency });
  const failures: unknown[] = [];
  const isOver = () => failures.length > 0 || swept.forgotten !== null;
  const compare = async (ids: string[], known: Map<string, KnownTip>): Promise<void> => {
    if (isOver()) return;
    const found = await compareBatch(ctx, ids, known, options.reset);
    swept.held.push(...found.held);
    swept.forgotten ??= found.forgotten;
  };
  const start = async (ids: string[], known: Map<string, KnownTip>): Promise<void> => {
    await queue.onSizeLessThan(concurrency);
    queue.add(() => compare(ids, known)).catch((error: unknown) => failures.push(error));
  };
  try {
    for await (const ids of options.reset ? [] : listed(ctx, swept)) {
      if (isOver()) break;
      await start(ids, new Map());
    }
    // What has come by the listing is known now, and compared once more at the cost of a request a batch.
    await queue.onIdle();
    for (let after: number | null = options.compared ? null : 0; after !== null && !isOver(); ) {
      const from: number = after;
      const page = await known(ctx, from);
      after = page.next;
      const rows = page.rows.filter((row) => !row.isAskedAgain || (options.reset && !row.isForgotten));
      if (rows.length > 0)
        await start(
          rows.map(({ id }) => id),
          new Map(rows.map((row) => [row.id, row])),
        );
    }
  } finally {
    await queue.onIdle();
  }
  if (failures.length > 0) throw failures[0];
  return swept;
}

/** Records that everything was compared, which is not before the deletions that were held have been made too. */
export async function noteSwept(
  ctx: SyncContext,
  { reset, uncatalogued }: Pick<SweepOptions, 'reset'> & Pick<WholeSweep, 'uncatalogued'>,
): Promise<void> {
  await noteRows(ctx, { kind: 'feed_swept', remote: ctx.remote.name, reset, uncatalogued });
}

/** A page of what is known here, from after one on. */
async function known(ctx: SyncContext, after: number): Promise<KnownPage> {
  const wanted = { remote: ctx.remote.key, after, limit: batchOf(ctx) };
  return jsonOf(await ctx.store.readLong('knownPage', wanted)) as KnownPage;
}

function batchOf({ blocks }: SyncContext): number {
  return blocks ? batches.node : batches.plain;
}

/**
 * Ids that the remote lists and that nothing is known of here, a batch at a time; what could not be listed is noted.
 * @throws UnreachableError, also for no end
 */
async function* listed(ctx: SyncContext, swept: WholeSweep): AsyncGenerator<string[]> {
  const { client, remote } = ctx;
  const allowance: Allowance = { left: mostListed };
  // A node tells also what lies in no collection. One of an earlier form, or that fails at it, is listed as any other remote.
  if (ctx.blocks && remote.collections.length === 0 && (yield* toldLive(ctx, allowance))) return;
  for await (const collections of collectionPages(ctx, allowance, swept))
    yield* withMembers(ctx, collections, allowance);
  if (allowance.left <= 0)
    throw new UnreachableError(
      `${client.host} lists more than ${mostListed} entities, or without end. Limit what comes: archeion remote set ${remote.name} --collection ID.`,
    );
}

/** Collections, and what they list, as far as it is not known here. */
export async function* withMembers(
  ctx: SyncContext,
  collections: string[],
  allowance: Allowance,
): AsyncGenerator<string[]> {
  yield* unknownOf(ctx, collections);
  for (const collection of collections) yield* membersOf(ctx, collection, allowance);
}

/** What a collection lists and is not known here. One that is gone, closed, or cannot be read, is no reason to leave the others. */
export async function* membersOf(ctx: SyncContext, collection: string, allowance: Allowance): AsyncGenerator<string[]> {
  const { client, patience } = ctx;
  const path = `/collections/${collection}/entities`;
  const asked = `(to the listing of collection ${collection})`;
  let failure: string | null = null;
  try {
    for await (const ids of idPages(client, { path, read: readListing, isCertain: true }, allowance))
      if (typeof ids !== 'string') yield* unknownOf(ctx, ids);
      else if (ids === 'unread') failure = `${client.host} answers what is no listing ${asked}`;
    if (allowance.left <= 0)
      failure ??= `${client.host} lists more than ${mostListed} entities, or without end ${asked}`;
    await noteListing(ctx, collection, failure);
    patience.worked();
  } catch (error) {
    if (!(error instanceof FailedAnswerError)) throw error;
    await noteListing(ctx, collection, `${error.message} ${asked}`);
    await patience.failed(error.message);
  }
}

/** Keeps that a listing could not be read, and why, so that it is asked for again by itself; null where it was read. */
export async function noteListing(ctx: SyncContext, collection: string | null, failure: string | null): Promise<void> {
  const { store, remote } = ctx;
  if (failure !== null)
    await noteRows(ctx, { kind: 'listing_failed', remote: remote.name, collection, words: failure });
  else if (store.read((db) => isUnlisted(db, remote.key, collection)))
    await noteRows(ctx, { kind: 'listing_read', remote: remote.name, collection });
}

/** All live entities of a node that nothing is known of here; false where it did not tell them all. */
async function* toldLive(ctx: SyncContext, allowance: Allowance): AsyncGenerator<string[], boolean> {
  for (let after = ''; allowance.left > 0; ) {
    const query = after === '' ? '' : `?${new URLSearchParams({ after })}`;
    const answer = await ctx.patience.readingMany(
      () => ctx.client.read(`/node/sync/entities${query}`),
      () => 1,
    );
    const page = answer?.status === 200 ? readLiveIds(answer.body) : null;
    if (page === null) return false;
    allowance.left -= Math.max(1, page.ids.length);
    yield* unknownOf(ctx, page.ids);
    if (page.next === null) return true;
    if (page.next <= after) return false;
    after = page.next;
  }
  return false;
}

/**
 * All collections of a remote, where it has the endpoint, which interface.md does not know; else those that it is known to have,
 * and those in which the user of the key holds a role.
 */
async function* collectionPages(ctx: SyncContext, allowance: Allowance, swept: WholeSweep): AsyncGenerator<string[]> {
  const { client, remote, store } = ctx;
  if (remote.collections.length > 0) {
    yield remote.collections;
    return;
  }
  for await (const ids of idPages(client, { path: '/collections/catalog', read: readCatalog }, allowance))
    if (typeof ids === 'string') swept.uncatalogued = true;
    else yield ids;
  if (!swept.uncatalogued) return;
  const known = store.read((db) => knownCollections(db, remote.key));
  yield known;
  yield* usersCollections(ctx, new Set(known), allowance);
}

/** The collections in which the key's user holds a role, but those in `known`. */
export async function* usersCollections(
  ctx: SyncContext,
  known: ReadonlySet<string>,
  allowance: Allowance,
): AsyncGenerator<string[]> {
  const { client, remote, patience } = ctx;
  if (remote.user === null) return noteListing(ctx, null, null);
  const listing = { path: `/users/${remote.user}/collections`, read: readUsersCollections, isCertain: true };
  const asked = `the listing of collections of user ${remote.user}`;
  const pages = idPages(client, listing, allowance);
  const next = () =>
    patience.readingMany(
      () => pages.next(),
      () => 1,
    );
  for (let page = await next(); page?.done !== true; page = await next()) {
    if (page === null) {
      await noteListing(ctx, null, `${client.host} fails at ${asked}`);
      return;
    }
    if (page.value === 'unread') {
      await noteListing(ctx, null, `${client.host} answers what is no listing (to ${asked})`);
      return;
    }
    if (page.value !== 'hidden') yield page.value.filter((id) => !known.has(id));
  }
  await noteListing(ctx, null, null);
}

/** What could not be read is asked for again by itself (ask-again.ts), and does not keep a sweep from its end each time. */
async function* unknownOf(ctx: SyncContext, ids: string[]): AsyncGenerator<string[]> {
  const { store, remote, turns } = ctx;
  const unknown: string[] = [];
  await turns.each(ids, (id) => {
    const isLeft = (db: Reader) => isKnownAt(db, remote.key, id) || isAskedAgain(db, remote.key, id);
    if (!store.read(isLeft)) unknown.push(id);
  });
  const size = batchOf(ctx);
  for (let at = 0; at < unknown.length; at += size) yield unknown.slice(at, at + size);
}

/** Compares the tips of entities with what is `known`, and takes over those that are news. @throws UnreachableError */
export async function compareBatch(
  ctx: SyncContext,
  ids: string[],
  known: Map<string, KnownTip>,
  reset: boolean,
): Promise<Swept> {
  const { tips, views } = await tipsThere(ctx, ids);
  const events: FeedEvent[] = [];
  for (const [id, cid] of tips) {
    const before = known.get(id);
    if (cid !== null && typeof cid !== 'string') {
      if (ctx.store.read((db) => findKnown(db, ctx.remote.key, id)).trouble === null) ctx.report.troubles++;
      await submitWhenFree(ctx.store, [troubleCommit(ctx, { id: 0, entity: id }, cid, reset)], ctx.signal);
    } else if (cid === null) {
      if (before === undefined) continue;
      if (!reset && isBuried(ctx, before)) continue;
      if (!reset) return { held: [], forgotten: id };
      await noteRows(ctx, { kind: 'remote_forgot', remote: ctx.remote.name, id });
    } else if (reset || before?.theirs !== cid || before.trouble !== null) events.push({ id: 0, entity: id, cid });
  }
  const held = events.length > 0 ? await takeOver(ctx, events, { ...(views && { views }), reset }) : [];
  ctx.patience.check();
  return { held, forgotten: null };
}

/** Whether it was deleted there when it was seen last: a service that is no node may tell nothing of what is deleted. */
function isBuried({ store, remote }: SyncContext, { theirs }: KnownTip): boolean {
  if (remote.instance !== null || theirs === null) return false;
  return store.read((db) => findVersion(db, theirs)?.manifest.deleted === true);
}
