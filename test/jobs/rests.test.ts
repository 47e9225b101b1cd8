import { expect, test } from 'vitest';
import { Rests } from '../../src/server/jobs/rests.ts';
import type { Sending } from '../../src/server/model/job-state.ts';

const queued = (attempts: number, retryAfter: number | null = null): Sending => ({
  ...{ state: 'queued', attempts, error: 'not now', retryAfter },
});
const accepted: Sending = { state: 'accepted', attempts: 1, error: null, retryAfter: null };
const unknown: Sending = { state: 'unknown', attempts: 1, error: 'broken', retryAfter: null };

function opened() {
  const clock = { ms: 0 };
  const rests = new Rests(() => clock.ms);
  return { clock, rests };
}

test('what fails together counts once, and what was taken meanwhile ends no rest', () => {
  const { clock, rests } = opened();
  for (let i = 0; i < 10; i++) rests.note({ id: `job_${i}`, processor: 'p' }, queued(1), 'http://a');
  rests.note({ id: 'job_10', processor: 'p' }, accepted, 'http://a');
  expect([rests.processors(), rests.jobs().length, rests.next()]).toEqual([['p'], 10, 1000]);
  clock.ms = 1000;
  expect([rests.processors(), rests.jobs(), rests.next(), rests.isTried('p')]).toEqual([[], [], null, true]);
  rests.note({ id: 'job_1', processor: 'p' }, queued(2), 'http://a');
  expect(rests.next()).toBe(2000);
  clock.ms = 3000;
  rests.note({ id: 'job_1', processor: 'p' }, accepted, 'http://a');
  expect(rests.isTried('p')).toBe(false);
});

test('the pauses grow to five minutes, and what a job is asked to wait for longer holds up no other', () => {
  const { clock, rests } = opened();
  const rest = (retryAfter: number | null = null) => {
    rests.note({ id: 'job_1', processor: 'p' }, queued(1, retryAfter), 'http://a');
    const from = clock.ms;
    while (rests.isResting('p')) clock.ms += rests.next() ?? 1;
    return clock.ms - from;
  };
  const pauses = Array.from({ length: 12 }, () => rest());
  expect(pauses.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(Math.max(...pauses)).toBe(300_000);
  const before = clock.ms;
  expect(rest(3600)).toBe(300_000);
  expect([rests.jobs(), rests.next()]).toEqual([['job_1'], before + 3_600_000 - clock.ms]);
});

test('what runs within the node is asked again every few seconds', () => {
  const clock = { ms: 0 };
  const rests = new Rests(
    () => clock.ms,
    (place) => place === 'exec:a',
  );
  for (let attempts = 1; attempts < 20; attempts++) {
    rests.note({ id: 'job_1', processor: 'p' }, queued(attempts), 'exec:a');
    expect(rests.next()).toBeLessThanOrEqual(5000);
    clock.ms += rests.next() ?? 0;
    expect([rests.processors(), rests.jobs()]).toEqual([[], []]);
  }
});

test('a job of which nobody knows whether it arrived lets the next ones wait, and is not sent again itself', () => {
  const { rests } = opened();
  rests.note({ id: 'job_1', processor: 'p' }, unknown, 'http://a');
  expect([rests.processors(), rests.jobs()]).toEqual([['p'], []]);
});

test('a processor that is elsewhere is tried at once, with what it was asked to wait for', () => {
  const { rests } = opened();
  rests.note({ id: 'job_1', processor: 'p' }, queued(1, 3600), 'http://a');
  rests.note({ id: 'job_2', processor: 'q' }, queued(1), 'http://a');
  expect(rests.endMoved(() => 'http://a')).toBe(false);
  // Moved, and not in use again yet.
  expect(rests.endMoved(() => null)).toBe(false);
  expect(rests.endMoved((processor) => (processor === 'p' ? 'http://b' : 'http://a'))).toBe(true);
  expect([rests.processors(), rests.jobs(), rests.isTried('p')]).toEqual([['q'], ['job_2'], false]);
});
