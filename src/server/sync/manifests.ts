import { isCid } from '../blocks/cid.ts';
import { type Block, decodeManifest, encodeHistoric } from '../blocks/encode.ts';
import { type ManifestHead, manifestHead } from '../blocks/manifest-head.ts';
import { isTombstone } from '../blocks/tombstones.ts';
import { lenientManifest } from '../model/lenient.ts';
import type { JsonObject, Manifest } from '../model/manifest.ts';
import type { Trouble } from '../store/remotes/sync-rows.ts';
import { manifestProblem } from '../store/segment.ts';
import { checkKey } from './key-check.ts';
import type { RemoteClient } from './remote.ts';
import { type CurrentView, readHistoric, readWords } from './wire.ts';

/** A version whose bytes hash to its CID. */
export interface Verified {
  block: Block;
  head: ManifestHead;
  readonly manifest: Manifest;
}

/**
 * A version that came as a block. It is decoded when somebody asks what it says: of most of a first mirror only the
 * writer does. Bytes that turn out to be no manifest say nothing, and no entity has such a version (manifestProblem).
 * @throws RangeError where the bytes are no map with the members of a head
 */
export function versionOfBytes(block: Block): Verified {
  const head = manifestHead(block.bytes);
  let decoded: Manifest | undefined;
  return {
    block,
    head,
    get manifest() {
      decoded ??= decodedOr(block.bytes, head);
      return decoded;
    },
  };
}

function decodedOr(bytes: Uint8Array, head: ManifestHead): Manifest {
  try {
    return lenientManifest(decodeManifest(bytes));
  } catch {
    return { id: head.id, ver: head.ver, prev: head.prev, properties: {}, relationships: [] } as unknown as Manifest;
  }
}

function headOf({ id, ver, prev, deleted }: Manifest): ManifestHead {
  return { id, ver, prev, deleted: deleted === true };
}

/** Why a version cannot be taken over; `evidence` is for people. */
export interface Unusable {
  trouble: Trouble;
  evidence: string;
}

export function isUnusable(it: object): it is Unusable {
  return 'trouble' in it;
}

const maxEvidence = 4000;

/**
 * The stored form of a current version out of its wire form: what differs is known, the hash says whether that was all
 * of it (a note is not on the wire). Null where it is not.
 */
export function rebuilt(view: CurrentView, cid: string, schema: string): Verified | null {
  const { user_label: _user, on_behalf_of_label: _behalf, ...edited_by } = view.edited_by;
  const json = {
    schema,
    id: view.entity,
    type: view.type,
    created_at: view.created_at,
    ver: view.ver,
    ts: new Date(view.ts).toISOString(),
    prev: view.prev_cid == null ? null : { '/': view.prev_cid },
    properties: view.properties,
    relationships: view.relationships,
    edited_by,
  } as JsonObject;
  const verified = verify(json, cid);
  return isUnusable(verified) ? null : verified;
}

/** Hashes a historic manifest again (SPEC.md, S1). */
export function verify(json: JsonObject, cid: string): Verified | Unusable {
  let block: Block;
  try {
    block = encodeHistoric(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { trouble: 'unverifiable', evidence: `it cannot be encoded: ${reason}`.slice(0, maxEvidence) };
  }
  if (block.cid !== cid) {
    const trouble = isCid(cid) ? 'mismatch' : 'unverifiable';
    return { trouble, evidence: `asked for ${cid}, hashed to ${block.cid}: ${shown(json)}`.slice(0, maxEvidence) };
  }
  const prev = (json.prev as { '/': string } | null | undefined)?.['/'] ?? null;
  const grave = isTombstone(json) ? { deleted: true } : {};
  const written = { properties: {}, relationships: [], ...json, prev, ...grave } as unknown as Manifest;
  const manifest = lenientManifest(written);
  return { block, head: headOf(manifest), manifest };
}

function shown(json: JsonObject): string {
  return JSON.stringify(json).slice(0, maxEvidence);
}

/**
 * One version by its CID, verified; what a remote does not show is no error.
 * @throws UnreachableError where the key counts no more
 */
export async function fetchVersion(client: RemoteClient, cid: string): Promise<Verified | Unusable> {
  if (!isCid(cid)) return { trouble: 'unverifiable', evidence: `${cid.slice(0, 200)} is no CID of this kind` };
  const answer = await client.read(`/versions/manifest/${cid}`);
  checkKey(client, answer, 'shows no versions');
  const { status, body } = answer;
  if (status === 401 || status === 403) return { trouble: 'forbidden', evidence: readWords(body, status) };
  if (status !== 200) return { trouble: 'missing', evidence: readWords(body, status) };
  const json = readHistoric(body);
  if (json === null) return { trouble: 'unverifiable', evidence: 'the answer holds no manifest' };
  return verify(json as JsonObject, cid);
}

/** An entity's new tip with the versions below it that were not here, oldest first; empty where all were. */
export interface Chain {
  cid: string;
  head: ManifestHead;
  readonly manifest: Manifest;
  blocks: Block[];
  /** Of `blocks`, in their order. */
  readonly manifests: Manifest[];
  /** What of the stored part has been looked at already, down to the number `floor`, its contents the newest first (ancestors.ts). */
  below?: { floor: number; heads: ReadonlyMap<string, Head>; said: ReadonlySet<string> };
}

/** A version's number, and the one before it. */
export interface Head {
  ver: number;
  prev: string | null;
}

/** The most versions of one entity that are held at once; longer chains come by slices (long-chains.ts). */
export const maxHeld = 200;

/** How many bytes of versions below tips are held at once by those who share it. */
export class Room {
  left: number;
  constructor(bytes = 16 * 1024 * 1024) {
    this.left = bytes;
  }
}

/**
 * Follows `prev` down to a version that is here, or to version 1 (SPEC.md, S2); `long` where that is more than is held.
 * @param isHere whether a version of this entity is stored
 */
export async function completeChain(
  client: RemoteClient,
  id: string,
  tip: Verified,
  isHere: (cid: string) => boolean,
  room: Room,
): Promise<Chain | Unusable | 'long'> {
  const found: Verified[] = [];
  for (let next = tip; ; ) {
    const problem = manifestProblem(next.manifest, id);
    if (problem !== null) return { trouble: 'unverifiable', evidence: problem };
    const below = extendChain(found, next, id, { isHere, room });
    if (below === 'long' || isUnusable(below)) return below;
    if (below.prev === null) return chainOfVersions(found);
    const fetched = await fetchVersion(client, below.prev);
    if (isUnusable(fetched))
      return fetched.trouble === 'mismatch'
        ? fetched
        : { trouble: 'incomplete', evidence: `version ${next.head.ver - 1}: ${fetched.evidence}` };
    next = fetched;
  }
}

/**
 * Takes a version in below those of `found`, which are newest first; gives the CID of the one that has to follow, null
 * where the chain is complete, `long` where no more of it is held, and what it took of the room is free again. Of what a
 * version says only its head is looked at.
 */
export function extendChain(
  found: Verified[],
  next: Verified,
  id: string,
  { isHere, room }: { isHere: (cid: string) => boolean; room: Room },
): { prev: string | null } | Unusable | 'long' {
  const { head } = next;
  const above = found.at(-1)?.head;
  if (head.id !== id || head.ver < 1)
    return { trouble: 'unverifiable', evidence: `it is version ${head.ver} of ${head.id}`.slice(0, maxEvidence) };
  if (above && head.ver !== above.ver - 1)
    return { trouble: 'unverifiable', evidence: `version ${above.ver} follows version ${head.ver}` };
  found.push(next);
  room.left -= next.block.bytes.length;
  if (head.prev === null) {
    if (head.ver === 1) return { prev: null };
    return { trouble: 'incomplete', evidence: `version ${head.ver} names none before it` };
  }
  if (isHere(head.prev)) return { prev: null };
  if (found.length < maxHeld && room.left > 0) return { prev: head.prev };
  for (const { block } of found) room.left += block.bytes.length;
  return 'long';
}

/** Why a version cannot follow the one that is stored `below` it, null for none; null where it can. */
export function linkProblem({ manifest }: Verified, id: string, below: { cid: string; ver: number } | null) {
  const unverifiable = (evidence: string): Unusable => ({ trouble: 'unverifiable', evidence });
  const problem = manifestProblem(manifest, id);
  if (problem !== null) return unverifiable(problem);
  if (manifest.prev !== (below?.cid ?? null))
    return unverifiable(`version ${manifest.ver} does not follow the one that is listed before it`);
  if (manifest.ver === (below?.ver ?? 0) + 1) return null;
  if (below === null)
    return { trouble: 'incomplete', evidence: `version ${manifest.ver} names none before it` } as const;
  return unverifiable(`version ${manifest.ver} follows version ${below.ver}`);
}

/** A complete chain out of its versions, at least one, newest first. */
export function chainOfVersions(found: Verified[]): Chain {
  const [tip] = found as [Verified];
  const ordered = found.toReversed();
  let manifests: Manifest[] | undefined;
  return {
    cid: tip.block.cid,
    head: tip.head,
    get manifest() {
      return tip.manifest;
    },
    blocks: ordered.map((it) => it.block),
    get manifests() {
      manifests ??= ordered.map((it) => it.manifest);
      return manifests;
    },
  };
}

/** A tip that is stored already, with all that is below it. */
export function storedChain(cid: string, manifest: Manifest): Chain {
  return { cid, head: headOf(manifest), manifest, blocks: [], manifests: [] };
}

/** A chain with one more version, which follows its tip. */
export function chainWith(chain: Chain, block: Block, manifest: Manifest): Chain {
  return {
    cid: block.cid,
    head: headOf(manifest),
    manifest,
    blocks: [...chain.blocks, block],
    manifests: [...chain.manifests, manifest],
  };
}

/** Why the versions of a chain are none of that entity that could be compared with what is here; null for nothing. */
export function chainProblem({ head: { id }, manifests }: Chain): string | null {
  for (const manifest of manifests) {
    const problem = manifestProblem(manifest, id);
    if (problem !== null) return problem;
  }
  return null;
}
