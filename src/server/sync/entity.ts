import { findBlock } from '../store/blocks.ts';
import type { Reader } from '../store/connection.ts';
import { contentHash } from '../store/content-hash.ts';
import { findStanding } from '../store/entities.ts';
import { entityKey } from '../store/entity-keys.ts';
import { timesTip } from '../store/events.ts';
import { findKnown, type KnownEntity } from '../store/remotes/remotes.ts';
import { findVersion, lastLive, versionHead } from '../store/versions.ts';
import type { Chain, Head } from './manifests.ts';
import type { EntityState, Relation, Standing, Version } from './state.ts';
import { versionOf } from './version-of.ts';

/** An entity as it stands with a remote, as the store says. */
export interface Loaded {
  state: EntityState;
  known: KnownEntity;
}

export function loadEntity(db: Reader, remote: number, id: string): Loaded {
  const known = findKnown(db, remote, id);
  const standing = findStanding(db, id);
  const local = standing ? versionOf(standing.cid, standing.manifest) : null;
  const theirs = known.theirs === null ? null : known.theirs === local?.cid ? local : storedVersion(db, known.theirs);
  return {
    known,
    state: { local, theirs, twin: known.twin, base: known.conflict?.base ?? null, standing: standingOf(known, local) },
  };
}

function storedVersion(db: Reader, cid: string): Version | null {
  const version = findVersion(db, cid);
  return version ? versionOf(cid, version.manifest) : null;
}

function standingOf(known: KnownEntity, local: Version | null): Standing {
  if (known.conflict) return 'conflict';
  // What cannot be read may be what our own request made: it is asked for until it can.
  if (known.intent) return 'sending';
  if (known.trouble) return 'unreadable';
  return known.refusal && known.refusal.tip === local?.cid ? 'refused' : 'quiet';
}

/** Whether a version is stored as one of that entity's. */
export function isVersionOf(db: Reader, id: string, cid: string): boolean {
  const key = entityKey(db, id);
  return key !== undefined && findBlock(db, cid)?.entity === key;
}

/** How a remote's tip lies to the tip here; only looked at where they differ. `noticed`: that the remote was reset. */
export function relationOf(
  db: Reader,
  { state, known }: Loaded,
  chain: Chain,
  isNode: boolean,
  noticed = false,
): Omit<Relation, 'elsewhere' | 'returns' | 'alternates'> {
  const { local } = state;
  const isAhead = local !== null && follows(db, local, chain);
  // What says the same and came while a request is open is that request's own version, and is taken, unless it was here before.
  const node = isNode && (known.intent === null || isAhead);
  if (local === null || local.cid === chain.cid)
    return {
      ...{ descends: false, echoes: false, ahead: false, back: false, crossed: false },
      ...{ common: null, node, reset: noticed },
    };
  const below = chain.blocks.length === 0 ? chain.cid : (chain.manifests[0]?.prev ?? null);
  const holds = ({ cid, ver }: Pick<Version, 'cid' | 'ver'>) =>
    chain.blocks.some((block) => block.cid === cid) ||
    (chain.below && ver >= chain.below.floor ? chain.below.heads.has(cid) : chainHolds(db, below, cid, ver));
  // A plain remote never leaves a version behind but by a reset; a node may, when it takes over another one's.
  const left = state.theirs !== null && !holds(state.theirs) ? state.theirs : null;
  const reset = noticed || (!isNode && left !== null);
  const common =
    known.theirs === null || reset
      ? (commonVersion(db, local.cid, chain) ?? (reset ? null : onceTip(db, below)))
      : commonAbove(db, known.twin, local, chain);
  // A remote that was reset stands below what it has had itself, which is what was gone on from here; but of a conflict nothing was.
  const goneOnFrom = state.standing === 'conflict' ? state.base : known.theirs;
  return {
    descends: holds(local),
    echoes:
      local.cid !== known.twin &&
      saysAbove(chain, local, left) &&
      !hidesWish(db, state, chain, { left, holds, common }),
    ahead: isAhead || common === chain.cid || (reset && chainHolds(db, goneOnFrom, chain.cid, chain.head.ver)),
    back: known.twin !== chain.cid && chainHolds(db, known.twin, chain.cid, chain.head.ver),
    common,
    crossed: !reset && left !== null && below !== null && isCrossed(db, below, left, local),
    node,
    reset,
  };
}

/**
 * The newest version of a stored chain that was the tip here: what is here now was made from it, whatever versions of their own other
 * remotes have made of that. So it is known again for what a remote that was removed and added again had.
 */
function onceTip(db: Reader, tip: string | null): string | null {
  for (let cid = tip, step = 0; cid !== null && step < mostSteps; step++) {
    if (timesTip(db, cid) > 0) return cid;
    cid = versionHead(db, cid)?.prev ?? null;
  }
  return null;
}

/** Whether a remote went on from a stored version that the tip here does not follow, and that says something else than it said last. */
function isCrossed(db: Reader, below: string, left: Version, local: Version): boolean {
  const version = findVersion(db, below);
  if (!version || contentHash(version.manifest) === left.content) return false;
  return !chainHolds(db, local.cid, below, version.manifest.ver);
}

/**
 * Whether what a remote's chain says as the tip here does is no answer to it all the same: every tombstone says the same, also one over
 * what was edited here and was never there; and what was restored on both sides is wanted so here, also where it was deleted again
 * there, as is what was restored here and deleted again.
 * @param common the newest version of both, where nothing is known of the remote
 */
function hidesWish(
  db: Reader,
  { local, theirs, twin }: EntityState,
  chain: Chain,
  {
    left,
    holds,
    common,
  }: {
    left: Version | null;
    holds: (version: Pick<Version, 'cid' | 'ver'>) => boolean;
    common: string | null;
  },
): boolean {
  const here = local && findVersion(db, local.cid)?.manifest;
  if (!here) return false;
  const isDead = here.deleted === true;
  if (isDead !== chain.head.deleted && wasRestored(db, local.cid, twin ?? common)) return true;
  if (!isDead) return false;
  const last = lastLive(db, here);
  if (!last) return false;
  const said = versionOf(last.cid, last.manifest);
  return !(holds(said) || said.content === theirs?.content || saysAbove(chain, said, left));
}

/**
 * Whether a version of a remote's chain says what the tip here says. `replaced`: what the remote had last, where its chain is
 * another one by now; then what lies below the version that says the same is older than that, and no answer to an edit since.
 */
function saysAbove(chain: Chain, { content }: Version, replaced: Version | null): boolean {
  for (const said of saidBy(chain)) {
    if (said === content) return true;
    if (said === replaced?.content) return false;
  }
  return false;
}

/** The contents of a chain, the newest first. */
function* saidBy({ manifests, below }: Chain): Generator<string> {
  for (const manifest of manifests.toReversed()) yield contentHash(manifest);
  yield* below?.said ?? [];
}

/** More versions than that over a request whose answer was lost, here or there, are not looked through. */
export const mostSteps = 1000;

/** Whether the tip here descends from a remote's, by few steps. */
function follows(db: Reader, local: Version, { cid, head }: Chain): boolean {
  return local.ver - head.ver <= mostSteps && chainHolds(db, local.cid, cid, head.ver);
}

/** Whether `wanted`, whose number is `ver`, is in the chain that ends with `tip`, as far as it is stored. */
export function chainHolds(db: Reader, tip: string | null, wanted: string, ver: number): boolean {
  for (let cid = tip; cid !== null; ) {
    if (cid === wanted) return true;
    const head = versionHead(db, cid);
    if (!head || head.ver <= ver) return false;
    cid = head.prev;
  }
  return false;
}

/** Whether an entity was deleted, or live, above `below` (null: ever) in a stored chain, by few steps. */
export function wasSince(
  db: Reader,
  tip: string,
  { below, deleted }: { below: string | null; deleted: boolean },
): boolean {
  for (let cid: string | null = tip, step = 0; cid !== null && cid !== below && step < mostSteps; step++) {
    const head = versionHead(db, cid);
    if (head?.deleted === deleted) return true;
    cid = head?.prev ?? null;
  }
  return false;
}

/** Whether a version above `below` (null: any) of a stored chain is a restored one, by few steps. */
function wasRestored(db: Reader, tip: string, below: string | null): boolean {
  let isLive = false;
  for (let cid: string | null = tip, step = 0; cid !== null && step < mostSteps; step++) {
    const head = versionHead(db, cid);
    if (isLive && head?.deleted) return true;
    if (cid === below || !head) return false;
    isLive = !head.deleted;
    cid = head.prev;
  }
  return false;
}

/** Whether a remote's chain was deleted, or live, above a version; null where it does not hold that, by few steps. */
export function wasThere(
  db: Reader,
  { cid: tip, blocks, manifests }: Chain,
  { above, deleted }: { above: string; deleted: boolean },
): boolean | null {
  const fetched = new Map(blocks.map(({ cid }, at) => [cid, manifests[at]]));
  let was = false;
  for (let cid: string | null = tip, step = 0; cid !== null && step < mostSteps; step++) {
    if (cid === above) return was;
    const head: { prev: string | null; deleted?: boolean } | undefined = fetched.get(cid) ?? versionHead(db, cid);
    if (!head) return null;
    was ||= (head.deleted === true) === deleted;
    cid = head.prev;
  }
  return null;
}

/** The newest version that both chains hold, where it comes after the twin; of what was not edited nobody asks. */
function commonAbove(db: Reader, twin: string | null, local: Version, chain: Chain): string | null {
  const head = twin === null || twin === local.cid ? undefined : versionHead(db, twin);
  const common = head ? commonVersion(db, local.cid, chain, head.ver) : null;
  return head && common !== twin && chainHolds(db, common, twin as string, head.ver) ? common : null;
}

/**
 * The newest version that both chains hold, as far as they are stored; chains meet once, so the numbers lead there.
 * @param above the number that it has to be above
 */
export function commonVersion(
  db: Reader,
  local: string,
  chain: Pick<Chain, 'cid' | 'blocks' | 'manifests' | 'below'>,
  above = 0,
): string | null {
  const fetched = new Map(chain.blocks.map(({ cid }, i) => [cid, chain.manifests[i]]));
  const headOf = (cid: string): Head | undefined =>
    fetched.get(cid) ?? chain.below?.heads.get(cid) ?? versionHead(db, cid);
  let [a, b]: [string | null, string | null] = [local, chain.cid];
  while (a !== null && b !== null && a !== b) {
    const ours = headOf(a);
    const theirs = headOf(b);
    if (!ours || !theirs || Math.max(ours.ver, theirs.ver) <= above) return null;
    if (ours.ver >= theirs.ver) a = ours.prev;
    if (theirs.ver >= ours.ver) b = theirs.prev;
  }
  return a === b ? a : null;
}
