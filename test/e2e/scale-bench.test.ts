import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tateFile } from '../bench/measures/tate.ts';
import { writeCorpus } from '../bench/scale/corpus.ts';
import { growthOf, type Measured, table, verdictOn } from '../bench/scale/growth.ts';
import { leavesOf, tateShape, tateWorks, type Work } from '../bench/scale/tate-shape.ts';

// What `npm run bench:scale` measures on, and what it says of it.

const points = (...values: number[]) => values.map((value, i) => ({ size: 1000 * 10 ** i, value }));

test('growth is told per tenfold, also between sizes that are less apart, and the fastest counts', () => {
  expect(growthOf(points(2, 2.2, 4.4))).toBeCloseTo(2);
  expect(
    growthOf([
      { size: 1000, value: 3 },
      { size: 100_000, value: 12 },
    ]),
  ).toBeCloseTo(2);
  expect(growthOf(points(7))).toBeNull();
});

test('what adds more with each tenfold, and multiplies by more than it may, grows too fast', () => {
  const said = (...values: number[]) => verdictOn(points(...values), { most: 1.5 });
  expect(said(7)).toBe('');
  expect(said(4, 5.6)).toBe('yes');
  expect(said(4, 6.4)).toBe('FASTER');
  expect(said(4, 8, 12.2)).toBe('as log n');
  // With the fifth root of the size, and by a jump in the end.
  expect(said(1, 1.58, 2.51)).toBe('FASTER');
  expect(said(6, 4, 4.4, 7)).toBe('FASTER');
  expect(verdictOn(points(1, 100), { most: null })).toBe('');
});

test('the table has a column a size and marks what grows faster than it may', () => {
  const node = (size: number, get: number, list: number): Measured => ({
    size,
    values: new Map([
      ['get', { value: get, unit: 'ms', most: 1.5 }],
      ['list', { value: list, unit: 'ms', most: 1.5 }],
    ]),
  });
  expect(table([node(1000, 2, 1), node(10_000, 2.5, 9)]).split('\n')).toEqual([
    '| measure | 1,000 | 10,000 | x per tenfold | at most |  |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    '| get | 2.00 ms | 2.50 ms | 1.25 | 1.5 | yes |',
    '| list | 1.00 ms | 9.00 ms | 9.00 | 1.5 | FASTER |',
  ]);
});

test.runIf(existsSync(tateFile))('a corpus is of the shape of the Tate, whatever its size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archeion-corpus-'));
  try {
    // Read once: most of the time goes into that.
    const all: Work[] = [];
    for await (const { acno, id, title, all_artists, contributors, subjects } of tateWorks())
      all.push({ acno, id, title, all_artists, ...(contributors && { contributors }), ...(subjects && { subjects }) });
    const kept = async function* () {
      yield* all;
    };
    const shape = await tateShape(kept);
    const busiest = shape.artists[0]?.id ?? 0;
    for (const size of [2000, 5000]) {
      const file = join(folder, String(size));
      await writeCorpus(shape, size, file, kept);
      const works = readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Work);
      const artists = works.map((work) => (work.contributors ?? []).map(({ id }) => id));
      const subjects = works.map((work) => leavesOf(work.subjects).map(({ id }) => id));
      const distinct = new Set(artists.flat()).size / works.length;
      expect(new Set(works.map(({ id }) => id)).size).toBe(works.length);
      expect(works.length / size).toBeCloseTo(0.774, 2);
      expect(distinct).toBeGreaterThan(0.04);
      expect(distinct).toBeLessThan(0.07);
      expect(artists.filter((ids) => ids.includes(busiest)).length / works.length).toBeCloseTo(0.57, 1);
      expect(subjects.flat().length / works.length).toBeCloseTo(5.2, 0);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
