import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, imported, operate, update } from '../helpers/node-archives.ts';

/** How many versions an export says that it leaves out. */
async function leftOut(node: TestNode, query = ''): Promise<string | null> {
  const response = await operate(node, `GET /node/export${query}`);
  await response.arrayBuffer();
  return response.headers.get('X-Archeion-Left-Out-Versions');
}

test('an export says how many versions are in no history, and so not in it', async () => {
  await using folder = await temporaryFolder();
  await using there = await startNode();
  await using node = await startNode();
  const entity = await create(there, 'Ada');
  const other = await create(there, 'Bob');
  const base = (await exported(there)).car;
  await imported(node, base);
  const mine = await update(node, entity, { here: 1 });
  await update(node, mine, { here: 2 });
  expect([await leftOut(node), await leftOut(node, '?history=tip')]).toEqual(['0', '0']);

  const first = await update(there, entity, { there: 1 });
  await update(there, first, { there: 2 });
  await imported(node, (await exported(there)).car);
  expect(await leftOut(node)).toBe('2');
  expect([await leftOut(node, `?entity=${entity.id}`), await leftOut(node, `?entity=${other.id}`)]).toEqual(['2', '0']);
  const out = join(folder.path, 'all.car');
  const told = await commandLine(node.data, ['export', '--all', '--out', out]);
  expect(told.out).toContain('2 versions on this node are in no history, and so not in it');
  expect(told.out).toContain('what was here before a service that is no node made its own of it. A backup has all.');
  const { code, out: json } = await commandLine(node.data, ['export', '--all', '--out', out, '--json']);
  expect([code, JSON.parse(json)]).toMatchObject([0, { left_out_versions: 2 }]);

  // A history that does not begin with its first version is exported from where it begins.
  await using third = await startNode();
  await imported(third, (await exported(there, '?history=tip')).car);
  expect(await leftOut(third)).toBe('0');
});
