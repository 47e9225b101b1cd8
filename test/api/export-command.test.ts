import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, operate } from '../helpers/node-archives.ts';

// `archeion export`: what it refuses, and what it writes where.

/** A node with one document, and the names of what lies beside its folder. */
async function scene() {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const data = join(path, 'data');
  const node = opened.use(await startNode({ data }));
  const ada = await create(node, 'Ada');
  const all = opened.move();
  return {
    node,
    data,
    ada,
    at: (name: string) => join(path, name),
    names: async () => (await readdir(path)).filter((name) => name !== 'data').sort(),
    archeion: (...args: string[]) => commandLine(data, args),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('what is since an archive or a checkpoint is a CAR file, and nothing else is written under another name', async () => {
  await using s = await scene();
  expect((await s.archeion('export', '--out', s.at('full.car'))).code).toBe(0);
  const { car, checkpoint } = await exported(s.node);
  for (const format of ['csv', 'ndjson', 'bagit', 'ro-crate']) {
    for (const since of [s.at('full.car'), checkpoint])
      expect(await s.archeion('export', '--since', since, '--format', format, '--out', s.at('t.csv'))).toMatchObject({
        code: 2,
        err: 'archeion: --since is for the format car.',
      });
    const refused = await operate(s.node, `POST /node/export?format=${format}`, car);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { details: { issues: [{ path: ['format'] }] } },
    ]);
  }
  expect(await s.names()).toEqual(['full.car']);
  expect((await operate(s.node, 'POST /node/export?format=car', car)).status).toBe(200);
});
