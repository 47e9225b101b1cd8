import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import { isDeep, withAncestors } from './ancestors.ts';
import { commitBetween } from './apply.ts';
import { type Decision, decide } from './decide.ts';
import { type Loaded, loadEntity } from './entity.ts';
import { checkKey } from './key-check.ts';
import { wholeChain } from './long-chains.ts';
import { type Chain, fetchVersion, isUnusable, type Unusable } from './manifests.ts';
import { noteRows } from './note-rows.ts';
import type { PushContext } from './push-context.ts';
import type { PushRequest } from './push-request.ts';
import type { RemoteAnswer } from './remote.ts';
import { checkMeant, checkSaid, FailedAnswerError } from './remote-errors.ts';
import { decideTip } from './remote-tip.ts';
import { isDeletion } from './state.ts';
import { versionOf } from './version-of.ts';
import { isInvalid, readTip, readWords, readWritten } from './wire.ts';

/** What is next of an entity that something was sent of: nothing more in this run, or it is looked at again at once. */
export type Next = 'done' | 'again';

interface Written {
  /** What was expected to be the tip; null for a creation. */
  expect: string | null;
  /** The version here that says what the one that was made does, null for none. */
  says: (made: Manifest) => string | null;
}

/**
 * The version that a write made, fetched and hashed; its CID, null where it is not what it should be, `moved` where it does
 * not stand over the tip that was expected: not every request can name one. Then what stands between is news.
 */
export async function takeAnswer(
  ctx: PushContext,
  id: string,
  answer: RemoteAnswer,
  { expect, says }: Written,
): Promise<{ cid: string } | 'moved' | null> {
  const written = writtenBy(answer, id);
  if (written === null) return null;
  const chain = await fetchChain(ctx, id, written.cid);
  if (isUnusable(chain)) return null;
  const sent = says(chain.manifest);
  const version = versionOf(chain.cid, chain.manifest);
  if (chain.cid !== expect && chain.head.prev !== expect) {
    await settle(ctx, chain, (db, loaded) => decideTip(db, loaded, chain, ctx, { version }));
    return 'moved';
  }
  await settle(ctx, chain, (db, { state }) => decide(db, state, { kind: 'answered', version, sent }, chain, ctx));
  return { cid: chain.cid };
}

/** The version that an answer names as this entity's. */
function writtenBy({ body }: RemoteAnswer, id: string): { cid: string } | null {
  const written = readWritten(body);
  return written === null || (written.id !== undefined && written.id !== id) ? null : written;
}

async function fetchChain(ctx: PushContext, id: string, cid: string): Promise<Chain | Unusable> {
  const version = await fetchVersion(ctx.client, cid);
  if (isUnusable(version)) return version;
  const chain = await wholeChain(ctx, id, version);
  return !isUnusable(chain) && isDeep(chain) ? withAncestors(ctx, chain) : chain;
}

/**
 * Reads the remote's tip and settles what is here with it: `same` where it has none, or still the one that is known;
 * `unknown` where it cannot be read, which is recorded, or named at the end of the run where nothing was known there; `held`
 * where what is live here would be deleted: that waits for the brake's word, as in a pull.
 * @throws FailedAnswerError where the remote does not tell it, KeyRefusedError
 */
export async function readRemoteTip(ctx: PushContext, id: string): Promise<'same' | 'settled' | 'unknown' | 'held'> {
  const answer = await ctx.client.read(`/entities/${id}/tip`);
  checkMeant(ctx.client.host, answer);
  const { status, body } = answer;
  const tip = status === 200 ? readTip(body) : null;
  const loaded = ctx.store.read((db) => loadEntity(db, ctx.remote.key, id));
  const { state } = loaded;
  if (tip === null && status !== 404) {
    checkKey(ctx.client, answer, 'does not tell tips');
    // What is not told of one entity says nothing of others.
    throw new FailedAnswerError(`${ctx.client.host} does not tell tips: ${readWords(body, status)}`);
  }
  if (tip === null || tip === state.theirs?.cid) return 'same';
  const chain = await fetchChain(ctx, id, tip);
  if (isUnusable(chain)) {
    await noteUnread(ctx, id, loaded, chain);
    return 'unknown';
  }
  const version = versionOf(chain.cid, chain.manifest);
  const before = state.standing;
  const decided = (db: Reader, loaded: Loaded) => decideTip(db, loaded, chain, ctx, { version });
  const deletes = ctx.store.read((db) => {
    const loaded = loadEntity(db, ctx.remote.key, id);
    return isDeletion(loaded.state, decided(db, loaded).next);
  });
  if (deletes) {
    ctx.buried.push({ id: 0, entity: id, cid: tip });
    return 'held';
  }
  const standing = await settle(ctx, chain, decided);
  if (standing === 'conflict' && before !== 'conflict') ctx.report.conflicts++;
  return 'settled';
}

/** A tip that cannot be read. Of what is not known there nothing else tells, but where the feed names it. */
async function noteUnread(ctx: PushContext, id: string, { state, known }: Loaded, why: Unusable): Promise<void> {
  if (state.theirs !== null) {
    await noteRows(ctx, { kind: 'remote_trouble', remote: ctx.remote.name, id, event: 0, ...why });
    if (known.trouble === null) ctx.report.troubles++;
  } else if (known.trouble === null)
    ctx.failing.set(id, `${ctx.client.host} has it already, by a version that cannot be taken over: ${why.evidence}`);
}

/** Whether a remote has an entity that it was not known to have, and what that makes of it is settled or waits. */
export async function isMet(ctx: PushContext, id: string): Promise<boolean> {
  const found = await readRemoteTip(ctx, id);
  return found === 'settled' || found === 'held';
}

/** Commits what is decided of an entity, anew where the tip here moved meanwhile; how it then stands. */
export async function settle(ctx: PushContext, chain: Chain, decided: (db: Reader, loaded: Loaded) => Decision) {
  const { store, remote, now } = ctx;
  for (;;) {
    const { loaded, decision } = store.read((db) => {
      const found = loadEntity(db, remote.key, chain.head.id);
      return { loaded: found, decision: decided(db, found) };
    });
    const { next, chain: taken, merged: _, ...how } = decision;
    const commit = commitBetween(loaded, next, taken, null, { remote: remote.name, time: now(), ...how });
    const [outcome] = await submitWhenFree(store, [commit], ctx.signal);
    if (outcome?.committed) {
      ctx.settled.add(chain.head.id);
      ctx.failing.delete(chain.head.id);
      if (decision.merged) ctx.report.merged++;
      return decision.next.standing;
    }
    if (outcome?.refused !== undefined) throw new Error(outcome.refused);
  }
}

/**
 * Where the tip there was another one than was expected: what was merged with it goes out at once.
 * @throws FailedAnswerError where it tells no other one
 */
export function nextOfTip({ client }: PushContext, found: Awaited<ReturnType<typeof readRemoteTip>>): Next {
  if (found === 'same') throw new FailedAnswerError(`${client.host} answered 409 and has no other tip than before`);
  return found === 'settled' ? 'again' : 'done';
}

const unverified = 'it answered with another entity, or with nothing that can be verified';

/**
 * A request was answered with what cannot be verified: the remote's tip says what became of it. While that cannot be read the
 * request stays open, so that it is known for what it may have made; where nothing has changed there it is refused, but what the
 * answer names may be shown a moment later, tip and all: then the next run says so.
 * @param sent the version here that was sent
 */
export async function lookAfter(
  ctx: PushContext,
  id: string,
  answer: RemoteAnswer,
  { expect, sent }: { expect: string | null; sent: string },
): Promise<Next> {
  const found = await readRemoteTip(ctx, id);
  if (found !== 'same') return found === 'settled' ? 'again' : 'done';
  const written = writtenBy(answer, id);
  checkSaid(ctx.client.host, answer);
  if (written === null || written.cid === expect) return refuse(ctx, id, sent, answer.status, unverified);
  ctx.unshown.add(id);
  await noteRows(ctx, { kind: 'push_answered', remote: ctx.remote.name, id, status: answer.status });
  return 'done';
}

/**
 * The tip there has been read and is what it was: where a request for the version here was answered by an earlier run, it is refused
 * now. True where nothing is to be sent in this run.
 */
export async function isUnshown(ctx: PushContext, id: string, { state, known }: Loaded): Promise<boolean> {
  const { intent } = known;
  if (intent === null || intent.answered === null) return false;
  if (ctx.unshown.has(id)) return true;
  // What was edited since is sent, over the tip that it is.
  if (intent.tip !== state.local?.cid) return false;
  await refuse(ctx, id, intent.tip, intent.answered, unverified);
  return true;
}

/** The remote did not take a version, and said why: it waits until the entity is edited (SPEC.md, P4). */
export async function refuse(
  ctx: PushContext,
  id: string,
  tip: string,
  status: number,
  words: string,
): Promise<'done'> {
  await noteRows(ctx, { kind: 'push_refusal', remote: ctx.remote.name, id, tip, status, words, request: true });
  ctx.failing.delete(id);
  ctx.report.refused++;
  return 'done';
}

/** As `refuse`, as an answer says, after what was `left` out. @throws FailedAnswerError where it is none of the remote's own */
export async function refuseAs(
  ctx: PushContext,
  id: string,
  tip: string,
  answer: RemoteAnswer,
  left: readonly string[] = [],
): Promise<'done'> {
  checkMeant(ctx.client.host, answer);
  return refuse(ctx, id, tip, answer.status, [...left, readWords(answer.body, answer.status)].join('; '));
}

/**
 * Why a request is left out, in words, where the remote does not find it valid and all else goes without it; null where it is not.
 * @throws FailedAnswerError where the answer is none of the remote's own
 */
export async function leftOut(
  ctx: PushContext,
  id: string,
  { stays }: PushRequest,
  answer: RemoteAnswer,
): Promise<string | null> {
  if (stays === undefined || !isInvalid(answer.status)) return null;
  checkMeant(ctx.client.host, answer);
  await settleUnchanged(ctx, [id]);
  return `${readWords(answer.body, answer.status)}. ${stays}`;
}

/** Nothing was done there: the requests that were recorded are settled. */
export async function settleUnchanged(ctx: PushContext, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({ kind: 'push_void', remote: ctx.remote.name, id }) as const);
  await noteRows(ctx, ...rows);
}
