import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { tipsOf } from '../sync/nodes.ts';

// The built program is killed again and again while it mirrors; each start goes on where the last one was.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) await kill(child);
});

test('F2: killed in the middle of a mirror, it is complete after some more starts, and repeats little', async () => {
  await using origin = await startNode();
  const curator = await user(origin, 'curator');
  const entities = 4000;
  await fill(origin, curator, entities);
  await using folder = await temporaryFolder();
  let fetched = 0;
  origin.ctx.entities.batches.read = counting(origin.ctx.entities.batches.read, (n) => {
    fetched += n;
  });

  let kills = 0;
  for (let done = false; !done; ) {
    const { child, url } = await serve(folder.path);
    const headers = { Authorization: `ApiKey ${readFileSync(join(folder.path, 'operator.key'), 'utf8').trim()}` };
    if (kills === 0) {
      const body = JSON.stringify({ name: 'origin', url: origin.url });
      const json = { ...headers, 'Content-Type': 'application/json' };
      expect((await fetch(`${url}/node/remotes`, { method: 'POST', headers: json, body })).status).toBe(201);
    }
    done = await syncUntil(url, headers, kills < 2 ? child : null);
    if (done) child.kill('SIGTERM');
    else kills++;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  expect(kills).toBeGreaterThan(0);
  // Each kill repeats at most what was under way.
  expect(fetched).toBeLessThanOrEqual(entities + 2000 * (kills + 1));
  await using mirror = await startNode({ data: folder.path });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

function counting<A extends unknown[], R>(read: (...args: A) => R, count: (n: number) => void): (...args: A) => R {
  const self = read;
  return function (this: unknown, ...args: A): R {
    count((args[1] as string[]).length);
    return self.apply(this, args);
  };
}

/** Runs a sync; with a child, that is killed at the first line of progress. Whether the sync came to its end. */
async function syncUntil(url: string, headers: Record<string, string>, child: ChildProcess | null): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/node/remotes/origin/sync`, { method: 'POST', headers });
    let text = '';
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (child && /"progress":\{[^}]*"entities":[1-9]/.test(text)) child.kill('SIGKILL');
    }
    return text.includes('"done"');
  } catch {
    return false;
  }
}

async function fill(node: TestNode, who: Person, count: number): Promise<void> {
  const place = await collection(node, who);
  for (let n = 0; n < count; n += 100) {
    const properties = (i: number) => ({ label: `work ${n + i}`, text: 'some words about it '.repeat(20) });
    const entities = Array.from({ length: 100 }, (_, i) => ({ type: 'document', properties: properties(i) }));
    ok(await ask(node, who, 'POST /entities/batch', { entities, default_collection: place.id }));
  }
}

async function serve(data: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { child, url };
  }
  throw new Error('the program ended before it was ready');
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
