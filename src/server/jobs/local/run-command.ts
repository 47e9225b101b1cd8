import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { getSystemErrorMessage } from 'node:util';
import { ownGroup, signalGroup } from './process-group.ts';

/** What may be run and how far it may go (command-settings.ts says it for the operator's commands). */
export interface CommandLimits {
  /** The program and its arguments, handed over as they are: there is no shell. */
  run: readonly [string, ...string[]];
  timeoutMs: number;
  /** How much it may write to stdout; of stderr only the end is kept, whatever it writes. */
  maxOutputBytes: number;
}

export interface CommandRun extends CommandLimits {
  folder: string;
  /** All that it sees of the environment. */
  environment: Readonly<Record<string, string>>;
  /** What it reads from stdin; made as it is read. */
  input: AsyncIterable<string> | Iterable<string>;
  /** Ends it early. */
  signal?: AbortSignal;
  /** How long it has to end once it was asked to. */
  graceMs?: number;
}

/** How a run ended. `errors` is the end of what it wrote to stderr. */
export type CommandOutcome =
  | { ended: 'exited'; code: number | null; signal: string | null; output: Buffer; errors: string }
  | { ended: 'timed-out' | 'too-much-output' | 'stopped'; errors: string }
  | { ended: 'not-started'; reason: string }
  /** The process that ran it was ended itself; how far it came nobody knows. */
  | { ended: 'interrupted' }
  /** What stdin was to be given could not be made: a fault of ours, not of the command. */
  | { ended: 'no-input'; cause: unknown };

/** How long a command has to end once it was asked to, where nothing else is said. */
export const graceMs = 5000;
/** How long output may come after the end, from what the command has left behind. */
const drainMs = 1000;
const errorTail = 8192;

type Ending = 'timed-out' | 'too-much-output' | 'stopped';

/**
 * Runs a command to its end, within its limits, and leaves none of its processes behind: whatever still is in its process
 * group then is killed. Never throws for what the command does. `started` is given the id of its process.
 */
export async function runCommand(
  given: CommandRun,
  started: (pid: number) => void = () => undefined,
): Promise<CommandOutcome> {
  const [program, ...args] = given.run;
  if (given.signal?.aborted) return { ended: 'stopped', errors: '' };
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(program, args, {
      cwd: given.folder,
      env: { ...given.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: ownGroup,
      windowsHide: true,
      shell: false,
    });
  } catch (error) {
    return { ended: 'not-started', reason: whyNotStarted(error) };
  }
  const failed = new Promise<string>((resolve) => child.once('error', (error) => resolve(whyNotStarted(error))));
  if (child.pid === undefined) return { ended: 'not-started', reason: await failed };
  started(child.pid);
  return watch(child, given);
}

async function watch(child: ChildProcessWithoutNullStreams, given: CommandRun): Promise<CommandOutcome> {
  let ending: Ending | undefined;
  let force: NodeJS.Timeout | undefined;
  const end = (why: Ending) => {
    if (ending !== undefined) return;
    ending = why;
    signalGroup(child, 'SIGTERM');
    force = setTimeout(() => signalGroup(child, 'SIGKILL'), given.graceMs ?? graceMs);
  };
  const stop = () => end('stopped');
  given.signal?.addEventListener('abort', stop, { once: true });
  const limit = setTimeout(() => end('timed-out'), given.timeoutMs);

  const output = collect(child.stdout, given.maxOutputBytes, () => end('too-much-output'));
  const errors = tail(child.stderr);
  let fault: { cause: unknown } | undefined;
  const fed = feed(child.stdin, given.input).catch((cause: unknown) => {
    fault = { cause };
    end('stopped');
  });
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(limit);
  clearTimeout(force);
  given.signal?.removeEventListener('abort', stop);
  signalGroup(child, 'SIGKILL');
  child.stdin.destroy();
  // A process that has left the group may hold the pipes open for as long as it likes.
  const drain = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, drainMs);
  await Promise.all([closed, fed]);
  clearTimeout(drain);

  if (fault) return { ended: 'no-input', cause: fault.cause };
  if (ending !== undefined) return { ended: ending, errors: errors() };
  return { ended: 'exited', code, signal, output: output(), errors: errors() };
}

/** A command need not read what it is given. @throws only what the input itself throws */
async function feed(stdin: Writable, input: CommandRun['input']): Promise<void> {
  stdin.on('error', () => undefined);
  for await (const part of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(part)) await drained(stdin);
  }
  stdin.end();
}

function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stdin.off('drain', done).off('close', done);
      resolve();
    };
    if (stdin.destroyed) resolve();
    else stdin.on('drain', done).on('close', done);
  });
}

function collect(from: Readable, most: number, tooMuch: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  from.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else {
      chunks.length = 0;
      tooMuch();
    }
  });
  from.on('error', () => undefined);
  return () => Buffer.concat(chunks);
}

function tail(from: Readable): () => string {
  let kept = Buffer.alloc(0);
  from.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-errorTail)]).subarray(-errorTail);
  });
  from.on('error', () => undefined);
  return () => kept.toString('utf8').trim();
}

/** What the system says of a program, and not where that lies: a log is read by others, also elsewhere. */
export function whyNotStarted(error: unknown): string {
  const { code = 'unknown', errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? code : `${code}: ${getSystemErrorMessage(errno)}`;
}
