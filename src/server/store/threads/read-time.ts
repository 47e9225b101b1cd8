// A long read is bounded in time; it has none left either where nobody waits for it any more. The event loop says so by a
// flag in memory that it shares with the thread that reads, since no message comes there before the read has ended.

let left: Int32Array | null = null;

/** Runs a read for somebody whose leaving sets the first number of `flag`. */
export function readWhileWaitedFor<T>(flag: Int32Array | null, read: () => T): T {
  left = flag;
  try {
    return read();
  } finally {
    left = null;
  }
}

/** Whether the time of what is read on this thread is up: `until` has passed (as `performance.now()` has it), or nobody waits for it. */
export function isTimeUp(until: number): boolean {
  return performance.now() > until || (left !== null && Atomics.load(left, 0) !== 0);
}
