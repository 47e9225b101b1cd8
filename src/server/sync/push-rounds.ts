import { lackingOf } from '../model/grants.ts';
import { groupMembersOf } from '../model/groups.ts';
import { collectionsOf, type Manifest } from '../model/manifest.ts';
import { accessOf, rolesOf } from '../model/roles.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { unsentContents } from '../store/remotes/remote-content.ts';
import { findKnown, type PendingRow, pendingPeers } from '../store/remotes/remotes.ts';
import { findVersion, lastLive } from '../store/versions.ts';
import { creationRounds } from './order.ts';
import { allNames } from './own-names.ts';
import type { PushContext } from './push-context.ts';

interface Rounds {
  /** Collections of the first round that are in one of the last, too. */
  restoring: string[];
  first: string[][];
  /** What takes rights that all else, bytes too, may need. */
  last: string[][];
  /** Those of the last that do take them: a new root alone takes none. */
  taking: ReadonlySet<string>;
}

/**
 * In which order things go out, round by round (SPEC.md, P1). A collection that is restored goes before what lies in it; one that
 * takes from the key's user what the others may need, or whose root may have been moved into it, after that, also where it was
 * restored before; so does a group that the key's user leaves by it.
 */
export async function roundsOf(ctx: PushContext, pending: PendingRow[]): Promise<Rounds> {
  const isCollection = (row: PendingRow) => row.type === 'collection';
  const left = new Set<string>();
  await ctx.turns.each(
    pending.filter((row) => row.known && row.type === 'group'),
    ({ id }) => {
      if (ctx.store.read((db) => isLeft(ctx, db, id))) left.add(id);
    },
  );
  // What an earlier run was not answered to may fail again, and then nothing else waits for it.
  const isOpen = (row: PendingRow) => row.open && !isCollection(row) && !left.has(row.id);
  const open = pending.filter(isOpen);
  const fresh = pending.filter((row) => !isOpen(row));
  const created = fresh.filter((row) => !row.known && !row.deleted);
  const pointsAt = new Map<string, string[]>();
  await ctx.turns.each(
    created.filter((row) => !isCollection(row)),
    ({ id }) =>
      pointsAt.set(
        id,
        ctx.store.read((db) => pendingPeers(db, ctx.remote.key, id)),
      ),
  );
  const ids = (rows: PendingRow[]) => rows.map((row) => row.id);
  const restored = new Set<string>();
  const late = new Set<string>();
  const taking = new Set<string>();
  await ctx.turns.each(
    fresh.filter((row) => !row.deleted && isCollection(row)),
    ({ id, known }) => {
      const turns = ctx.store.read((db) => turnsOf(ctx, db, id));
      if (known && turns.first) restored.add(id);
      if (turns.last) late.add(id);
      if (turns.takes) taking.add(id);
    },
  );
  const isLate = (id: string) => late.has(id) || left.has(id);
  const changed = fresh.filter((row) => row.known && !row.deleted && !restored.has(row.id) && !isLate(row.id));
  const early = [...ids(created.filter(isCollection)), ...restored];
  const deleted = fresh.filter((row) => row.deleted);
  const first = [
    early,
    ...creationRounds(pointsAt),
    // Collections once more: what they point at is there now.
    [...early.filter((id) => !isLate(id)), ...ids(changed)],
    ids(deleted.filter((row) => !isCollection(row) && !isLate(row.id))),
    ids(open),
  ];
  const gone = ids(deleted.filter(isCollection));
  for (const id of gone) taking.add(id);
  // A group gives rights on what takes rights, too; but where it lies in that, it needs them itself.
  const placesOf = (id: string) =>
    ctx.store
      .read((db) => sidesOf(ctx.remote, db, id))
      .flatMap(collectionsOf)
      .filter((to) => taking.has(to));
  const places = new Map([...left].map((id) => [id, placesOf(id)]));
  for (const id of left) taking.add(id);
  const around = new Set([...places.values()].flat());
  const [lateAround, lateApart] = parted([...late], (id) => around.has(id));
  const [goneAround, goneApart] = parted(gone, (id) => around.has(id));
  const [inside, outside] = parted([...left], (id) => places.get(id)?.length !== 0);
  const last = [lateApart, goneApart, inside, lateAround, goneAround, outside];
  const isAny = (round: string[]) => round.length > 0;
  return { restoring: [...restored].filter(isLate), first: first.filter(isAny), last: last.filter(isAny), taking };
}

function parted(ids: string[], belongs: (id: string) => boolean): [string[], string[]] {
  return [ids.filter(belongs), ids.filter((id) => !belongs(id))];
}

interface Turns {
  first: boolean;
  last: boolean;
  /** Whether the key's user loses rights by it. */
  takes: boolean;
}

/**
 * Whether a collection has to go before what lies in it, or after; one that is new or restored may have to do both. Who makes one
 * owns it at first. Its groups give what they give there until they go out themselves.
 */
function turnsOf({ remote, self }: PushContext, db: Reader, id: string): Turns {
  const tip = theirsOf(db, remote.key, id);
  const local = hereOf(db, id);
  const first = tip === undefined || tip.deleted === true;
  const theirs = tip?.deleted ? lastLive(db, tip)?.manifest : tip;
  if (!local) return { first, last: false, takes: false };
  const user = remote.user === null ? [] : [remote.user];
  const groupOf = (group: string) => theirsOf(db, remote.key, group);
  const may = theirs ? actionsOf(theirs, user, groupOf) : (rolesOf(local).get('owner') ?? []);
  const own = [...user, ...allNames(db, { remote, self }, local, theirs ?? null)];
  const isLoss = lackingOf(may, actionsOf(local, own, groupOf)).length > 0;
  const roots = theirs ? rootsOf(theirs) : [];
  return { first, last: isLoss || rootsOf(local).some((peer) => !roots.includes(peer)), takes: isLoss };
}

/** Whether the key's user is in a group no more by what is here: what the others may need may be given to that. */
function isLeft({ remote, self }: PushContext, db: Reader, id: string): boolean {
  const theirs = theirsOf(db, remote.key, id);
  const local = hereOf(db, id);
  if (!theirs || !local || remote.user === null) return false;
  const members = groupMembersOf(local);
  return groupMembersOf(theirs).has(remote.user) && ![remote.user, ...self].some((one) => members.has(one));
}

/**
 * The collections in which something lies, here or there, at which the remote has failed, for whose bytes a node gives no address yet,
 * or that waits itself, such collections, and the groups that have a role in these: that needs their rights when it is tried again.
 */
export async function placesOfUnsent({ failing, waiting, store, remote, turns }: PushContext): Promise<Set<string>> {
  const places = new Set<string>();
  // Other remotes may have no addresses at all.
  const unsent = remote.instance === null ? [] : store.read((db) => unsentContents(db, remote.key));
  await turns.each([...new Set([...failing.keys(), ...waiting, ...unsent])], (id) => {
    for (const side of store.read((db) => sidesOf(remote, db, id)))
      for (const place of side.type === 'collection' ? [id, ...collectionsOf(side)] : collectionsOf(side))
        places.add(place);
  });
  const needed = new Set(places);
  await turns.each([...places], (place) => {
    for (const side of store.read((db) => sidesOf(remote, db, place)))
      for (const group of accessOf(side).groups) needed.add(group);
  });
  return needed;
}

/** What is said of an entity here and there, as far as it is known. */
function sidesOf({ key }: PushContext['remote'], db: Reader, id: string): Manifest[] {
  return [hereOf(db, id), theirsOf(db, key, id)].filter((side) => side !== undefined);
}

function hereOf(db: Reader, id: string): Manifest | undefined {
  return findStanding(db, id)?.manifest;
}

function theirsOf(db: Reader, remote: number, id: string): Manifest | undefined {
  return findVersion(db, findKnown(db, remote, id).theirs ?? '')?.manifest;
}

/** The roots of a collection that lie in it at the remote, as far as is known: it takes no other ones by the endpoint for that. */
export function settableRoots(db: Reader, remote: number, collection: Manifest): string[] {
  return rootsOf(collection).filter((root) => {
    const theirs = theirsOf(db, remote, root);
    return theirs !== undefined && !theirs.deleted && collectionsOf(theirs).includes(collection.id);
  });
}

/** What the members among `ids` may do by their roles, and by those of groups that they are in. */
function actionsOf(
  collection: Manifest,
  ids: readonly string[],
  groupOf: (id: string) => Manifest | undefined,
): string[] {
  const { roles, groups } = accessOf(collection);
  const isIn = (id: string) => {
    const group = groupOf(id);
    return group !== undefined && !group.deleted && ids.some((one) => groupMembersOf(group).has(one));
  };
  const holders = [...ids, ...groups.filter(isIn)];
  return collection.relationships
    .filter(({ peer }) => holders.includes(peer))
    .flatMap(({ predicate }) => roles.get(predicate) ?? []);
}

function rootsOf({ relationships }: Manifest): string[] {
  return relationships.filter(({ predicate }) => predicate === 'root').map(({ peer }) => peer);
}
