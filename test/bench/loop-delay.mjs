import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a server under test with --import: it answers the bench over the IPC channel and changes nothing else.
// Plain JavaScript: stripping types would load a compiler into the process that is measured.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', (message) => {
  if (message === 'reset') delay.reset();
  if (message === 'read') process.send?.({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 });
});
process.channel?.unref();
