import { existsSync, fstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { boundHeaps } from './heaps.ts';

// The one file that touches the process: arguments, environment, streams, signals and the exit code.

boundHeaps();

const stop = new AbortController();
let asked = Number.POSITIVE_INFINITY;
const ask = () => {
  asked = Math.min(asked, performance.now());
  stop.abort();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Whoever asks twice does not want to wait; but one wish may come twice, from the launcher and to the whole group.
    if (performance.now() - asked > 1000) process.exit(1);
    ask();
  });
}
// The desktop starts the node as a utility process of Electron, and asks it by a word to end: not every system has signals.
interface DesktopPort {
  on(event: 'message', listener: (message: { data: unknown }) => void): void;
}
const desktop = (process as { parentPort?: DesktopPort }).parentPort;
desktop?.on('message', ({ data }) => {
  if (data === 'stop') ask();
});

// What has no terminal goes on when one is closed: Node has forgotten by now that `nohup` told it to.
const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
process.on('SIGHUP', () => {
  if (hasTerminal || desktop) stop.abort();
});

/** Built, this file lies in out/main; from sources in src/server. */
const pages = ['../renderer', '../../out/renderer'].map((folder) => join(import.meta.dirname, folder));

const args = process.argv.slice(2);
// Nobody reads what a node says: it goes on. A command that nobody reads any more has nothing left to do.
process.stderr.on('error', () => undefined);
let unread = false;
let lost = false;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A command that is stopped lets go of it, and says that itself.
  if (unread || code === 'ABORT_ERR') return;
  if (code !== 'EPIPE') {
    process.stderr.write(`archeion: What it found could not be written: ${message}\n`);
    lost = true;
    process.exitCode = 1;
  }
  stop.abort();
});
const out = (line: string) => process.stdout.write(`${line}\n`);
const told = (line: string) => {
  unread = true;
  return new Promise<void>((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
};
const err = (line: string) => process.stderr.write(`${line}\n`);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's may not be asked.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** systemd names the device and inode of the stream that it has made for a service. */
const isJournal = (descriptor: number): boolean => {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`;
};

const ended = (code: number) => {
  process.exitCode = lost && code === 0 ? 1 : code;
};

if (args[0] === 'processor' && args[1] === 'run' && !args[2]?.startsWith('-')) {
  // Started for every job of a local processor, so the rest of the program is not loaded.
  const { runShipped } = await import('./processors/run.ts');
  ended(await runShipped(args[2], { stdin: process.stdin, now: Date.now, out, err }));
} else {
  const { run } = await import('./commands/run.ts');
  // It asks for the home as it is loaded, and the user of a service may have none.
  const usualFolders = await import('env-paths').catch(() => null);
  const code = await run(args, {
    env: process.env,
    pid: process.pid,
    isRunning,
    dataFolder: usualFolders?.default('archeion', { suffix: '' }).data ?? null,
    ui: pages.find((folder) => existsSync(join(folder, 'index.html'))) ?? null,
    self: [process.execPath, realpathSync(process.argv[1] ?? import.meta.filename)],
    input: () => process.stdin,
    output: () => process.stdout,
    out,
    told,
    err,
    terminal: process.stderr.isTTY ? process.stderr : null,
    isJournaled: process.env.JOURNAL_STREAM !== undefined && isJournal(2),
    stopped: stop.signal,
    goOnUnread: () => {
      unread = true;
    },
  });
  ended(code);
  // A utility process lives on when it has nothing more to do.
  if (desktop) process.exit();
}
