import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { varint } from './car-format.ts';
import { readCar } from './car-reader.ts';
import { cidText } from './cid.ts';
import { DamagedArchiveError } from './damaged-archive-error.ts';
import { type Block, blockCid } from './encode.ts';

// Nodes exchange stretches of chains as CARs: the root block says what it is about, the versions follow in any order.

/** What a root block says of a thousand stretches takes a quarter of it. */
const maxRootBytes = 1024 * 1024;

/** The beginning of such a CAR: its header and its root block. */
export function segmentHead(root: object): Uint8Array {
  const bytes = dagCbor.encode(root);
  const cid = CID.parse(blockCid(bytes));
  const header = dagCbor.encode({ version: 1, roots: [cid] });
  return Buffer.concat([varint(header.length), header, ...section(cid.bytes, bytes)]);
}

/** A block as it stands in a CAR, in parts. `cid` is binary. */
export function section(cid: Uint8Array, bytes: Uint8Array): Uint8Array[] {
  return [varint(cid.length + bytes.length), cid, bytes];
}

/** Such a CAR: what its root block says, which may be anything, and its versions as they come. */
export interface Segments {
  root: unknown;
  /** Each hashes to its CID. To be iterated once. */
  blocks: AsyncGenerator<Block, void, undefined>;
}

/**
 * Reads such a CAR as it comes. Whoever reads it must end `blocks`, or the source stays open.
 * @throws DamagedArchiveError, here and from the iteration, for what is no such CAR or has been tampered with; errors of
 *   the source pass through
 */
export async function readSegments(source: AsyncIterable<Uint8Array>): Promise<Segments> {
  const { roots, blocks } = await readCar(source);
  const first = await blocks.next();
  if (first.done || first.value.kind !== 'node' || roots.length !== 1 || !roots[0]?.equals(first.value.cid)) {
    await blocks.return();
    throw new DamagedArchiveError('It does not begin with its root block.', 0);
  }
  return { root: decoded(first.value.bytes), blocks: versions(blocks) };
}

function decoded(bytes: Uint8Array): unknown {
  try {
    if (bytes.length <= maxRootBytes) return dagCbor.decode(bytes);
  } catch {
    throw new DamagedArchiveError('Its root block cannot be read.', 0);
  }
  throw new DamagedArchiveError('Its root block is too large.', 0);
}

async function* versions(
  blocks: Awaited<ReturnType<typeof readCar>>['blocks'],
): AsyncGenerator<Block, void, undefined> {
  for await (const block of blocks) {
    if (block.kind !== 'node')
      throw new DamagedArchiveError('It holds bytes that are no version of an entity.', block.offset);
    yield { cid: cidText(block.cid.bytes), bytes: block.bytes };
  }
}
