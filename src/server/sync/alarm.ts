/** A machine that wakes up, or whose clock is set, says so to nobody: so often it is looked, in milliseconds. */
const lookMs = 1000;

/**
 * Calls `ring` once at a time of a clock (epoch milliseconds), or soon after that where the machine has slept past it: timers stand
 * still meanwhile. Where the clock is set back it is called after as long as that was to take at first.
 */
export function alarmAt(time: number, now: () => number, ring: () => void): Disposable {
  const until = performance.now() + time - now();
  const left = () => Math.min(time - now(), until - performance.now());
  const wait = (): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (left() > 0) timer = wait();
        else ring();
      },
      Math.min(Math.max(0, left()), lookMs),
    ).unref();
  let timer = wait();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
