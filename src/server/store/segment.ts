import { cidBytes } from '../blocks/cid.ts';
import { decodeManifest } from '../blocks/encode.ts';
import type { Manifest } from '../model/manifest.ts';
import { isMap } from '../model/objects.ts';
import type { Change } from './commit.ts';

/** One block of a change, read and ready to store. */
export interface SegmentBlock {
  cid: Uint8Array;
  bytes: Uint8Array;
  /** As it was written. */
  manifest: Manifest;
}

/**
 * The versions of a change, oldest first. Throws where they cannot be stored as this entity's chain: bytes that are no
 * manifest, another entity's, members that no projection can be made from, or a version that does not follow the one
 * before it in the segment. Whether bytes and CID belong together is checked where blocks come in (blocks/verify.ts).
 */
export function readSegment(change: Change): SegmentBlock[] {
  const segment: SegmentBlock[] = [];
  for (const [i, block] of change.blocks.entries()) {
    const manifest = decodeManifest(block.bytes);
    const problem =
      manifestProblem(manifest, change.id) ?? linkProblem(manifest, segment[i - 1], change.blocks[i - 1]?.cid);
    if (problem !== null) throw new Error(`version ${block.cid}: ${problem}`);
    segment.push({ cid: cidBytes(block.cid), bytes: block.bytes, manifest });
  }
  return segment;
}

/** The members that rows are made from; everything else in a mirrored block is nobody's business here. */
export function manifestProblem(manifest: Manifest, id: string): string | null {
  if (manifest.id !== id) return `it is a version of ${String(manifest.id)}`;
  if (!Number.isSafeInteger(manifest.ver) || manifest.ver < 1) return 'its ver is no version number';
  for (const name of ['type', 'created_at', 'ts'] as const)
    if (typeof manifest[name] !== 'string') return `its ${name} is not text`;
  if (!isMap(manifest.properties)) return 'its properties are no map';
  if (!Array.isArray(manifest.relationships)) return 'its relationships are no list';
  const wrong = manifest.relationships.some(
    (r) => !isMap(r) || typeof r.predicate !== 'string' || typeof r.peer !== 'string',
  );
  return wrong ? 'a relationship has no predicate or no peer' : null;
}

function linkProblem(manifest: Manifest, before: SegmentBlock | undefined, prev: string | undefined): string | null {
  if (!before) return null;
  if (manifest.prev !== prev) return 'its prev is not the version before it';
  return manifest.ver === before.manifest.ver + 1 ? null : 'its ver does not follow the version before it';
}
