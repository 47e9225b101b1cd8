import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closesAt, type Hours, opensAt, readHours } from '../../src/server/sync/hours.ts';
import {
  longestIdle,
  longestRetry,
  newsDelay,
  nudgeDelay,
  type Schedule,
  type ScheduleEvent,
  scheduleStep,
  shortestIdle,
  startSchedule,
} from '../../src/server/sync/schedule.ts';
import { pay } from '../../src/server/sync/throttle.ts';

const noon = new Date(2026, 4, 12, 12).getTime();
const middle = { random: 0.5, hours: null };

/** The waits after each of some events, each of which comes when the run that was due has ended. */
function waits(events: ScheduleEvent[], random = 0.5): number[] {
  let state = startSchedule({ at: noon, hours: null }, null);
  return events.map((event) => {
    const at = state.due;
    state = scheduleStep(state, event, { at, random, hours: null });
    return Math.round(state.due - at);
  });
}

const idle: ScheduleEvent = { kind: 'ended', active: false };
const active: ScheduleEvent = { kind: 'ended', active: true };
const partial: ScheduleEvent = { kind: 'partial' };
const failed: ScheduleEvent = { kind: 'failed', retryAfter: null };

describe('a watched remote', () => {
  test('T1: is asked less and less often while nothing happens, and often again when something does', () => {
    expect(waits([active, idle, idle, idle, idle])).toEqual([2000, 3000, 4500, 6750, 10_125]);
    expect(waits(Array(40).fill(idle)).at(-1)).toBe(longestIdle);
    expect(waits([...Array(40).fill(idle), active]).at(-1)).toBe(shortestIdle);
  });

  test('T2: is tried again after errors at doubling distances, up to five minutes', () => {
    expect(waits(Array(9).fill(failed))).toEqual([2000, 4000, 8000, 16e3, 32e3, 64e3, 128e3, 256e3, 300e3]);
    expect(waits([failed, failed, failed, idle, failed]).at(-1)).toBe(2000);
  });

  test('T2: that fails at single things alone is asked as if nothing had happened, and told of edits a pause later', () => {
    expect(waits([active, partial, partial, partial])).toEqual([2000, 3000, 4500, 6750]);
    expect(waits(Array(40).fill(partial)).at(-1)).toBe(longestIdle);
    expect(waits([...Array(40).fill(failed), partial, failed]).slice(-2)).toEqual([3000, 2000]);
    const quiet = { due: noon + 50_000, idle: 20, failures: 0, partial: true, held: 0 };
    for (const kind of ['nudged', 'news'] as const)
      expect(scheduleStep(quiet, { kind }, { at: noon, ...middle }).due).toBe(noon + shortestIdle);
    const down = { ...quiet, failures: 1, partial: false };
    expect(scheduleStep(down, { kind: 'partial' }, { at: noon, ...middle })).toMatchObject({
      failures: 0,
      partial: true,
    });
  });

  test('T3: is left alone for as long as it wants', () => {
    expect(waits([{ kind: 'failed', retryAfter: 90_000 }])).toEqual([90_000]);
    expect(waits([{ kind: 'failed', retryAfter: 5 }])).toEqual([2000]);
    expect(waits([{ kind: 'failed', retryAfter: 1e15 }])).toEqual([24 * 3600 * 1000]);
    const again = startSchedule({ at: noon, hours: null }, noon + 5000);
    expect(scheduleStep(again, { kind: 'nudged' }, { at: noon, ...middle }).due).toBe(noon + 5000);
    expect(startSchedule({ at: noon, hours: null }, noon - 5000).due).toBe(noon);
  });

  test('T4: is told of an edit, and of news of the remote, at once, unless it does not answer', () => {
    const quiet = { due: noon + 50_000, idle: 20, failures: 0, partial: false, held: 0 };
    expect(scheduleStep(quiet, { kind: 'nudged' }, { at: noon, ...middle }).due).toBe(noon + nudgeDelay);
    const due = { ...quiet, due: noon + 100 };
    expect(scheduleStep(due, { kind: 'nudged' }, { at: noon, ...middle }).due).toBe(noon + 100);
    expect(scheduleStep(quiet, { kind: 'news' }, { at: noon, ...middle }).due).toBe(noon + newsDelay);
    const down = { ...quiet, failures: 3 };
    for (const kind of ['nudged', 'news'] as const)
      expect(scheduleStep(down, { kind }, { at: noon, ...middle })).toEqual(down);
  });

  test('T8: is left alone for a minute after somebody has stopped a run, whatever happens meanwhile', () => {
    const busy = { due: noon - 5000, idle: 0, failures: 0, partial: false, held: 0 };
    const stopped = scheduleStep(busy, { kind: 'stopped' }, { at: noon, ...middle });
    expect(stopped.due).toBe(noon + longestIdle);
    for (const kind of ['nudged', 'news', 'hours', 'busy'] as const)
      expect(scheduleStep(stopped, { kind }, { at: noon + 1000, ...middle }).due).toBe(noon + longestIdle);
    expect(scheduleStep(stopped, active, { at: noon + 1000, ...middle }).due).toBe(noon + 1000 + shortestIdle);
    const held = { ...busy, held: noon + 90_000 };
    expect(scheduleStep(held, { kind: 'stopped' }, { at: noon, ...middle }).due).toBe(noon + 90_000);
  });

  test('T5: whatever happens, the next run is neither past nor far, in its hours, and not before the remote allows it', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    const hours = fc.option(
      fc.tuple(hour, hour).filter(([from, to]) => from !== to),
      { freq: 2 },
    );
    const event: fc.Arbitrary<ScheduleEvent> = fc.oneof(
      fc.record({ kind: fc.constant('ended' as const), active: fc.boolean() }),
      fc.record({ kind: fc.constant('failed' as const), retryAfter: fc.option(fc.nat(7_200_000)) }),
      fc.constantFrom(
        { kind: 'partial' as const },
        { kind: 'nudged' as const },
        { kind: 'news' as const },
        { kind: 'busy' as const },
        { kind: 'stopped' as const },
        { kind: 'hours' as const },
      ),
    );
    const step = fc.record({ event, random: fc.double({ min: 0, max: 0.999, noNaN: true }), passes: fc.nat(400_000) });
    fc.assert(
      fc.property(hours, fc.array(step, { maxLength: 60 }), (pair, steps) => {
        const open: Hours | null = pair && { from: pair[0], to: pair[1] };
        let at = noon;
        let state: Schedule = startSchedule({ at, hours: open }, null);
        for (const { event, random, passes } of steps) {
          at += passes;
          const before = state;
          state = scheduleStep(state, event, { at, random, hours: open });
          if (state === before) continue;
          expect(state.due).toBeGreaterThanOrEqual(at);
          expect(opensAt(open, state.due)).toBe(state.due);
          if (event.kind === 'failed') expect(state.due).toBeGreaterThanOrEqual(at + (event.retryAfter ?? 0));
          const unbound = Math.max(longestRetry, state.held - at);
          expect(state.due).toBeLessThanOrEqual(opensAt(open, at + unbound));
          if (event.kind === 'ended' && open === null) expect(state.due).toBeGreaterThanOrEqual(at + 1600);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('T6: does not come back in step with others', () => {
    expect(waits([active], 0)).toEqual([1600]);
    expect(waits([active], 0.999)[0]).toBeGreaterThan(2390);
  });
});

describe('hours of the day', () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 4, day, hour, minute).getTime();

  test('are two different ones', () => {
    expect(readHours('22-6')).toEqual({ from: 22, to: 6 });
    expect(readHours('08-24')).toEqual({ from: 8, to: 24 });
    for (const text of ['', '22', '22-', '24-6', '6-25', '6-6', '0-24', '22-6 ', '-1-3', '1.5-3', 'a-b'])
      expect(readHours(text), text).toBeNull();
  });

  test('may lie around midnight', () => {
    const night = { from: 22, to: 6 };
    expect(opensAt(night, at(12, 12))).toBe(at(12, 22));
    expect(opensAt(night, at(12, 23, 30))).toBe(at(12, 23, 30));
    expect(opensAt(night, at(13, 5, 59))).toBe(at(13, 5, 59));
    expect(opensAt(night, at(13, 6))).toBe(at(13, 22));
    expect(closesAt(night, at(12, 23, 30))).toBe(at(13, 6));
    expect(closesAt(night, at(13, 3))).toBe(at(13, 6));
  });

  test('may lie within a day, or end with it', () => {
    const day = { from: 9, to: 17 };
    expect(opensAt(day, at(12, 18))).toBe(at(13, 9));
    expect(opensAt(day, at(12, 3))).toBe(at(12, 9));
    expect(closesAt(day, at(12, 10))).toBe(at(12, 17));
    expect(closesAt({ from: 20, to: 24 }, at(12, 21))).toBe(at(13, 0));
    expect(opensAt(null, at(12, 3))).toBe(at(12, 3));
    expect(closesAt(null, at(12, 3))).toBeNull();
  });
});

describe('a limit on bandwidth', () => {
  test('holds over all that is moved, whatever the pieces, and makes up for a second of rest', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 100_000 }), rest: fc.nat(5000) }), { minLength: 1 }),
        (bytesPerMs, moves) => {
          let [clock, paid, total, rested] = [0, Number.NEGATIVE_INFINITY, 0, 0];
          for (const { bytes, rest } of moves) {
            clock += rest;
            rested += rest;
            const step = pay(paid, bytes, clock, bytesPerMs);
            paid = step.paid;
            clock += step.wait;
            total += bytes;
            // Never faster than the rate, but for one second's worth.
            expect(total).toBeLessThanOrEqual((clock + 1000) * bytesPerMs * (1 + 1e-9) + 1e-6);
          }
          // And never slower than it, but for the rests.
          expect(clock).toBeLessThanOrEqual(rested + total / bytesPerMs + 1e-6);
        },
      ),
    );
  });
});
