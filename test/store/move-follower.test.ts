import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { StorageError } from '../../src/server/errors.ts';
import { MoveFollower } from '../../src/server/store/move-follower.ts';
import { openStore, type TestStore } from '../helpers/store.ts';

/** A follower that has so many slices to do, and what it was asked. */
function following({ store }: TestStore, slices: number, restMs: number) {
  const rests: boolean[] = [];
  const asked: boolean[] = [];
  const follower = new MoveFollower(store, {
    rest: (hurried, rested) => {
      if (rested > 0) return 0;
      rests.push(hurried);
      return restMs;
    },
    slice: async (hurried) => {
      asked.push(hurried);
      return asked.length < slices;
    },
    reason: 'It cannot go on.',
    failed: () => undefined,
  });
  return { follower, rests, asked };
}

test('it rests between slices also where somebody waits, who does not end these rests', async () => {
  await using opened = await openStore('here');
  const { follower, rests, asked } = following(opened, 5, 20);
  expect(await follower.until(() => asked.length >= 5)).toBe(true);
  expect(asked).toEqual(Array(5).fill(true));
  expect(rests).toEqual(Array(5).fill(true));
  await follower.close();
});

test('a rest that began when nobody waited ends as soon as somebody does', async () => {
  await using opened = await openStore('here');
  const { follower, rests, asked } = following(opened, 1, 3_600_000);
  follower.wake();
  expect(rests).toEqual([false]);
  expect(await follower.until(() => asked.length >= 1)).toBe(true);
  expect(asked).toEqual([true]);
  await follower.close();
});

test('it rests for as long as its work says so, which is asked again after each rest', async () => {
  await using opened = await openStore('here');
  const rested: number[] = [];
  let slices = 0;
  const follower = new MoveFollower(opened.store, {
    rest: (_, ms) => {
      rested.push(ms);
      return rested.length < 4 ? 5 : 0;
    },
    slice: async () => {
      slices++;
      return false;
    },
    reason: 'It cannot go on.',
    failed: () => undefined,
  });
  follower.wake();
  await vi.waitFor(() => expect(slices).toBe(1), 30_000);
  expect(rested).toHaveLength(4);
  expect(rested).toEqual(rested.toSorted((a, b) => a - b));
  expect(rested[0]).toBeLessThan(rested[3] as number);
  await follower.close();
});

test('closing ends every rest', async () => {
  await using opened = await openStore('here');
  const idle = following(opened, 9, 3_600_000);
  idle.follower.wake();
  await idle.follower.close();
  const waited = following(opened, 9, 3_600_000);
  const reached = waited.follower.until(() => false);
  await Promise.resolve();
  await waited.follower.close();
  expect(await reached).toBe(false);
  expect([idle.asked, waited.asked]).toEqual([[], []]);
});

test('a slice that fails while it closes is not waited for once more', async () => {
  await using opened = await openStore('here');
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: slice, reject: fail } = Promise.withResolvers<boolean>();
  const told: unknown[] = [];
  const follower = new MoveFollower(opened.store, {
    rest: () => 0,
    slice: () => {
      begin();
      return slice;
    },
    reason: 'It cannot go on.',
    failed: (one) => told.push(one),
  });
  follower.wake();
  await begun;
  let isClosed = false;
  const closed = follower.close().then(() => {
    isClosed = true;
  });
  const error = new StorageError('The disk can only be read.');
  fail(error);
  await turn();
  expect(isClosed).toBe(true);
  await closed;
  expect(told).toEqual([error]);
});

test('an error met while it asks how long to rest is told like one of a slice, and it goes on', async () => {
  await using opened = await openStore('here');
  const told: unknown[] = [];
  const error = new StorageError('The disk cannot be read.');
  const follower = new MoveFollower(opened.store, {
    rest: () => {
      throw error;
    },
    slice: async () => false,
    reason: 'It cannot go on.',
    failed: (one) => told.push(one),
  });
  await expect(follower.until(() => false)).rejects.toBe(error);
  expect(told).toEqual([error]);
  expect(follower.failure).toBe(error);
  await follower.close();
});
