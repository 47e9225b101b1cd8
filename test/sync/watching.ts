import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Person } from '../helpers/callers.ts';
import type { TestNode } from '../helpers/node.ts';
import type { Report } from './nodes.ts';

export interface WatchLine {
  run: { started_at: string; ended_at: string; report: Report; error: string | null } | null;
  next_run_at: string | null;
}

/** Somebody who looks on while a remote is watched; disposing closes the connection. */
export interface Onlooker extends AsyncDisposable {
  /** The next line; undefined when the answer has ended. */
  next(): Promise<WatchLine | undefined>;
  /** The first line from now on that is as wanted. */
  until(wanted: (line: WatchLine) => boolean): Promise<WatchLine>;
}

export async function look(node: TestNode, who: Person, remote = 'origin'): Promise<Onlooker> {
  const asking = request(`${node.url}/node/remotes/${remote}/watch`, {
    method: 'POST',
    headers: who.headers,
    agent: false,
  });
  asking.end();
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    asking.once('response', resolve).once('error', reject);
  });
  asking.on('error', () => undefined);
  response.on('error', () => undefined);
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : (JSON.parse(value) as WatchLine);
  };
  return {
    next,
    async until(wanted) {
      for (let line = await next(); line !== undefined; line = await next()) if (wanted(line)) return line;
      throw new Error('the answer ended before that');
    },
    async [Symbol.asyncDispose]() {
      asking.destroy();
    },
  };
}
