import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { startNode } from '../helpers/node.ts';

test('a fault of the storage is answered and logged, once while it lasts', async () => {
  await using node = await startNode();
  const headers = {
    Authorization: `ApiKey ${node.ctx.identity.ensureOperator().key}`,
    'Content-Type': 'application/json',
  };
  const create = async () => {
    const body = JSON.stringify({ type: 'document', properties: {} });
    return (await fetch(`${node.url}/entities`, { method: 'POST', headers, body })).status;
  };
  expect(await create()).toBe(201);
  const file = databaseFile(node.data, 'main');
  renameSync(file, `${file}.away`);
  expect([await create(), await create()]).toEqual([503, 503]);
  const told = node.logged.filter((line) => line.includes('storage failed'));
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, reason: expect.stringMatching(/^The database archeion.db was moved away/) },
  ]);
  renameSync(`${file}.away`, file);
  expect(await create()).toBe(201);
});
