import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { done, type Written } from '../helpers/node-archives.ts';

// The program as it is built: what a node signs is checked after it is gone.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));

test('a proof outlives its node, and a forged one does not pass', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'proof.json');
  await using node = await serve(data);
  const { id } = await done<Written>({ url: node.url, data }, 'POST /entities', {
    type: 'document',
    properties: { label: 'Ada' },
  });
  const proof = `${node.url}/node/attestations/proof?id=${id}`;
  await expect.poll(async () => (await fetch(proof)).status).toBe(200);
  await writeFile(file, await (await fetch(proof)).text());
  const { public_key } = (await (await fetch(`${node.url}/.well-known/signing-key`)).json()) as { public_key: string };
  expect(await archeion('verify', '--data', data)).toMatchObject([0, expect.stringContaining('all is well')]);
  await node.stop();

  const good = await archeion('verify', '--proof', file, '--key', public_key);
  expect(good).toEqual([0, expect.stringContaining(`version 1 of ${id}`)]);
  expect(good[1]).not.toContain('WRONG');
  await writeFile(file, (await readFile(file, 'utf8')).replace('Ada', 'Eda'));
  expect(await archeion('verify', '--proof', file)).toEqual([1, expect.stringContaining('WRONG: the manifest')]);
  expect(await archeion('verify', '--data', data)).toMatchObject([0, expect.stringContaining('all is well')]);
  if (process.platform !== 'win32') expect((await stat(join(data, 'identity.db'))).mode & 0o777).toBe(0o600);
});

/** Exit code and what went to stdout. */
async function archeion(...args: string[]): Promise<[number | null, string]> {
  const child = spawn(process.execPath, [launcher, ...args]);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, out];
}

async function serve(data: string): Promise<{ url: string; stop: () => Promise<void> } & AsyncDisposable> {
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0', '--data', data]);
  const stop = () => ended(child);
  child.stderr.resume();
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { url, stop, [Symbol.asyncDispose]: stop };
  }
  throw new Error('The node ended before it was ready.');
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.stdout.resume();
  child.kill('SIGTERM');
  await closed;
}
