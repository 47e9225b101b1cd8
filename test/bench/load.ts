import autocannon from 'autocannon';
import type { Server } from './processes.ts';

export interface Load {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
  /** Event-loop delay of the server under this load, p99 in milliseconds. */
  loop: number;
}

/** Loads one route of a server for some seconds with 64 connections after a short warm-up; throws on any answer but 2xx. */
export async function load(
  server: Server,
  options: Omit<autocannon.Options, 'url'> & { path: string },
  seconds = 6,
): Promise<Load> {
  const { path, ...rest } = options;
  const run = (duration: number) => autocannon({ connections: 64, ...rest, url: `${server.url}${path}`, duration });
  await run(1);
  server.reset();
  const result = await run(seconds);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.method ?? 'GET'} ${path}: ${result.non2xx} refused, ${result.errors} failed`);
  const { p99 } = await server.loopDelay();
  return { rate: result['2xx'] / result.duration, p99: result.latency.p99, loop: p99 };
}

/** The middle one of several runs, by rate: these machines are noisy. */
export function median<T extends { rate: number }>(runs: T[]): T {
  const sorted = runs.toSorted((a, b) => a.rate - b.rate);
  return sorted[Math.floor(sorted.length / 2)] as T;
}
