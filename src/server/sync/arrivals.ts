import type PQueue from 'p-queue';
import type { LoopTurns } from '../loop/loop-turns.ts';
import type { RecentMap } from '../model/recent-map.ts';
import type { Commit } from '../store/commit.ts';
import type { Reader } from '../store/connection.ts';
import { findTip } from '../store/entities.ts';
import { entityKey } from '../store/entity-keys.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { findKnown, type Remote } from '../store/remotes/remotes.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import { findVersion } from '../store/versions.ts';
import { isDeep, withAncestors } from './ancestors.ts';
import { commitBetween } from './apply.ts';
import { fetchChains, type WantedChain } from './blocks.ts';
import { chainHolds, isVersionOf, loadEntity } from './entity.ts';
import type { FeedEvent } from './feed.ts';
import { completeLong, wholeChain } from './long-chains.ts';
import { type Chain, chainProblem, isUnusable, Room, storedChain, type Unusable, type Verified } from './manifests.ts';
import type { MissingMemory } from './missing-versions.ts';
import { rowsCommit } from './note-rows.ts';
import type { Patience } from './patience.ts';
import type { RemoteClient } from './remote.ts';
import { decideTip } from './remote-tip.ts';
import type { Report } from './report.ts';
import { isOutside, isUnknownUnderFilter } from './scope.ts';
import { isDeletion, type Version } from './state.ts';
import { currentViews } from './tips-there.ts';
import { versionOf } from './version-of.ts';
import { shownVersion, wantedVersion } from './wanted-version.ts';
import type { CurrentView } from './wire.ts';

/** What the node remembers of a remote's feed between runs. */
export interface FeedMemory {
  /** The events of its newest page, by id, in the last run that dealt with all of them; a restart forgets it. */
  recent: ReadonlySet<number>;
  /** What stands before histories that start late here, as far as it was asked for. */
  missing: MissingMemory;
  /** Entities of which the remote has another version by now, while the tip here stayed, and whose bytes have not been compared since. */
  settled: Set<string>;
  /** What was deleted here has been looked for there (deleted-here.ts). */
  deletedMet: boolean;
}

/** What sync works with for one remote on one network. */
export interface SyncContext {
  store: NetworkStore;
  remote: Remote;
  /** The operator's own ids on this network, in whose place the remote's user goes out. */
  self: readonly string[];
  client: RemoteClient;
  /** Ends the run. */
  signal: AbortSignal;
  /** The schema name that current versions are rebuilt with. */
  schema: string;
  now: () => number;
  report: Report;
  turns: LoopTurns;
  /** Whether the remote is a node that gives and takes versions as blocks. */
  blocks: boolean;
  /** The share of what is mirrored that a run changes unasked, 0 to 1. */
  brake: number;
  /** With what it fails at. */
  patience: Patience;
  memory: FeedMemory;
  /**
   * Under a filter, versions that keep entities away, and the newest event that was passed over for the sake of each (0 where
   * it had none).
   */
  passed: RecentMap<string, number>;
  /** Where chains wait that are too long to be held at once, for one after the other. */
  long: PQueue;
}

const attempts = 8;
/** What POST /entities/batch-get takes. */
const plainBatch = 100;

interface Arrival {
  event: FeedEvent;
  chain: Chain | Unusable;
}

export interface TakeOverOptions {
  /** Current versions that have been read already. */
  views?: Map<string, CurrentView>;
  /** The remote was reset. */
  reset?: boolean;
  /** Deletions of what is live here are made, and not held back for the brake. */
  deletes?: boolean;
}

/**
 * Takes over what events name: at most 100 of different entities, all dealt with when it resolves, but for deletions of
 * what is live here, which it gives back, and for what was not asked for any more where `patience` is over.
 */
export async function takeOver(
  ctx: SyncContext,
  events: FeedEvent[],
  options: TakeOverOptions = {},
): Promise<FeedEvent[]> {
  const held: FeedEvent[] = [];
  let left = await gather(ctx, events, options.views);
  for (const arrival of left)
    if (!isUnusable(arrival.chain) && isDeep(arrival.chain)) arrival.chain = await withAncestors(ctx, arrival.chain);
  for (let attempt = 1; left.length > 0; attempt++) {
    left = await applyArrivals(ctx, left, options, held);
    if (attempt === attempts && left.length > 0)
      throw new Error(`${left.length} entities were changed here while they were taken over; the next sync takes them`);
  }
  return held;
}

/** Fetches and verifies, with as few requests as the interface allows. */
async function gather(
  ctx: SyncContext,
  events: FeedEvent[],
  known: Map<string, CurrentView> | undefined,
): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const wanted: FeedEvent[] = [];
  await ctx.turns.each(events, (event) => {
    const chain = chainHere(ctx, event);
    if (chain) arrivals.push({ event, chain });
    else wanted.push(event);
  });
  if (wanted.length === 0) return arrivals;
  const room = new Room();
  if (known) return [...arrivals, ...(await gatherPlain(ctx, wanted, room, known))];
  const { taken, left } = ctx.blocks ? await gatherBlocks(ctx, wanted, room) : { taken: [], left: wanted };
  for (let at = 0; at < left.length && !ctx.patience.isOver; at += plainBatch)
    arrivals.push(...(await gatherPlain(ctx, left.slice(at, at + plainBatch), room)));
  return [...arrivals, ...taken];
}

/** By blocks; `left` did not come whole that way. */
async function gatherBlocks(
  ctx: SyncContext,
  events: FeedEvent[],
  room: Room,
): Promise<{ taken: Arrival[]; left: FeedEvent[] }> {
  const { store, remote, client } = ctx;
  const wants: WantedChain[] = [];
  await ctx.turns.each(events, ({ entity: id, cid }) => {
    const tip = store.look((db) => findTip(db, id));
    const have = tip === undefined ? null : (store.read((db) => findKnown(db, remote.key, id).theirs) ?? tip);
    wants.push({ id, cid, have });
  });
  const isHere = (id: string, cid: string) => store.look((db) => isVersionOf(db, id, cid));
  const fetched = await ctx.patience.readingMany(
    () => fetchChains(client, wants, isHere, ctx.turns, room),
    ({ size }) => size,
  );
  if (fetched === null) return { taken: [], left: events };
  const taken: Arrival[] = [];
  const left: FeedEvent[] = [];
  for (const event of events) {
    if (ctx.patience.isOver) break;
    const found = fetched.get(event.entity);
    if (!found) left.push(event);
    else if (isUnusable(found)) {
      // By the interface it is found out whether it is wanted at all.
      if (!isUnknownUnderFilter(ctx, event.entity)) taken.push({ event, chain: found });
      else if (found.trouble !== 'forbidden') left.push(event);
    } else {
      const version = 'long' in found ? found.long : found.chain;
      if (isOutside(ctx, event.entity, version) || (found.moved && isUnknownUnderFilter(ctx, event.entity))) continue;
      const chain = 'long' in found ? await longChain(ctx, event.entity, found.long) : found.chain;
      taken.push({ event, chain });
    }
  }
  return { taken, left };
}

function longChain(ctx: SyncContext, id: string, tip: Verified): Promise<Chain | Unusable> {
  return ctx.patience.reading(() => completeLong(ctx, id, tip));
}

async function gatherPlain(
  ctx: SyncContext,
  wanted: FeedEvent[],
  room: Room,
  known?: Map<string, CurrentView>,
): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const ids = wanted.map(({ entity }) => entity);
  const views = known ?? (await currentViews(ctx, ids));
  const left: { event: FeedEvent; version: Verified | null }[] = [];
  await ctx.turns.each(wanted, (event) => {
    const version = shownVersion(ctx, event, views.get(event.entity));
    if (version !== 'outside') left.push({ event, version });
  });
  await Promise.all(
    left.map(async ({ event, version }) => {
      const view = views.get(event.entity);
      const arrival = await ctx.patience.reading(() => chainOf(ctx, event, { version, view }, room));
      if (arrival) arrivals.push({ event, chain: arrival });
    }),
  );
  return arrivals;
}

/**
 * The version that an event names, where it is here; null too where that, brought by another remote, would keep the entity away under
 * this one's filter: then it is as with any other version.
 */
function chainHere(ctx: SyncContext, { entity, cid }: FeedEvent): Chain | null {
  const { store } = ctx;
  // Of most of a first mirror nothing is here: one look says so.
  if (store.look((db) => entityKey(db, entity)) === undefined) return null;
  const version = store.read((db) => (isVersionOf(db, entity, cid) ? findVersion(db, cid) : undefined));
  return version && !isOutside(ctx, entity, version) ? storedChain(cid, version.manifest) : null;
}

async function chainOf(
  ctx: SyncContext,
  event: FeedEvent,
  shown: { version: Verified | null; view: CurrentView | undefined },
  room: Room,
): Promise<Chain | Unusable | null> {
  const version = shown.version ?? (await wantedVersion(ctx, event, shown.view));
  return version === null || isUnusable(version) ? version : wholeChain(ctx, event.entity, version, room);
}

/** Decides and commits; gives back those whose tip moved meanwhile. */
async function applyArrivals(
  ctx: SyncContext,
  arrivals: Arrival[],
  options: TakeOverOptions,
  held: FeedEvent[],
): Promise<Arrival[]> {
  const planned: ({ arrival: Arrival } & Plan)[] = [];
  await ctx.turns.each(arrivals, (arrival) => {
    const plan = ctx.store.read((db) => planOf(ctx, db, arrival, options.reset ?? false));
    if (plan?.deletes && !options.deletes) held.push(arrival.event);
    else if (plan) planned.push({ arrival, ...plan });
  });
  const outcomes = await submitWhenFree(
    ctx.store,
    planned.map(({ commit }) => commit),
    ctx.signal,
  );
  const again: Arrival[] = [];
  const refused: Commit[] = [];
  for (const [i, plan] of planned.entries()) {
    const { arrival } = plan;
    const outcome = outcomes[i];
    if (outcome?.committed === false && outcome.refused !== undefined) {
      refused.push(troubleCommit(ctx, arrival.event, { trouble: 'unverifiable', evidence: outcome.refused }));
      ctx.report.troubles += plan.wasTroubled ? 0 : 1;
    } else if (!outcome?.committed) again.push(arrival);
    else {
      count(ctx.report, arrival.chain, plan);
      if (plan.beside) ctx.memory.settled.add(arrival.event.entity);
    }
  }
  if (refused.length > 0) await submitWhenFree(ctx.store, refused, ctx.signal);
  return again;
}

interface Plan {
  commit: Commit;
  /** It cannot be taken over. */
  trouble: boolean;
  /** Nor could it before, and no event has told of it since: that is no news. */
  wasTroubled: boolean;
  /** What is live here would be deleted. */
  deletes: boolean;
  conflict: boolean;
  merged: boolean;
  /** The remote's version is another one, and the tip here stays: no move tells what bytes that one names. */
  beside: boolean;
}

function planOf(ctx: SyncContext, db: Reader, { event, chain }: Arrival, reset: boolean): Plan | null {
  const { remote, now } = ctx;
  const loaded = loadEntity(db, remote.key, event.entity);
  // A sweep has no event to tell by.
  if (event.id > 0 && loaded.known.event >= event.id) return null;
  const wasTroubled = event.id === 0 && loaded.known.trouble !== null;
  const troubled = (why: Unusable): Plan => ({
    commit: troubleCommit(ctx, event, why, reset),
    ...{ trouble: true, wasTroubled, deletes: false, conflict: false, merged: false, beside: false },
  });
  if (isUnusable(chain)) return troubled(chain);
  // Of what is new here the writer looks at each version before it writes it.
  const problem = loaded.state.local === null ? null : chainProblem(chain);
  if (problem !== null) return troubled({ trouble: 'unverifiable', evidence: problem });
  // A request may be under way, and its event is still to come: whoever asks for the tip knows more than this one.
  const { theirs } = loaded.known;
  const isOpen = loaded.state.standing === 'sending' && !reset;
  if (isOpen && theirs !== null && chainHolds(db, theirs, chain.cid, chain.head.ver)) return null;
  const version = versionIn(chain, loaded.state.local === null);
  const { next, chain: taken, merged, ...how } = decideTip(db, loaded, chain, ctx, { version, reset });
  const conflict = next.standing === 'conflict' && loaded.state.standing !== 'conflict';
  return {
    commit: commitBetween(loaded, next, taken, event.id, { remote: remote.name, time: now(), ...how }),
    trouble: false,
    wasTroubled,
    deletes: isDeletion(loaded.state, next),
    conflict,
    merged,
    beside: next.local?.cid === loaded.state.local?.cid && next.theirs?.cid !== loaded.state.theirs?.cid,
  };
}

function count(report: Report, chain: Chain | Unusable, { trouble, wasTroubled, conflict, merged }: Plan): void {
  if (conflict) report.conflicts++;
  if (merged) report.merged++;
  if (trouble || isUnusable(chain)) report.troubles += wasTroubled ? 0 : 1;
  else {
    report.entities++;
    report.versions += chain.blocks.length;
  }
}

/** Where nothing is here yet there is nothing to compare the content with, and hashing it is a good part of the work. */
function versionIn(chain: Chain, alone: boolean): Version {
  const { cid, head } = chain;
  return alone ? { cid, ver: head.ver, content: '', deleted: head.deleted } : versionOf(cid, chain.manifest);
}

/** Why an entity could not be taken over; what a reset remote said before counts no more, also where it cannot be read now. */
export function troubleCommit(
  { remote, now }: Pick<SyncContext, 'remote' | 'now'>,
  event: Pick<FeedEvent, 'id' | 'entity'>,
  { trouble, evidence }: Unusable,
  reset = false,
): Commit {
  const row = {
    kind: 'remote_trouble',
    remote: remote.name,
    id: event.entity,
    event: event.id,
    trouble,
    evidence,
  } as const;
  const forgot = { kind: 'remote_forgot', remote: remote.name, id: event.entity } as const;
  return rowsCommit({ remote, now }, ...(reset ? [forgot, row] : [row]));
}
