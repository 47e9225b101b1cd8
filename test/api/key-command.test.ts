import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

test('says of the key in the data folder, which is on no list, how it is revoked; and so it is', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const file = join(data, 'operator.key');
  const node = await startNode({ data });
  const leaked = operator(node);
  const [, key = ''] = leaked.headers.Authorization?.split(' ') ?? [];
  for (const prefix of [key.slice(0, 12), key])
    expect(await commandLine(data, ['key', 'revoke', prefix])).toEqual({
      code: 2,
      out: '',
      err: `archeion: That is the key in ${file}: delete this file and start the node again, which makes another key and refuses this one.`,
    });
  expect((await ask(node, leaked, 'GET /node/keys')).status).toBe(200);
  await rm(file);
  await node[Symbol.asyncDispose]();
  await using again = await startNode({ data });
  expect((await ask(again, leaked, 'GET /node/keys')).status).toBe(401);
  expect((await ask(again, operator(again), 'GET /node/keys')).status).toBe(200);
});

test('revokes a key that is given whole, as it was found', async () => {
  await using node = await startNode();
  const { out: key } = await commandLine(node.data, ['key', 'create']);
  const leaked = { ...operator(node), headers: { Authorization: `ApiKey ${key}` } };
  expect((await ask(node, leaked, 'GET /node/keys')).status).toBe(200);
  const { keys } = ok<{ keys: { key_prefix: string }[] }>(await ask(node, operator(node), 'GET /node/keys'));
  expect(await commandLine(node.data, ['key', 'revoke', key])).toEqual({
    code: 0,
    out: `The key that begins with ${keys[0]?.key_prefix} is revoked.`,
    err: '',
  });
  expect((await ask(node, leaked, 'GET /node/keys')).status).toBe(401);
});

test('prints no key that has ended already', async () => {
  await using folder = await temporaryFolder();
  expect(await commandLine(folder.path, ['key', 'create', '--expires-in', '0'])).toEqual({
    code: 2,
    out: '',
    err: 'archeion: --expires-in is a number of seconds, from 1 to 31536000 (a year).',
  });
});
