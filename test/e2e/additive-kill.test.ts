import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { type Entity, ok } from '../helpers/entities.ts';
import { send, startNode, temporaryFolder } from '../helpers/node.ts';

// The built program is killed right after it has answered 202, again and again: what it promised is there, once.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];
const rounds = 3;
const count = 300;

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

test('killed between the answer and the application, it applies everything, and nothing twice', async () => {
  await using folder = await temporaryFolder();
  let ids: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { child, post } = await serve(folder.path);
    if (round === 0) ids = await plant(post);
    const updates = ids.map((id) => ({ entity_id: id, properties: { [`r${round}`]: round } }));
    const { summary } = await post<{ summary: object }>('/updates/additive', { updates });
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(summary).toEqual({ total: count, queued: count, failed: 0 });
  }
  await using node = await startNode({ data: folder.path });
  await node.ctx.additive.idle();
  const wanted = Object.fromEntries(Array.from({ length: rounds }, (_, round) => [`r${round}`, round]));
  const headers = authorization(folder.path);
  for (const id of ids) {
    const { properties, ver } = ok<Entity>(await node.fetch(`/entities/${id}`, { headers }));
    expect(properties).toEqual(wanted);
    expect(ver).toBeLessThanOrEqual(1 + rounds);
    const { items } = ok<{ items: { status: string }[] }>(await node.fetch(`/updates/queue/${id}`, { headers }));
    expect(items.map(({ status }) => status)).toEqual(Array(rounds).fill('completed'));
  }
});

type Post = <T>(path: string, body: object) => Promise<T>;

async function plant(post: Post): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 100) {
    const entities = Array.from({ length: 100 }, () => ({ type: 'document' }));
    const { results } = await post<{ results: { id: string }[] }>('/entities/batch', { entities });
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

function authorization(data: string): Record<string, string> {
  return { Authorization: `ApiKey ${readFileSync(join(data, 'operator.key'), 'utf8').trim()}` };
}

async function serve(data: string): Promise<{ child: ChildProcess; post: Post }> {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (!url) continue;
    const headers = authorization(data);
    return { child, post: async (path, body) => ok(await send(url, path, { method: 'POST', headers, body })) };
  }
  throw new Error('the program ended before it was ready');
}
