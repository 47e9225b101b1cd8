import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server under test with --import: it answers the bench over the IPC channel and changes nothing else.
// Plain JavaScript: stripping types would load a compiler into the process that is measured.
const delay = monitorEventLoopDelay({ resolution: 1 });
// Each thread would measure its own, a thousand times a second.
if (isMainThread) delay.enable();
process.on('message', (message) => {
  if (message === 'rest') delay.disable();
  if (message === 'reset') {
    delay.enable();
    delay.reset();
  }
  if (message === 'heap') process.send?.(process.memoryUsage().heapUsed / 2 ** 20);
  if (message === 'read') process.send?.({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 });
});
process.channel?.unref();
