import type { ServerProcess } from './server-process.ts';

const mostCrashes = 5;
const forgetAfter = 5 * 60_000;
const firstPause = 500;

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
export class NodeKeeper {
  readonly #events: KeeperEvents;
  #server: ServerProcess | null = null;
  #port = 0;
  #crashes: number[] = [];
  #pause: NodeJS.Timeout | undefined;

  constructor(events: KeeperEvents) {
    this.#events = events;
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
    // One that answers and then does not let its window in is as good as crashed.
    server.url.then(ready, () => undefined).catch(() => server.stop());
    void server.ended.then(({ code, words }) => {
      if (this.#server === server) this.#ended(words || `It ended with the code ${code}.`);
    });
  }

  #ended(words: string): void {
    this.#server = null;
    this.#crashes.push(Date.now());
    // A node that has never answered will not do so the next time.
    const pause = this.#port === 0 ? null : pauseAfter(this.#crashes);
    if (pause === null) this.#events.gaveUp(words);
    else {
      this.#events.down();
      this.#pause = setTimeout(() => this.#run(), pause);
    }
  }
}
