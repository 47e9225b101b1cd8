import { ConflictError, NotFoundError, ValidationError } from '../errors.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Stamp } from '../model/next-version.ts';
import { type Clash, type Content, type Merged, type Side, typePath } from '../model/three-way.ts';
import { isArchiveName } from '../store/archive/archive-forks.ts';
import type { Commit } from '../store/commit.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { timesTip } from '../store/events.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { type ConflictRow, conflictsOf } from '../store/remotes/conflict-rows.ts';
import { findRemote } from '../store/remotes/remotes.ts';
import type { SyncRow } from '../store/remotes/sync-rows.ts';
import { findVersion } from '../store/versions.ts';
import { commitBetween } from './apply.ts';
import { mergedInto } from './decide.ts';
import { commonVersion, loadEntity } from './entity.ts';
import { storedChain } from './manifests.ts';
import { isUnsound, mergeContents, type Sides, sidesOf, versionOver } from './merge.ts';
import { asNamedThere } from './named-there.ts';

/** A conflict with everything that is needed to decide it. */
export interface OpenConflict extends ConflictRow {
  sides: Sides;
  oursCid: string;
  /** What a merge gives, with ours at each clash. */
  merged: Content;
  clashes: Clash[];
  /** A merge would put a folder into itself, or leave a collection without an owner, so that the relationships are one side's. */
  unsound: boolean;
  /** Nodes in a circle pass theirs on (SPEC.md, alternates): who met it before takes only another version that says the same. */
  returns: boolean;
}

/** How somebody decides a conflict. `choices` settle single clashes, `side` the others; or `content` says it all. */
export type Resolution =
  | { side: Side; choices?: { path: string[]; side: Side }[] }
  | { content: Pick<Content, 'properties' | 'relationships'> };

/** One conflict, read now. @throws NotFoundError, ValidationError where there are several and none is named */
export function openConflict(db: Reader, id: string, remote: string | undefined): OpenConflict {
  const found = conflictsOf(db, id).filter((row) => remote === undefined || row.remote === remote);
  const [row] = found;
  if (!row) throw new NotFoundError(`There is no conflict about ${id}${remote === undefined ? '' : ` with ${remote}`}`);
  if (found.length > 1)
    throw ValidationError.at(['remote'], `must say which: ${found.map((it) => it.remote).join(' or ')}`);
  const sides = isArchiveName(row.remote) ? archiveSides(db, row) : remoteSides(db, row);
  const oursCid = findStanding(db, id)?.cid;
  if (!sides || oursCid === undefined) throw new NotFoundError(`The versions of the conflict about ${id} are not here`);
  const { content, clashes } = merge(sides);
  const unsound = isUnsound(db, sides, content);
  const returns = isReturned(db, row.remote, sides);
  return {
    ...{ ...row, base: sides.baseCid, sides, oursCid, returns },
    ...{ merged: content, clashes: clashes.toSorted(byPath), unsound },
  };
}

function isReturned(db: Reader, remote: string, { baseCid, theirs, theirsCid }: Sides): boolean {
  const isNode = (findRemote(db, remote)?.instance ?? null) !== null;
  return isNode && baseCid === null && !theirs.deleted && timesTip(db, theirsCid) > 1;
}

/** Of what waits for a person whether it lives is theirs to say, also where one side alone has changed. */
function merge(sides: Sides, choose?: (clash: Clash) => Side): Merged {
  const isLife = sides.ours.deleted !== sides.theirs.deleted;
  return mergeContents(isLife ? { ...sides, base: null } : sides, choose);
}

function byPath(a: Clash, b: Clash): number {
  const [x, y] = [a.path.join('\n'), b.path.join('\n')];
  return x < y ? -1 : x > y ? 1 : 0;
}

function remoteSides(db: Reader, { remote, id }: ConflictRow): Sides | null {
  const found = findRemote(db, remote);
  const sides = found && sidesOf(db, loadEntity(db, found.key, id).state, null);
  return sides ? asNamedThere(db, sides, { remote: found, self: [] }) : null;
}

/** An archive's version and the tip here, over the newest version that both descend from. */
function archiveSides(db: Reader, { id, theirs }: ConflictRow): Sides | null {
  const standing = findStanding(db, id);
  const other = findVersion(db, theirs);
  if (!standing || !other) return null;
  const base = commonVersion(db, standing.cid, { cid: theirs, blocks: [], manifests: [] });
  const version = base === null ? undefined : findVersion(db, base);
  return {
    base: version?.manifest ?? null,
    baseCid: base,
    ours: standing.manifest,
    theirs: other.manifest,
    theirsCid: theirs,
  };
}

/** What a resolution makes of an entity. */
export interface Resolved {
  cid: string;
  next: Manifest;
  /** The version that `next` follows. */
  over: Manifest;
  /** False where it is a version that is here already. */
  isNew: boolean;
  commit: (db: Reader) => Commit;
}

/** Which version a resolution makes, before it is committed; whoever commits it checks what it says. */
export function resolved(conflict: OpenConflict, resolution: Resolution, stamp: Stamp): Resolved {
  // Over the tip here where an archive brought the other side: whoever follows this node sees one more version.
  const { sides, oursCid, remote, returns } = conflict;
  const [over, overCid] = isArchiveName(remote) ? [sides.ours, oursCid] : [sides.theirs, sides.theirsCid];
  const content = 'content' in resolution ? { ...resolution.content } : decided(conflict, resolution, over.type);
  const version = versionOver(over, overCid, content, stamp, { reason: sides.ours.reason, anew: returns });
  const time = Date.parse(stamp.ts);
  return {
    cid: version.cid,
    next: version.manifest,
    over,
    isNew: version.block !== null,
    commit: (db) => {
      const made = isArchiveName(remote)
        ? archiveCommit(conflict, version, time)
        : remoteCommit(db, conflict, version, time);
      const told: SyncRow = { kind: 'conflict_decided', remote, id: conflict.id, cid: version.cid };
      return { ...made, rows: [...made.rows, told] };
    },
  };
}

function decided(
  { sides, unsound }: OpenConflict,
  { side, choices = [] }: Extract<Resolution, { side: Side }>,
  type: string,
): Content {
  const clashes = merge(sides).clashes;
  const byPath = new Map(choices.map((choice) => [JSON.stringify(choice.path), choice.side]));
  const known = new Set(clashes.map(({ path }) => JSON.stringify(path)));
  const strange = choices.findIndex(({ path }) => !known.has(JSON.stringify(path)));
  if (strange !== -1) throw ValidationError.at(['choices', strange, 'path'], 'is no place that both sides changed');
  const typed = clashes.find(({ path }) => isTypePath(path));
  if (typed && typed[byPath.get(JSON.stringify(typePath)) ?? side] !== type) {
    const at = choices.findIndex(({ path }) => isTypePath(path));
    const words = `cannot stand: no version changes what an entity is, and the one that is followed has the type ${type}. Choose the other side for the place ["type"], or say with merged what it is to say`;
    throw ValidationError.at(at === -1 ? ['resolution'] : ['choices', at, 'side'], words);
  }
  const { content } = merge(sides, ({ path }) => byPath.get(JSON.stringify(path)) ?? side);
  return unsound ? { ...content, relationships: sides[side].relationships } : content;
}

function isTypePath(path: string[]): boolean {
  return path.length === 1 && path[0] === typePath[0];
}

type Version = ReturnType<typeof versionOver>;

function archiveCommit({ id, oursCid, sides }: OpenConflict, { cid, block }: Version, time: number): Commit {
  const changes = block === null ? [] : [{ id, expect: oursCid, tip: cid, blocks: [block] }];
  const preconditions = block === null ? [{ id, tip: oursCid }] : [];
  const row = { kind: 'car_decided', id, theirs: sides.theirsCid } as const;
  return { changes, preconditions, rows: [row], origin: 'local', time };
}

function remoteCommit(db: Reader, { id, remote, sides }: OpenConflict, version: Version, time: number): Commit {
  const key = findRemote(db, remote)?.key;
  if (key === undefined) throw new NotFoundError(`There is no remote ${remote}`);
  const loaded = loadEntity(db, key, id);
  const stored = storedChain(sides.theirsCid, sides.theirs);
  const { next, chain } = mergedInto(loaded.state, stored, version);
  const commit = commitBetween(loaded, next, chain, null, { remote, time });
  // What was decided about is still what is there: a run may have brought another version meanwhile.
  return { ...commit, preconditions: [...commit.preconditions, { id, tip: sides.theirsCid, at: remote }] };
}

/** Commits a resolution. @throws ConflictError where the tip here has moved meanwhile */
export async function commitResolution(store: NetworkStore, commit: Commit): Promise<void> {
  for (const outcome of await store.submit([commit]))
    if (!outcome.committed) throw new ConflictError(outcome.expected ?? '', outcome.actual ?? '');
}
