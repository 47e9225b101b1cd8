import { expect, test } from 'vitest';
import { inTurn } from '../../src/server/store/graph/in-turn.ts';

/** Searches that count their pages; each finds its own number on its page `at`, and ends after `last`. */
function counted(finds: { at: number; last: number }[]) {
  const pages = finds.map(() => 0);
  let begun = 0;
  function* search(n: number, { at, last }: { at: number; last: number }): Generator<number[]> {
    for (let page = 1; page <= last; page++) {
      pages[n] = page;
      yield page === at ? [n] : [];
    }
  }
  function* searches(): Generator<Generator<number[]>> {
    for (const [n, find] of finds.entries()) {
      begun++;
      yield search(n, find);
    }
  }
  return { found: inTurn<number>(searches()), pages, begun: () => begun };
}

test('a search that finds something soon answers before long ones that find nothing', () => {
  const { found, pages } = counted([
    { at: 0, last: 1000 },
    { at: 3, last: 1000 },
    { at: 0, last: 1000 },
  ]);
  expect(found.next().value).toBe(1);
  expect(pages).toEqual([3, 3, 2]);
});

test('no more searches are begun than one needs', () => {
  const { found, begun } = counted(Array.from({ length: 1000 }, (_, n) => ({ at: n === 10 ? 1 : 0, last: 5 })));
  expect(found.next().value).toBe(10);
  expect(begun()).toBe(11);
});

test('each search is gone through to its end, however many there are', () => {
  const finds = Array.from({ length: 500 }, (_, n) => ({ at: 1 + (n % 7), last: 1 + (n % 9) }));
  const { found, pages } = counted(finds);
  const expected = finds.flatMap(({ at, last }, n) => (at <= last ? [n] : []));
  expect([...found].toSorted((a, b) => a - b)).toEqual(expected);
  expect(pages).toEqual(finds.map(({ last }) => last));
});

test('without searches there is nothing', () => {
  expect([...inTurn<number>([])]).toEqual([]);
});
