import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { indexIdle, search } from '../helpers/searches.ts';

test('so many of each collection come of every one that is searched, however much a few of them have', async () => {
  await using node = await startNode();
  const me = operator(node);
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const { id } = await collection(node, me, { label: `Drawer ${i}` });
    // More than one look at the index gives.
    const entities = Array.from({ length: 110 }, () => ({
      ...{ type: 'letter', collection: id },
      properties: { label: 'Letter home' },
    }));
    for (const half of [entities.slice(0, 55), entities.slice(55)])
      ok(await ask(node, me, 'POST /entities/batch', { entities: half }));
    ids.push(id);
  }
  await indexIdle(node);
  const found = async (endpoint: string, body: object) => {
    const { results, metadata } = await search(node, me, endpoint, { query: 'letter home', ...body });
    return { homes: results.map(({ collection_id }) => String(collection_id)).toSorted(), metadata };
  };
  const sorted = ids.toSorted();
  const named = await found('entities', { collection_ids: ids, per_collection_limit: 1, limit: 20 });
  expect(named.homes).toEqual(sorted);
  expect(named.metadata).not.toHaveProperty('truncated');
  expect((await found('entities', { per_collection_limit: 1, limit: 20 })).homes).toEqual(sorted);
  const discovered = await found('discover', { collection_limit: 12, per_collection_limit: 2, limit: 100 });
  const { collections_searched } = discovered.metadata;
  expect(new Set(discovered.homes).size).toBe(collections_searched);
  expect(discovered.homes).toHaveLength(2 * Number(collections_searched));
});

test('what fits best is discovered also where other collections fit better by themselves', async () => {
  await using node = await startNode();
  const me = operator(node);
  const hold = async (label: string, properties: object): Promise<void> => {
    const { id } = await collection(node, me, { label });
    await create(node, me, {
      type: 'photograph',
      collection: id,
      properties: { label: 'Girl sitting', ...properties },
    });
  };
  await hold('Drawer', { artist: 'Diane Arbus' });
  for (let i = 0; i < 6; i++) await hold('Girls sitting', {});
  await indexIdle(node);
  const { results } = await search(node, me, 'discover', {
    query: 'arbus girl sitting',
    collection_limit: 2,
    expand: 'full',
  });
  expect(results[0]?.entity).toMatchObject({ properties: { artist: 'Diane Arbus' } });
});
