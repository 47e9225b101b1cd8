import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { on, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { create } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

// Commands on a network on which nothing was ever written.

/** What they do beside a node that runs, and where they run one for themselves. */
async function scene(runs: boolean) {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const data = join(path, 'data');
  const node = await startNode({ data });
  if (runs) opened.use(node);
  else await node[Symbol.asyncDispose]();
  const all = opened.move();
  return {
    node,
    data,
    at: (name: string) => join(path, name),
    archeion: (...args: string[]) => commandLine(data, [...args, '--network', 'test']),
    isMade: () => existsSync(join(data, 'test')),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const ways = [
  ['beside a node that runs', true],
  ['where none runs', false],
] as const;

test.each(ways)('those that read or set make no such network, and say so, %s', async (_way, runs) => {
  await using s = await scene(runs);
  const err = `archeion: Nothing was ever written on the test network of ${s.data}; --network main names the other one.`;
  for (const args of [
    ['verify'],
    ['search', 'horses'],
    ['query', '"horses"'],
    ['export', '--out', s.at('all.car')],
    ['conflicts'],
    ['remote', 'list'],
    ['remote', 'set', 'origin', '--watch'],
    ['sync'],
    ['reindex'],
  ])
    expect([args, await s.archeion(...args)]).toEqual([args, { code: 2, out: '', err }]);
  expect(existsSync(s.at('all.car'))).toBe(false);
  expect(s.isMade()).toBe(false);
});

test.each(ways)('those that are about the whole node make none either, %s', async (_way, runs) => {
  await using s = await scene(runs);
  for (const args of [
    ['key', 'create'],
    ['key', 'list'],
    ['backup', s.at('copy')],
  ])
    expect([args, await s.archeion(...args)]).toMatchObject([args, { code: 0, err: '' }]);
  expect(await s.archeion('status')).toMatchObject({ code: 1, err: expect.stringContaining('network test') });
  expect(s.isMade()).toBe(false);
  const { out } = await commandLine(s.data, ['status', '--json']);
  expect(JSON.parse(out)).toMatchObject({ running: runs, url: runs ? s.node.url : null });
});

test('what was written there is found', async () => {
  await using s = await scene(true);
  await create(s.node, on('test', operator(s.node)), { properties: { label: 'Whistlejacket' } });
  expect(await s.archeion('verify')).toMatchObject({ code: 0 });
  expect(await s.archeion('export', '--out', s.at('all.car'))).toMatchObject({ code: 0 });
});

test('where the network that is named was lost that is said, and no other one is taken for it', async () => {
  await using s = await scene(false);
  const { rm, writeFile } = await import('node:fs/promises');
  for (const name of ['archeion.db', 'archeion.db-wal', 'archeion.db-shm'])
    await rm(join(s.data, 'main', name), { force: true });
  await writeFile(join(s.data, 'main', 'attest.db'), 'something');
  expect(await commandLine(s.data, ['status'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('main/archeion.db'),
  });
});
