import PQueue from 'p-queue';
import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { contentHash } from '../store/content-hash.ts';
import { isTipAtAnother, isTipElsewhere } from '../store/remotes/pending.ts';
import { contentStates } from '../store/remotes/remote-content.ts';
import { lackingPeers, type PendingRow, peersInDoubt, type Remote } from '../store/remotes/remotes.ts';
import { findVersion, lastLive } from '../store/versions.ts';
import { alteredIn, alteredWords } from './altered.ts';
import { agreement, braked, stopAtReset } from './brake.ts';
import { syncContent } from './content-sync.ts';
import { decide } from './decide.ts';
import { isNewThere } from './deleted-here.ts';
import { type Loaded, loadEntity } from './entity.ts';
import { refusedHalfWay } from './half-way.ts';
import { recordIntents } from './intents.ts';
import { lastEdits } from './last-edits.ts';
import { storedChain } from './manifests.ts';
import type { NamedBytes } from './named-bytes.ts';
import { allNames } from './own-names.ts';
import {
  isMet,
  isUnshown,
  leftOut,
  lookAfter,
  type Next,
  nextOfTip,
  readRemoteTip,
  refuse,
  refuseAs,
  settle,
  settleUnchanged,
  takeAnswer,
} from './push-answers.ts';
import { pushAgain, pushBlocks } from './push-blocks.ts';
import { type Delivered, deliver, wantsFirst } from './push-bytes.ts';
import type { PushContext } from './push-context.ts';
import { noteMark } from './push-mark.ts';
import { isClaim, isLink } from './push-obstacles.ts';
import { allPending } from './push-pending.ts';
import { placesOfUnsent, roundsOf, settableRoots } from './push-rounds.ts';
import type { RemoteAnswer } from './remote.ts';
import { checkMeant, DeniedError, isFailure } from './remote-errors.ts';
import { decideTip } from './remote-tip.ts';
import { countPushed, pushedSoFar } from './report.ts';
import { requestsFor } from './requests.ts';
import { noteThere } from './send-bytes.ts';
import { type EntityEvent, type Intent, intentOf, outranks, type Version } from './state.ts';
import { asTakenThere, verifiedHereWords } from './verified-here.ts';
import { versionOf } from './version-of.ts';
import { isInvalid } from './wire.ts';
import { bytesAhead, looseHash, withBytes, withhold, withoutNewLinks, withTypesThere } from './withheld.ts';

/** Entities that are sent at once by the plain interface. */
const concurrency = 8;

/**
 * Sends what differs, unless it is too much to send unasked: collections first, then what others point at, then changes, then deletions (SPEC.md, P1).
 * @param accept somebody has agreed to whatever it changes
 * @throws UnreachableError where the remote does not answer; what was sent until then is recorded
 */
export async function push(ctx: PushContext, { accept }: { accept: boolean }): Promise<void> {
  const pending = await allPending(ctx);
  const changes = pending.filter(({ known, same, held }) => known && !same && !held).length;
  // A remote that was added again may have what is not known from there yet.
  const unmet = isNewThere(ctx) ? pending.filter(({ known, deleted }) => !known && !deleted).length : 0;
  const of = accept ? null : await braked(ctx, changes, unmet);
  if (of !== null) {
    ctx.report.stopped = `${changes} of ${of} entities of ${ctx.client.host} would be changed there. Nothing was sent. ${agreement(ctx.remote.name)}`;
    ctx.report.stop = { kind: 'changes', count: changes, of };
    return;
  }
  // Very much may be refused, and each run comes by it: it is looked at only where something has come there since.
  const refused = new Set(pending.filter((row) => row.refused).map(({ id }) => id));
  const rows = pending.filter(({ id }) => !refused.has(id));
  if (rows.length === 0) return;
  await pushRows(ctx, rows, refused);
  while (await pushFreed(ctx, refused));
}

/** Sends what was refused and may be taken by now. @returns whether there was any such thing, and more may follow */
async function pushFreed(ctx: PushContext, refused: Set<string>): Promise<boolean> {
  if (ctx.report.stopped !== null || refused.size === 0) return false;
  const freed = (await allPending(ctx)).filter((row) => !row.refused && refused.delete(row.id));
  if (freed.length > 0) await pushRows(ctx, freed, refused);
  return freed.length > 0 && ctx.report.stopped === null;
}

/** Sends what waits, round by round. */
async function pushRows(ctx: PushContext, pending: PendingRow[], refused: Set<string>): Promise<void> {
  let vouched = pushedSoFar(ctx.report);
  const mark = async () => {
    vouched = pushedSoFar(ctx.report);
    const reason = await noteMark(ctx);
    if (reason !== null) stopAtReset(ctx, `${reason}. No more was sent`);
  };
  const pushRounds = async (rounds: string[][]) => {
    for (const round of rounds)
      for (let at = 0; at < round.length; ) {
        const part = round.slice(at, at + marked - (pushedSoFar(ctx.report) - vouched));
        await pushRound(ctx, part);
        at += part.length;
        if (pushedSoFar(ctx.report) - vouched >= marked) await mark();
        if (ctx.report.stopped !== null) return;
      }
  };
  const { restoring, first, last, taking } = await roundsOf(ctx, pending);
  ctx.linking = false;
  for (const id of restoring) ctx.restoring.add(id);
  await pushRounds(first);
  if (ctx.report.stopped !== null) return;
  // Every folder is out of where it was: now they go where they are to be.
  const moved = [...ctx.unlinked];
  ctx.unlinked.clear();
  ctx.linking = true;
  await pushRound(ctx, moved);
  if (last.length > 0) {
    // What may be taken by now may need the rights that go with these.
    while (await pushFreed(ctx, refused));
    if (ctx.report.stopped !== null) return;
    // To a node versions go without their bytes, which need the same rights.
    ctx.patience.anew();
    await syncContent(ctx, { sends: true });
    ctx.patience.anew();
    ctx.restoring.clear();
    for (const round of last) {
      const needed = await placesOfUnsent(ctx);
      for (const id of round) if (taking.has(id) && needed.has(id)) ctx.waiting.add(id);
      await pushRounds([round.filter((id) => !ctx.waiting.has(id))]);
      if (ctx.report.stopped !== null) return;
    }
  }
  if (pushedSoFar(ctx.report) > vouched) await mark();
}

/** So many entities at most were brought there since the mark that vouches for them. */
const marked = 500;

async function pushRound(ctx: PushContext, round: string[]): Promise<void> {
  const queue = new PQueue({ concurrency });
  const sending = (await pushBlocks(ctx, round)).map((id) => queue.add(() => pushOne(ctx, id)));
  try {
    await Promise.all(sending);
  } finally {
    queue.clear();
    await queue.onIdle();
  }
}

/** A remote that fails at one entity is no reason to hold back the others. @throws what is no such failure */
function noteFailing({ failing }: PushContext, id: string, error: unknown): void {
  if (!isFailure(error)) throw error;
  failing.set(id, error.message);
}

/** What became of a request that was recorded is not known, or that nothing did. @throws what is no failure at this entity */
async function noteUnanswered(ctx: PushContext, id: string, error: unknown): Promise<void> {
  if (error instanceof DeniedError) await settleUnchanged(ctx, [id]);
  noteFailing(ctx, id, error);
}

/** Brings one entity to the remote, as far as that does not fail at it. @throws UnreachableError where it fails at everything */
async function pushOne(ctx: PushContext, id: string): Promise<void> {
  let answered = false;
  try {
    answered = await pushEntity(ctx, id);
  } catch (error) {
    noteFailing(ctx, id, error);
  }
  const words = ctx.failing.get(id);
  if (words !== undefined) await ctx.patience.failed(words);
  else if (answered) ctx.patience.worked();
}

const attempts = 8;

/**
 * Brings one entity to the remote, or finds out why not; edits made meanwhile wait for the next run. Says whether the remote was
 * asked for anything.
 */
async function pushEntity(ctx: PushContext, id: string): Promise<boolean> {
  let asked = false;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const loaded = ctx.store.read((db) => loadEntity(db, ctx.remote.key, id));
    // Once the tip has been read and is what it was, the request did not arrive.
    const state =
      asked && loaded.state.standing === 'sending' ? { ...loaded.state, standing: 'quiet' as const } : loaded.state;
    const intent = intentOf(state);
    switch (intent) {
      case 'none':
        // A creation that did not arrive of what is deleted here by now.
        if (asked) await settleUnchanged(ctx, [id]);
        return asked;
      case 'same':
        await settleSame(ctx, loaded);
        return asked;
      case 'ask': {
        const found = await readRemoteTip(ctx, id);
        if (found === 'same' ? await isUnshown(ctx, id, loaded) : found !== 'settled') return true;
        asked = true;
        break;
      }
      default: {
        const tip = state.local?.cid ?? '';
        // What has not arrived, or was edited or settled since it was looked at, keeps its versions and their authors as blocks alone.
        if (ctx.blocks && ctx.offered.get(id) !== tip) {
          asked = false;
          if (await pushAgain(ctx, id)) return true;
          break;
        }
        if (intent === 'prefer') {
          await adoptTheirs(ctx, loaded, tip);
          return asked;
        }
        const next = await send(ctx, { ...loaded, state }, intent);
        if (next === 'done') return true;
        asked = false;
      }
    }
  }
  return true;
}

/** Both sides say the same: the remote's tip is taken (decisions.md, Equal content). */
async function settleSame(ctx: PushContext, { state }: Loaded): Promise<void> {
  const theirs = state.theirs;
  const stored = theirs && ctx.store.read((db) => findVersion(db, theirs.cid));
  if (!stored) return;
  const chain = storedChain(stored.cid, stored.manifest);
  const version = versionOf(chain.cid, chain.manifest);
  await settle(ctx, chain, (db, known) => decideTip(db, known, chain, ctx, { version }));
}

/** Sends an intent's requests. @throws UnreachableError */
async function send(
  ctx: PushContext,
  loaded: Loaded,
  intent: Exclude<Intent, 'none' | 'same' | 'ask' | 'prefer'>,
): Promise<Next> {
  const { store, remote } = ctx;
  const sent = loaded.state.local?.cid ?? '';
  const found = store.read((db) => {
    const local = findVersion(db, sent);
    const theirs = loaded.state.theirs && findVersion(db, loaded.state.theirs.cid);
    return (
      local && {
        local: local.manifest,
        theirs: theirs?.manifest ?? null,
        last: intent === 'delete' ? lastEdits(db, local.entity, loaded.state) : null,
        buried: theirs?.manifest.deleted ? (lastLive(db, theirs.manifest)?.manifest ?? null) : null,
        lacking: new Set(lackingPeers(db, remote.key, local.entity)),
        inDoubt: new Set(peersInDoubt(db, remote.key, local.entity)),
        settable: new Set(settableRoots(db, remote.key, local.manifest)),
        states: contentStates(db, remote.key, local.entity),
        self: allNames(db, ctx, local.manifest, theirs?.manifest ?? null),
      }
    );
  });
  if (!found) return 'done';
  const { local, theirs, states } = found;
  const wants = (named: NamedBytes) => wantsFirst(ctx, named);
  const ahead = bytesAhead({ local, theirs, states, files: ctx.files, wants });
  const facts = { ...found, user: remote.user, now: ctx.now() };
  const { id } = local;
  const waits = ctx.unlinked.has(id);
  const sayable = asTakenThere(local, theirs);
  const isHeld = sayable !== local;
  const said = ahead.length > 0 ? withTypesThere(withhold(sayable, theirs, ahead), theirs) : sayable;
  const last = found.last && withoutNewLinks(asTakenThere(found.last, theirs), theirs);
  const plan = requestsFor(intent, { ...facts, last, local: waits ? withoutNewLinks(said, theirs) : said });
  const { requests } = plan;
  const whole = plan.whole && ahead.length === 0 && !waits && !isHeld;
  let expect = loaded.state.theirs?.cid ?? null;
  if (requests.length === 0 && waits) return 'done';
  if (requests.length === 0 && ahead.length > 0) return bring(ctx, { local, sent, ahead });
  if (requests.length === 0 && isHeld) return refuse(ctx, id, sent, 400, verifiedHereWords(local, theirs));
  if (requests.length === 0 || saysSame(ctx, local, theirs)) return adoptTheirs(ctx, loaded, sent);
  const half = await refusedHalfWay(ctx, requests);
  if (half !== null) return refuse(ctx, id, sent, 403, half);
  const staying: string[] = [];
  for (const [i, request] of requests.entries()) {
    await recordIntents(ctx, { id, tip: sent, expect, content: request.makes ?? '' });
    let answer: RemoteAnswer;
    try {
      answer = await ctx.client.write(request.method, request.path, request.body(expect ?? ''));
    } catch (error) {
      await noteUnanswered(ctx, id, error);
      return 'again';
    }
    if (answer.status === 409) return nextOfTip(ctx, await readRemoteTip(ctx, id));
    // An id that is there already: a 409 for entities, for collections it is invalid.
    if (intent === 'create' && isInvalid(answer.status) && (await isMet(ctx, id))) return 'done';
    if (isClaim(ctx, local, answer)) {
      ctx.bytesFirst.add(id);
      await settleUnchanged(ctx, [id]);
      return 'again';
    }
    if (isLink(ctx, { local, theirs }, answer)) {
      ctx.unlinked.add(id);
      await settleUnchanged(ctx, [id]);
      return 'again';
    }
    const left = await leftOut(ctx, id, request, answer);
    if (left !== null) {
      staying.push(left);
      continue;
    }
    if (answer.status >= 400 && request.mayFail) {
      checkMeant(ctx.client.host, answer);
      await settleUnchanged(ctx, [id]);
      continue;
    }
    if (answer.status >= 400) return refuseAs(ctx, id, sent, answer, staying);
    const isWhole = whole && staying.length === 0 && i === requests.length - 1;
    // A node takes what it is sent as it is.
    const mayAlter = isWhole && remote.instance === null && (intent === 'create' || intent === 'update');
    let altered: string[] = [];
    const says = (made: Manifest) => {
      if (mayAlter) altered = alteredIn({ before: theirs, sent: local, made });
      return isWhole && altered.length === 0 ? sent : null;
    };
    const taken = await takeAnswer(ctx, id, answer, { expect, says });
    if (taken === null) return lookAfter(ctx, id, answer, { expect, sent });
    if (taken === 'moved') return 'again';
    if (altered.length > 0) return refuse(ctx, id, sent, answer.status, alteredWords(altered));
    expect = taken.cid;
  }
  if (staying.length > 0) return refuse(ctx, id, sent, 400, staying.join('; '));
  countPushed(ctx.report, intent);
  if (intent === 'restore' && ctx.restoring.has(id)) return 'done';
  // A restore brings back what was deleted; what was edited after it goes out next, and so do bytes and their names.
  return waits || (intent !== 'restore' && ahead.length === 0 && !isHeld) ? 'done' : 'again';
}

/** A plain remote sets by itself when content came to it: that is no difference. */
function saysSame({ remote }: PushContext, local: Manifest, theirs: Manifest | null): boolean {
  return remote.instance === null && theirs !== null && !local.deleted && looseHash(local) === looseHash(theirs);
}

interface Ahead {
  local: Manifest;
  sent: string;
  ahead: NamedBytes[];
}

/** Brings the bytes that the remote wants first; what they belong to is looked at again then. */
async function bring(ctx: PushContext, { local, sent, ahead }: Ahead): Promise<Next> {
  const { id } = local;
  for (const named of ahead) {
    const { state } = ctx.store.read((db) => loadEntity(db, ctx.remote.key, id));
    const theirs = state.theirs && ctx.store.read((db) => findVersion(db, state.theirs?.cid ?? ''));
    if (!theirs || state.standing === 'conflict') return 'again';
    const makes = looseHash(withBytes(theirs.manifest, local, named));
    const record = () => recordIntents(ctx, { id, tip: sent, expect: theirs.cid, content: makes });
    let done: Delivered;
    try {
      done = await deliver(ctx, { named, local, expect: theirs.cid }, record);
    } catch (error) {
      await noteUnanswered(ctx, id, error);
      return 'again';
    }
    if (done === 'there') continue;
    if ('refused' in done) {
      const which = named.key === null ? 'The bytes of the file' : `The content ${JSON.stringify(named.key)}`;
      return refuse(ctx, id, sent, done.refused.status, `${which}: ${done.refused.words}`);
    }
    const { answer } = done;
    if (answer.status === 409) return nextOfTip(ctx, await readRemoteTip(ctx, id));
    const isWhole = (theirs: Manifest) => contentHash(theirs) === contentHash(local) || saysSame(ctx, local, theirs);
    const says = (manifest: Manifest) => (isWhole(manifest) ? sent : null);
    const taken = await takeAnswer(ctx, id, answer, { expect: theirs.cid, says });
    if (taken === null) return lookAfter(ctx, id, answer, { expect: theirs.cid, sent });
    await noteThere(ctx, named);
    // What stood between is news: more is not sent over it before it has been looked at.
    if (taken === 'moved') return 'again';
  }
  return 'again';
}

/**
 * What differs is nothing that a request could say: the remote's version stands for both, unless another remote keeps to the one
 * here; to go from one to the other would never end. A node that did not take the one that nodes keep does so too. Where it has
 * that one itself, nothing goes back and forth: the next one can but be another that comes after.
 */
async function adoptTheirs(ctx: PushContext, { state }: Loaded, sent: string): Promise<'done'> {
  const theirs = state.theirs;
  const version = theirs && ctx.store.read((db) => findVersion(db, theirs.cid));
  if (!theirs || !version) return 'done';
  const chain = storedChain(version.cid, version.manifest);
  await settle(ctx, chain, (db, { state: now }) => {
    const isApart = now.local?.cid === sent && keepsApart(db, ctx.remote, chain.head.id, [now.local, theirs]);
    const event: EntityEvent = isApart ? { kind: 'apart' } : { kind: 'answered', version: theirs, sent };
    return decide(db, now, event, chain, ctx);
  });
  return 'done';
}

function keepsApart(db: Reader, { key, instance }: Remote, id: string, [ours, theirs]: [Version, Version]): boolean {
  return isTipElsewhere(db, key, id) || (instance !== null && outranks(ours, theirs) && isTipAtAnother(db, key, id));
}
