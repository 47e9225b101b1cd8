import { describe, expect, it } from 'vitest';
import { CodeTable, codeOf } from '../../src/server/search/codes.ts';
import { seeded } from '../helpers/seeded.ts';

const random = seeded(11);
const dimensions = 100;
const vectorAt = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
const all = { type: () => true, keys: null };
const types = ['artwork', 'artist', 'place'];
const vectors = Array.from({ length: 3000 }, vectorAt);
const filled = new CodeTable(dimensions);
for (const [i, vector] of vectors.entries()) filled.put(3 * i + 1, types[i % 3] as string, codeOf(vector, null));

/** Bits that differ, the plain way. */
function differing(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, k) => sum + (x > 0 === (b[k] as number) > 0 ? 0 : 1), 0);
}

describe('codes', () => {
  it('tell on which side of the center each number lies', () => {
    const code = codeOf(Float32Array.of(1, -1, 0.2, 0, ...Array(29).fill(-1), 5), Float32Array.of(0, 0, 0.3));
    expect([...code]).toEqual([1, 2]);
  });

  it('choose those that differ least, and all that differ as much as the last one', () => {
    for (const count of [1, 20, 400]) {
      const asked = vectorAt();
      const distances = vectors.map((vector) => differing(asked, vector)).toSorted((a, b) => a - b);
      const limit = distances[count - 1] as number;
      const expected = vectors.flatMap((vector, i) => (differing(asked, vector) <= limit ? [3 * i + 1] : []));
      expect(filled.nearest(codeOf(asked, null), count, all).toSorted((a, b) => a - b)).toEqual(expected);
    }
  });

  it('choose among the types and keys that may be found', () => {
    const asked = codeOf(vectorAt(), null);
    const artists = filled.nearest(asked, 50, { type: (type) => type === 'artist', keys: null });
    expect(artists.length).toBeGreaterThanOrEqual(50);
    expect(artists.every((key) => ((key - 1) / 3) % 3 === 1)).toBe(true);
    const keys = new Uint8Array(600);
    for (const key of [4, 100, 103, 598]) keys[key] = 1;
    expect(filled.nearest(asked, 400, { type: () => true, keys }).toSorted((a, b) => a - b)).toEqual([
      4, 100, 103, 598,
    ]);
    expect(filled.nearest(asked, 10, { type: () => false, keys: null })).toEqual([]);
  });

  it('stand for the newest vector of a key', () => {
    const table = new CodeTable(dimensions);
    const [old, asked] = [vectorAt(), vectorAt()];
    for (let key = 0; key < 50; key++) table.put(key, 'artwork', codeOf(vectorAt(), null));
    table.put(7, 'artwork', codeOf(old, null));
    table.put(7, 'place', codeOf(asked, null));
    expect(table.size).toBe(50);
    expect(table.nearest(codeOf(asked, null), 1, all)).toEqual([7]);
    expect(table.nearest(codeOf(asked, null), 1, { ...all, type: (type) => type === 'place' })).toEqual([7]);
  });
});
