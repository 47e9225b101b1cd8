import { mergeThreeWay, type Side } from '../../../src/server/model/three-way.ts';
import { type FeedEvent, feedStep, type Interval, isOpen, startFeed } from '../../../src/server/sync/feed.ts';
import {
  type EntityEvent,
  type EntityState,
  entityStep,
  intentOf,
  outranks,
  type Relation,
  type Version,
} from '../../../src/server/sync/state.ts';
import { unrelated } from '../unrelated.ts';
import { ask, Lost, type Work } from './network.ts';
import {
  cidOf,
  contentOf,
  type ModelNode,
  type ModelVersion,
  nothing,
  type Server,
  type WriteAnswer,
} from './world.ts';

// The engine's pull, push and sweep over model nodes: everything that is decided is the engine's own (state.ts, feed.ts),
// everything that is done is done here, with a place to be killed or failed wherever the engine asks or commits.

/** A version that was fetched, with those below it that were not here, oldest first. */
interface Chain {
  tip: ModelVersion;
  blocks: ModelVersion[];
}

/** One run, as the engine does it: pull, then push. What it cannot finish is left to the next. */
export function* syncOnce(node: ModelNode, server: Server): Work {
  try {
    const instance = yield* ask({ run: () => server.instance, refuse: lost });
    const mirror = node.mirror(server);
    if (mirror.instance === undefined) mirror.instance = instance;
    const another = mirror.instance !== instance;
    if (mirror.pulls && (another || (yield* pull(node, server)))) yield* sweep(node, server, true);
    mirror.instance = instance;
    yield* push(node, server);
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
  }
}

/** True where the feed was reset: nothing is taken over. */
function* pull(node: ModelNode, server: Server): Work<boolean> {
  const mirror = node.mirror(server);
  let feed = startFeed([...mirror.seen]);
  while (isOpen(feed)) {
    const page = yield* ask({
      run: () => server.events(feed.cursor, feed.phase === 'checking' ? 1 : 3),
      refuse: () => {
        throw new Lost();
      },
    });
    const step = feedStep(feed, page);
    feed = step.state;
    if (feed.phase === 'reset') return true;
    const newest = new Map<string, FeedEvent>();
    for (const event of step.events) if (!newest.has(event.entity)) newest.set(event.entity, event);
    for (const event of newest.values())
      if ((mirror.entities.get(event.entity)?.event ?? 0) < event.id)
        yield* takeOver(node, server, event.entity, event.cid, event.id, false);
    yield null;
    for (const interval of [step.covered, ...step.lost]) if (interval) mirror.seen = united(mirror.seen, interval);
    // What left the feed before it was seen is looked for entity by entity.
    if (step.lost.length > 0) yield* sweep(node, server, false);
  }
  // What could not be read is asked for again now and then.
  if (mirror.pulled++ % 2 === 1) yield* askAgain(node, server);
  return false;
}

function* askAgain(node: ModelNode, server: Server): Work {
  for (const [entity, { standing }] of [...node.mirror(server).entities]) {
    if (standing !== 'unreadable') continue;
    const tip = yield* ask({ run: () => server.tips.get(entity) ?? null, refuse: lost });
    if (tip !== null) yield* takeOver(node, server, entity, tip, 0, false);
  }
}

function united(seen: Interval[], interval: Interval): Interval[] {
  const result: Interval[] = [];
  let own = interval;
  for (const it of seen) {
    const touches = it.first <= own.last + 1 && own.first <= it.last + 1;
    if (!touches || it.lost !== own.lost) result.push(it);
    else {
      const last = it.last > own.last ? it : own;
      own = { first: Math.min(it.first, own.first), last: last.last, cid: last.cid, lost: own.lost };
    }
  }
  return [...result, own].toSorted((a, b) => a.first - b.first);
}

/** Compares every tip; `reset`: the remote may have forgotten what it had, and begins a new feed. */
function* sweep(node: ModelNode, server: Server, noticed: boolean): Work {
  const head = yield* ask({ run: () => server.events(null, 1).events[0], refuse: lost });
  const tips = yield* ask({ run: () => new Map(server.tips), refuse: lost });
  const mirror = node.mirror(server);
  // Nothing is ever taken from a remote but by a reset: what is deleted keeps a tip.
  const reset = noticed || [...mirror.entities].some(([entity, { theirs }]) => theirs && !tips.has(entity));
  for (const [entity, cid] of tips) {
    const known = mirror.entities.get(entity);
    if (reset || cid !== known?.theirs?.cid || known.standing === 'unreadable')
      yield* takeOver(node, server, entity, cid, 0, reset);
  }
  yield null;
  for (const [entity, known] of mirror.entities)
    if ((known.theirs || known.standing === 'unreadable') && !tips.has(entity))
      commit(node, server, entity, { kind: 'gone' }, null, 0);
  if (head) mirror.seen = [{ first: 1, last: head.id, cid: head.cid, lost: false }];
  for (const known of mirror.entities.values()) if (reset) known.event = Math.min(known.event, head?.id ?? 0);
}

/** A sweep by itself, as a schedule starts it. */
export function* sweepAll(node: ModelNode, server: Server): Work {
  if (node.mirror(server).pulls) yield* sweep(node, server, false);
}

function lost(): never {
  throw new Lost();
}

function* takeOver(node: ModelNode, server: Server, entity: string, cid: string, event: number, reset: boolean): Work {
  const chain = yield* fetchChain(node, server, entity, cid);
  yield null;
  if (chain === null) {
    // What a reset remote said before counts no more, also where it cannot be read now.
    if (reset) commit(node, server, entity, { kind: 'gone' }, null, event);
    commit(node, server, entity, { kind: 'unreadable' }, null, event);
    return;
  }
  if ((node.mirror(server).entities.get(entity)?.event ?? 0) >= event && event > 0) return;
  // What may be under way is asked for, and not told by an old event.
  const { standing, theirs } = node.state(server, entity);
  if (!reset && standing === 'sending' && ancestors(theirs?.cid ?? null, (it) => node.versions.get(it)).includes(cid))
    return;
  takeTip(node, server, chain, { reset, event });
}

/** What a tip that was read makes of its entity: an answer that was lost first (remote-tip.ts), and what stands above it. */
function takeTip(node: ModelNode, server: Server, chain: Chain, { reset = false, event = null as number | null } = {}) {
  const { entity } = chain.tip;
  const answer = reset ? null : lostAnswer(node, server, chain);
  if (answer) commit(node, server, entity, answer, { tip: answer.version, blocks: chain.blocks }, event);
  if (answer?.version.cid !== chain.tip.cid) {
    const relation = relationOf(node, server, node.state(server, entity), chain, reset);
    commit(node, server, entity, { kind: 'seen', version: chain.tip, relation }, chain, event);
  }
  mergeClean(node, server, entity);
}

function lostAnswer(node: ModelNode, server: Server, { tip, blocks }: Chain) {
  const intent = node.mirror(server).intents.get(tip.entity);
  if (!intent) return null;
  const fetched = new Map(blocks.map((it) => [it.cid, it]));
  const versionOf = (cid: string) => fetched.get(cid) ?? node.versions.get(cid);
  const made = ancestors(tip.cid, versionOf).map((cid) => versionOf(cid) as ModelVersion);
  const first = made.find(({ prev }) => prev === intent.expect);
  if (!first) return null;
  const here = [intent.tip, node.tips.get(tip.entity) ?? null].flatMap((cid) =>
    ancestors(cid, (it) => node.versions.get(it)),
  );
  if (first.cid !== intent.tip && here.includes(first.cid)) return null;
  const isAnswer =
    first.cid === intent.tip || (first.content === intent.content && first.by.startsWith(`${node.name} `));
  return isAnswer ? ({ kind: 'answered', version: first, sent: intent.tip } as const) : null;
}

/** What hashes to another CID is not taken (SPEC.md, S1), nor a tip without its whole chain (S2). */
function* fetchChain(node: ModelNode, server: Server, entity: string, cid: string): Work<Chain | null> {
  const blocks: ModelVersion[] = [];
  for (let next: string | null = cid; next !== null; ) {
    const wanted: string = next;
    const here: ModelVersion | undefined = node.versions.get(wanted);
    if (here) return { tip: blocks.at(-1) ?? here, blocks };
    const version: ModelVersion | null = yield* ask({
      run: () => server.versions.get(wanted) ?? null,
      refuse: () => null,
      lie: (it) => it && { ...it, says: { properties: { lie: 1 }, relationships: [] } },
    });
    if (version === null || version.entity !== entity || cidOf(version) !== wanted) return null;
    blocks.unshift(version);
    next = version.prev;
  }
  const tip = blocks.at(-1);
  return tip ? { tip, blocks } : null;
}

function relationOf(
  node: ModelNode,
  server: Server,
  { local, twin, theirs }: EntityState,
  chain: Chain,
  noticed: boolean,
): Relation {
  const isAhead = ancestors(local?.cid ?? null, (cid) => node.versions.get(cid)).includes(chain.tip.cid);
  const isNode = server.instance !== null && (isAhead || !node.mirror(server).intents.has(chain.tip.entity));
  if (!local || local.cid === chain.tip.cid) return { ...unrelated, node: isNode, reset: noticed };
  const fetched = new Map(chain.blocks.map((it) => [it.cid, it]));
  const below = (cid: string | null) => ancestors(cid, (it) => fetched.get(it) ?? node.versions.get(it));
  const mine = below(local.cid);
  const there = below(chain.tip.cid);
  const common = mine.find((cid) => there.includes(cid)) ?? null;
  // A plain remote never leaves a version behind but by a reset; a node may, when it takes over another one's.
  const reset = noticed || (server.instance === null && theirs !== null && !there.includes(theirs.cid));
  const from = there.find((cid) => node.versions.has(cid)) ?? null;
  const left = theirs !== null && !there.includes(theirs.cid) && !reset ? theirs : null;
  const saysSame = server.instance !== null && local.content === chain.tip.content;
  const elsewhere = saysSame && isElsewhere(node, server, chain.tip.entity);
  const isKept = saysSame && isNode && !elsewhere && !reset && local.cid === twin && outranks(local, chain.tip);
  const wasTwice = node.feed.filter(({ cid }) => cid === chain.tip.cid).length > 1;
  const isElse = isNode && !saysSame && !reset && local.cid === twin && !isAhead && !there.includes(local.cid);
  return {
    descends: there.includes(local.cid),
    echoes: local.cid !== twin && chain.blocks.some(({ content }) => content === local.content),
    ahead:
      isAhead || (reset && ancestors(theirs?.cid ?? null, (cid) => node.versions.get(cid)).includes(chain.tip.cid)),
    back: twin !== chain.tip.cid && ancestors(twin, (cid) => node.versions.get(cid)).includes(chain.tip.cid),
    elsewhere,
    returns: isKept && wasTwice,
    alternates: isElse && wasTwice,
    common: theirs === null || reset || (twin !== null && below(common).slice(1).includes(twin)) ? common : null,
    crossed:
      left !== null && from !== null && !mine.includes(from) && node.versions.get(from)?.content !== left.content,
    node: isNode,
    reset,
  };
}

export function ancestors(cid: string | null, version: (cid: string) => ModelVersion | undefined): string[] {
  const found: string[] = [];
  for (let next = cid; next !== null; next = version(next)?.prev ?? null) found.push(next);
  return found;
}

/** The commit of a decision: the tip here and what is known of the remote change together (SPEC.md, S3). */
function commit(
  node: ModelNode,
  server: Server,
  entity: string,
  event: EntityEvent,
  chain: Chain | null,
  feedId: number | null,
): EntityState {
  const mirror = node.mirror(server);
  const state = node.state(server, entity);
  const next = entityStep(state, event);
  const known = mirror.entities.get(entity);
  const { local: _, ...kept } = next;
  const returned = event.kind === 'seen' && event.relation.returns;
  mirror.entities.set(entity, { ...kept, returned, event: Math.max(feedId ?? 0, known?.event ?? 0) });
  if (event.kind === 'unreadable') return next;
  mirror.intents.delete(entity);
  if (next.standing !== 'refused') mirror.refusals.delete(entity);
  if (chain) node.keep(chain.blocks);
  if (next.local && next.local.cid !== state.local?.cid) {
    const tip = node.versions.get(next.local.cid);
    if (tip) node.move(tip);
    if (state.local && event.kind === 'merged') node.taken.push([next.local.cid, state.local.cid]);
    else if (state.local && saysNoLess(event, next.local, state.local))
      take(node, server, next.local.cid, state.local.cid);
  }
  if (event.kind === 'answered' && event.sent !== null) take(node, server, event.version.cid, event.sent);
  // The twin says what the remote's version says.
  if (next.theirs && next.twin !== null) take(node, server, next.theirs.cid, next.twin);
  return next;
}

/** Whether a tip gave way to one that says no less. */
function saysNoLess(event: EntityEvent, later: Version, earlier: Version): boolean {
  const includes = event.kind === 'seen' && (event.relation.descends || event.relation.echoes);
  return includes || later.content === earlier.content;
}

/**
 * Notes that a version took in what another one says. One that was there before it did not: it undoes what lies between,
 * unless the remote stands at a part of that, to which it would come back.
 */
function take(node: ModelNode, server: Server, later: string, earlier: string): void {
  const line = ancestors(earlier, (cid) => node.versions.get(cid));
  if (!line.includes(later)) {
    node.taken.push([later, earlier]);
    return;
  }
  const undone = line.slice(0, line.indexOf(later));
  const [, ...parts] = undone.map((cid) => node.versions.get(cid) as ModelVersion);
  const there = ancestors(server.tips.get(parts[0]?.entity ?? '') ?? null, (cid) => server.versions.get(cid));
  const isPart = there.some((cid) => {
    const it = server.versions.get(cid) as ModelVersion;
    const mine = it.prev === later && it.by.startsWith(`${node.name} `);
    return parts.some((part) => part.cid === cid || (mine && part.content === it.content));
  });
  if (!isPart || there.includes(earlier)) node.undone.push(...undone);
}

/** A conflict whose sides changed different places is none. */
function mergeClean(node: ModelNode, server: Server, entity: string): void {
  const merge = merging(node, server, entity, () => 'ours');
  if (merge && merge.clashes === 0) merge.commit();
}

/** Somebody decides a conflict. */
export function resolve(node: ModelNode, server: Server, entity: string, choose: () => Side): void {
  merging(node, server, entity, choose)?.commit();
}

function merging(node: ModelNode, server: Server, entity: string, choose: () => Side) {
  const { local, theirs, base, standing } = node.state(server, entity);
  if (standing !== 'conflict' || !local || !theirs) return null;
  const [b, o, t] = [base, local.cid, theirs.cid].map((cid) => (cid === null ? undefined : node.versions.get(cid)));
  if (!o || !t) throw new Error('the versions of a conflict are not here');
  const { content, clashes } = mergeThreeWay(b?.says ?? null, o.says, t.says, choose);
  return {
    clashes: clashes.length,
    commit: () => {
      node.decided += clashes.length;
      node.merges++;
      const bare = { entity, prev: t.cid, ver: t.ver + 1, says: content, by: `${node.name}m` };
      const merged: ModelVersion = {
        ...bare,
        cid: cidOf(bare),
        content: contentOf(content),
        deleted: content.deleted === true,
      };
      const version = merged.content === t.content ? t : merged;
      commit(node, server, entity, { kind: 'merged', version }, { tip: version, blocks: [version] }, null);
    },
  };
}

const attempts = 5;

function* push(node: ModelNode, server: Server): Work {
  for (const entity of [...node.tips.keys()]) {
    let asked = false;
    for (let attempt = 0; attempt < attempts; attempt++) {
      yield null;
      const loaded = node.state(server, entity);
      const state = asked && loaded.standing === 'sending' ? { ...loaded, standing: 'quiet' as const } : loaded;
      const intent = intentOf(state);
      if (intent === 'none') break;
      if (intent === 'same') {
        settleSame(node, server, state);
        break;
      }
      if (intent === 'prefer') {
        const isLeft = isElsewhere(node, server, entity) || node.mirror(server).entities.get(entity)?.returned;
        if (state.local?.cid === state.twin && isLeft) break;
        if (yield* prefer(node, server, entity, state)) break;
        continue;
      }
      if (intent === 'ask') {
        asked = yield* readTip(node, server, entity);
        if (!asked) break;
        continue;
      }
      if (yield* send(node, server, entity, state, intent)) break;
      asked = false;
    }
  }
}

/** Whether the tip is what a plain remote other than this one has. */
function isElsewhere(node: ModelNode, server: Server, entity: string): boolean {
  return [...node.mirrors].some(
    ([name, { instance, entities }]) =>
      name !== server.name && instance === null && entities.get(entity)?.theirs?.cid === node.tips.get(entity),
  );
}

/** Brings the version here to a node that says the same by another one; one that does not take it keeps its own. */
function* prefer(node: ModelNode, server: Server, entity: string, state: EntityState): Work<boolean> {
  const { local, theirs, twin } = state;
  if (!local || !theirs) return true;
  const mine = ancestors(local.cid, (cid) => node.versions.get(cid));
  const there = ancestors(theirs.cid, (cid) => node.versions.get(cid));
  const chain = chainOver(node, local.cid, mine.find((cid) => there.includes(cid)) ?? null);
  let answer: WriteAnswer;
  try {
    answer = yield* ask<WriteAnswer>({
      run: () => {
        if (server.denied.has(node.name)) return { status: 403 };
        return chain && server.instance !== null ? server.replace(entity, theirs.cid, chain) : { status: 400 };
      },
      refuse: (status) => ({ status }),
    });
  } catch (error) {
    if (error instanceof Lost) return true;
    throw error;
  }
  if (answer.status === 429) throw new Lost();
  yield null;
  if (answer.status === 403 && twin === theirs.cid) {
    node.mirror(server).refusals.set(entity, local.cid);
    return true;
  }
  if (answer.status !== 200) {
    const isRead = yield* readTip(node, server, entity);
    const { theirs: now } = node.state(server, entity);
    if (!isRead || answer.status === 500 || now?.cid !== theirs.cid) return true;
  }
  const kept = answer.status === 200 ? local : theirs;
  const tip = node.versions.get(kept.cid);
  if (!tip || node.state(server, entity).local?.cid !== local.cid) return true;
  if (kept === theirs && isElsewhere(node, server, entity))
    commit(node, server, entity, { kind: 'apart' }, { tip, blocks: [] }, null);
  else commit(node, server, entity, { kind: 'answered', version: kept, sent: local.cid }, { tip, blocks: [] }, null);
  return true;
}

function settleSame(node: ModelNode, server: Server, { theirs }: EntityState): void {
  const tip = theirs && node.versions.get(theirs.cid);
  if (!tip) return;
  const chain = { tip, blocks: [] };
  const relation = relationOf(node, server, node.state(server, tip.entity), chain, false);
  commit(node, server, tip.entity, { kind: 'seen', version: tip, relation }, chain, null);
}

/** False where it was not answered. */
function* readTip(node: ModelNode, server: Server, entity: string): Work<boolean> {
  const answer = yield* ask<{ cid: string | null } | null>({
    run: () => ({ cid: server.tips.get(entity) ?? null }),
    refuse: () => null,
  });
  if (answer === null) return false;
  if (answer.cid === null || answer.cid === node.state(server, entity).theirs?.cid) return true;
  const chain = yield* fetchChain(node, server, entity, answer.cid);
  if (chain === null) return false;
  takeTip(node, server, chain);
  return true;
}

/** The versions over the remote's tip, oldest first, as a node takes them; null where they do not lead there. */
function chainOver(node: ModelNode, tip: string, theirs: string | null): ModelVersion[] | null {
  const chain: ModelVersion[] = [];
  for (let cid: string | null = tip; cid !== theirs; ) {
    const version: ModelVersion | undefined = cid === null ? undefined : node.versions.get(cid);
    if (!version) return null;
    chain.unshift(version);
    cid = version.prev;
  }
  return chain;
}

/** True where there is nothing more to do for the entity in this run. */
function* send(node: ModelNode, server: Server, entity: string, state: EntityState, intent: string): Work<boolean> {
  const { local, theirs } = state;
  const sent = local && node.versions.get(local.cid);
  if (!sent) return true;
  const expect = theirs?.cid ?? null;
  const whole = server.instance === null ? null : chainOver(node, sent.cid, expect);
  const restoring = whole === null && intent === 'restore';
  const content = restoring ? '' : sent.content;
  node.mirror(server).intents.set(entity, { tip: sent.cid, expect, content });
  yield null;
  const says = intent === 'delete' ? nothing : sent.says;
  let answer: WriteAnswer;
  try {
    answer = yield* ask<WriteAnswer>({
      run: () => {
        if (server.denied.has(node.name)) return { status: 403 };
        if (whole !== null) return server.take(entity, expect, whole);
        if (restoring && expect !== null) return server.restore(node.name, entity, expect);
        return server.ask(node.name, entity, expect, says);
      },
      refuse: (status) => ({ status }),
    });
  } catch (error) {
    if (error instanceof Lost) return false;
    throw error;
  }
  // Neither says whether it was done.
  if (answer.status === 500) return false;
  if (answer.status === 429) throw new Lost();
  if (answer.status === 409) {
    yield* readTip(node, server, entity);
    return true;
  }
  if (answer.status !== 200 || answer.cid === undefined) {
    node.mirror(server).intents.delete(entity);
    node.mirror(server).refusals.set(entity, sent.cid);
    return true;
  }
  const chain = yield* fetchChain(node, server, entity, answer.cid);
  yield null;
  if (chain === null) return true;
  commit(
    node,
    server,
    entity,
    { kind: 'answered', version: chain.tip, sent: restoring ? null : sent.cid },
    chain,
    null,
  );
  return !restoring;
}
