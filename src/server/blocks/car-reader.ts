import { createHash } from 'node:crypto';
import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { Pace, turn } from '../loop/pace.ts';
import { ByteQueue } from './byte-queue.ts';
import { cidLength, dagCborCode, digestOf, maxNodeBytes, rawCode } from './car-format.ts';
import { DamagedArchiveError } from './damaged-archive-error.ts';
import { sha256 } from './sha256.ts';

/** A dag-cbor block. `offset` and `length` say where its bytes stand in the file (without length prefix and CID). */
export interface CarNode {
  kind: 'node';
  cid: CID;
  offset: number;
  length: number;
  bytes: Uint8Array;
}

/** A raw block. Its chunks are verified at their end; what is not read is passed over and verified all the same. */
export interface CarContent {
  kind: 'content';
  cid: CID;
  offset: number;
  length: number;
  chunks: AsyncIterable<Uint8Array>;
}

export type CarBlock = CarNode | CarContent;

export interface Car {
  roots: CID[];
  /** Every block in the order of the file, each verified against its CID. To be iterated once. */
  blocks: AsyncGenerator<CarBlock, void, undefined>;
}

const maxHeaderBytes = 64 * 1024;
const pieceBytes = 256 * 1024;

/**
 * Reads a CAR of version 1 as it comes. Memory is bounded by one dag-cbor block (32 MiB), whatever the bytes claim.
 * Throws DamagedArchiveError, here and from the iteration, for everything that is not a sound CAR of our kinds of
 * blocks (CIDv1, dag-cbor or raw, sha2-256); errors of the source pass through.
 */
export async function readCar(source: AsyncIterable<Uint8Array>): Promise<Car> {
  const queue = new ByteQueue(source);
  try {
    return { roots: await readRoots(queue), blocks: readBlocks(queue) };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

async function readRoots(queue: ByteQueue): Promise<CID[]> {
  if (!(await queue.fill(1))) throw new DamagedArchiveError('The file is empty.', 0);
  const length = await readVarint(queue);
  if (length === 0 || length > maxHeaderBytes) throw new DamagedArchiveError('It does not begin as a CAR file.', 0);
  if (!(await queue.fill(length))) throw new DamagedArchiveError('The file ends within its header.', queue.position);
  const header = decodeHeader(queue.take(length));
  if (header?.version === 2) throw new DamagedArchiveError('It is a CAR of version 2; only version 1 can be read.', 0);
  if (header?.version !== 1 || !Array.isArray(header.roots) || header.roots.length === 0)
    throw new DamagedArchiveError('It has no CAR header that names a root.', 0);
  return header.roots.map((root: unknown) => {
    if (root instanceof CID) return root;
    throw new DamagedArchiveError('Its header names a root that is no CID.', 0);
  });
}

function decodeHeader(bytes: Uint8Array): { version?: unknown; roots?: unknown } | null {
  try {
    return dagCbor.decode(bytes);
  } catch {
    throw new DamagedArchiveError('It does not begin as a CAR file.', 0);
  }
}

async function* readBlocks(queue: ByteQueue): AsyncGenerator<CarBlock, void, undefined> {
  const pace = new Pace();
  try {
    while (queue.length > 0 || (await queue.fill(1))) {
      const at = queue.position;
      const section = await readVarint(queue);
      const cid = await readCid(queue, at, section);
      const place = { cid, offset: queue.position, length: section - cidLength };
      if (cid.code === rawCode) {
        const content = new ContentReader(queue, cid, place.length, at);
        yield { kind: 'content', ...place, chunks: content.chunks() };
        while (await content.next());
      } else {
        const bytes = await readNode(queue, cid, place.length, at);
        yield { kind: 'node', ...place, bytes };
        if (pace.step(place.length)) await turn();
      }
    }
  } finally {
    await queue.close();
  }
}

/** A length: at most eight bytes, in the shortest form, so that one file has one reading. */
async function readVarint(queue: ByteQueue): Promise<number> {
  const at = queue.position;
  let value = 0;
  for (let i = 0; i < 8; i++) {
    if (queue.length <= i && !(await queue.fill(i + 1))) throw cutOff(at);
    const byte = queue.peek(i);
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte >= 0x80) continue;
    if (byte === 0 && i > 0) throw new DamagedArchiveError('A length is not written in its shortest form.', at);
    if (!Number.isSafeInteger(value)) break;
    queue.take(i + 1);
    return value;
  }
  throw new DamagedArchiveError('A length is too large to be one.', at);
}

async function readCid(queue: ByteQueue, at: number, section: number): Promise<CID> {
  if (section === 0) throw new DamagedArchiveError('A block has the length zero.', at);
  if (section < cidLength) throw new DamagedArchiveError('A block is too short to hold its CID.', at);
  if (queue.length < cidLength && !(await queue.fill(cidLength))) throw cutOff(at);
  const codec = queue.peek(1);
  const ours = queue.peek(0) === 1 && queue.peek(2) === 0x12 && queue.peek(3) === 0x20;
  if (!ours || (codec !== dagCborCode && codec !== rawCode))
    throw new DamagedArchiveError('A block has a CID of another kind than dag-cbor or raw with SHA-256.', at);
  return CID.decode(queue.take(cidLength));
}

async function readNode(queue: ByteQueue, cid: CID, length: number, at: number): Promise<Uint8Array> {
  if (length > maxNodeBytes)
    throw new DamagedArchiveError(`A block of ${length} bytes is over the limit of ${maxNodeBytes}.`, at);
  if (queue.length < length && !(await queue.fill(length))) throw cutOff(at);
  const bytes = queue.take(length);
  const digest = length <= pieceBytes ? sha256(bytes) : await hashInPieces(bytes);
  if (!digest.equals(digestOf(cid.bytes))) throw wrongBytes(cid, at);
  return bytes;
}

async function hashInPieces(bytes: Uint8Array): Promise<Buffer> {
  const hasher = createHash('sha256');
  for (let i = 0; i < bytes.length; i += pieceBytes) {
    hasher.update(bytes.subarray(i, i + pieceBytes));
    await turn();
  }
  return hasher.digest();
}

/** One raw block within the stream; whoever reads it, the reader of the file goes on after its last byte. */
class ContentReader {
  private readonly queue: ByteQueue;
  private readonly cid: CID;
  private readonly at: number;
  private readonly hasher = createHash('sha256');
  private readonly pace = new Pace();
  private left: number;
  private done = false;
  private failure: DamagedArchiveError | undefined;

  constructor(queue: ByteQueue, cid: CID, length: number, at: number) {
    this.queue = queue;
    this.cid = cid;
    this.left = length;
    this.at = at;
  }

  /** The next piece, at most 256 kB; null after the last one, when all have been verified. */
  async next(): Promise<Uint8Array | null> {
    if (this.failure) throw this.failure;
    if (this.left === 0) {
      this.finish();
      return null;
    }
    if (this.queue.length === 0 && !(await this.queue.fill(1))) throw this.fail(cutOff(this.at));
    const piece = this.queue.take(Math.min(this.left, this.queue.length, pieceBytes));
    this.left -= piece.length;
    this.hasher.update(piece);
    if (this.pace.step(piece.length)) await turn();
    return piece;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = await this.next(); piece; piece = await this.next()) yield piece;
  }

  private finish(): void {
    if (this.done) return;
    this.done = true;
    if (!this.hasher.digest().equals(digestOf(this.cid.bytes))) throw this.fail(wrongBytes(this.cid, this.at));
  }

  private fail(error: DamagedArchiveError): DamagedArchiveError {
    this.failure = error;
    return error;
  }
}

function cutOff(at: number): DamagedArchiveError {
  return new DamagedArchiveError('The file ends within a block.', at);
}

function wrongBytes(cid: CID, at: number): DamagedArchiveError {
  return new DamagedArchiveError(`The bytes of block ${cid} are not those of its CID.`, at);
}
