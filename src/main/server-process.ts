import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { utilityProcess } from 'electron';
import { readyUrl } from './ready-line.ts';

const stopWithin = 10_000;

export interface ServerProcess {
  /** The address in the node's ready line; rejects when the node ends before it is ready. */
  url: Promise<string>;
  /** Opens one session of the node's page, which lasts as long as the node. */
  token: string;
  onExit(listener: (code: number) => void): void;
  /** Asks the node to close its store and resolves when it has ended; after ten seconds it is ended. */
  stop(): Promise<void>;
}

/** Starts the node in a process of its own, on a free port of the loopback interface. */
export function startServer(): ServerProcess {
  const token = randomBytes(32).toString('base64url');
  const child = utilityProcess.fork(fileURLToPath(new URL('./cli.js', import.meta.url)), ['serve', '--port', '0'], {
    serviceName: 'Archeion node',
    env: { ...env, ARCHEION_RUN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number>((resolve) => child.once('exit', resolve));
  const url = new Promise<string>((resolve, reject) => {
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = readyUrl(line);
        if (found) resolve(found);
      });
    }
    void exited.then((code) => reject(new Error(`The node ended before it was ready (code ${code}).`)));
  });
  return {
    url,
    token,
    onExit: (listener) => void exited.then(listener),
    async stop() {
      // Electron offers no gentler way on every system: on POSIX this is SIGTERM, which the node answers by closing.
      child.kill();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, stopWithin);
      });
      await Promise.race([exited, late]);
      clearTimeout(timer);
    },
  };
}
