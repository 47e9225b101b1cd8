import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { contentHash, earlierHash } from '../store/content-hash.ts';
import { timesTip } from '../store/events.ts';
import { isTipElsewhere } from '../store/remotes/pending.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import { findVersion, lastLive, versionHead } from '../store/versions.ts';
import { isWithin } from './access-answer.ts';
import { type Decision, decide, type Merger } from './decide.ts';
import { chainHolds, type Loaded, mostSteps, relationOf } from './entity.ts';
import type { Chain } from './manifests.ts';
import { allNames, type Who } from './own-names.ts';
import { asTheirs, isSaid } from './requests.ts';
import { type EntityEvent, entityStep, outranks, type Version } from './state.ts';
import { isUnedited } from './unedited.ts';
import { versionOf } from './version-of.ts';
import { looseHash } from './withheld.ts';

/**
 * What a remote's tip, read with its chain, makes of an entity. Where it says what a request made whose answer was lost,
 * that is taken for the answer first, and what stands above it for news.
 * @param version the tip as it is to be compared
 * @param reset the remote was reset
 */
export function decideTip(
  db: Reader,
  loaded: Loaded,
  chain: Chain,
  merger: Merger & Who & { remote: Pick<Remote, 'instance'> },
  { version, reset = false }: { version: Version; reset?: boolean },
): Decision {
  const { intent } = loaded.known;
  const made = reset || intent === null ? null : firstOver(db, chain, intent.expect);
  const answer = made && answerIn(db, loaded, made, merger);
  if (answer?.version.cid === chain.cid) return decide(db, loaded.state, answer, chain, merger);
  const known = answer === null ? loaded : answered(loaded, answer);
  const { key, instance } = merger.remote;
  const isNode = instance !== null;
  const { id } = chain.head;
  const { local, twin } = known.state;
  const saysSame = isNode && local?.content === version.content;
  const elsewhere = saysSame && isTipElsewhere(db, key, id);
  const isKept = saysSame && !elsewhere && local.cid === twin && outranks(local, version);
  const found = relationOf(db, known, chain, isNode, reset);
  // Of one that was added again nothing is known, but what was the tip here.
  const last = known.state.theirs === null ? found.common : known.state.twin;
  const isNoEdit = hadSame(db, known, chain, merger) || (!found.reset && isUnedited(db, known, merger, last));
  const relation = { ...found, echoes: found.echoes || isNoEdit };
  const isElse = isNode && !saysSame && local?.cid === twin && !relation.descends && !relation.ahead;
  const wasTwice = (isKept || isElse) && relation.node && !relation.reset && timesTip(db, version.cid) > 1;
  const [returns, alternates] = [isKept && wasTwice, isElse && wasTwice];
  // It may be our own request, whose answer was lost (what a collection becomes cannot be predicted; the key may have changed). A
  // merge would take it for somebody else's edit, and undo what was edited here since.
  const mayBeOurs =
    intent !== null && (intent.content === '' ? isBy(made, merger.remote.user) : made !== null && saysAs(made, intent));
  const isUnclear = answer === null && mayBeOurs && loaded.state.local?.cid !== intent.tip;
  return decide(
    db,
    known.state,
    { kind: 'seen', version, relation: { ...relation, elsewhere, returns, alternates } },
    chain,
    isUnclear ? null : merger,
  );
}

/**
 * Whether a remote of which nothing was known has said of a collection what it says here, but for whose memberships those of the
 * operator are there: this node was set back to before it brought it there, say.
 */
function hadSame(db: Reader, { state }: Loaded, { manifest, manifests }: Chain, who: Who): boolean {
  if (state.theirs !== null || manifest.type !== 'collection') return false;
  const local = state.local && findVersion(db, state.local.cid)?.manifest;
  if (!local) return false;
  const isOurs = (theirs: Manifest) =>
    isSaid(theirs, { local, self: allNames(db, who, local, theirs), user: who.remote.user });
  return [...manifests, manifest].some(isOurs);
}

type Answer = Extract<EntityEvent, { kind: 'answered' }>;
type OpenRequest = NonNullable<Loaded['known']['intent']>;

interface Made {
  cid: string;
  manifest: Manifest;
}

/** The first version over another one (null: of all) in a chain, as far as it came or is stored; null where there is none. */
function firstOver(db: Reader, { cid: tip, blocks, manifests }: Chain, below: string | null): Made | null {
  const at = manifests.findIndex(({ prev }) => (prev ?? null) === below);
  const [block, manifest] = [blocks[at], manifests[at]];
  if (block && manifest) return { cid: block.cid, manifest };
  let cid: string | null = manifests[0] ? manifests[0].prev : tip;
  for (let step = 0; cid !== null && step < mostSteps; step++) {
    const head = versionHead(db, cid);
    if (head && head.prev === below) return { cid, manifest: findVersion(db, cid)?.manifest as Manifest };
    cid = head?.prev ?? null;
  }
  return null;
}

function isBy(made: Made | null, user: string | null): boolean {
  return made !== null && made.manifest.edited_by.user_id === user;
}

/** Whether a version says what a request was to make. */
function saysAs({ manifest }: Made, { content }: OpenRequest): boolean {
  return [contentHash, earlierHash].some((hash) => [hash(manifest), looseHash(manifest, hash)].includes(content));
}

/** The answer that was lost: what stands over the version that the request expected, if it is what was sent, or says the same and is new. */
function answerIn(db: Reader, { known: { intent }, state }: Loaded, made: Made, who: Who): Answer | null {
  if (intent === null) return null;
  const version = versionOf(made.cid, made.manifest);
  // Nobody else creates this id, and of a collection nobody knows what it will say.
  const isPartOfNew = intent.expect === null && intent.content === '';
  // What was here before is not made by it: it came there by others, or by a request before it.
  const isBelow = (tip: string | undefined) => chainHolds(db, tip ?? null, made.cid, made.manifest.ver);
  const wasHere = () => isBelow(intent.tip) || isBelow(state.local?.cid) || timesTip(db, made.cid) > 0;
  const isOld = made.cid !== intent.tip && wasHere();
  const isMeant = () => saysAs(made, intent) || isPartOfNew || isPartOfSent(db, intent, made, who);
  if (isOld || (made.cid !== intent.tip && !(isBy(made, who.remote.user) && isMeant()))) return null;
  return { kind: 'answered', version, sent: isPart(db, intent, made) ? null : intent.tip };
}

/** Whether a request of which nobody knows what it makes has made nothing but what was sent. */
function isPartOfSent(db: Reader, { tip, expect, content }: OpenRequest, { manifest: made }: Made, who: Who): boolean {
  if (content !== '' || expect === null) return false;
  const [before, sent] = [findVersion(db, expect)?.manifest, findVersion(db, tip)?.manifest];
  // Before a deletion goes what was changed before that.
  const local = sent?.deleted ? lastLive(db, sent)?.manifest : sent;
  if (!before || !local) return false;
  const self = allNames(db, who, local, before);
  const relationships = asTheirs(local, { self, user: who.remote.user });
  return isWithin({ before, meant: { ...local, relationships }, made });
}

/** Whether a request did not say all of the version for whose sake it was sent. */
function isPart(db: Reader, { tip, content }: OpenRequest, made: Made): boolean {
  const meant = findVersion(db, tip);
  return content === '' || !meant || ![content, contentHash(made.manifest)].includes(contentHash(meant.manifest));
}

function answered({ known, state }: Loaded, answer: Answer): Loaded {
  const next = entityStep(state, answer);
  return { state: next, known: { ...known, intent: null, theirs: answer.version.cid, twin: next.twin } };
}
