import { expect, test } from 'vitest';
import { csvRecords } from '../../src/server/exchange/csv.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { operator } from '../helpers/callers.ts';
import { collection, create } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';

test('no two columns of a table have one name, and what has none of its own stands in the last', async () => {
  await using node = await startNode();
  const me = operator(node);
  const home = await collection(node, me);
  const clashing = { '-> knows': 'a', 'properties.id': 'b', ' sp ': 'c', '': 'd', other: 'e' };
  const own = { label: 'One', id: 'f', sp: 'g', 'properties.more': 'h' };
  const one = await create(node, me, {
    collection: home.id,
    properties: { ...clashing, ...own },
    relationships: [{ predicate: 'knows', peer: home.id }],
  });
  const rows = await tableOf(await bytesOf(`/node/export?format=csv&entity=${one.id}`));
  expect(rows).toHaveLength(1);
  const { label, sp, 'properties.id': id, 'properties.more': more, '-> knows': knows, other } = rows[0] ?? {};
  expect({ label, id, sp, 'properties.more': more }).toEqual(own);
  expect([rows[0]?.id, knows]).toEqual([one.id, home.id]);
  expect(JSON.parse(String(other))).toEqual({ properties: clashing, relationships: [] });

  const two = await create(node, me, { collection: home.id, properties: { other: 'alone' } });
  expect(await tableOf(await bytesOf(`/node/export?format=csv&entity=${two.id}`))).toMatchObject([{ other: 'alone' }]);

  async function bytesOf(path: string): Promise<Buffer> {
    const response = await fetch(`${node.url}${path}`, { headers: me.headers });
    return Buffer.from(await response.arrayBuffer());
  }
});

async function tableOf(table: Buffer): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  const source = (async function* () {
    yield table;
  })();
  for await (const { record } of csvRecords(source, 'a.csv')) rows.push(record);
  return rows;
}
