import { describe, expect, it } from 'vitest';
import { CodeTable, codeOf, type ScanFilter } from '../../src/server/search/codes.ts';
import { seeded } from '../helpers/seeded.ts';

const random = seeded(11);
const all = { type: () => true, keys: null };
const types = ['artwork', 'artist', 'place'];
const typeOf = (key: number): string => types[key % 3] as string;

function vectorOf(dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() - 0.5);
}

/** Near to one of some, so that not all are equally far from one another. */
function likeThese(centers: readonly Float32Array[]): Float32Array {
  const center = centers[Math.floor(random() * centers.length)] as Float32Array;
  return center.map((x) => (random() < 0.2 ? -x : x));
}

/** Bits that differ, the plain way. */
function differing(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, k) => sum + (x > 0 === (b[k] as number) > 0 ? 0 : 1), 0);
}

/** Keys in ascending order that differ no more than the last one asked for, by comparing all. */
function plainly(vectors: ReadonlyMap<number, Float32Array>, asked: Float32Array, count: number): number[] {
  const distances = [...vectors].map(([key, vector]) => ({ key, distance: differing(asked, vector) }));
  const limit = distances.map(({ distance }) => distance).toSorted((a, b) => a - b)[count - 1] ?? asked.length;
  return distances.flatMap(({ key, distance }) => (distance <= limit ? [key] : []));
}

/** By their keys. */
function vectorsOf(size: number, dimensions: number): Map<number, Float32Array> {
  const centers = Array.from({ length: 5 }, () => vectorOf(dimensions));
  return new Map(Array.from({ length: size }, (_, i) => [5 * i + 1, likeThese(centers)]));
}

function tableOf(vectors: ReadonlyMap<number, Float32Array>, dimensions: number): CodeTable {
  const table = new CodeTable(dimensions);
  for (const [key, vector] of vectors) put(table, key, typeOf(key), codeOf(vector, null));
  return table;
}

/** What comes back has the key's number, too. */
function put(table: CodeTable, key: number, type: string, code: Uint32Array): void {
  table.put({ key, seq: key, type, code });
}

/** What is of the rows that differ least. */
function nearest(table: CodeTable, code: Uint32Array, count: number, looked: ScanFilter): number[] {
  return table.likeliest(table.nearest(code, count, looked), new Float32Array(), Number.POSITIVE_INFINITY);
}

const ascending = (keys: readonly number[]): number[] => keys.toSorted((a, b) => a - b);

describe('codes', () => {
  it('tell on which side of the center each number lies', () => {
    const code = codeOf(Float32Array.of(1, -1, 0.2, 0, ...Array(29).fill(-1), 5), Float32Array.of(0, 0, 0.3));
    expect([...code]).toEqual([1, 2]);
  });

  // Among them those at which a word, or a number in the code that scans, becomes longer.
  it.each([2, 31, 32, 33, 64, 65, 100, 256, 448, 449, 512, 1536, 8256])(
    'of %i bits choose those that differ least, and all that differ as much as the last one',
    (dimensions) => {
      const size = dimensions > 1000 ? 30 : 1300;
      const vectors = vectorsOf(size, dimensions);
      const table = tableOf(vectors, dimensions);
      const some = [...vectors.values()].slice(0, 3);
      for (const asked of [...some, vectorOf(dimensions), likeThese(some)])
        for (const count of [1, 20, 250, size, size + 1])
          expect(ascending(nearest(table, codeOf(asked, null), count, all))).toEqual(plainly(vectors, asked, count));
    },
  );

  it.each([1, 1023, 1024, 1025, 2048, 20_000])('are all looked at where there are %i', (size) => {
    const vectors = vectorsOf(size, 70);
    const table = tableOf(vectors, 70);
    expect(table.size).toBe(size);
    for (const key of [1, 5 * (size >> 1) + 1, 5 * (size - 1) + 1]) {
      const asked = vectors.get(key) as Float32Array;
      expect(ascending(nearest(table, codeOf(asked, null), 10, all))).toEqual(plainly(vectors, asked, 10));
    }
  });

  it('are none where there are none', () => {
    expect(nearest(new CodeTable(100), codeOf(vectorOf(100), null), 10, all)).toEqual([]);
  });

  it('that are all the same are all chosen', () => {
    const code = codeOf(vectorOf(100), null);
    const table = new CodeTable(100);
    const keys = Array.from({ length: 3000 }, (_, key) => key);
    for (const key of keys) put(table, key, 'artwork', code);
    expect(ascending(nearest(table, code, 20, all))).toEqual(keys);
  });

  it('choose among the types and keys that may be found', () => {
    const vectors = vectorsOf(3000, 100);
    const table = tableOf(vectors, 100);
    const asked = vectorOf(100);
    const near = (count: number, looked: Partial<ScanFilter>) =>
      ascending(nearest(table, codeOf(asked, null), count, { ...all, ...looked }));
    const among = (fits: (key: number) => boolean) => new Map([...vectors].filter(([key]) => fits(key)));
    for (const wanted of [['artist'], ['place', 'artwork'], []]) {
      const type = (name: string) => wanted.includes(name);
      expect(near(50, { type })).toEqual(
        plainly(
          among((key) => type(typeOf(key))),
          asked,
          50,
        ),
      );
    }
    const few = [2991, 6, 101, 6, 501, 3, 1_000_000];
    expect(near(400, { keys: few })).toEqual([6, 101, 501, 2991]);
    expect(near(1, { keys: few })).toEqual(
      plainly(
        among((key) => few.includes(key)),
        asked,
        1,
      ),
    );
    const half = [...vectors.keys()].filter((key) => key % 2 === 0);
    const artist = (name: string) => name === 'artist';
    const fits = (key: number) => key % 2 === 0 && artist(typeOf(key));
    expect(near(30, { keys: half, type: artist })).toEqual(plainly(among(fits), asked, 30));
  });

  it('are told apart by 65,535 types; what has one more is among the hits with any of the others', () => {
    const table = new CodeTable(64);
    const code = codeOf(vectorOf(64), null);
    for (let key = 0; key < 65_540; key++) put(table, key, `type ${key}`, code);
    const near = (...wanted: number[]) =>
      ascending(nearest(table, code, 1, { ...all, type: (name) => wanted.some((key) => name === `type ${key}`) }));
    expect(near(0, 65_534)).toEqual([0, 65_534]);
    expect(near(65_539)).toEqual([65_535, 65_536, 65_537, 65_538, 65_539]);
  });

  it('stand for the newest vector of a key', () => {
    const table = new CodeTable(100);
    const [old, asked] = [vectorOf(100), vectorOf(100)];
    for (let key = 0; key < 50; key++) put(table, key, 'artwork', codeOf(vectorOf(100), null));
    put(table, 7, 'artwork', codeOf(old, null));
    put(table, 7, 'place', codeOf(asked, null));
    expect(table.size).toBe(50);
    expect(nearest(table, codeOf(asked, null), 1, all)).toEqual([7]);
    expect(nearest(table, codeOf(asked, null), 1, { ...all, type: (type) => type === 'place' })).toEqual([7]);
    expect(nearest(table, codeOf(old, null), 50, { ...all, type: (type) => type === 'artwork' })).not.toContain(7);
  });

  it.each([1, 8, 31, 64, 100, 256])('of %i bits are weighed by what a vector says to each of them', (dimensions) => {
    const vectors = vectorsOf(500, dimensions);
    const table = tableOf(vectors, dimensions);
    const asked = vectorOf(dimensions);
    const nearness = (vector: Float32Array) =>
      vector.reduce((sum, x, k) => sum + (x > 0 ? 1 : -1) * (asked[k] ?? 0), 0);
    const plainly = [...vectors.values()].map(nearness).toSorted((a, b) => b - a);
    const found = table.likeliest(table.nearest(codeOf(asked, null), 500, all), asked, 40);
    const theirs = found.map((key) => nearness(vectors.get(key) as Float32Array));
    expect(theirs).toHaveLength(40);
    for (const [i, one] of theirs.entries()) expect(one).toBeCloseTo(plainly[i] as number, 4);
  });

  it('may be put while others are looked for', () => {
    const vectors = new Map<number, Float32Array>();
    const table = new CodeTable(256);
    for (const [key, vector] of vectorsOf(9000, 256)) {
      vectors.set(key, vector);
      put(table, key, typeOf(key), codeOf(vector, null));
      if (key % 4000 === 1)
        expect(ascending(nearest(table, codeOf(vector, null), 5, all))).toEqual(plainly(vectors, vector, 5));
    }
  });

  it('of another length than they should be, as a damaged index may have them, leave the others as they are', () => {
    const table = new CodeTable(64);
    const [none, every] = [Uint32Array.of(0, 0), Uint32Array.of(0xffffffff, 0xffffffff)];
    put(table, 1, 'artwork', every);
    put(table, 2, 'artist', none);
    put(table, 3, 'place', every);
    put(table, 1, 'artwork', new Uint32Array(8));
    put(table, 3, 'place', Uint32Array.of(0));
    expect(nearest(table, none, 1, { ...all, type: (type) => type === 'artist' })).toEqual([2]);
    expect(nearest(table, none, 3, all)).toEqual([1, 2, 3]);
    expect(nearest(table, new Uint32Array(300), 1, all)).toEqual([1, 2, 3]);
  });
});
