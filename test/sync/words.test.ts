import { describe, expect, test } from 'vitest';
import { emptyReport } from '../../src/server/sync/report.ts';
import { hoursLeft, lagOf } from '../../src/server/sync/stand.ts';
import { type Stand, wordsOf } from '../../src/server/sync/words.ts';

const now = Date.UTC(2026, 4, 12, 12);
const ago = (seconds: number) => now - seconds * 1000;
const seen = (first: number, last: number, lost = false, swept = lost) => ({
  ...{ first, last, cid: null, lost, swept, uncatalogued: false },
});

function stand(given: Partial<Stand>): Stand {
  return {
    ...{ name: 'origin', pulls: true, seen: [], refusals: [], lag: { events: null, seconds: null }, hoursLeft: null },
    unlisted: [],
    ...{ running: null, lastRun: null, next: null, watch: false, hours: null, max_kbps: null },
    ...{ mirrored: 0, pending: 0, conflicts: 0, refused: 0, troubles: {}, contents: {} },
    ...given,
  };
}

const run = (given: object = {}) => ({
  ...{
    started: ago(20),
    ended: ago(12),
    report: emptyReport(),
    error: null,
    fault: null,
    head: 10,
    level: ago(20),
    held: null,
  },
  ...given,
});

describe('how things stand with a remote, in words', () => {
  test('that was just added', () => {
    expect(wordsOf(stand({}), now)).toEqual([
      'No event seen yet.',
      'Its events have not been read to the end yet.',
      '0 entities mirrored, nothing to push.',
      'Never synced.',
      'Not watched: "archeion remote set origin --watch" keeps it in sync.',
    ]);
    expect(wordsOf(stand({ hours: '22-6', max_kbps: 800 }), now).at(-1)).toBe(
      'Not watched: "archeion remote set origin --watch" keeps it in sync from 22 to 6 o\'clock, with at most 800 kbit/s.',
    );
  });

  test('says how long unread events stay', () => {
    const given = { lag: { events: 3, seconds: 60 }, hoursLeft: 719, lastRun: run() };
    expect(wordsOf(stand(given), now)).toContain('Unread events begin to expire in 719 hours.');
  });

  test('that is level', () => {
    const given = {
      seen: [seen(1, 400, true), seen(401, 12_345)],
      lag: { events: 0, seconds: 0 },
      hoursLeft: 719,
      mirrored: 1,
      lastRun: run({ report: { ...emptyReport(), versions: 5, updated: 1 } }),
      ...{ watch: true, hours: '22-6', max_kbps: 2000, next: now + 30_000 },
    };
    expect(wordsOf(stand(given), now)).toEqual([
      'Events 401 to 12,345 seen.',
      'Events 1 to 400 had expired before they were seen; everything was compared instead.',
      'All its events were read 20 seconds ago.',
      '1 entity mirrored, nothing to push.',
      'Last synced 12 seconds ago: 5 versions pulled, 1 change pushed.',
      "Watched from 22 to 6 o'clock, with at most 2,000 kbit/s; the next sync begins in 30 seconds.",
    ]);
  });

  test('that does not list its collections', () => {
    const given = { seen: [{ ...seen(1, 400, true), uncatalogued: true }, seen(401, 500)] };
    const words = [
      'Events 1 to 400 had expired before they were seen; what is known was compared instead.',
      'The remote does not list its collections: what rested there for longer than its feed tells is not known.',
    ];
    expect(wordsOf(stand(given), now).slice(1, 3)).toEqual(words);
    const lastRun = run({ report: { ...emptyReport(), swept: true, uncatalogued: true } });
    expect(wordsOf(stand({ lastRun }), now)).toContain(words[1]);
  });

  test('that was left alone for long, and does not answer', () => {
    const given = {
      seen: [seen(1, 4, true, false), seen(5, 10)],
      lag: { events: 30, seconds: 29 * 86_400 },
      hoursLeft: 24,
      lastRun: run({ error: 'origin.test cannot be read: connection refused', level: ago(29 * 86_400) }),
      unlisted: [{ collection: 'A', words: 'origin.test fails' }],
      ...{ watch: true, running: { ...emptyReport(), versions: 2, created: 1 } },
    };
    expect(wordsOf(stand(given), now)).toEqual([
      'Events 5 to 10 seen.',
      'Events 1 to 4 had expired before they were seen, and what they told is still to be looked for.',
      '30 events are unread; all were read 29 days ago.',
      'Unread events begin to expire in 24 hours: sync before that.',
      '0 entities mirrored, nothing to push.',
      'A sync is under way: 2 versions pulled, 1 change pushed so far.',
      'The last sync failed 12 seconds ago: origin.test cannot be read: connection refused.',
      'Watched while "archeion serve" runs.',
      'What 1 collection holds could not be listed there, and is asked for again.',
    ]);
    expect(wordsOf(stand({ ...given, pulls: false }), now).join(' ')).not.toContain('could not be listed');
    expect(wordsOf(stand({ ...given, hoursLeft: 0 }), now)).toContain(
      'Events may have been lost since then: sync as soon as possible.',
    );
  });

  test('with what needs somebody at the end', () => {
    const refusal = (id: string, words: string, alike = 1) => ({ id, status: 403, words, alike });
    const many = ['C', 'E', 'F'].map((id) => refusal(id, 'Action not allowed', 1000));
    const given = {
      ...{ pulls: false, pending: 1200, refused: 1005, conflicts: 1, mirrored: 2 },
      refusals: [
        refusal('A', 'Too long'),
        refusal('B', 'Too large.'),
        many[0]!,
        refusal('D', 'No', 3),
        ...many.slice(1),
      ],
      ...{ troubles: { forbidden: 2, missing: 1, mismatch: 1, failing: 1 }, contents: { missing: 2, unsent: 1 } },
      lastRun: run({ report: { ...emptyReport(), stopped: 'It is not what it was' } }),
    };
    expect(wordsOf(stand(given), now)).toEqual([
      '2 entities mirrored, 1,200 to push.',
      'The last sync stopped 12 seconds ago: It is not what it was.',
      'Not watched: "archeion remote set origin --watch" keeps it in sync.',
      '5 entities known and not taken over: 2 not shown to this key (403), 1 gone (404), 1 with a wrong hash, 1 at which it fails (5xx).',
      'The bytes of 2 files are still to come: 2 gone (404).',
      'The bytes of 1 file are still to go there: it gives no address for them now.',
      'It refused A: Too long.',
      'It refused B: Too large.',
      'It refused 1,000 for the same reason, C among them: Action not allowed.',
      'It refused 3 more.',
      '1 conflict waits: "archeion conflicts" lists them.',
    ]);
  });
});

describe('lag', () => {
  test('is what the feed holds and is neither dealt with nor lost', () => {
    expect(lagOf([], { lastRun: null, running: null }, now)).toEqual({ events: null, seconds: null });
    expect(
      lagOf([seen(1, 40, true), seen(41, 90)], { lastRun: run({ head: 100, level: null }), running: null }, now).events,
    ).toBe(10);
    // In the middle of a first walk, from the newest to the oldest.
    expect(lagOf([seen(61, 100)], { lastRun: run({ head: 100 }), running: null }, now)).toEqual({
      events: 60,
      seconds: 20,
    });
    expect(lagOf([seen(0, 100)], { lastRun: run({ head: 100 }), running: null }, now)).toEqual({
      events: 0,
      seconds: 0,
    });
    const first = { lastRun: null, running: { ...emptyReport(), head: 100 } };
    expect(lagOf([seen(61, 100)], first, now)).toEqual({ events: 60, seconds: null });
    // Told of more than was there at the last run.
    expect(lagOf([seen(1, 120)], { lastRun: run({ head: 100 }), running: null }, now).events).toBe(0);
  });

  test('leaves thirty days from the last time that all was read', () => {
    expect(hoursLeft(null, now)).toBeNull();
    expect(hoursLeft(run({ level: null }), now)).toBeNull();
    expect(hoursLeft(run({ level: ago(0) }), now)).toBe(720);
    expect(hoursLeft(run({ level: ago(29.5 * 86_400) }), now)).toBe(12);
    expect(hoursLeft(run({ level: ago(31 * 86_400) }), now)).toBe(0);
  });
});
