import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { utilityProcess } from 'electron';
import { text } from './messages.ts';
import { linesOf, readyUrl } from './node-client.ts';

const [stopWithin, linesKept] = [10_000, 5];
const [mostCrashes, firstPause, forgetAfter] = [5, 500, 5 * 60_000];

export type ServerProcess = ReturnType<typeof startServer>;

/** Starts the node in a process of its own. Port 0 is any free one; null stands for the usual folder, and for no seal. */
export function startServer({ port, data, sealKey }: { port: number; data: string | null; sealKey: string | null }) {
  const token = randomBytes(32).toString('base64url');
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  const child = utilityProcess.fork(fileURLToPath(new URL('./cli.js', import.meta.url)), args, {
    serviceName: 'Archeion node',
    // Secrets go by the environment: everybody can read a command line. What the user has set there wins.
    env: {
      // As the service unit and the image: fewer areas of memory, of which each keeps what it once had.
      MALLOC_ARENA_MAX: '2',
      ...env,
      ...(sealKey !== null && !env.ARCHEION_SEAL_KEY && { ARCHEION_SEAL_KEY: sealKey }),
      ...(data !== null && !env.ARCHEION_DATA && { ARCHEION_DATA: data }),
      ARCHEION_RUN_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  hear(child.stderr, (line) => {
    console.error(line);
    if (line.trim() !== '' && !line.startsWith('{')) said.push(line);
    if (said.length > linesKept) said.shift();
  }).catch(console.error);
  child.on('error', (type, location) => void said.push(`${type}: ${location}`));
  const ended = new Promise<{ code: number; words: string }>((resolve) =>
    child.once('exit', (code) => resolve({ code, words: said.join('\n').replace(/^archeion: /, '') })),
  );
  const ready = Promise.withResolvers<string>();
  hear(child.stdout, (line) => {
    const url = readyUrl(line);
    if (url) ready.resolve(url);
  }).catch(console.error);
  return {
    /** The address in the node's ready line, once it is ready. */
    url: ready.promise,
    /** Opens one session of the node's page, which lasts as long as the node. */
    token,
    /** How it ended, with the last that it said which is no log: the sentence of an error. */
    ended,
    /** Asks the node to close its store, after ten seconds to end at once. Resolves when it has, or after ten more. */
    async stop(): Promise<void> {
      // A signal would end the process at once on Windows; the node closes its store at this word on every system.
      child.postMessage('stop');
      const late = () => new Promise<null>((resolve) => setTimeout(resolve, stopWithin, null));
      if (await Promise.race([ended, late()])) return;
      child.kill();
      await Promise.race([ended, late()]);
    },
  };
}

async function hear(input: NodeJS.ReadableStream | null, heard: (line: string) => void): Promise<void> {
  if (input) for await (const line of linesOf(input)) heard(line);
}

/** What the shell does as its node comes and goes. */
export interface KeeperEvents {
  start(port: number): ServerProcess;
  ready(url: string, token: string): Promise<void>;
  down(): void;
  /** It is not started again by itself, for a reason in its own words. */
  gaveUp(words: string): void;
}

/** How long to wait after crashes at these times, in milliseconds: twice as long each time; null: no more. */
export function pauseAfter(crashes: readonly number[]): number | null {
  const last = crashes.at(-1) ?? 0;
  const recent = crashes.filter((time) => time > last - forgetAfter).length;
  return recent > mostCrashes ? null : firstPause * 2 ** (recent - 1);
}

/** Keeps one node running: starts it again when it crashes, at the same address, so that the page goes on where it was. */
export function keepNode(events: KeeperEvents) {
  let server: ServerProcess | null = null;
  let [port, stopped] = [0, Promise.resolve()];
  let crashes: number[] | null = null;
  let pause: NodeJS.Timeout | undefined;

  function run(at = port): void {
    const started = events.start(at);
    server = started;
    const ready = async (url: string) => {
      if (server !== started) return;
      port = Number(new URL(url).port);
      crashes ??= [];
      await events.ready(url, started.token);
    };
    // One that answers and then does not let its window in is as good as crashed.
    started.url.then(ready).catch(() => started.stop());
    void started.ended.then(({ code, words }) => {
      if (server !== started) return;
      server = null;
      if (!crashes && at !== 0 && words.includes(`The port ${at} is in use`)) return run(0);
      crashes?.push(Date.now());
      // A node that has never answered will not do so the next time.
      const wait = crashes && pauseAfter(crashes);
      if (wait === null) return events.gaveUp(words || text('endedWith', { code }));
      events.down();
      pause = setTimeout(run, wait);
    });
  }

  return {
    /** Starts the node unless it runs: where the page has it, to go on there, unless that is taken; at 0 on any port. */
    start(at = port): void {
      if (server) return;
      clearTimeout(pause);
      [port, crashes] = [at, null];
      run();
    },
    /** Resolves when the node has closed its store and ended. It is not started again. */
    stop(): Promise<void> {
      clearTimeout(pause);
      [stopped, server] = [server?.stop() ?? stopped, null];
      return stopped;
    },
  };
}
