import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunWatch } from '../../src/server/resources/jobs/run-watch.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('who looks on for long leaves one timer, and looks once when something has moved', async () => {
  await using opened = await openStore('here');
  const gone = new AbortController();
  let looks = 0;
  const look = async () => {
    looks += 1;
    return { status: 'running' };
  };
  const caller = { actor: { kind: 'anonymous' }, network: 'main' } as const;
  const seen = new RunWatch(new AbortController().signal).follow(opened.store, caller, look, gone.signal);
  expect(await seen.next()).toMatchObject({ value: { status: 'running' } });
  const ended = seen.next();
  await vi.advanceTimersByTimeAsync(20_100);
  expect([looks, vi.getTimerCount()]).toEqual([21, 1]);
  await opened.store.submit([step(null, first(idOf(1)))]);
  await opened.store.submit([step(null, first(idOf(2)))]);
  await vi.advanceTimersByTimeAsync(249);
  expect([looks, vi.getTimerCount()]).toEqual([21, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([looks, vi.getTimerCount()]).toEqual([22, 1]);
  gone.abort();
  expect(await ended).toMatchObject({ done: true });
  expect(vi.getTimerCount()).toBe(0);
});
