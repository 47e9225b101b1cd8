import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NamesView } from '../../src/server/resources/node/names/wire.ts';
import { misfits } from '../contract/document.ts';
import { ask, on, operator } from '../helpers/callers.ts';
import { collection, create, ok, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node[Symbol.asyncDispose]());

it('names the types of what is there, in collections and outside, and the predicates, of one network', async () => {
  const me = operator(node);
  const home = await collection(node, me, { label: 'Letters' });
  const ann = await create(node, me, { type: 'person', collection: home.id });
  const letter = { type: 'letter', collection: home.id };
  await create(node, me, { ...letter, relationships: [{ predicate: 'author', peer: ann.id }] });
  await create(node, me, { type: 'letter' });
  await remove(node, me, await create(node, me, { type: 'draft', collection: home.id }));

  const answer = await ask(node, me, 'GET /node/names');
  expect(misfits('GET /node/names', answer.status, answer.body)).toEqual([]);
  const { types, predicates } = ok<NamesView>(answer);
  expect(types[0]).toEqual({ type: 'letter', count: 2 });
  expect(types).toContainEqual({ type: 'person', count: 1 });
  expect(types).toContainEqual({ type: 'collection', count: 1 });
  expect(types.map(({ type }) => type)).not.toContain('draft');
  expect(predicates).toContain('author');
  expect(predicates).toContain('collection');

  const other = ok<NamesView>(await ask(node, on('test', me), 'GET /node/names'));
  expect(other.types.map(({ type }) => type)).not.toContain('letter');
});

it('gives the live collections of a label, of one network', async () => {
  const me = operator(node);
  const maps = [
    await collection(node, me, { label: 'Maps & Plans' }),
    await collection(node, me, { label: 'Maps & Plans' }),
  ];
  await create(node, me, { type: 'map', properties: { label: 'Maps & Plans' } });
  const at = `GET /node/names/collections?${new URLSearchParams({ label: 'Maps & Plans' })}`;
  const answer = await ask(node, me, at);
  expect(misfits('GET /node/names/collections', answer.status, answer.body)).toEqual([]);
  expect(answer.body).toEqual({ ids: maps.map(({ id }) => id) });
  const [first, second] = maps;
  if (first) await remove(node, me, first);
  expect((await ask(node, me, at)).body).toEqual({ ids: [second?.id] });
  expect((await ask(node, on('test', me), at)).body).toEqual({ ids: [] });
  expect((await ask(node, me, 'GET /node/names/collections')).status).toBe(400);
  const longest = (count: number) => ask(node, me, `GET /node/names/collections?label=${'x'.repeat(count)}`);
  expect([(await longest(1000)).status, (await longest(1001)).status]).toEqual([200, 400]);
});

it('takes a label with its accents encoded in another way where no collection has it as it is', async () => {
  const me = operator(node);
  const [composed, apart] = ['Käthe', 'Käthe'.normalize('NFD')];
  const named = async (label: string) =>
    ok<{ ids: string[] }>(await ask(node, me, `GET /node/names/collections?${new URLSearchParams({ label })}`)).ids;
  const { id } = await collection(node, me, { label: apart });
  expect(await named(composed)).toEqual([id]);
  const other = await collection(node, me, { label: composed });
  expect([await named(composed), await named(apart), await named('Kathe')]).toEqual([[other.id], [id], []]);
});
