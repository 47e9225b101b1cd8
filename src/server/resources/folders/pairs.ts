import { ConflictError, type Issue, type IssuePath, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { PairPredicate } from '../../model/folder-rules.ts';
import type { Manifest } from '../../model/manifest.ts';
import { applyUpdate } from '../../model/next-version.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, type Standing } from '../../store/entities.ts';
import { FolderTree } from '../../store/folders.ts';
import { refuse } from '../entities/body.ts';
import { checkNetwork, type EntityWrites, type Prepared } from '../entities/writes.ts';
import { linked, type Way } from '../relationships/linked.ts';

/** What an endpoint is asked to do with the folder `id` and the entities at the other ends of pairs. */
export interface PairWrite {
  id: string;
  /** The tip that is stated for the folder. */
  expected: string;
  note?: string;
  way: Way;
  /** The folder's side: it `contains` children, or is `in` a parent. */
  predicate: PairPredicate;
  /** Each with the place in the request that names it. */
  partners: { id: string; path: IssuePath }[];
  /** The tip that is stated for the only partner, and the member that states it; for several there is none. */
  precondition?: { name: string; expected: string | undefined };
}

/** One end of a pair; `written` where it gets a new version. */
export interface End {
  base: Standing;
  written?: Prepared | undefined;
}

export interface Partner extends End {
  /** Whether the pair was there already, both sides of it. */
  whole: boolean;
}

export interface PairedFolder {
  folder: End;
  /** In the order of the request. */
  partners: Partner[];
  steps: Prepared[];
}

interface Pair {
  base: Standing;
  path: IssuePath;
  /** Whether the folder's side has to change, and whether the partner's has to. */
  here: boolean;
  there: boolean;
}

const otherSide: Record<PairPredicate, PairPredicate> = { contains: 'in', in: 'contains' };
const partnerNames: Record<PairPredicate, string> = { contains: 'child', in: 'parent' };

/**
 * The folder's next version and that of each partner, as far as they lack their side (or have it, where it goes). Where
 * nothing is to be done the tips that were stated do not count, so that the same request may come twice. An end that
 * needs no version of its own must not move either.
 */
export function preparePairs(writes: EntityWrites, db: Reader, caller: Caller, wanted: PairWrite): PairedFolder {
  const { id, note, way, predicate } = wanted;
  const folder = writes.standing(db, caller.network, id);
  if (folder.type !== 'folder') throw new NotFoundError();
  const { pairs, missing } = pairsOf(db, caller, wanted, folder);
  const open = pairs.filter(({ here, there }) => here || there);
  if (way === 'remove' && open.length === 0)
    throw NotFoundError.of(`The folder has no such ${partnerNames[predicate]}`);

  const stamp = writes.stamp(registered(caller), note);
  const gained = pairs.filter(({ here }) => here).map(({ base }) => base);
  const next = applyUpdate(folder.manifest, folder.cid, linked(way, predicate, gained), stamp);
  const folders = new FolderTree(db);
  const permit = writes.permit(db, caller, folder, next, { surroundings: folders });
  const back = linked(way, otherSide[predicate], [folder]);
  const changes = pairs.map((pair) => {
    if (!pair.there) return { pair };
    const other = applyUpdate(pair.base.manifest, pair.base.cid, back, stamp);
    return {
      pair,
      change: { next: other, permit: writes.permit(db, caller, pair.base, other, { surroundings: folders }) },
    };
  });

  const writing = open.length > 0 || missing.length > 0;
  if (writing) {
    compare(wanted, folder, pairs);
    if (folder.deleted) throw ValidationError.at(['id'], 'the entity is deleted');
    refuse([...missing, ...permit.issues.map(atPartner(next, pairs))]);
  }
  const mine = gained.length > 0 ? writes.settle(db, folder, next, undefined, permit) : undefined;
  const partners = changes.map(({ pair: { base, path, here, there }, change }): Partner => {
    const locate = ({ message }: Issue) => ({ path, message });
    const written = change && writes.settle(db, base, change.next, undefined, change.permit, { path, locate });
    return { base, written, whole: !here && !there };
  });
  return {
    folder: { base: folder, written: mine },
    partners,
    steps: stepsOf({ base: folder, written: mine }, partners),
  };
}

/** What stands at the other ends; a single partner that is not here is a 404, one of several an issue. */
function pairsOf(
  db: Reader,
  { network }: Caller,
  { way, predicate, partners, precondition }: PairWrite,
  folder: Standing,
): { pairs: Pair[]; missing: Issue[] } {
  const held = new Set(folder.manifest.relationships.filter((r) => r.predicate === predicate).map((r) => r.peer));
  const [pairs, missing]: [Pair[], Issue[]] = [[], []];
  for (const { id, path } of partners) {
    checkNetwork(network, id, path);
    const base = findStanding(db, id);
    if (!base || (base.deleted && way === 'add')) {
      if (precondition) throw new NotFoundError();
      missing.push({ path, message: `there is no entity ${id}` });
      continue;
    }
    const holds = base.manifest.relationships.some((r) => r.predicate === otherSide[predicate] && r.peer === folder.id);
    pairs.push({ base, path, here: held.has(id) !== (way === 'add'), there: holds !== (way === 'add') });
  }
  return { pairs, missing };
}

/** The tips that were stated, before anything else is said of the entities' state (decisions.md, Order of checks). */
function compare({ expected, precondition }: PairWrite, folder: Standing, pairs: Pair[]): void {
  if (expected !== folder.cid) throw new ConflictError(expected, folder.cid);
  if (!precondition) return;
  for (const { base } of pairs) {
    const isProtected = base.collection !== null || base.type === 'collection';
    if (precondition.expected === undefined && isProtected)
      throw ValidationError.at([precondition.name], `is required where ${base.id} is a collection or lies in one`);
    if (precondition.expected !== undefined && precondition.expected !== base.cid)
      throw new ConflictError(precondition.expected, base.cid);
  }
}

/** Issues about the folder's relationships, each at the member of the request that names the partner. */
function atPartner(next: Manifest, pairs: Pair[]): (issue: Issue) => Issue {
  return ({ path, message }) => {
    const [member, at] = path;
    const peer = member === 'relationships' && typeof at === 'number' ? next.relationships[at]?.peer : undefined;
    return { path: pairs.find(({ base }) => base.id === peer)?.path ?? path, message };
  };
}

/** What is written, and the other ends of the same pairs as preconditions. */
function stepsOf(folder: End, partners: Partner[]): Prepared[] {
  const ends = [folder, ...partners.filter(({ whole }) => !whole)];
  const [first, ...others] = ends.flatMap(({ written }) => written ?? []);
  if (!first) return [];
  const resting = ends.filter(({ written }) => !written).map(({ base }) => ({ id: base.id, tip: base.cid }));
  return [{ ...first, preconditions: [...first.preconditions, ...resting] }, ...others];
}
