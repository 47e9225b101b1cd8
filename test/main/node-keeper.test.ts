import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepNode, pauseAfter } from '../../src/main/server-process.ts';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that answers and ends when the test says so. */
function process(port: number) {
  const url = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<{ code: number; words: string }>();
  const server = { url: url.promise, token: 'token', ended: ended.promise, stop: vi.fn(async () => undefined) };
  return {
    port,
    server,
    answer: (at = 4123) => {
      url.resolve(`http://127.0.0.1:${at}`);
      return vi.advanceTimersByTimeAsync(0);
    },
    end: (words = '') => {
      ended.resolve({ code: 9, words });
      return vi.advanceTimersByTimeAsync(0);
    },
  };
}

function kept() {
  const runs: ReturnType<typeof process>[] = [];
  const heard: string[] = [];
  const keeper = keepNode({
    start(port) {
      const run = process(port);
      runs.push(run);
      return run.server;
    },
    ready: async (url) => void heard.push(`ready ${url}`),
    down: () => void heard.push('down'),
    gaveUp: (words) => void heard.push(`gave up: ${words}`),
  });
  return { keeper, runs, heard };
}

describe('a node that is kept running', () => {
  test('comes again at the same port after a crash', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    expect(runs[0]?.port).toBe(0);
    await runs[0]?.answer();
    await runs[0]?.end();
    expect(heard).toEqual(['ready http://127.0.0.1:4123', 'down']);
    await vi.advanceTimersByTimeAsync(500);
    expect(runs[1]?.port).toBe(4123);
    await runs[1]?.answer();
    expect(heard.at(-1)).toBe('ready http://127.0.0.1:4123');
  });

  test('is given up after six crashes in a row, each pause twice as long, with its last words', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.answer();
    for (const [run, pause] of [500, 1000, 2000, 4000, 8000].entries()) {
      await runs[run]?.end();
      await vi.advanceTimersByTimeAsync(pause - 1);
      expect(runs).toHaveLength(run + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(runs).toHaveLength(run + 2);
    }
    await runs[5]?.end('The disk is full.');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(6);
    expect(heard.at(-1)).toBe('gave up: The disk is full.');
  });

  test('comes at the same port when it is tried again, and at another where something else has taken that', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.answer();
    await keeper.stop();
    keeper.start();
    expect(runs[1]?.port).toBe(4123);
    // One that does not answer then is given up at once, in its words, and keeps its address.
    await runs[1]?.end('The disk is still full.');
    expect(heard.at(-1)).toBe('gave up: The disk is still full.');
    keeper.start();
    expect(runs[2]?.port).toBe(4123);
    await runs[2]?.end('The port 4123 is in use: stop what listens there, or use --port 0 for any free one.');
    expect(runs[3]?.port).toBe(0);
    await runs[3]?.answer(4567);
    expect(heard.at(-1)).toBe('ready http://127.0.0.1:4567');
    // Another data folder has a node of its own.
    await keeper.stop();
    keeper.start(0);
    expect(runs[4]?.port).toBe(0);
  });

  test('is one alone: two who change the folder at once wait for the same end, and start it once', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.answer();
    runs[0]?.server.stop.mockImplementation(async () => void (await runs[0]?.server.ended));
    const change = async (who: string) => {
      await keeper.stop();
      heard.push(who);
      keeper.start(0);
    };
    const changes = [change('one'), change('another')];
    await vi.advanceTimersByTimeAsync(1000);
    expect([heard, runs.length]).toEqual([['ready http://127.0.0.1:4123'], 1]);
    await runs[0]?.end();
    await Promise.all(changes);
    expect(runs).toHaveLength(2);
    await runs[1]?.answer(4567);
    expect(heard.slice(1)).toEqual(['one', 'another', 'ready http://127.0.0.1:4567']);
  });

  test('is not started a second time by what was asked before somebody else had started it', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.end();
    expect(heard).toEqual(['gave up: It ended with the code 9.']);
    for (const at of [0, undefined]) keeper.start(at);
    expect(runs).toHaveLength(2);
    await runs[1]?.answer();
    await runs[1]?.end();
    keeper.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(3);
  });

  test('is given up at once when it never answered', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.end();
    expect(heard).toEqual(['gave up: It ended with the code 9.']);
  });

  test('is not started again when it was stopped, not even from a pause', async () => {
    const { keeper, runs, heard } = kept();
    keeper.start();
    await runs[0]?.answer();
    await runs[0]?.end();
    await keeper.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(1);
    keeper.start();
    await runs[1]?.answer();
    const stopped = keeper.stop();
    await runs[1]?.end();
    await stopped;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs[1]?.server.stop).toHaveBeenCalledOnce();
    expect(runs).toHaveLength(2);
    expect(heard.filter((line) => line.startsWith('gave up'))).toEqual([]);
  });
});

test('crashes of long ago do not count', () => {
  const hour = 3_600_000;
  expect(pauseAfter([0, 1, 2, 3, 4, 5, hour])).toBe(500);
  expect(pauseAfter([0, hour, hour + 1])).toBe(1000);
  expect(pauseAfter([0, 1, 2, 3, 4, 5])).toBeNull();
});
