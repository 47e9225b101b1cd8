import { type Block, encodeManifest } from '../blocks/encode.ts';
import { losesOwners } from '../model/collection-rules.ts';
import { circlesOf } from '../model/folder-rules.ts';
import type { Manifest } from '../model/manifest.ts';
import { replaced, type Stamp, tombstone } from '../model/next-version.ts';
import { equalJson } from '../model/properties.ts';
import { rolesOf } from '../model/roles.ts';
import { type Clash, type Content, type Merged, mergeThreeWay, type Side, sameContent } from '../model/three-way.ts';
import type { Reader } from '../store/connection.ts';
import { FolderTree } from '../store/folders.ts';
import { findVersion } from '../store/versions.ts';
import { endsAlike } from './collection-requests.ts';
import type { Chain } from './manifests.ts';
import type { EntityState } from './state.ts';
import { verifiable } from './verified-here.ts';

/** The versions of a conflict. */
export interface Sides {
  /** The last common version; null where there is none. */
  base: Manifest | null;
  baseCid: string | null;
  ours: Manifest;
  theirs: Manifest;
  theirsCid: string;
}

/** A merge of both sides: its version follows theirs, or is theirs where nothing is added to it. */
export interface MergedVersion {
  cid: string;
  manifest: Manifest;
  /** Null where it is theirs. */
  block: Block | null;
  clashes: Clash[];
}

/**
 * What both sides say together, by property path and relationship (model/three-way.ts); `choose` settles what clashes. When a
 * membership was given, by whom, and the moment of its end are theirs where both have it; when the endpoint of a processor was
 * verified, which each node does by itself, is ours where both have it.
 */
export function mergeContents(sides: Sides, choose: (clash: Clash) => Side = () => 'ours'): Merged {
  const { base, ours, theirs } = sides;
  if (ours.type !== 'collection') {
    const merged = mergeThreeWay(base, ours, theirs, (clash) => (isOwnTime(sides, clash) ? 'ours' : choose(clash)));
    return { ...merged, clashes: merged.clashes.filter((clash) => !isOwnTime(sides, clash)) };
  }
  const roles = new Set([ours, theirs].flatMap((one) => [...rolesOf(one).keys()]));
  const isReckoned = ({ path: [of, role = '', , , name], ours, theirs }: Clash) => {
    if (of !== 'relationships' || !roles.has(role)) return false;
    return name === 'expires_at' ? endsAlike(ours, theirs) : name === 'granted_at' || name === 'granted_by';
  };
  const merged = mergeThreeWay(base, ours, theirs, (clash) => (isReckoned(clash) ? 'theirs' : choose(clash)));
  return { ...merged, clashes: merged.clashes.filter((clash) => !isReckoned(clash)) };
}

/** Whether both sides differ in when they verified one endpoint. */
function isOwnTime({ ours, theirs }: Sides, { path, ours: here, theirs: there }: Clash): boolean {
  const [, name] = path;
  if (!verifiable.includes(ours.type) || path.length !== 2 || name !== 'endpoint_verified_at') return false;
  return (
    typeof here === 'string' &&
    typeof there === 'string' &&
    equalJson(ours.properties.endpoint ?? null, theirs.properties.endpoint ?? null)
  );
}

/** The version that holds both sides' changes, and what clashed. @throws ValidationError where it would be too large */
export function mergeSides(sides: Sides, stamp: Stamp): MergedVersion {
  const { content, clashes } = mergeContents(sides);
  return { ...versionOver(sides.theirs, sides.theirsCid, content, stamp, { reason: sides.ours.reason }), clashes };
}

/**
 * Whether a merge would say what no version may: each side is sound, and both together put a folder into itself, or leave a
 * collection without an owner. Of a folder's links only those that ours adds to theirs are looked at: a circle that both sides make
 * has such a one, and what theirs alone says may be of a tree whose other folders have not come yet.
 */
export function isUnsound(db: Reader, { theirs }: Sides, { properties, relationships, deleted }: Content): boolean {
  if (deleted) return false;
  const merged = { ...theirs, properties, relationships };
  return circlesOf(theirs, merged, new FolderTree(db)).length > 0 || losesOwners(theirs, merged);
}

/**
 * The version that says `content` after theirs; theirs where that says it, unless `anew`.
 * @throws ValidationError where it would be too large
 */
export function versionOver(
  theirs: Manifest,
  theirsCid: string,
  content: Content,
  stamp: Stamp,
  { reason, anew = false }: { reason?: string | undefined; anew?: boolean } = {},
): Omit<MergedVersion, 'clashes'> {
  if (!anew && sameContent(content, theirs)) return { cid: theirsCid, manifest: theirs, block: null };
  const manifest = content.deleted
    ? tombstone(theirs, theirsCid, reason, stamp)
    : replaced(theirs, theirsCid, content, stamp);
  const block = encodeManifest(manifest);
  return { cid: block.cid, manifest, block };
}

/** The versions of a conflict as they are stored; `chain` is theirs where it is not stored yet. */
export function sidesOf(db: Reader, { local, theirs, base }: EntityState, chain: Chain | null): Sides | null {
  const ours = local && findVersion(db, local.cid)?.manifest;
  const other = theirs && (chain?.cid === theirs.cid ? chain.manifest : findVersion(db, theirs.cid)?.manifest);
  if (!ours || !other) return null;
  const common = base === null ? null : baseIn(db, base, chain);
  return { base: common, baseCid: common && base, ours, theirs: other, theirsCid: theirs.cid };
}

function baseIn(db: Reader, cid: string, chain: Chain | null): Manifest | null {
  const at = chain?.blocks.findIndex((block) => block.cid === cid) ?? -1;
  return chain?.manifests[at] ?? findVersion(db, cid)?.manifest ?? null;
}
