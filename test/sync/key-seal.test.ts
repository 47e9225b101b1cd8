import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KeySeal } from '../../src/server/sync/key-seal.ts';
import { ask, operator } from '../helpers/callers.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { failedSync } from './nodes.ts';

const secret = Buffer.alloc(32, 7).toString('base64url');
const other = Buffer.alloc(32, 8).toString('base64url');

test('a sealed key is opened by the same secret alone, and is another text each time', () => {
  const seal = new KeySeal(secret);
  const sealed = seal.seal('uk_secret');
  expect(sealed).not.toContain('uk_secret');
  expect(seal.seal('uk_secret')).not.toBe(sealed);
  expect(new KeySeal(secret).open(sealed)).toBe('uk_secret');
  for (const wrong of [new KeySeal(other), new KeySeal(null)])
    expect(() => wrong.open(sealed)).toThrow('give this node a key for the remote anew');
  for (const broken of [
    sealed.slice(0, -2),
    'sealed 1 ',
    'sealed 1 AAAA',
    `${sealed.slice(0, 20)}${sealed[20] === 'x' ? 'y' : 'x'}${sealed.slice(21)}`,
  ])
    expect(() => seal.open(broken)).toThrow('give this node a key for the remote anew');
});

test('without a secret keys are kept as they are, and such ones are read with one, too', () => {
  expect(new KeySeal(null).seal('uk_secret')).toBe('uk_secret');
  expect(new KeySeal(secret).open('uk_secret')).toBe('uk_secret');
});

test('a node with a secret stores no key of a remote in the clear, and syncs; without it says why it cannot', async () => {
  await using origin = await startNode();
  await using folder = await temporaryFolder();
  const key = operator(origin).headers.Authorization?.replace('ApiKey ', '') ?? '';
  expect(key.length).toBeGreaterThan(20);
  {
    await using node = await startNode({ data: folder.path, env: { ARCHEION_SEAL_KEY: secret } });
    const me = operator(node);
    const added = await ask(node, me, 'POST /node/remotes', { name: 'origin', url: origin.url, key });
    expect(added.status).toBe(201);
    expect((await ask(node, me, 'POST /node/remotes/origin/sync')).text).toContain('"done"');
    expect(node.logged.join()).not.toContain(key);
  }
  const stored = readFileSync(join(folder.path, 'main', 'archeion.db')).toString('latin1');
  expect(stored).toContain('sealed 1 ');
  expect(stored).not.toContain(key);
  await using node = await startNode({ data: folder.path });
  const error = expect.stringContaining('give this node a key for the remote anew');
  expect(await failedSync(node, operator(node))).toEqual({ status: 503, error });
});
