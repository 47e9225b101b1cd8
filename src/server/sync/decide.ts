import { ValidationError } from '../errors.ts';
import type { Stamp } from '../model/next-version.ts';
import type { Reader } from '../store/connection.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import type { Apart } from '../store/remotes/sync-rows.ts';
import { wasSince, wasThere } from './entity.ts';
import { type Chain, chainWith } from './manifests.ts';
import { isUnsound, type MergedVersion, mergeSides, type Sides, sidesOf } from './merge.ts';
import { asNamedThere } from './named-there.ts';
import { pushes } from './remote-settings.ts';
import { type EntityEvent, type EntityState, entityStep } from './state.ts';
import { versionOf } from './version-of.ts';

/** What becomes of an entity, with the versions that it takes. */
export interface Decision {
  next: EntityState;
  /** Those that are not stored yet, the new tip last where it moves. */
  chain: Chain;
  /** Both sides had changed, and neither had to give way. */
  merged: boolean;
  /** Whether both say the same, and each keeps its own version. */
  apart: Apart | null;
  /** What the remote said before counts no more. */
  reset: boolean;
  /** Its version is what it made of the one here. */
  answers: boolean;
}

export interface Merger {
  remote: Pick<Remote, 'key' | 'name' | 'user' | 'secret' | 'direction'>;
  /** The operator's own ids here. */
  self: readonly string[];
  schema: string;
  now: () => number;
}

/**
 * What an event makes of an entity in a state. A conflict whose sides changed different places is merged at once where this node
 * pushes to the remote (decisions.md, Sync: only the pushing side makes a merge); every other one waits for a person, and
 * so does each where nobody may merge (null), one whose merge would be too large for a version, would put a folder into
 * itself or leave a collection without an owner, and what was restored here while it was deleted there, or deleted again while
 * it was restored there.
 */
export function decide(
  db: Reader,
  state: EntityState,
  event: EntityEvent,
  chain: Chain,
  merger: Merger | null,
): Decision {
  const next = entityStep(state, event);
  const answers = event.kind === 'answered' && event.sent !== null && event.sent === state.local?.cid;
  const plain = { next, chain, merged: false, apart: apartBy(event), reset: isReset(event), answers };
  const stamp = merger && stampOf(merger);
  if (next.standing !== 'conflict' || stamp === null) return plain;
  const sides = sidesOf(db, next, chain);
  if (sides && isLifeDecided(db, state, sides, chain)) return plain;
  const merge = sides && fittingMerge(db, merger ? asNamedThere(db, sides, merger) : sides, stamp);
  if (!merge || merge.clashes.length > 0) return plain;
  return { ...plain, ...mergedInto(next, chain, merge), merged: true };
}

/**
 * Whether somebody here has restored what the remote has deleted, or deleted again what it has restored: it says what both said,
 * and yet somebody wants it so. So it is with what was deleted, or restored, again there.
 */
function isLifeDecided(
  db: Reader,
  { local, theirs: left, twin, standing }: EntityState,
  { base, ours, theirs, baseCid }: Sides,
  chain: Chain,
): boolean {
  const [here, there] = [ours.deleted === true, theirs.deleted === true];
  if (local === null || here === there) return false;
  if (wasSince(db, local.cid, { below: baseCid, deleted: there })) return true;
  if (baseCid === null || (base?.deleted === true) !== there) return false;
  const isOpen = standing === 'conflict';
  // Where each keeps its own version, it is the remote's that is in its chain; which one that was is not known of a conflict any more.
  const above = baseCid === twin && left !== null && !isOpen ? left.cid : baseCid;
  return wasThere(db, chain, { above, deleted: here }) ?? isOpen;
}

function apartBy(event: EntityEvent): Apart | null {
  if (event.kind === 'apart') return 'refused';
  return event.kind === 'seen' && event.relation.returns ? 'returned' : null;
}

function isReset(event: EntityEvent): boolean {
  return event.kind === 'seen' && event.relation.reset;
}

function fittingMerge(db: Reader, sides: Sides, stamp: Stamp): MergedVersion | null {
  try {
    const merge = mergeSides(sides, stamp);
    return isUnsound(db, sides, merge.manifest) ? null : merge;
  } catch (error) {
    if (error instanceof ValidationError) return null;
    throw error;
  }
}

/** The state and the versions after a merge over the remote's tip. */
export function mergedInto(state: EntityState, chain: Chain, { cid, manifest, block }: Omit<MergedVersion, 'clashes'>) {
  const next = entityStep(state, { kind: 'merged', version: versionOf(cid, manifest) });
  return { next, chain: block === null ? chain : chainWith(chain, block, manifest) };
}

/** Who merges: the remote's user, as whom this node writes there; null where it does not write there. */
function stampOf({ remote, schema, now }: Merger): Stamp | null {
  if (!pushes(remote) || remote.user === null) return null;
  const edited_by = { user_id: remote.user, method: 'system' } as const;
  return { schema, ts: new Date(now()).toISOString(), edited_by, note: `Merged with ${remote.name}` };
}
