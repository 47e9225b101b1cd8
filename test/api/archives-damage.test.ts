import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CID } from 'multiformats/cid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { create, exported, lastLine, operate, tipsOf, update } from '../helpers/node-archives.ts';
import { nextVersion, SampleState } from '../helpers/sample-archive.ts';

// Archives that must not get in: each is refused whole, with the place, and the node is as it was.

let source: TestNode;
let target: TestNode;
let car: Buffer;

beforeAll(async () => {
  source = await startNode();
  target = await startNode();
  for (let i = 0; i < 5; i++) await update(source, await create(source, `entity ${i}`), { round: 2 });
  car = Buffer.from((await exported(source)).car);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

function flipped(at: number): Buffer {
  const bytes = Buffer.from(car);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

const damages: [string, () => Buffer, RegExp][] = [
  ['a flipped bit near the end', () => flipped(car.length - 20), /are not those of its CID/],
  ['a flipped bit in the index', () => flipped(200), /damaged at byte/],
  ['a cut within a block', () => car.subarray(0, car.length - 30), /ends within a block/],
  ['a cut between the blocks', () => car.subarray(0, lastBlockAt(car)), /is missing/],
  [
    'a length that no file has',
    () => Buffer.concat([car, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f])]),
    /over the limit|ends within|too large/,
  ],
  ['another root', () => withRoot(car), /missing|not an archeion/],
  ['no CAR at all', () => Buffer.from(JSON.stringify({ hello: 'world '.repeat(100) })), /does not begin as a CAR/],
  ['nothing', () => Buffer.alloc(0), /empty/],
];

test.each(damages)('%s is refused, and nothing changes', async (_name, damaged, words) => {
  await expectRefused(damaged(), words);
});

test('a manifest under a sound CID that no entity can be made of is refused', async () => {
  const hostile: [string, (manifest: Manifest) => object, RegExp][] = [
    ['a type that is none', (m) => ({ ...m, type: 7 }), /its type is not text/],
    ['relationships that are none', (m) => ({ ...m, relationships: { a: 1 } }), /relationships are no list/],
    ['a first version with another number', (m) => ({ ...m, ver: 3 }), /version 1 alone/],
  ];
  for (const [, change, words] of hostile) {
    const state = new SampleState();
    const id = state.write('hostile');
    const [first] = state.chains.get(id) ?? [];
    if (!first) throw new Error('no version');
    state.chains.set(id, [encodeManifest(change(nextVersion(id, null, {})) as Manifest)]);
    const entries = state.entries().map((entry) => ({ ...entry, ver: words.source.includes('alone') ? 3 : 1 }));
    state.entries = () => entries;
    await expectRefused(await state.export(), words);
  }
});

test('an entity that changes its type along its chain is refused', async () => {
  const state = new SampleState();
  const id = state.write('turncoat');
  const [first] = state.chains.get(id) ?? [];
  if (!first) throw new Error('no version');
  const second = { ...nextVersion(id, { cid: first.cid, ver: 1 }, {}), type: 'collection' };
  state.chains.set(id, [first, encodeManifest(second)]);
  await expectRefused(await state.export(), /its type is collection, not person/);
});

test('ids that are none, and ids of the other network, are refused', async () => {
  for (const id of ['not-an-id', 'II000000000000000000000000']) {
    const state = new SampleState();
    state.chains.set(id, [encodeManifest(nextVersion(id, null, {}))]);
    await expectRefused(await state.export(), /is not an entity's id of the main network/);
  }
});

async function expectRefused(bytes: Buffer, words: RegExp): Promise<void> {
  const before = await tipsOf(target);
  const response = await operate(target, 'POST /node/import-car', bytes);
  const body = await lastLine(response);
  expect([response.status, body.error]).toEqual([400, expect.stringMatching(words)]);
  expect(body.details).toMatchObject({ reason: expect.any(String), offset: expect.any(Number) });
  expect(await tipsOf(target)).toEqual(before);
  expect(await readdir(join(target.data, 'main', 'spool'))).toEqual([]);
}

function lastBlockAt(bytes: Buffer): number {
  let at = 0;
  for (let next = 0; next < bytes.length; ) {
    at = next;
    let length = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[next++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
      shift += 7;
      if (byte < 0x80) break;
    }
    next += length;
  }
  return at;
}

/** The same blocks under the root of one of them that is no archive. */
function withRoot(bytes: Buffer): Buffer {
  const version = bytes.subarray(lastBlockAt(bytes));
  const start = version.indexOf(Buffer.from([1, 0x71, 0x12, 0x20]));
  const cid = CID.decode(version.subarray(start, start + 36));
  const copy = Buffer.from(bytes);
  cid.bytes.forEach((byte, i) => {
    copy[copy.indexOf(Buffer.from([1, 0x71, 0x12, 0x20])) + i] = byte;
  });
  return copy;
}
