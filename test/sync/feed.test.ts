import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FeedEvent,
  type FeedPage,
  feedStep,
  type Interval,
  isEmpty,
  isOpen,
  limitOf,
  startFeed,
} from '../../src/server/sync/feed.ts';

/**
 * A feed as a remote has it: ascending ids with holes; what is at or below the floor has expired. Pages are cut before the
 * `foreign` ids, those of another network, are left out.
 */
interface Feed {
  events: FeedEvent[];
  floor: number;
  foreign?: ReadonlySet<number>;
}

function pageOf({ events, floor, foreign }: Feed, cursor: number | null, limit: number): FeedPage {
  const below = events.filter(({ id }) => id > floor && (cursor === null || id < cursor)).toReversed();
  const cut = below.slice(0, limit);
  const next = cut.at(-1)?.id ?? null;
  return { events: cut.filter(({ id }) => !foreign?.has(id)), more: below.length > limit, next };
}

/** What the store does with covered intervals (store/remotes/apply-sync.ts). */
function join(seen: Interval[], added: Interval): Interval[] {
  const met = seen.filter((it) => it.lost === added.lost && it.first <= added.last + 1 && it.last >= added.first - 1);
  const highest = [added, ...met].reduce((a, b) => (b.last > a.last ? b : a));
  const joined = { ...highest, first: Math.min(added.first, ...met.map((it) => it.first)) };
  return [...seen.filter((it) => !met.includes(it)), joined].toSorted((a, b) => a.first - b.first);
}

interface Walk {
  seen: Interval[];
  taken: Set<number>;
  reset: boolean;
  empty: boolean;
  pages: number;
}

/** One run; `dies` cuts it off before that page's interval is recorded, although its events may have been taken. */
function walk(feed: Feed, seen: Interval[], limit: number, dies = Number.POSITIVE_INFINITY): Walk {
  const taken = new Set<number>();
  let state = startFeed(seen);
  let kept = seen;
  let pages = 0;
  while (isOpen(state)) {
    const step = feedStep(state, pageOf(feed, state.cursor, limitOf(state, limit)));
    state = step.state;
    if (++pages > 10_000) throw new Error('it walks for ever');
    if (pages > dies) break;
    for (const { id } of step.events) taken.add(id);
    for (const interval of [step.covered, ...step.lost]) if (interval) kept = join(kept, interval);
  }
  return { seen: kept, taken, reset: state.phase === 'reset', empty: isEmpty(state), pages };
}

const feeds = fc
  .record({
    gaps: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 60 }),
    entities: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ gaps, entities }) => {
    let id = 0;
    return gaps.map((gap): FeedEvent => {
      id += gap;
      return { id, entity: `e${id % entities}`, cid: `c${id}` };
    });
  });
const limits = fc.integer({ min: 1, max: 7 });

describe('a walk', () => {
  test('F1: takes every event whatever the page size, and then needs one page to know that nothing is new', () => {
    fc.assert(
      fc.property(feeds, limits, (events, limit) => {
        const feed = { events, floor: 0 };
        const first = walk(feed, [], limit);
        expect([...first.taken].toSorted((a, b) => a - b)).toEqual(events.map(({ id }) => id));
        const again = walk(feed, first.seen, limit);
        expect(again.taken.size).toBe(0);
        expect(again.pages).toBe(1);
      }),
    );
  });

  test('F1: takes all that came between two runs, although they are more than a page', () => {
    fc.assert(
      fc.property(feeds, fc.nat(60), limits, (events, cut, limit) => {
        const before = { events: events.slice(0, cut), floor: 0 };
        const { seen } = walk(before, [], limit);
        const { taken } = walk({ events, floor: 0 }, seen, limit);
        expect([...taken].toSorted((a, b) => a - b)).toEqual(events.slice(cut).map(({ id }) => id));
      }),
    );
  });

  test('F2: cut off anywhere and taken up again, it misses nothing', () => {
    fc.assert(
      fc.property(
        feeds,
        limits,
        fc.array(fc.tuple(fc.nat(20), fc.nat(60)), { maxLength: 5 }),
        (events, limit, runs) => {
          const taken = new Set<number>();
          let seen: Interval[] = [];
          let length = 0;
          for (const [dies, more] of [...runs, [Number.POSITIVE_INFINITY, 60] as const]) {
            length = Math.min(events.length, length + more);
            const run = walk({ events: events.slice(0, length), floor: 0 }, seen, limit, dies);
            for (const id of run.taken) taken.add(id);
            seen = run.seen;
          }
          expect([...taken].toSorted((a, b) => a - b)).toEqual(events.slice(0, length).map(({ id }) => id));
        },
      ),
    );
  });

  test('F3: says which ids expired before they were seen', () => {
    const events = Array.from({ length: 30 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const { seen } = walk({ events: events.slice(0, 10), floor: 0 }, [], 4);
    const later = walk({ events, floor: 20 }, seen, 4);
    expect([...later.taken].toSorted((a, b) => a - b)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    expect(later.seen.filter((it) => it.lost)).toEqual([{ first: 11, last: 20, cid: null, lost: true }]);
    expect(walk({ events, floor: 25 }, later.seen, 4)).toMatchObject({ pages: 1, reset: false });
  });

  test('F3: an expired feed that was seen to its end is no gap', () => {
    const events = Array.from({ length: 12 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const { seen } = walk({ events: events.slice(0, 10), floor: 0 }, [], 4);
    const later = walk({ events, floor: 10 }, seen, 4);
    expect(later.taken).toEqual(new Set([11, 12]));
    expect(later.seen.filter((it) => it.lost)).toEqual([]);
  });

  test('F3: what an interrupted walk had not come to, and then expired, is lost, wherever the feed ends now', () => {
    const events = Array.from({ length: 9 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const { seen } = walk({ events, floor: 0 }, [], 3, 1);
    expect(seen).toEqual([{ first: 7, last: 9, cid: 'c9', lost: false }]);
    const below = [{ first: 1, last: 6, cid: null, lost: true }];
    for (const floor of [6, 7, 8, 9])
      expect(walk({ events, floor }, seen, 3).seen.filter((it) => it.lost)).toEqual(below);
    const later = Array.from({ length: 20 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const again = walk({ events: later, floor: 0 }, seen, 3, 2);
    expect(walk({ events: later, floor: 15 }, again.seen, 3).seen.filter((it) => it.lost)).toEqual([
      ...below,
      { first: 10, last: 15, cid: null, lost: true },
    ]);
  });

  test('F3: cut off anywhere while events expire, it has taken or named every one', () => {
    const run = fc.record({ dies: fc.integer({ min: 1, max: 20 }), more: fc.nat(30), expires: fc.nat(30) });
    fc.assert(
      fc.property(feeds, limits, fc.array(run, { maxLength: 5 }), (events, limit, runs) => {
        const taken = new Set<number>();
        let seen: Interval[] = [];
        let [length, expired] = [0, 0];
        for (const { dies, more, expires } of [...runs, { dies: Number.POSITIVE_INFINITY, more: 60, expires: 5 }]) {
          length = Math.min(events.length, length + more);
          expired = Math.min(length, expired + expires);
          const floor = events[expired - 1]?.id ?? 0;
          const { reset, ...walked } = walk({ events: events.slice(0, length), floor }, seen, limit, dies);
          expect(reset).toBe(false);
          for (const id of walked.taken) taken.add(id);
          seen = walked.seen;
        }
        const last = seen.findLast((it) => !it.lost)?.last ?? 0;
        for (const { id } of events.slice(0, length)) {
          const isLost = seen.some((it) => it.lost && it.first <= id && id <= it.last);
          if (id <= last) expect(taken.has(id) || isLost).toBe(true);
        }
      }),
    );
  });

  test('F8: pages that are cut before they are filtered by network are no end', () => {
    const foreigners = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });
    const run = fc.record({ dies: fc.integer({ min: 1, max: 20 }), more: fc.nat(30) });
    fc.assert(
      fc.property(feeds, foreigners, limits, fc.array(run, { maxLength: 4 }), (events, isForeign, limit, runs) => {
        const foreign = new Set(events.filter((_, at) => isForeign[at]).map(({ id }) => id));
        const own = events.map(({ id }) => id).filter((id) => !foreign.has(id));
        const taken = new Set<number>();
        let seen: Interval[] = [];
        let length = 0;
        const whole = { dies: Number.POSITIVE_INFINITY, more: 60 };
        for (const { dies, more } of [...runs, whole, whole]) {
          length = Math.min(events.length, length + more);
          const { reset, ...walked } = walk({ events: events.slice(0, length), floor: 0, foreign }, seen, limit, dies);
          expect(reset).toBe(false);
          if (dies === whole.dies) expect(walked.empty).toBe(own.length === 0);
          for (const id of walked.taken) taken.add(id);
          seen = walked.seen;
        }
        expect([...taken].toSorted((a, b) => a - b)).toEqual(own);
        expect(own.filter((id) => seen.some((it) => it.lost && it.first <= id && id <= it.last))).toEqual([]);
        expect(walk({ events, floor: 0, foreign }, seen, limit).taken.size).toBe(0);
      }),
    );
  });

  test('F2: where a kill left a page without the one above it, no event stands where it ends, and that is no reset', () => {
    const events = [2, 3, 5, 9, 11, 12].map((id) => ({ id, entity: 'e', cid: `c${id}` }));
    const seen = [
      { first: 1, last: 2, cid: 'c2', lost: false },
      { first: 5, last: 8, cid: null, lost: false },
    ];
    expect(walk({ events, floor: 0 }, seen, 1)).toMatchObject({ taken: new Set([3, 9, 11, 12]), reset: false });
    const other = events.map((event) => (event.id === 2 ? { ...event, cid: 'another' } : event));
    expect(walk({ events: other, floor: 0 }, seen, 1)).toMatchObject({ taken: new Set(), reset: true });
  });

  test('F8: a page of nothing but another network at the head hides neither what is new nor a reset', () => {
    const events = Array.from({ length: 12 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const foreign = new Set([9, 10, 11, 12]);
    const { seen } = walk({ events: events.slice(0, 6), floor: 0, foreign }, [], 2);
    const later = walk({ events, floor: 0, foreign }, seen, 2);
    expect(later).toMatchObject({ taken: new Set([7, 8]), reset: false });
    expect(later.seen).toMatchObject([{ first: 1, last: 8, cid: 'c8', lost: false }]);
    const without = events.filter(({ id }) => id !== 8);
    expect(walk({ events: without, floor: 0, foreign }, later.seen, 2)).toMatchObject({
      reset: true,
      taken: new Set(),
    });
  });

  test('F4: a mark that is gone is a reset, also where one page shows what is newer and what is older', () => {
    const events = Array.from({ length: 10 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const { seen } = walk({ events, floor: 0 }, [], 4);
    const back = [...events.slice(0, 8), { id: 13, entity: 'e', cid: 'another' }];
    for (const limit of [1, 2, 3, 20])
      expect(walk({ events: back, floor: 0 }, seen, limit)).toMatchObject({ reset: true, taken: new Set() });
    // It may have left the feed with all that is older.
    expect(walk({ events: back, floor: 8 }, seen, 20)).toMatchObject({ reset: false, taken: new Set([13]) });
  });

  test('F4: a head below the mark, and a known id that names another version, are a reset', () => {
    const events = Array.from({ length: 10 }, (_, i) => ({ id: i + 1, entity: 'e', cid: `c${i + 1}` }));
    const { seen } = walk({ events, floor: 0 }, [], 4);
    expect(walk({ events: events.slice(0, 9), floor: 0 }, seen, 4)).toMatchObject({ reset: true, taken: new Set() });
    const other = events.map((event) => (event.id === 10 ? { ...event, cid: 'another' } : event));
    expect(walk({ events: other, floor: 0 }, seen, 4)).toMatchObject({ reset: true, taken: new Set() });
  });
});
