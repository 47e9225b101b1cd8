import { cidBytes } from '../blocks/cid.ts';
import type { Block } from '../blocks/encode.ts';
import { section, segmentHead } from '../blocks/segment-car.ts';
import { collectionsOf, type Manifest } from '../model/manifest.ts';
import type { Commit } from '../store/commit.ts';
import type { Reader } from '../store/connection.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import { findVersion, type Version as StoredVersion } from '../store/versions.ts';
import { commitBetween } from './apply.ts';
import { commonVersion, loadEntity } from './entity.ts';
import { recordIntents } from './intents.ts';
import { cardOf } from './introduction.ts';
import { storedChain } from './manifests.ts';
import { namedBytes } from './named-bytes.ts';
import { allNames } from './own-names.ts';
import { readRemoteTip, refuse, settleUnchanged } from './push-answers.ts';
import { wantsFirst } from './push-bytes.ts';
import type { PushContext } from './push-context.ts';
import type { RemoteAnswer } from './remote.ts';
import { DeniedError, FailedAnswerError, LostAnswerError } from './remote-errors.ts';
import { countPushed } from './report.ts';
import { entityStep, type Intent, intentOf, type Version } from './state.ts';
import { type PushedResult, readPushed, readWords } from './wire.ts';

/** A chain from the remote's tip to the one here, which can go out as it is. */
interface Outgoing {
  id: string;
  intent: Intent;
  /** The remote's tip, null for none. */
  expect: string | null;
  /** Where the chain begins that takes the place of the remote's, whose tip says the same. */
  base?: string | null;
  tip: Version;
  /** Oldest first. */
  blocks: Block[];
  /** Of blocks. */
  bytes: number;
  /**
   * A version in it is by somebody else than the key's user: which collection all of it lies in, its own id where that is none, or
   * not one alone; else null.
   */
  foreign: string | null;
}

/** What one request holds at most, and of one entity; longer drafts go out as one change. */
const perRequest = 200;
export const maxBytes = 8 * 1024 * 1024;
const maxVersions = 500;
const maxChainBytes = 4 * 1024 * 1024;

/**
 * Sends what can go out as blocks, so that versions keep their CIDs and authors; gives back the others, and those that the
 * remote did not take that way: the plain interface says why, or finds another way.
 * @throws UnreachableError where the remote does not answer; what was sent until then is recorded
 */
export async function pushBlocks(ctx: PushContext, ids: string[]): Promise<string[]> {
  const left: string[] = [];
  let open: Outgoing[] = [];
  const flush = async () => {
    if (open.length > 0) left.push(...(await send(ctx, open)));
    open = [];
  };
  for (const id of ids) {
    await ctx.turns.next();
    const outgoing = ctx.blocks ? ctx.store.read((db) => outgoingOf(ctx, db, id)) : null;
    if (outgoing === null) {
      left.push(id);
      continue;
    }
    if (open.length === perRequest || bytesOf(open) + outgoing.bytes > ctx.roomThere) await flush();
    open.push(outgoing);
  }
  await flush();
  return left;
}

/**
 * Sends as blocks once more what has not arrived; false where it did not go that way, or something else is there now.
 * @throws FailedAnswerError where that is not answered either: the plain interface would make one version of another author of it
 */
export async function pushAgain(ctx: PushContext, id: string): Promise<boolean> {
  await settleUnchanged(ctx, [id]);
  ctx.lost.delete(id);
  const isThere = (await pushBlocks(ctx, [id])).length === 0;
  const words = ctx.lost.get(id);
  if (words !== undefined && (await readRemoteTip(ctx, id)) === 'same') throw new FailedAnswerError(words);
  return isThere;
}

function outgoingOf(ctx: PushContext, db: Reader, id: string): Outgoing | null {
  const { state } = loadEntity(db, ctx.remote.key, id);
  const intent = intentOf(state);
  const { local, theirs } = state;
  if (local === null || intent === 'none' || intent === 'same' || intent === 'ask') return null;
  ctx.offered.set(id, local.cid);
  // All of the chain would come with it.
  if (intent === 'restore' && ctx.restoring.has(id)) return null;
  const blocks: Block[] = [];
  const there = theirs ? findVersion(db, theirs.cid)?.manifest : undefined;
  const places = new Set(theirs ? [placeIn(there, id)] : []);
  // One that it lacks is taken as it is where it takes it at all.
  const self = there ? allNames(db, ctx, there, there) : ctx.self;
  let isForeign = false;
  let size = 0;
  const floor =
    theirs && intent === 'prefer'
      ? commonVersion(db, local.cid, { cid: theirs.cid, blocks: [], manifests: [] })
      : (theirs?.cid ?? null);
  for (let cid: string | null = local.cid; cid !== floor; ) {
    const version: StoredVersion | undefined = cid === null ? undefined : findVersion(db, cid);
    if (!version || blocks.length === maxVersions || size > maxChainBytes) return null;
    const { manifest, bytes }: StoredVersion = version;
    // Memberships of the account here go out as those of the remote's user, which only the plain interface can say.
    if (manifest.type === 'collection' && manifest.relationships.some(({ peer }) => self.includes(peer))) return null;
    // These bytes have to be there before they are named.
    if (cid === local.cid && namedBytes(manifest).some((named) => wantsFirst(ctx, named))) return null;
    places.add(placeIn(manifest, id));
    isForeign ||= manifest.edited_by.user_id !== ctx.remote.user;
    blocks.push({ cid: version.cid, bytes });
    size += bytes.length;
    cid = manifest.prev;
  }
  const foreign = isForeign ? (places.size === 1 && [...places][0]) || id : null;
  if (foreign !== null && ctx.ownOnly.has(foreign)) return null;
  const base = intent === 'prefer' ? { base: floor } : {};
  const expect = theirs?.cid ?? null;
  return { id, intent, expect, ...base, tip: local, blocks: blocks.reverse(), bytes: size, foreign };
}

/** What says who may bring others' versions of an entity (decisions.md, Authors across nodes). */
function placeIn(manifest: Manifest | undefined, id: string): string {
  return (manifest && collectionsOf(manifest)[0]) ?? id;
}

function bytesOf(outgoing: Outgoing[]): number {
  return outgoing.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** One request; gives back what it did not bring there, or of what nobody knows whether it did. */
async function send(ctx: PushContext, outgoing: Outgoing[]): Promise<string[]> {
  const intended = outgoing.map(({ id, expect, tip }) => ({ id, tip: tip.cid, expect, content: tip.content }));
  await recordIntents(ctx, ...intended);
  const all = outgoing.map(({ id }) => id);
  let answer: RemoteAnswer;
  try {
    answer = await answerTo(ctx, carOf(ctx, outgoing));
  } catch (error) {
    if (error instanceof DeniedError) await settleUnchanged(ctx, all);
    if (!(error instanceof LostAnswerError)) throw error;
    for (const id of all) {
      ctx.lost.set(id, error.message);
      ctx.offered.delete(id);
    }
    return all;
  }
  if (answer.status === 413) return await sendLess(ctx, outgoing);
  const results = answer.status === 200 ? readPushed(answer.body) : null;
  if (results === null) {
    // It does not take them after all.
    ctx.blocks = false;
    return all;
  }
  const { answered, refused, left } = sorted(ctx, outgoing, results);
  for (const { one, words } of refused) await refuse(ctx, one.id, one.tip.cid, 403, words);
  return [...left, ...(await settle(ctx, answered))];
}

/**
 * What the node answers. Another answer than its own may be of what stands before it, or of bytes that were damaged on the way.
 * Where its card is to be had all the while, no blocks pass there; else that is so for a moment, and the plain interface would
 * cost histories and authors.
 * @throws FailedAnswerError where the card is not to be had either
 */
async function answerTo({ client, remote }: PushContext, car: Uint8Array): Promise<RemoteAnswer> {
  const write = () => client.write('POST', '/node/sync/push', car);
  const checkNode = async ({ status, body }: RemoteAnswer) => {
    if ((await cardOf(client, true))?.instance === remote.instance) return;
    const words = readWords(body, status);
    throw new FailedAnswerError(`${client.host} does not take versions, and does not say which node it is: ${words}`);
  };
  const first = await write();
  if (!isStrange(first)) return first;
  await checkNode(first);
  // Once more does no harm.
  const second = await write();
  if (isStrange(second)) await checkNode(second);
  return second;
}

function isStrange({ status, body }: RemoteAnswer): boolean {
  return status !== 413 && (status !== 200 || readPushed(body) === null);
}

/** What stands before the other side, a proxy as a rule, takes less at once. What is too much alone goes out as one change. */
async function sendLess(ctx: PushContext, outgoing: Outgoing[]): Promise<string[]> {
  if (outgoing.length === 1) return outgoing.map(({ id }) => id);
  ctx.roomThere = Math.min(ctx.roomThere, Math.ceil(bytesOf(outgoing) / 2));
  const half = Math.ceil(outgoing.length / 2);
  return [...(await send(ctx, outgoing.slice(0, half))), ...(await send(ctx, outgoing.slice(half)))];
}

function sorted(ctx: PushContext, outgoing: Outgoing[], results: Map<string, PushedResult>) {
  const answered: Outgoing[] = [];
  const refused: { one: Outgoing; words: string }[] = [];
  const left: string[] = [];
  for (const one of outgoing) {
    const result = results.get(one.id);
    // The plain interface has no words for what says the same.
    const isOver = one.intent === 'prefer' && one.base === one.expect && result?.reason !== 'author';
    if (result?.success && result.tip === one.tip.cid) answered.push(one);
    else if (isOver && result?.forbidden !== undefined) refused.push({ one, words: result.forbidden });
    else left.push(one.id);
    if (one.foreign !== null && result?.reason === 'author') ctx.ownOnly.add(one.foreign);
  }
  return { answered, refused, left };
}

function carOf({ instance }: PushContext, outgoing: Outgoing[]): Uint8Array {
  const items = outgoing.map(({ id, expect, base, tip }) => ({
    ...{ id, expect, tip: tip.cid },
    ...(base !== undefined && { base }),
  }));
  const sections = outgoing.flatMap(({ blocks }) => blocks.flatMap(({ cid, bytes }) => section(cidBytes(cid), bytes)));
  return Buffer.concat([segmentHead({ archeion: 'push', version: 1, instance, items }), ...sections]);
}

/** The versions here are the remote's now; gives back those that moved meanwhile. */
async function settle(ctx: PushContext, answered: Outgoing[]): Promise<string[]> {
  const { store, signal } = ctx;
  const planned: { one: Outgoing; commit: Commit }[] = [];
  const left: string[] = [];
  await ctx.turns.each(answered, (one) => {
    const commit = store.read((db) => commitOf(ctx, db, one));
    if (commit) planned.push({ one, commit });
    else left.push(one.id);
  });
  const outcomes = await submitWhenFree(
    store,
    planned.map(({ commit }) => commit),
    signal,
  );
  for (const [i, { one }] of planned.entries())
    if (outcomes[i]?.committed) {
      ctx.settled.add(one.id);
      countPushed(ctx.report, one.intent);
    } else left.push(one.id);
  return left;
}

/** Undefined where the version is not here any more. */
function commitOf({ remote, now }: PushContext, db: Reader, { id, tip }: Outgoing): Commit | undefined {
  const loaded = loadEntity(db, remote.key, id);
  const sent = findVersion(db, tip.cid);
  if (!sent) return undefined;
  const chain = storedChain(sent.cid, sent.manifest);
  const next = entityStep(loaded.state, { kind: 'answered', version: tip, sent: tip.cid });
  return commitBetween(loaded, next, chain, null, { remote: remote.name, time: now() });
}
