import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { alarmAt } from '../../src/server/sync/alarm.ts';
import { operator } from '../helpers/callers.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, remoteOf } from './nodes.ts';
import { startProxy } from './proxy.ts';
import { look } from './watching.ts';

const hour = 3_600_000;
/** What the machine's clock says; the timers go on by themselves. */
let clock = 0;
const rung: number[] = [];
const ring = () => void rung.push(clock);
const passes = (ms: number) => {
  for (let left = ms; left > 0; left -= 1000) {
    clock += 1000;
    vi.advanceTimersByTime(1000);
  }
};

describe('an alarm', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    clock = new Date(2026, 4, 12, 3).getTime();
    rung.length = 0;
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('rings once, when it is time', () => {
    alarmAt(clock + 8 * hour, () => clock, ring);
    const due = clock + 8 * hour;
    passes(8 * hour - 1000);
    expect(rung).toEqual([]);
    passes(9 * hour);
    expect(rung).toEqual([due]);
  });

  test('rings as soon as the machine wakes up after its time, and not before', () => {
    alarmAt(clock + 5 * 60_000, () => clock, ring);
    passes(10_000);
    clock += 2 * 60_000;
    passes(10_000);
    expect(rung).toEqual([]);
    clock += 8 * hour;
    passes(1000);
    expect(rung).toHaveLength(1);
  });

  test('rings after as long as it was to take where the clock is set back', () => {
    alarmAt(clock + hour, () => clock, ring);
    clock -= 365 * 24 * hour;
    passes(hour - 1000);
    expect(rung).toEqual([]);
    passes(1000);
    expect(rung).toHaveLength(1);
  });

  test('that was taken away does not ring', () => {
    alarmAt(clock + hour, () => clock, ring)[Symbol.dispose]();
    passes(2 * hour);
    expect(rung).toEqual([]);
  });
});

test('T5: a machine that sleeps until the hours of a remote are over neither goes on nor begins with it when it wakes up', async () => {
  await using origin = await startNode();
  await using proxy = await startProxy(origin.url);
  const at = (day: number, hour: number) => new Date(2026, 4, day, hour).getTime();
  let now = at(12, 3);
  await using mirror = await startNode({ now: () => now });
  const here = operator(mirror);
  await addRemote(mirror, here, { url: proxy.url, hours: '22-6' });
  await using onlooker = await look(mirror, here);
  await onlooker.until(({ run }) => run?.error === null);
  now = at(12, 9);
  const waits = {
    next_run_at: new Date(at(12, 22)).toISOString(),
    last_run: { started_at: new Date(at(12, 3)).toISOString() },
  };
  await vi.waitFor(async () => expect(await remoteOf(mirror, here)).toMatchObject(waits), 15_000);
  proxy.fault = () => ({ trickles: 1000 });
  const before = proxy.calls.length;
  now = at(12, 23);
  await vi.waitFor(() => expect(proxy.calls.length).toBeGreaterThan(before), 15_000);
  now = at(13, 9);
  const { run, next_run_at } = await onlooker.until((line) => line.run !== null);
  expect(run).toMatchObject({
    error: 'It was ended before it was done.',
    started_at: new Date(at(12, 23)).toISOString(),
  });
  expect(next_run_at).toBe(new Date(at(13, 22)).toISOString());
});
