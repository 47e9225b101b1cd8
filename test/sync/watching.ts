import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { SyncReportView } from '../../src/server/resources/node/remotes/wire.ts';
import { ask, type Person } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';

export interface WatchLine {
  run: { started_at: string; ended_at: string; report: SyncReportView; error: string | null } | null;
  next_run_at: string | null;
}

/** The clock of a node at which it is a second and a half before six, for good. */
export const nearlySix = () => new Date(2026, 4, 12, 5, 59, 58, 500).getTime();

/**
 * From now on a node whose clock is that polls its remote in the evening at the earliest, so that what is synced is what something
 * else has called for: that begins at once, and a run that the end of the hours ends is begun again.
 */
export async function withoutPolls(node: TestNode, who: Person, remote = 'origin'): Promise<void> {
  ok(await ask(node, who, `PUT /node/remotes/${remote}`, { hours: '22-6' }));
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
