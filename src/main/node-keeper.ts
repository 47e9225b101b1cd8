import type { ServerProcess } from './server-process.ts';

/** So many ends within this time are no accident any more. */
const mostCrashes = 5;
const forgetAfter = 5 * 60_000;
const firstPause = 500;

/** What the shell does as its node comes and goes. */
export interface KeeperEvents {
  start(port: number): ServerProcess;
  ready(url: string, token: string): Promise<void>;
  /** It ended and is started again in a moment. */
  down(): void;
  /** It is not started again by itself; `words` say why, in its own sentence where there is one. */
  gaveUp(words: string): void;
}

/**
 * How long to wait before the node is started again, in milliseconds; null: no more. Twice as long each time.
 * @param crashes when it ended, the last one at the end
 */
export function pauseAfter(crashes: readonly number[]): number | null {
  const last = crashes.at(-1) ?? 0;
  const recent = crashes.filter((time) => time > last - forgetAfter).length;
  return recent > mostCrashes ? null : firstPause * 2 ** (recent - 1);
}

/** Keeps one node running: starts it again when it crashes, at the same address, so that the page goes on where it was. */
export class NodeKeeper {
  readonly #events: KeeperEvents;
  readonly #now: () => number;
  #server: ServerProcess | null = null;
  #port = 0;
  #crashes: number[] = [];
  #pause: NodeJS.Timeout | undefined;

  constructor(events: KeeperEvents, now: () => number = Date.now) {
    this.#events = events;
    this.#now = now;
  }

  /** Starts a node, on any port. */
  start(): void {
    this.#port = 0;
    this.#crashes = [];
    this.#run();
  }

  /** Resolves when the node has closed its store and ended. It is not started again. */
  async stop(): Promise<void> {
    clearTimeout(this.#pause);
    const server = this.#server;
    this.#server = null;
    await server?.stop();
  }

  #run(): void {
    const server = this.#events.start(this.#port);
    this.#server = server;
    const ready = async (url: string) => {
      if (this.#server !== server) return;
      this.#port = Number(new URL(url).port);
      await this.#events.ready(url, server.token);
    };
    // A node that ends before it is ready, or while it is asked, is dealt with below.
    server.url.then(ready).catch((error: unknown) => console.error(String(error)));
    void server.ended.then(({ code, words }) => {
      if (this.#server === server) this.#ended(words || `It ended with the code ${code}.`);
    });
  }

  #ended(words: string): void {
    this.#server = null;
    this.#crashes.push(this.#now());
    // A node that has never answered will not do so the next time.
    const pause = this.#port === 0 ? null : pauseAfter(this.#crashes);
    if (pause === null) this.#events.gaveUp(words);
    else {
      this.#events.down();
      this.#pause = setTimeout(() => this.#run(), pause);
    }
  }
}
