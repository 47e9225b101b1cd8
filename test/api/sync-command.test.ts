import { expect, test, vi } from 'vitest';
import { inTurn } from '../../src/server/commands/sync-turns.ts';
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

test('a remote of which nothing comes keeps none of the others waiting, and those that did not answer the last time run at once', async () => {
  await using origin = await startNode();
  await using mirror = await startNode({ wait: async () => undefined });
  const here = operator(mirror);
  await using first = await startProxy(origin.url);
  await using second = await startProxy(origin.url);
  await addRemote(mirror, here, { name: 'a-dead', url: first.url });
  await addRemote(mirror, here, { name: 'b-dead', url: second.url });
  await addRemote(mirror, here, { name: 'living', url: origin.url });
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  first.fault = () => ({ status: 503, after: () => freed });
  const runOf = async (name: string) =>
    ok<{ last_run: { fault: string | null } | null }>(await ask(mirror, here, `GET /node/remotes/${name}`)).last_run;
  const running = commandLine(mirror.data, ['sync']);
  await vi.waitFor(async () => expect(await runOf('living')).toMatchObject({ fault: null }), 10_000);
  expect(await runOf('a-dead')).toBe(null);
  second.fault = () => 'cut';
  free();
  first.fault = () => 'cut';
  expect((await running).out).toMatch(/^b-dead: .*\nliving: .*\na-dead: /);
  await commandLine(mirror.data, ['sync']);
  // Each answers only once the other has been asked.
  const asked = [first, second].map((proxy) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.calls.length = 0;
    return { proxy, promise, resolve };
  });
  const both = Promise.all(asked.map(({ promise }) => promise));
  for (const { proxy, resolve } of asked)
    proxy.fault = () => {
      resolve();
      return { status: 503, after: () => both };
    };
  expect((await commandLine(mirror.data, ['sync', '--json'])).out).toMatch(/"living".*"a-dead".*"b-dead"/);
});

test('what a remote brings that came late goes to those after it, and nothing keeps one of many silent ones waiting', async () => {
  const names = ['a', 'b', 'c', ...Array.from({ length: 20 }, (_, i) => `silent-${i}`)];
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const sync = async (name: string, shows: () => void) => {
    asked.push(name);
    if (name === 'b' && asked.length === 2) await freed;
    if (asked.length === names.length) free();
    if (name.startsWith('silent')) await freed;
    else shows();
    return [name];
  };
  const remotes = names.map((name) => ({ name, isSilent: name.startsWith('silent') }));
  const outcomes = await inTurn<string[]>(remotes, {
    ...{ sync, quiet: 1, join: (first, second) => [...first, ...second] },
    brings: ([name]) => name === 'b',
    takes: ([name]) => name === 'c',
  });
  expect(outcomes).toEqual([['a'], ['b'], ['c', 'c'], ...names.slice(3).map((name) => [name])]);
});
