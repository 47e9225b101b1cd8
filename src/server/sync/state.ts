// What sync decides, as functions from a state and an event to the next state: no I/O, no timer, no clock, no
// randomness (SPEC.md lists the states, the events and the invariants).

/** One version as sync compares it. `content` is the hash of what it says (store/content-hash.ts), whoever made it. */
export interface Version {
  cid: string;
  ver: number;
  content: string;
  deleted: boolean;
}

/**
 * Where an entity stands with one remote.
 * - `quiet`: nothing has been asked; whether something is to be pushed is for `intentOf` to say.
 * - `sending`: a request may be under way, or its answer was lost: the remote's tip is read before anything is sent again.
 * - `refused`: the remote did not take `local`, and said why.
 * - `conflict`: both sides changed since their last common version.
 * - `unreadable`: the remote names it and does not show it.
 */
export type Standing = 'quiet' | 'sending' | 'refused' | 'conflict' | 'unreadable';

export interface EntityState {
  /** The tip here. */
  local: Version | null;
  /** The remote's tip, as last known. */
  theirs: Version | null;
  /** The version here with the content of `theirs`. */
  twin: string | null;
  /** In a conflict: the last common version, null where there is none. */
  base: string | null;
  standing: Standing;
}

/** How the remote's tip relates to what is here. */
export interface Relation {
  /** Its chain holds the tip here. */
  descends: boolean;
  /** Its chain holds, above the version last known, one that says what the tip here says. */
  echoes: boolean;
  /** The tip here descends from it. */
  ahead: boolean;
  /** The version here that says what the remote said last descends from it: somebody there has gone back. */
  back: boolean;
  /** The tip here says the same, and is what another remote has that keeps to its own versions. */
  elsewhere: boolean;
  /**
   * This version was the tip here twice already: nodes in a circle pass it round. The tip here, taken over and unedited, says the
   * same, and is the one of the two that nodes keep.
   */
  returns: boolean;
  /**
   * This version, which says something else and neither follows the tip here nor lies below it, was the tip here twice already:
   * nodes in a circle pass on two decisions of one conflict, each in place of the other.
   */
  alternates: boolean;
  /**
   * The newest version of the tip's chain here that its chain holds too; null where that is not above the twin, unless the
   * remote is new, or reset.
   */
  common: string | null;
  /**
   * Both nodes decided one conflict at the same time, each on top of the other's version: the remote's tip follows one that was
   * the tip here, and not the one that it had last.
   */
  crossed: boolean;
  /** The remote keeps to the same rule where contents are equal (an Archeion node). */
  node: boolean;
  /** The remote was reset: what it said before counts no more. */
  reset: boolean;
}

export type EntityEvent =
  /** Somebody here wrote a version. */
  | { kind: 'edited'; version: Version }
  /** The remote's tip has been read, with its chain. */
  | { kind: 'seen'; version: Version; relation: Relation }
  /** A request is about to be sent. */
  | { kind: 'sending' }
  /** The remote answered with the version that it made; `sent` is the version here that it now says, null for a part of it. */
  | { kind: 'answered'; version: Version; sent: string | null }
  /** In `version` are the changes of both sides since the base; it follows the remote's tip, or is that tip. */
  | { kind: 'merged'; version: Version }
  /** Both say the same, and each keeps its own version: the tip here is what another remote has. */
  | { kind: 'apart' }
  /** The remote was reset and no longer has the entity. */
  | { kind: 'gone' }
  /** The remote did not take it. */
  | { kind: 'refused' }
  | { kind: 'unreadable' };

export function entityStep(state: EntityState, event: EntityEvent): EntityState {
  switch (event.kind) {
    case 'edited':
      return edited(state, event.version);
    case 'seen':
      return seen(state, event.version, event.relation);
    case 'sending':
      return { ...state, standing: 'sending' };
    case 'answered':
      return answered(state, event.version, event.sent);
    case 'merged':
      return merged(state, event.version);
    case 'apart':
      return { ...state, twin: state.local?.cid ?? null, base: null, standing: 'quiet' };
    case 'gone':
      return { ...state, theirs: null, twin: null, base: null, standing: 'quiet' };
    case 'refused':
      return { ...state, standing: 'refused' };
    case 'unreadable':
      return { ...state, standing: 'unreadable' };
  }
}

function edited(state: EntityState, local: Version): EntityState {
  return { ...state, local, standing: state.standing === 'refused' ? 'quiet' : state.standing };
}

/** The remote's version is the tip here too. */
function adopted(version: Version): EntityState {
  return { local: version, theirs: version, twin: version.cid, base: null, standing: 'quiet' };
}

function seen(state: EntityState, version: Version, relation: Relation): EntityState {
  const { local, theirs, twin } = state;
  if (local === null || local.cid === version.cid) return adopted(version);
  // As `apart`: what a node says the same by now is of a remote that it keeps to.
  if (relation.elsewhere && (local.cid === twin || !relation.ahead))
    return { ...state, theirs: version, twin: local.cid, base: null, standing: 'quiet' };
  const isNews = relation.reset || theirs?.cid !== version.cid;
  if (theirs !== null && local.cid === twin && !relation.reset) {
    if (!isNews) return settled(state);
    if (relation.alternates) return { ...state, theirs: version, base: null, standing: 'conflict' };
    return relation.returns ? { ...state, theirs: version, base: null, standing: 'quiet' } : adopted(version);
  }
  if (local.content === version.content) {
    // Between nodes both keep the same one, so that they don't swap for ever.
    return relation.node && outranks(local, version)
      ? { ...state, theirs: version, twin: relation.ahead ? version.cid : local.cid, base: null, standing: 'quiet' }
      : adopted(version);
  }
  // It has never had, or has forgotten, what came after; but where somebody there undid what both had, that is a change.
  const hasUndone = relation.back && !relation.reset && theirs?.content !== version.content;
  if (relation.ahead && !hasUndone && (isNews || state.standing === 'conflict'))
    return { ...state, theirs: version, twin: version.cid, base: null, standing: 'quiet' };
  if (relation.descends || relation.echoes) return adopted(version);
  if (!isNews) return settled(state);
  // Of what was pushed in part there is no twin yet: what the remote said last is what both go on from.
  const known = relation.reset ? null : state.standing === 'conflict' ? state.base : (twin ?? theirs?.cid ?? null);
  // Neither of the two tells a decision from what it was made over: each difference is one.
  const base = relation.crossed ? null : (relation.common ?? known);
  return { ...state, theirs: version, base, standing: 'conflict' };
}

/** Which of two versions that say the same nodes keep (decisions.md, Equal content). */
export function outranks(a: Pick<Version, 'cid' | 'ver'>, b: Pick<Version, 'cid' | 'ver'>): boolean {
  return a.ver > b.ver || (a.ver === b.ver && a.cid < b.cid);
}

/** Whether what is live here would be deleted. */
export function isDeletion(before: EntityState, next: EntityState): boolean {
  return next.local?.deleted === true && before.local?.deleted === false;
}

/** The merge stands over the remote's tip and goes out as a change of it; one that adds nothing is that tip. */
function merged(state: EntityState, version: Version): EntityState {
  const { local, theirs } = state;
  // Both say the same by now: which of the two stays is for `seen` to say.
  if (theirs?.cid === version.cid && local?.content === version.content)
    return { ...state, base: null, standing: 'quiet' };
  if (theirs === null || theirs.cid === version.cid) return adopted(version);
  return { ...state, local: version, twin: theirs.cid, base: null, standing: 'quiet' };
}

/** The remote stands where it stood: what was sent did not arrive, what could not be read can. */
function settled(state: EntityState): EntityState {
  const open = state.standing === 'sending' || state.standing === 'unreadable';
  return open ? { ...state, standing: 'quiet' } : state;
}

function answered(state: EntityState, version: Version, sent: string | null): EntityState {
  // What a request of ours made is taken, also between nodes.
  const { local } = state;
  if (local === null || local.cid === sent || (local.content === version.content && version.cid !== sent))
    return adopted(version);
  // A part of it: no version here says what the remote says now.
  if (sent === null) return { ...state, theirs: version, twin: null, standing: 'quiet' };
  // What was edited meanwhile stands over `twin`, which says what the remote says now.
  return { ...state, theirs: version, twin: sent, base: null, standing: 'quiet' };
}

/**
 * What there is to do for an entity: `ask` reads the remote's tip first, `same` only notes that contents are equal, `prefer`
 * brings the version here to a node that says the same by another one, or takes that one.
 */
export type Intent = 'none' | 'same' | 'ask' | 'prefer' | 'create' | 'update' | 'delete' | 'restore';

export function intentOf(state: EntityState): Intent {
  const { local, theirs, twin, standing } = state;
  if (local === null || standing === 'unreadable') return 'none';
  if (standing === 'sending') return 'ask';
  const saysSame = theirs !== null && local.cid !== twin && local.content === theirs.content;
  // What was edited over the remote's version, and back into what it says, goes out as it is.
  const isOver = theirs !== null && twin === theirs.cid && standing !== 'conflict';
  if (saysSame && !isOver) return 'same';
  if (standing === 'refused' || standing === 'conflict') return 'none';
  if (saysSame) return 'prefer';
  if (theirs === null) return local.deleted ? 'none' : 'create';
  if (local.cid === twin) return local.cid === theirs.cid ? 'none' : 'prefer';
  if (theirs.deleted) return 'restore';
  return local.deleted ? 'delete' : 'update';
}
