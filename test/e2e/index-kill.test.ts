import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { operator } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { send, startNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle, search } from '../helpers/searches.ts';

// The built program is killed right after it has answered writes, while it indexes them: searches find all of them later.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];
const rounds = 3;
const count = 600;

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

test('killed while it indexes, it goes on at the next start, and nothing is left out', async () => {
  await using folder = await temporaryFolder();
  for (let round = 0; round < rounds; round++) {
    const { child, post } = await serve(folder.path);
    for (let n = 0; n < count; n += 100) {
      const entities = Array.from({ length: 100 }, (_, i) => ({
        ...{ type: `round${round}`, properties: { label: `Sandpiper number${n + i} of round ${round}` } },
      }));
      await post('/entities/batch', { entities });
    }
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await using node = await startNode({ data: folder.path });
  await indexIdle(node);
  for (let round = 0; round < rounds; round++)
    for (const n of [0, 99, 100, 250, count - 1]) {
      const asked = { query: `number${n}`, types: [`round${round}`], limit: 100 };
      const found = await search(node, operator(node), 'entities', asked);
      expect(found.results.filter(({ label }) => label === `Sandpiper number${n} of round ${round}`)).toHaveLength(1);
    }
  const all = await search(node, operator(node), 'collections', { query: 'sandpiper' });
  expect(all.results).toEqual([]);
});

type Post = (path: string, body: object) => Promise<unknown>;

async function serve(data: string): Promise<{ child: ChildProcess; post: Post }> {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (!url) continue;
    const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
    const headers = { Authorization: `ApiKey ${key}` };
    const post: Post = async (path, body) => ok(await send(url, path, { method: 'POST', headers, body }));
    return { child, post };
  }
  throw new Error('The program ended before it was ready.');
}
