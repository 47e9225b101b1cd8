import { expect, test, vi } from 'vitest';
import { csvRecords } from '../../src/server/exchange/csv.ts';
import { Pace } from '../../src/server/loop/pace.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
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

test('rows of very many columns give way to others as often as their cells take', async () => {
  await using node = await startNode();
  const me = operator(node);
  const home = await collection(node, me);
  const names = Array.from({ length: 1001 }, (_, i) => [`name ${String(i).padStart(4, '0')}`, 'x']);
  const entities = [Object.fromEntries(names), ...Array.from({ length: 60 }, () => ({ label: 'short' }))];
  const body = {
    default_collection: home.id,
    entities: entities.map((properties) => ({ type: 'document', properties })),
  };
  ok(await ask(node, me, 'POST /entities/batch', body));
  const paces = vi.spyOn(Pace.prototype, 'step');
  try {
    const table = await ask(node, me, `GET /node/export?format=csv&history=tip&collection=${home.id}`);
    expect(table.text.split('\r\n').filter((row) => row.includes('document'))).toHaveLength(entities.length);
    const turns = paces.mock.results.filter(({ value }) => value === true);
    expect(turns.length).toBeGreaterThan(6);
  } finally {
    vi.restoreAllMocks();
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
