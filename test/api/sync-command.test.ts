import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { ok } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote } from '../sync/nodes.ts';
import { startProxy } from '../sync/proxy.ts';

test('a remote that does not answer is asked after those that do, from the next sync on', async () => {
  await using origin = await startNode();
  await using mirror = await startNode({ wait: async () => undefined });
  const here = operator(mirror);
  await using dead = await startProxy(origin.url);
  await addRemote(mirror, here, { name: 'a-dead', url: dead.url });
  await addRemote(mirror, here, { name: 'living', url: origin.url });
  dead.fault = () => 'cut';
  const named = async (...args: string[]) => {
    const { code, out } = await commandLine(mirror.data, ['sync', ...args]);
    return { code, names: out.match(/^[a-z-]+(?=:)/gm) };
  };
  expect(await named()).toEqual({ code: 1, names: ['a-dead', 'living'] });
  expect(await named()).toEqual({ code: 1, names: ['living', 'a-dead'] });
  expect(await named('--dry-run')).toEqual({ code: 1, names: ['living', 'a-dead'] });
  dead.fault = () => undefined;
  ok(await ask(mirror, here, 'POST /node/remotes/a-dead/sync'));
  expect(await named()).toEqual({ code: 0, names: ['a-dead', 'living'] });
});
