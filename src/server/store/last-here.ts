import { entriesOf } from '../model/content-entries.ts';
import { type Json, type Manifest, type Relationship, relationshipKey } from '../model/manifest.ts';
import { equalJson } from '../model/properties.ts';
import { memberOf, rolesOf } from '../model/roles.ts';
import { descends } from './archive/archive-reads.ts';
import type { Reader } from './connection.ts';
import type { EntityRow } from './entities.ts';
import { tipsSince } from './events.ts';
import { chain, findVersion, lastLive, type Version, versionByKey, versionHead } from './versions.ts';

/** So many tips are looked through for the last one that was live here: graves give way to each other a few times at most. */
const mostTips = 16;

/** More versions since both sides had the same are not looked through. */
const mostVersions = 64;

/**
 * The last version of a deleted entity that was not deleted; undefined where it is not here. Where what was deleted here has given way
 * to a remote's tombstone, which says the same, that one need not lie over what was edited before: then it is what was deleted first.
 */
export function lastHere(db: Reader, { key }: Pick<EntityRow, 'key'>, grave: Manifest): Version | undefined {
  const last = lastLive(db, grave);
  const deleted = last && deletedHere(db, key);
  if (!deleted || deleted.cid === last.cid) return last;
  return isMadeFrom(db, deleted, last.cid) || isTaken(db, last, deleted) ? deleted : last;
}

/** Whether a version was made from another one, also where what another remote had made of that was the tip here between them. */
export function isMadeFrom(db: Reader, { cid }: Pick<Version, 'cid'>, from: string): boolean {
  if (descends(db, { from: cid, to: from })) return true;
  for (const tip of tipsSince(db, from, mostVersions)) {
    if (tip === cid) return true;
    // What was edited and deleted at a remote comes as one move.
    if (versionHead(db, tip)?.deleted !== false) return liveBelow(db, findVersion(db, tip))?.cid === cid;
  }
  return false;
}

function liveBelow(db: Reader, version: Pick<Version, 'manifest'> | undefined): Version | undefined {
  return version?.manifest.deleted ? lastLive(db, version.manifest) : undefined;
}

/** What a deleted entity said when it was deleted, here or at the remote from which that came first. */
function deletedHere(db: Reader, entity: number): Version | undefined {
  const sql = 'SELECT old_tip, new_tip FROM moves WHERE entity = ? ORDER BY id DESC LIMIT ?';
  for (const { old_tip, new_tip } of db.all<{ old_tip: number | null; new_tip: number }>(sql, entity, mostTips)) {
    const before = old_tip === null ? undefined : versionByKey(db, old_tip);
    if (!before) return undefined;
    if (!before.manifest.deleted) return liveBelow(db, versionByKey(db, new_tip));
  }
  return undefined;
}

/**
 * Whether a remote's version says nothing beside what both sides had but what was said here since: it is what the remote has taken of
 * that, as where bytes were still to come, and has not undone since.
 */
function isTaken(db: Reader, { cid, manifest }: Version, deleted: Version): boolean {
  const users = new Set(db.all<{ id: string | null }>('SELECT user_id AS id FROM remote').map(({ id }) => id));
  const placesOf = (version?: Pick<Version, 'manifest'>) =>
    version ? placesIn(version.manifest, users) : new Map<string, Json>();
  const [ours, theirs] = [chain(db, deleted.cid, mostVersions), chain(db, cid, mostVersions)];
  const there = new Set(theirs.map((one) => one.cid));
  const at = ours.findIndex((one) => there.has(one.cid));
  if (at === -1 && [ours, theirs].some((versions) => versions.at(-1)?.manifest.prev !== null)) return false;
  const base = placesOf(ours[at]);
  const saidIn = (versions: Version[]) => {
    const end = versions.findIndex((one) => one.cid === ours[at]?.cid);
    const live = (end === -1 ? versions : versions.slice(0, end)).filter((one) => !one.manifest.deleted);
    return [base, ...live.map(placesOf).toReversed()];
  };
  const [here, taken] = [saidIn(ours), saidIn(theirs)];
  const last = placesOf({ manifest });
  // A role that somebody took there is not to come back.
  const isGiven = ([place, role]: [string, Json]) => !place.startsWith('role ') || equalJson(role, last.get(place));
  if (![...placesOf(deleted)].every(isGiven)) return false;
  return [...new Set(taken.flatMap((one) => [...one.keys()]))].every((place) => {
    const of = (versions: Map<string, Json>[]) => versions.map((one) => one.get(place));
    return isFollowed(of(here), of(taken));
  });
}

/**
 * Whether a remote has said of a place what was said here, in that order, though not all of it, and says so now: it has undone none of
 * that. What others said there in between does not count.
 */
function isFollowed(here: (Json | undefined)[], there: (Json | undefined)[]): boolean {
  let at = 0;
  return there.every((value, i) => {
    const next = here.findIndex((one, step) => step >= at && equalJson(one, value));
    if (next === -1) return i < there.length - 1 && !here.some((one) => equalJson(one, value));
    at = next;
    return true;
  });
}

/**
 * What a version says, by place; when bytes came and a role was given each side says by itself, and the operator is another user at each.
 * @param users as whom remotes know the operator
 */
function placesIn(manifest: Manifest, users: ReadonlySet<string | null>): Map<string, Json> {
  const { properties, relationships, type } = manifest;
  const entries = entriesOf(manifest);
  const roles = type === 'collection' ? rolesOf(manifest) : new Map();
  const placeOf = (one: Relationship): [string, Json] => {
    if (!roles.has(one.predicate)) return [`to ${relationshipKey(one)}`, { ...one }];
    const { role, peer, kind, expires } = memberOf(one);
    return [`role ${role} ${users.has(peer) ? '' : peer}`, { kind, expires }];
  };
  return new Map<string, Json>([
    ...Object.entries(properties).filter(([name]) => name !== 'content' || entries.size === 0),
    ...[...entries].map(([name, { uploaded_at: _time, ...entry }]): [string, Json] => [`content ${name}`, entry]),
    ...relationships.map(placeOf),
  ]);
}
