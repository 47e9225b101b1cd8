import { expect, test } from 'vitest';
import { inTurn, type SearchPage } from '../../src/server/store/graph/in-turn.ts';

interface Find {
  at: number;
  last: number;
  /** Whether its last page says so. */
  told?: boolean;
}

/** Searches that count their pages; each finds its own number on its page `at`, and ends after `last`. */
function counted(finds: Find[]) {
  const pages = finds.map(() => 0);
  const ended = finds.map(() => false);
  let begun = 0;
  function* search(n: number, { at, last, told = false }: Find): Generator<SearchPage<number>> {
    for (let page = 1; page <= last; page++) {
      pages[n] = page;
      yield { found: page === at ? [n] : [], isLast: told && page === last };
    }
    ended[n] = true;
  }
  function* searches(): Generator<Generator<SearchPage<number>>> {
    for (const [n, find] of finds.entries()) {
      begun++;
      yield search(n, find);
    }
  }
  return { found: inTurn<number>(searches()), pages, ended, begun: () => begun };
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

test('a search whose page says that it is the last one is asked for no other', () => {
  const finds = Array.from({ length: 200 }, (_, n) => ({ at: 1 + (n % 3), last: 1 + (n % 3), told: n % 2 === 0 }));
  const { found, pages, ended } = counted(finds);
  expect([...found].toSorted((a, b) => a - b)).toEqual(finds.map((_, n) => n));
  expect(pages).toEqual(finds.map(({ last }) => last));
  expect(ended).toEqual(finds.map(({ told }) => !told));
});

test('without searches there is nothing', () => {
  expect([...inTurn<number>([])]).toEqual([]);
});
