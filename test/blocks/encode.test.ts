import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect, isDeepStrictEqual } from 'node:util';
import * as dagCbor from '@ipld/dag-cbor';
import fc from 'fast-check';
import { base32 } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { decodeValue } from '../../src/server/blocks/cbor-read.ts';
import { encodeValue } from '../../src/server/blocks/cbor-write.ts';
import {
  decodeManifest,
  encodeHistoric,
  encodeManifest,
  historicJson,
  valueHash,
} from '../../src/server/blocks/encode.ts';
import { manifestHead } from '../../src/server/blocks/manifest-head.ts';

import { jsonIssues } from '../../src/server/model/json-value.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';
import { nextVersion } from '../helpers/sample-archive.ts';

interface Vector {
  name: string;
  manifest: Manifest;
  bytes: string;
  cid: string;
}

const file = new URL('../fixtures/manifest-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
const id = '01KDETYWYWM0MJVKM8DK3AEXPY';
const before = { cid: vectors[0]?.cid as string, ver: 1 };

/** Any JSON that bodies may carry, names and maps that are special to JavaScript and to the encoder among it. */
const name = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'asCID', '/', 'bytes', 'code', 'version', '', '0', '10'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, fc.constant('x'), fc.string({ unit: 'grapheme' })),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 6 }).map(mapOf),
    fc.string().map((text) => mapOf([['/', text]])),
    fc.oneof(fc.string(), number).map((twin) =>
      mapOf([
        ['/', twin],
        ['bytes', twin],
      ]),
    ),
  ),
}));
const properties = fc
  .array(fc.tuple(name, json), { maxLength: 6 })
  .map((members) => mapOf(members) as JsonObject)
  .filter((value) => jsonIssues(value, []).length === 0);

/** A map as JSON.parse makes it: with own members whatever their names, and no minus zero. */
function mapOf(members: [string, unknown][]): unknown {
  const map: Record<string, unknown> = {};
  for (const [key, value] of members)
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  return JSON.parse(JSON.stringify(map));
}

/** `toEqual` looks at members named `constructor` and `__proto__` as if they were JavaScript's. */
function expectSame(actual: unknown, expected: unknown): void {
  expect(isDeepStrictEqual(actual, expected), `${inspect(actual)} is ${inspect(expected)}`).toBe(true);
}

/** The same value with the members of every map in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return mapOf(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('manifest vectors', () => {
  test.each(vectors)('$name', ({ manifest, bytes, cid }) => {
    const block = encodeManifest(manifest);
    expect(Buffer.from(block.bytes).toString('hex')).toBe(bytes);
    expect(block.cid).toBe(cid);
    const digest = createHash('sha256').update(Buffer.from(bytes, 'hex')).digest();
    expect(cid).toBe(base32.encode(Buffer.concat([Buffer.from('01711220', 'hex'), digest])));
    const empty = manifest.deleted ? { properties: {}, relationships: [] } : {};
    expectSame(decodeManifest(Buffer.from(bytes, 'hex')), { ...empty, ...manifest });
    expect(encodeHistoric(historicJson(block.bytes)).cid).toBe(cid);
    expect(manifestHead(block.bytes)).toEqual({
      id: manifest.id,
      ver: manifest.ver,
      prev: manifest.prev,
      deleted: manifest.deleted === true,
    });
  });
});

describe('the head of a manifest', () => {
  test.each([
    [{ deleted: true }, true],
    [{ deleted: false }, false],
    [{ deleted: null }, false],
    [{ deleted: 21 }, false],
    [{ deleted: { deleted: true } }, false],
    [{ properties: { deleted: true } }, false],
    [{ schema: 'arke/eidos-deleted@v1' }, true],
    [{ schema: 'arke/eidos@v1' }, false],
    [{ schema: 'arke/undeleted@v1' }, false],
    [{ schema: 1 }, false],
  ])('says of %j whether it is deleted: %s', (members, deleted) => {
    const id = 'II00000000000000000000000A';
    const { bytes } = encodeHistoric({ id, ver: 1, prev: null, properties: {}, ...members });
    expect(manifestHead(bytes)).toEqual({ id, ver: 1, prev: null, deleted });
    expect(decodeManifest(bytes).deleted === true).toBe(deleted);
  });

  test.each([
    [{}, true],
    [{ properties: {} }, false],
    [{ relationships: [] }, false],
  ])('of one that has no more than %j says whether it is deleted: %s', (members, deleted) => {
    const { bytes } = encodeHistoric({ id: 'II00000000000000000000000A', ver: 1, prev: null, ...members });
    expect(manifestHead(bytes).deleted).toBe(deleted);
    expect(decodeManifest(bytes).deleted === true).toBe(deleted);
  });
});

describe('a manifest', () => {
  test('has one CID whatever the order of its members', () => {
    fc.assert(
      fc.property(properties, (value) => {
        const manifest = nextVersion(id, before, value);
        expect(encodeManifest(reversed(manifest) as Manifest).cid).toBe(encodeManifest(manifest).cid);
      }),
    );
  });

  test('has the bytes that the library gives it, however many members in whatever order', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '~', 'ä', '🎨'), minLength: 1, maxLength: 4 });
    const ascii = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '~', '0'), minLength: 1, maxLength: 4 });
    const wide = fc
      .oneof(ascii, short)
      .chain((one) => fc.uniqueArray(/^[ -~]*$/.test(one) ? ascii : short, { maxLength: 80, size: 'max' }));
    fc.assert(
      fc.property(wide, (names) => {
        const map = Object.fromEntries(names.map((name, n) => [name, n]));
        expect(Buffer.from(encodeHistoric(map).bytes)).toEqual(Buffer.from(dagCbor.encode(map)));
      }),
    );
  });

  test('comes back as it was, with every JSON value in it unchanged', () => {
    fc.assert(
      fc.property(properties, (value) => {
        const manifest = nextVersion(id, before, value);
        const { bytes } = encodeManifest(manifest);
        const back = decodeManifest(bytes);
        expectSame(back, manifest);
        expect(Object.keys(back.properties).sort()).toEqual(Object.keys(value).sort());
        expect(encodeManifest(back).bytes).toEqual(bytes);
        expectSame(historicJson(bytes), { ...manifest, prev: { '/': before.cid } });
        expect({}).not.toHaveProperty('polluted');
      }),
      { numRuns: 300 },
    );
  });

  test('has the same CID after a journey through historic JSON', () => {
    fc.assert(
      fc.property(properties, fc.boolean(), (value, first) => {
        const { bytes, cid } = encodeManifest(nextVersion(id, first ? null : before, value));
        expect(encodeHistoric(JSON.parse(JSON.stringify(historicJson(bytes))) as JsonObject).cid).toBe(cid);
      }),
    );
  });

  test('of another node keeps the members it has, and none is added', () => {
    const bytes = dagCbor.encode({ id, extra: [1], ver: 1 });
    expect(Buffer.from(encodeHistoric(historicJson(bytes)).bytes)).toEqual(Buffer.from(bytes));
    expect(decodeManifest(bytes)).toMatchObject({ id, prev: null, properties: {}, relationships: [] });
    expect(decodeManifest(dagCbor.encode({ prev: { '/': 1 } })).prev).toBeNull();
  });
});

describe('the encoder', () => {
  test('gives the bytes of dag-cbor for every value that dag-cbor takes', () => {
    fc.assert(
      fc.property(properties, (value) => {
        let expected: Uint8Array;
        try {
          expected = dagCbor.encode(value);
        } catch {
          expectSame(dagCbor.decode(encodeValue(value)), value);
          return;
        }
        expect(Buffer.from(encodeValue(value))).toEqual(Buffer.from(expected));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    0,
    -0,
    23,
    24,
    -24,
    -25,
    255,
    256,
    65_535,
    65_536,
    -65_537,
    2 ** 32 - 1,
    2 ** 32,
    -(2 ** 32),
    -(2 ** 32) - 1,
    2 ** 53 - 1,
    2 ** 53,
    1 - 2 ** 53,
    1.5,
    1e300,
    5e-324,
  ])('writes the number %d as dag-cbor does', (number) =>
    expect(Buffer.compare(encodeValue(number), dagCbor.encode(number))).toBe(0),
  );

  test.each([NaN, Infinity, undefined, 1n, () => 1])('refuses what dag-cbor has no form for: %s', (value) => {
    expect(() => encodeValue({ value })).toThrow(TypeError);
    expect(Buffer.compare(encodeValue({ a: 1 }), dagCbor.encode({ a: 1 }))).toBe(0);
  });

  test('writes texts around the length of the short ones, ASCII or not, and halves of characters, as dag-cbor does', () => {
    for (let length = 0; length < 50; length++)
      for (const end of ['', 'é', '\u{1f40e}', '\ud83d', '\udc0e']) {
        const text = 'x'.repeat(length) + end;
        expect(Buffer.compare(encodeValue({ [text]: text, b: 1 }), dagCbor.encode({ [text]: text, b: 1 }))).toBe(0);
      }
  });

  test('answers bytes of its own, also after a very large value', () => {
    const [one, large] = [encodeValue(['one']), encodeValue('x'.repeat(3_000_000))];
    const two = encodeValue(['two']);
    expect(dagCbor.decode(large)).toHaveLength(3_000_000);
    expect([dagCbor.decode(one), dagCbor.decode(two)]).toEqual([['one'], ['two']]);
  });

  test('writes long lists and maps as dag-cbor does', () => {
    for (const length of [23, 24, 255, 256, 65_535, 65_536]) {
      const list = new Array(length).fill(1);
      expect(Buffer.compare(encodeValue(list), dagCbor.encode(list))).toBe(0);
    }
    const map = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]));
    expect(Buffer.compare(encodeValue(map), dagCbor.encode(map))).toBe(0);
    expect(valueHash({ '/': 'x', bytes: 'x' })).not.toBe(valueHash({ '/': 'x', bytes: 'y' }));
  });
});

/** What a decoder makes of bytes; that it refuses them is enough, whatever it says. */
function outcome(decode: () => unknown): unknown {
  try {
    return { value: decode() };
  } catch {
    return 'refused';
  }
}

describe('the decoder', () => {
  const marked = (bytes: Uint8Array) => Buffer.from(bytes).includes(Buffer.from('\ufeff'));

  test('gives back every value that was encoded', () => {
    fc.assert(
      fc.property(properties, (value) => expectSame(decodeValue(encodeValue(value)), value)),
      { numRuns: 300 },
    );
  });

  test('makes of changed, cut and lengthened bytes what dag-cbor makes of them', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.oneof(
        fc.nat(255),
        fc.constantFrom(0x18, 0x19, 0x1b, 0x3b, 0x5f, 0x7f, 0xc2, 0xd8, 0xf7, 0xf9, 0xfa, 0xfb, 0xff),
      ),
    );
    fc.assert(
      fc.property(
        properties,
        fc.array(change, { maxLength: 3 }),
        fc.nat(12),
        fc.boolean(),
        (value, changes, cut, longer) => {
          const plain = encodeValue({ ...value, link: CID.parse(before.cid) });
          const bytes = longer
            ? Uint8Array.from([...plain, cut])
            : Uint8Array.from(plain.subarray(0, plain.length - cut));
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          fc.pre(!marked(bytes));
          expectSame(
            outcome(() => decodeValue(bytes)),
            outcome(() => dagCbor.decode(bytes)),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['a number in a longer form than it needs', '1800'],
    ['a count in a longer form than it needs', '980100'],
    ['a number beyond what JavaScript is exact for', '1b0020000000000001'],
    ['a negative one', '3b0020000000000001'],
    ['undefined', 'f7'],
    ['NaN', 'fb7ff8000000000000'],
    ['half precision', 'f93c00'],
    ['single precision', 'fa3f800000'],
    ['bytes', '4101'],
    ['indefinite length', '9f01ff'],
    ['a name that comes twice', 'a2616101616102'],
    ['names out of order', 'a2616201616102'],
    ['a name that is no text', 'a10101'],
    ['an unknown tag', 'c101'],
    ['a link that is none', 'd82a4101'],
    ['text that is no UTF-8', '62c328'],
    ['half of a character', '63eda0bd'],
    ['a text that ends early', '6261'],
    ['nothing', ''],
    ['something after the end', '0101'],
    ['a list of more than there is', '9b000000010000000001'],
  ])('makes of %s what dag-cbor makes of it', (_, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(outcome(() => decodeValue(bytes))).toEqual(outcome(() => dagCbor.decode(bytes)));
  });

  test('reads a value of a great depth, and refuses one without end', () => {
    const deep = (levels: number) => Uint8Array.from([...new Array<number>(levels).fill(0x81), 0x01]);
    expectSame(decodeValue(deep(1000)), dagCbor.decode(deep(1000)));
    expect(() => decodeValue(deep(1_000_000))).toThrow();
  });

  test('keeps a byte order mark beside every other value', () => {
    fc.assert(
      fc.property(properties, (value) => expectSame(decodeValue(encodeValue([value, '\ufeffx'])), [value, '\ufeffx'])),
      { numRuns: 300 },
    );
    let deep: unknown = '\ufeff';
    for (let level = 0; level < 205; level++) deep = [deep];
    for (const value of ['\ufffd', `\ufffd${'long '.repeat(20)}`, 2 ** 53 - 1, 1 - 2 ** 53, 1e300, deep])
      expectSame(decodeValue(encodeValue([value, '\ufeffx'])), [value, '\ufeffx']);
  });

  test('keeps a byte order mark, wherever it stands', () => {
    for (const text of ['\ufeff', '\ufeffa', `\ufeff${'long '.repeat(20)}`, 'a\ufeffb'])
      expectSame(decodeValue(encodeValue({ [text]: [text] })), { [text]: [text] });
    const manifest = nextVersion(id, null, { label: '\ufeffA label' });
    expect(decodeManifest(encodeManifest(manifest).bytes).properties.label).toBe('\ufeffA label');
  });

  test('tells short texts apart that look alike', () => {
    const texts = Array.from({ length: 5000 }, (_, n) => `k${n.toString(36)}${'x'.repeat(n % 12)}`);
    expectSame(decodeValue(encodeValue(texts)), texts);
    expectSame(decodeValue(encodeValue(['é', 'e', 'é', ''])), ['é', 'e', 'é', '']);
  });

  test('tells a text from another one whose letters are its bytes', () => {
    const misread = (text: string) => Buffer.from(text).toString('latin1');
    const texts = [misread('helloWaäö'), 'helloWaäö'];
    expectSame(decodeValue(encodeValue(texts)), texts);
    const letters = fc.string({ unit: fc.constantFrom(...'aWäöüéß'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 20, maxLength: 60 }), (some) => {
        const both = [...some.map(misread), ...some];
        expectSame(decodeValue(encodeValue(both)), both);
      }),
      { numRuns: 200 },
    );
  });
});
