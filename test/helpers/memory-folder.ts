import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { availableMemory, env } from 'node:process';

/** A file system in memory, where Linux has one. */
const memory = '/dev/shm';
/** What all tests together have in their folders at a time, in bytes, ten times over. */
const room = 2e9;

let folder: string | undefined;

/**
 * Lets all tests keep their data in memory where there is room for it: what they wait for on a disk is half of their time.
 * A kill loses as much there as on a disk, and a power cut is played by test/faults. A TMPDIR that is set stays. Vitest calls
 * `setup` before all tests, and `teardown` after them.
 */
export async function setup(): Promise<void> {
  if (env.TMPDIR || availableMemory() < room || (await bytesFree()) < room) return;
  folder = await mkdtemp(`${memory}/archeion-tests-`);
  env.TMPDIR = folder;
}

export async function teardown(): Promise<void> {
  // A browser that was told to end may still put something into its folder.
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** 0 where there is no such file system. */
async function bytesFree(): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
