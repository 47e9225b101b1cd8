import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;
export const repository = join(here, '../..');
const program = join(repository, 'out/main/cli.js');

/** A server under test in a process of its own. */
export interface Server extends AsyncDisposable {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process to its ready line. */
  readyAfter: number;
  /** Forgets the event-loop delays measured so far. */
  reset(): void;
  /** Measures no delays until the next reset, which would keep an idle process busy. */
  rest(): void;
  /** Event-loop delay since the last reset, in milliseconds. */
  loopDelay(): Promise<{ p99: number; max: number }>;
  /** In use of its main thread's JavaScript heap, in MB. */
  heap(): Promise<number>;
  /** Resident memory now and at its highest, in MB. */
  memory(): { now: number; peak: number };
  /** Seconds of processor time since its start, of processes that it has started too. */
  cpu(): number;
  /** Resolves when the process has ended, however that came. */
  gone: Promise<unknown>;
}

/** An Archeion node on a folder; what it was started with is in its `operator.key`. */
export interface Node extends Server {
  data: string;
  key: string;
  /** Headers of the operator. */
  headers: Record<string, string>;
}

async function start(args: string[], env: Record<string, string> = {}, quiet = false): Promise<Server> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', join(here, 'loop-delay.mjs'), ...args], {
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit', 'ipc'],
    // Memory as under the service unit, in the image and in the desktop.
    env: { MALLOC_ARENA_MAX: '2', ...process.env, ARCHEION_LOG_LEVEL: 'warn', ...env },
  });
  const gone = once(child, 'exit');
  const url = await readyUrl(child);
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    readyAfter: performance.now() - begun,
    reset: () => void child.send('reset'),
    rest: () => void child.send('rest'),
    loopDelay: () => asked<{ p99: number; max: number }>(child, 'read'),
    heap: () => asked<number>(child, 'heap'),
    memory: () => memoryOf(pid),
    cpu: () => cpuOf(pid),
    gone,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function asked<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message');
  child.send(question);
  return (await answer)[0] as T;
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const { ready } = JSON.parse(line) as { ready: { url: string } };
    return ready.url;
  }
  throw new Error('the server ended before it was ready');
}

function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** What Linux counts in hundredths of a second, of a process and of all that come from it. */
function cpuOf(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const tree = new Set([pid]);
  // A turn finds the next generation; the last one finds nobody.
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.filter(({ pid }) => tree.has(pid)).reduce((sum, { cpu }) => sum + cpu, 0);
}

/** Nothing where the process has ended meanwhile. */
function statOf(pid: string): { pid: number; parent: number; cpu: number }[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return [{ pid: Number(pid), parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) / 100 }];
  } catch {
    return [];
  }
}

/** Starts the built program on a data folder, at a free port where none is named; `quiet` hides what it logs. */
export async function startNode(
  data: string,
  env: Record<string, string> = {},
  { port = 0, quiet = false }: { port?: number; quiet?: boolean } = {},
): Promise<Node> {
  const server = await start([program, 'serve', '--data', data, '--port', String(port)], env, quiet);
  const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
  return { ...server, data, key, headers };
}

/** Starts a script that says on its first line where it listens. */
export function startScript(file: string, ...args: string[]): Promise<Server> {
  return start([file, ...args]);
}

/** Starts the bare express server that everything is compared with. */
export function startEcho(): Promise<Server> {
  return start([join(here, 'echo.ts')]);
}

/** Starts the bare express server that takes and gives bytes, and keeps them in a folder. */
export function startSink(folder: string): Promise<Server> {
  return start([join(here, 'sink.ts'), folder]);
}

/** Runs the built command to its end; gives its output and how long it took, in seconds. Throws where it fails. */
export async function command(...args: string[]): Promise<{ stdout: string; seconds: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  // An import that told of what it does not keep, as that of the Tate does, ends with 1 after it has said what it did.
  const told = args[0] === 'import' && code === 1 && stdout !== '';
  if (code !== 0 && !told) throw new Error(`archeion ${args.join(' ')} ended with ${code}`);
  return { stdout, seconds: (performance.now() - begun) / 1000 };
}

/** A folder that is gone with the bench. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'archeion-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
