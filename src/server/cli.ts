import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import envPaths from 'env-paths';
import { run } from './commands/run.ts';

// The one file that touches the process: arguments, environment, streams, signals and the exit code.

// Heaps that grow by less before they are looked through: under an import memory halves, and so do the pauses.
setFlagsFromString('--heap-growing-percent=60');
setFlagsFromString('--semi-space-growth-factor=1');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort();
    // Whoever asks twice does not want to wait.
    process.once(signal, () => process.exit(1));
  });
}

/** Built, this file lies in out/main; from sources in src/server. */
const pages = ['../renderer', '../../out/renderer'].map((folder) => join(import.meta.dirname, folder));

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  pid: process.pid,
  dataFolder: envPaths('archeion', { suffix: '' }).data,
  ui: pages.find((folder) => existsSync(join(folder, 'index.html'))) ?? null,
  input: () => process.stdin,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  terminal: process.stderr.isTTY ? process.stderr : null,
  stopped: stop.signal,
});
