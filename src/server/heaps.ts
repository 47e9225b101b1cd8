import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * As large as the main thread's nursery gets, both halves. With 2 MB a third of the time of many writes goes into
 * collections; left alone it grows to 128 MB, all of which stays resident.
 */
const nurseryBytes = 16e6;

/**
 * Bounds the heaps of this process. Call it before the program is loaded: flags cannot be given on the command line, where
 * the desktop's shell starts it, too.
 */
export function boundHeaps(): void {
  // Heaps that grow by less before they are looked through: under an import memory halves, and so do the pauses.
  setFlagsFromString('--heap-growing-percent=35');
  // Threads begin and stay with as large a nursery as their own limits allow.
  setFlagsFromString('--min-semi-space-size=16');
  // The main thread's can only be stopped between turns, so it stays small while the program is loaded; and V8 makes it
  // smaller again when there is little to do, so it has to be let grow anew.
  setFlagsFromString('--semi-space-growth-factor=1');
  let grows = false;
  new PerformanceObserver(() => {
    const mayGrow = nursery() < nurseryBytes;
    if (mayGrow !== grows) setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
    grows = mayGrow;
  }).observe({ entryTypes: ['gc'] });
}

function nursery(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
