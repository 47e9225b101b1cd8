import { createHash } from 'node:crypto';
import * as dagCbor from '@ipld/dag-cbor';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { CarBuffer } from '../../src/server/blocks/car-buffer.ts';
import { varint } from '../../src/server/blocks/car-format.ts';
import { type CarBlock, readCar } from '../../src/server/blocks/car-reader.ts';
import { DamagedArchiveError } from '../../src/server/blocks/damaged-archive-error.ts';
import { blockCid, contentCid } from '../../src/server/blocks/encode.ts';
import { collect, inChunks } from '../helpers/sample-archive.ts';

const node = dagCbor.encode({ hello: 'world', list: [1, 2, 3] });
const nodeCid = CID.parse(blockCid(node));
const file = Buffer.alloc(600_000, 'abc');
const fileCid = CID.parse(contentCid(createHash('sha256').update(file).digest()));

/** A CAR of hand-made parts after a sound header. */
function car(...parts: Uint8Array[]): Buffer {
  const buffer = new CarBuffer();
  buffer.header([nodeCid]);
  for (const part of parts) buffer.add(part);
  return whole(buffer);
}

function whole(buffer: CarBuffer): Buffer {
  const chunks: Uint8Array[] = [];
  for (let chunk = buffer.chunk(); chunk; chunk = buffer.chunk()) chunks.push(chunk);
  return Buffer.concat([...chunks, buffer.rest()]);
}

function section(cid: Uint8Array, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(cid.length + bytes.length), cid, bytes]);
}

async function readAll(bytes: Uint8Array, chunk = 1000, useContent = true): Promise<{ kind: string; bytes: Buffer }[]> {
  const { blocks } = await readCar(inChunks(bytes, chunk));
  const list: { kind: string; bytes: Buffer }[] = [];
  for await (const block of blocks) {
    const there = block.kind === 'node' ? Buffer.from(block.bytes) : await contentOf(block, useContent);
    if (useContent) expect(there).toEqual(Buffer.from(bytes.subarray(block.offset, block.offset + block.length)));
    list.push({ kind: block.kind, bytes: there });
  }
  return list;
}

async function contentOf(block: Extract<CarBlock, { kind: 'content' }>, use: boolean): Promise<Buffer> {
  return use ? collect(block.chunks) : Buffer.alloc(0);
}

describe('readCar', () => {
  test.each([1, 7, 999, 1_000_000])('reads the same blocks from chunks of %i bytes', async (chunk) => {
    const small = Buffer.from('some text');
    const smallCid = CID.parse(contentCid(createHash('sha256').update(small).digest()));
    const bytes = car(section(nodeCid.bytes, node), section(smallCid.bytes, small), section(nodeCid.bytes, node));
    const blocks = await readAll(bytes, chunk);
    expect(blocks.map(({ kind }) => kind)).toEqual(['node', 'content', 'node']);
    expect(blocks[1]?.bytes).toEqual(small);
  });

  test('streams content whatever its size, and verifies it whether it is read, half read or not', async () => {
    const bytes = car(section(fileCid.bytes, file), section(nodeCid.bytes, node));
    expect((await readAll(bytes)).map((block) => block.bytes.length)).toEqual([file.length, node.length]);
    expect(await readAll(bytes, 1000, false)).toHaveLength(2);
    const { blocks } = await readCar(inChunks(bytes, 1000));
    const seen: string[] = [];
    for await (const block of blocks) {
      seen.push(block.kind);
      if (block.kind === 'content')
        for await (const piece of block.chunks) {
          expect(piece.length).toBeGreaterThan(0);
          break;
        }
    }
    expect(seen).toEqual(['content', 'node']);
    const broken = Buffer.from(bytes);
    broken[500_000] = 0;
    for (const use of [true, false]) await expect(readAll(broken, 1000, use)).rejects.toThrow(DamagedArchiveError);
  });

  test('reads a source that uses one buffer again and again', async () => {
    const bytes = car(section(nodeCid.bytes, node), section(fileCid.bytes, file), section(nodeCid.bytes, node));
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(100);
      for (let i = 0; i < bytes.length; i += 100) yield buffer.subarray(0, bytes.copy(buffer, 0, i, i + 100));
    }
    let count = 0;
    for await (const { length } of (await readCar(reusing())).blocks) count += length;
    expect(count).toBe(2 * node.length + file.length);
  });

  const at = car().length;
  const huge = Buffer.concat([varint(2 ** 50), nodeCid.bytes, node]);
  const hugeFile = Buffer.concat([varint(2 ** 50), fileCid.bytes, file]);
  const cidV0 = Buffer.concat([Buffer.from([0x12, 0x20]), nodeCid.multihash.digest, Buffer.alloc(8)]);
  const sha512 = Buffer.concat([Buffer.from([1, 0x71, 0x13, 0x40]), Buffer.alloc(64)]);
  test.each<[string, Uint8Array, RegExp, number]>([
    ['nothing', Buffer.alloc(0), /empty/, 0],
    ['zeros', Buffer.alloc(1000), /begin/, 0],
    ['text', Buffer.from('{"id":"not a car","more":"and so on"}'.repeat(20)), /begin|ends within/, 0],
    ['an endless varint', Buffer.alloc(100, 0xff), /too large/, 0],
    ['a varint beyond 2^53', Buffer.from([...new Array(7).fill(0xff), 0x7f]), /too large/, 0],
    ['a CAR of version 2', Buffer.from(`0aa16776657273696f6e02${'00'.repeat(50)}`, 'hex'), /version 2/, 0],
    ['a header without roots', header({ version: 1 }), /root/, 0],
    ['a header with no root in it', header({ version: 1, roots: [] }), /root/, 0],
    ['a root that is no link', header({ version: 1, roots: ['x'] }), /root/, 0],
    ['a header that is a list', header([1]), /root/, 0],
    ['a header that is null', header(null), /root/, 0],
    ['a length of zero', car(Buffer.from([0])), /length zero/, at],
    ['a length in a long form', car(Buffer.from([0x80 | 52, 0])), /shortest/, at],
    ['a section too short for a CID', car(section(Buffer.alloc(20, 1), node.subarray(0, 4))), /too short/, at],
    ['an endless length', car(Buffer.alloc(40, 0x80)), /too large/, at],
    ['a length that is cut off', car(Buffer.from([0x80])), /ends within/, at],
    ['a huge length', car(huge), /over the limit/, at],
    ['a huge length of content', car(hugeFile), /ends within/, at],
    ['a CID of version 0', car(section(cidV0, node)), /another kind/, at],
    ['a CID of another hash', car(section(sha512, node)), /another kind/, at],
    ['other bytes', car(section(nodeCid.bytes, Buffer.from('other'))), /not those of its CID/, at],
    ['other file bytes', car(section(fileCid.bytes, Buffer.from('other'))), /not those of its CID/, at],
  ])('refuses %s', async (_, bytes, reason, offset) => {
    const error = await readAll(bytes).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DamagedArchiveError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', reason: expect.stringMatching(reason) });
    if (offset > 0) expect(error).toMatchObject({ offset });
  });

  test('passes an error of its source on and ends the source when the caller stops', async () => {
    let ended = 0;
    async function* failing(): AsyncGenerator<Uint8Array> {
      try {
        yield car(section(nodeCid.bytes, node));
        throw new Error('the disk is gone');
      } finally {
        ended++;
      }
    }
    const reading = async (stop: boolean): Promise<void> => {
      for await (const _ of (await readCar(failing())).blocks) if (stop) break;
    };
    await expect(reading(false)).rejects.toThrow('the disk is gone');
    await reading(true);
    expect(ended).toBe(2);
  });

  test('answers garbage with its own error only', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), fc.integer({ min: 1, max: 50 }), async (tail, headed, chunk) => {
        const error = await readAll(headed ? car(tail) : tail, chunk).catch((thrown: unknown) => thrown);
        if (headed && tail.length === 0) expect(error).toEqual([]);
        else expect(error).toBeInstanceOf(DamagedArchiveError);
      }),
      { numRuns: 500 },
    );
  });
});

function header(value: unknown): Buffer {
  const bytes = dagCbor.encode(value);
  return Buffer.concat([varint(bytes.length), bytes]);
}
