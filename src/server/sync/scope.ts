import { collectionsOf, type Manifest, type Relationship } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { isKnownAt } from '../store/remotes/remotes.ts';
import { lastLive } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';

type Needs = Pick<SyncContext, 'store' | 'remote'>;

/** Whether an entity comes only by a collection and a type that are wanted: what is here already goes on being followed. */
export function isUnknownUnderFilter(ctx: Needs, id: string): boolean {
  const { collections, types } = ctx.remote;
  return collections.length + types.length > 0 && !isWanted(ctx, id);
}

/**
 * Whether a version keeps its entity away under a filter. Collections are of every type: they say who may do what with the
 * others.
 */
export function isOutside(
  ctx: Needs,
  id: string,
  version: { readonly manifest: { type: string; relationships: unknown; deleted?: boolean } },
): boolean {
  if (!isUnknownUnderFilter(ctx, id)) return false;
  const { type, deleted } = version.manifest;
  const { collections, types } = ctx.remote;
  if (types.length > 0 && type !== 'collection' && !types.includes(type)) return true;
  if (collections.length === 0) return false;
  // A tombstone lies nowhere; where the remote was removed and added again, what it had in these collections is here, or was deleted here.
  const here = deleted ? ctx.store.read((db) => lastOf(db, id)) : undefined;
  const { relationships } = here ?? version.manifest;
  // Nothing but its hash has been checked so far.
  if (!isListOfMaps(relationships)) return true;
  return !collectionsOf({ relationships }).some((one) => collections.includes(one));
}

function lastOf(db: Reader, id: string): Manifest | undefined {
  const manifest = findStanding(db, id)?.manifest;
  return manifest?.deleted ? lastLive(db, manifest)?.manifest : manifest;
}

function isListOfMaps(value: unknown): value is Relationship[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
}

function isWanted({ store, remote }: Needs, id: string): boolean {
  return remote.collections.includes(id) || store.read((db) => isKnownAt(db, remote.key, id));
}
