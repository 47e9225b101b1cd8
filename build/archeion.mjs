#!/usr/bin/env node
// The `archeion` command. Plain JavaScript that any Node from 18 on can read, because its first duty is to leave a Node
// that is too old for what was built before any of that is loaded.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The major version of the Node that package.json brings: what is built is for that one. */
const oldestNode = 24;
const program = fileURLToPath(new URL('../out/main/cli.js', import.meta.url));

/** The Node that the project brings along (the npm package `node`), or null. */
function ownNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const file = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(file) && realpathSync(file) !== realpathSync(process.execPath) ? file : null;
  } catch {
    return null;
  }
}

function stop(sentence) {
  process.stderr.write(`archeion: ${sentence}\n`);
  process.exitCode = 1;
}

/** What it goes on with: few arenas, since an allocator with one a thread keeps much more memory than is used. */
function environment() {
  return { MALLOC_ARENA_MAX: '2', ...process.env };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Whether this is the project's own `npm start`. */
const isStart = process.env.npm_lifecycle_event === 'start' && process.env.npm_package_name === 'archeion';
/** How often it is looked whether the shell of `npm start` is still there, in milliseconds. */
const lookMs = 250;

/**
 * npm tells of a signal nobody but the shell that it has put between itself and this process; that ends by it, and the node would go
 * on unseen. Not where a signal has come here as well: to the whole group, or as a terminal was closed, which `nohup` outlives.
 */
function endWithShell() {
  const shell = process.ppid;
  let gone = false;
  const look = setInterval(() => {
    if (gone) process.kill(process.pid, 'SIGTERM');
    gone = process.ppid !== shell;
  }, lookMs).unref();
  for (const signal of signals) process.once(signal, () => clearInterval(look));
}

/** Runs this file again under `node`, and ends as that process ends. */
function restart(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment(),
  });
  const forward = (signal) => {
    // A terminal sends Ctrl-C to both processes; passing it on would make it two.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  child.once('error', (error) => stop(`${node} could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, forward);
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
    // Where the signal does not end this process (it is ignored or unknown here), the shell's number for it does.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 100);
  });
}

if (!existsSync(program)) {
  stop('the program is not built yet. Run `npm run build` in its folder first (`npm start` does it for you).');
} else if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  const node = ownNode();
  if (node) {
    if (isStart) endWithShell();
    restart(node);
  } else {
    stop(
      `Node ${process.versions.node} is too old and the project's own Node is not installed. ` +
        `Run \`npm ci\` in its folder, or use Node ${oldestNode} or newer.`,
    );
  }
} else if (process.platform === 'linux' && process.execve && process.env.MALLOC_ARENA_MAX === undefined) {
  // The same process with the setting: the allocator reads it at its start only.
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], environment());
} else {
  if (isStart) endWithShell();
  await import(new URL('../out/main/cli.js', import.meta.url));
}
