import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { ask, user } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { tipsOf } from '../sync/nodes.ts';

// The built program watches a remote, is told to stop in the middle, and goes on by itself at the next start.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

interface State {
  mirrored: number;
  lag: { events: number | null };
  running: object | null;
}

test('T7: told to stop in the middle of a mirror, it ends with 0, and goes on by itself at the next start', async () => {
  await using origin = await startNode();
  const curator = await user(origin, 'curator');
  const place = await collection(origin, curator);
  for (let n = 0; n < 20; n++) {
    const entities = Array.from({ length: 100 }, (_, i) => ({ type: 'document', properties: { label: `${n} ${i}` } }));
    ok(await ask(origin, curator, 'POST /entities/batch', { entities, default_collection: place.id }));
  }
  await using folder = await temporaryFolder();

  const first = await serve(folder.path);
  const body = { name: 'origin', url: origin.url, watch: true };
  expect((await first.ask('POST', '/node/remotes', body)).status).toBe(201);
  await vi.waitFor(async () => expect((await first.state()).mirrored).toBeGreaterThan(0), {
    timeout: 60_000,
    interval: 5,
  });
  first.child.kill('SIGTERM');
  expect(await once(first.child, 'exit')).toEqual([0, null]);

  const second = await serve(folder.path);
  await vi.waitFor(async () => expect(await second.state()).toMatchObject({ lag: { events: 0 }, running: null }), {
    timeout: 60_000,
    interval: 100,
  });
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
  await using mirror = await startNode({ data: folder.path });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
}, 90_000);

async function serve(data: string) {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (!url) continue;
    const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
    const headers = { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json' };
    const ask = (method: string, path: string, body?: object) =>
      fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const state = async () => (await (await ask('GET', '/node/remotes/origin')).json()) as State;
    return { child, ask, state };
  }
  throw new Error('the program ended before it was ready');
}
