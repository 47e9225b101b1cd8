import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as dagCbor from '@ipld/dag-cbor';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArchive } from '../../src/server/blocks/archive-reader.ts';
import type { Known } from '../../src/server/blocks/archive-walk.ts';
import { CarBuffer } from '../../src/server/blocks/car-buffer.ts';
import { DamagedArchiveError } from '../../src/server/blocks/damaged-archive-error.ts';
import { type Block, blockCid, encodeManifest } from '../../src/server/blocks/encode.ts';
import { type ArchiveSummary, checkArchive } from '../helpers/check-archive.ts';
import { nextVersion, SampleState, wholeMain, withArchive } from '../helpers/sample-archive.ts';

interface Sample {
  bytes: Buffer;
  known: Known;
}

async function full(): Promise<Sample> {
  const state = new SampleState();
  state.attach(state.write('one', 2), Buffer.from('file bytes of one'));
  state.attach(state.write('two'), Buffer.alloc(0));
  return { bytes: await state.export(), known: () => false };
}

async function incremental(): Promise<Sample> {
  const state = new SampleState();
  state.write('one', 2);
  state.write('two');
  const earlier = new Set(state.entries().map(({ tip }) => tip));
  const bytes = await withArchive(await state.export(), async (archive) => {
    state.attach(state.write('one'), Buffer.from('new bytes'));
    return state.export(wholeMain, archive);
  });
  return { bytes, known: (cid) => earlier.has(cid) };
}

describe.each([
  ['a full archive', full],
  ['an incremental archive', incremental],
])('%s', (_, make) => {
  let sample: Sample;
  let folder: string;
  let file: FileHandle;

  beforeAll(async () => {
    sample = await make();
    folder = await mkdtemp(join(tmpdir(), 'archeion-car-'));
    file = await open(join(folder, 'a.car'), 'w+');
  });

  afterAll(async () => {
    await file.close();
    await rm(folder, { recursive: true });
  });

  async function read(): Promise<{ cid: string; sum: ArchiveSummary }> {
    const archive = await openArchive(file);
    return { cid: archive.cid, sum: await checkArchive(archive, sample.known) };
  }

  async function restore(): Promise<void> {
    await file.truncate(sample.bytes.length);
    await file.write(sample.bytes, 0, sample.bytes.length, 0);
  }

  test('is sound as it was written', async () => {
    await restore();
    expect(await read()).toMatchObject({ sum: { partial: 0 } });
  });

  test('is refused wherever it is cut off', async () => {
    await restore();
    for (let length = sample.bytes.length - 1; length >= 0; length--) {
      await file.truncate(length);
      await expect(read()).rejects.toThrow(DamagedArchiveError);
    }
  });

  test('is refused whichever byte is flipped', async () => {
    await restore();
    const masks = fc.sample(fc.integer({ min: 1, max: 255 }), { numRuns: sample.bytes.length, seed: 7 });
    for (const [at, mask] of masks.entries()) {
      await file.write(Uint8Array.of((sample.bytes[at] as number) ^ mask), 0, 1, at);
      await expect(read(), `byte ${at} ^ ${mask}`).rejects.toThrow(DamagedArchiveError);
      await file.write(sample.bytes, at, 1, at);
    }
    expect(await read()).toMatchObject({ sum: { partial: 0 } });
  });

  test('is refused when a piece of it is cut out, doubled or overwritten, unless it is still whole', async () => {
    await restore();
    const { cid, sum } = await read();
    const place = fc.nat({ max: sample.bytes.length - 1 });
    const piece = fc.uint8Array({ maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(place, place, piece, async (a, b, bytes) => {
        const damaged = Buffer.concat([sample.bytes.subarray(0, a), bytes, sample.bytes.subarray(b)]);
        await file.truncate(0);
        await file.write(damaged, 0, damaged.length, 0);
        const result = await read().catch((thrown: unknown) => thrown);
        if (!(result instanceof DamagedArchiveError)) expect(result).toEqual({ cid, sum });
      }),
      { numRuns: 300 },
    );
  });
});

describe('an archive made to deceive', () => {
  const id = '01KDETYWYWM0MJVKM8DK3AEXPY';
  const other = '01KDETYWYWM0MJVKM8DK3AEXPZ';
  const one = encodeManifest(nextVersion(id, null, { label: 'one' }));
  const two = encodeManifest(nextVersion(id, { cid: one.cid, ver: 1 }, { label: 'two' }));

  function made(entries: unknown[], blocks: Block[], root: Record<string, unknown> = {}): Buffer {
    const shard = blockOf({ entries });
    const shards = [{ first: id, shard: CID.parse(shard.cid) }];
    const head = { schema: 'archeion/archive@v1', network: 'main', history: 'all', scope: { kind: 'all' } };
    const top = blockOf({ ...head, entities: entries.length, shards, ...root });
    const buffer = new CarBuffer();
    buffer.header([CID.parse(top.cid)]);
    for (const { cid, bytes } of [top, shard, ...blocks]) buffer.block(CID.parse(cid).bytes, bytes);
    return Buffer.from(buffer.rest());
  }

  function blockOf(value: unknown): Block {
    const bytes = dagCbor.encode(value);
    return { cid: blockCid(bytes), bytes };
  }

  function entry(block: Block, changes: Record<string, unknown> = {}): Record<string, unknown> {
    return { id, tip: CID.parse(block.cid), ver: 2, content: [], ...changes };
  }

  async function refused(bytes: Uint8Array, reason: RegExp): Promise<void> {
    const error = await withArchive(bytes, (archive) => checkArchive(archive)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DamagedArchiveError);
    expect((error as DamagedArchiveError).reason).toMatch(reason);
  }

  test('is taken when nothing is wrong with it', async () => {
    const sum = await withArchive(made([entry(two)], [one, two, one]), (archive) => checkArchive(archive));
    expect(sum).toEqual({ entities: 1, versions: 2, content: 0, partial: 0 });
  });

  test.each<[string, () => Buffer, RegExp]>([
    ['a missing version', () => made([entry(two)], [two]), /missing/],
    ['a missing tip', () => made([entry(two)], [one]), /missing/],
    [
      'a manifest of another id',
      () => made([entry(two, { id: other })], [one, two], shardAt(other, two)),
      /another id/,
    ],
    ['another number', () => made([entry(two, { ver: 3 })], [one, two]), /number/],
    ['numbers that do not descend', () => chainOf([5, 5]), /number/],
    ['missing content', () => made([entry(two, { content: [CID.parse(rawCid)] })], [one, two]), /Content .* missing/],
    ['content that is a version', () => made([entry(two, { content: [CID.parse(one.cid)] })], [one, two]), /link/],
    ['a tip that is text', () => made([entry(two, { tip: two.cid })], [one, two]), /link/],
    ['an id that is none', () => made([entry(two, { id: '' })], [one, two]), /id/],
    ['an entry twice', () => made([entry(two), entry(two)], [one, two]), /place in the root/],
    ['an entry that is none', () => made([7], [one, two]), /not a map/],
    ['another count', () => made([entry(two)], [one, two], { entities: 2 }), /counts/],
    ['another schema', () => made([entry(two)], [one, two], { schema: 'x' }), /not an archeion/],
    ['another network', () => made([entry(two)], [one, two], { network: 'moon' }), /not an archeion/],
    ['a scope that is none', () => made([entry(two)], [one, two], { scope: { kind: 'some' } }), /scope/],
    [
      'a missing shard',
      () => made([entry(two)], [one, two], { shards: [{ first: id, shard: CID.parse(one.cid) }] }),
      /entries/,
    ],
    ['a version that is a number', () => made([entry(blockOf(5))], [blockOf(5)]), /not a map/],
    ['a version without members', () => made([entry(blockOf({}))], [blockOf({})]), /no id/],
    ['a version whose prev is text', () => prevIs('x'), /prev/],
    ['a version nested without end', () => made([entry(nested())], [nested()]), /not a map/],
    ['a root of nothing but lists', () => rootOfLists(), /none/],
  ])('is refused for %s', async (_, make, reason) => {
    await refused(make(), reason);
  });

  const rawCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';

  function shardAt(first: string, tip: Block): Record<string, unknown> {
    return { shards: [{ first, shard: CID.parse(blockOf({ entries: [entry(tip, { id: first })] }).cid) }] };
  }

  function chainOf([first, second]: [number, number]): Buffer {
    const before = encodeManifest({ ...nextVersion(id, null, {}), ver: first });
    const after = encodeManifest({ ...nextVersion(id, { cid: before.cid, ver: 1 }, {}), ver: second });
    return made([entry(after, { ver: second })], [before, after]);
  }

  function prevIs(prev: unknown): Buffer {
    const block = blockOf({ id, ver: 2, prev });
    return made([entry(block)], [block]);
  }

  function nested(): Block {
    const bytes = new Uint8Array(100_000).fill(0x81);
    bytes[bytes.length - 1] = 0;
    return { cid: blockCid(bytes), bytes };
  }

  function rootOfLists(): Buffer {
    const bytes = dagCbor.encode(new Array(100_000).fill([]));
    const buffer = new CarBuffer();
    buffer.header([CID.parse(blockCid(bytes))]);
    buffer.block(CID.parse(blockCid(bytes)).bytes, bytes);
    return Buffer.from(buffer.rest());
  }
});
