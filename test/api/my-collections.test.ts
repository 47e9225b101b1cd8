import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MyCollectionsView } from '../../src/server/resources/users/wire.ts';
import { ask, on, type Person, processor, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
const clock = { ms: Date.UTC(2026, 0, 1) };
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

const iso = () => new Date(clock.ms).toISOString();
const mine = async (who: Person, query: Record<string, string> = {}) =>
  ok<MyCollectionsView>(await ask(node, who, `GET /users/my/collections?${new URLSearchParams(query)}`));
const ids = async (who: Person, query?: Record<string, string>) =>
  (await mine(who, query)).collections.map(({ collection_id }) => collection_id);
const made = (label: string): Promise<Entity> => {
  clock.ms += 1000;
  return collection(node, ada, { label });
};

it('has one item a collection, with every role held there', async () => {
  const [first, second] = [await made('first'), await made('second')];
  const since = iso();
  await enrol(node, ada, second.id, bob, 'viewer');
  clock.ms += 1000;
  await enrol(node, ada, second.id, bob, 'editor');
  await enrol(node, ada, first.id, bob, 'viewer');
  expect(await mine(bob)).toEqual({
    collections: [
      { collection_id: second.id, roles: ['viewer', 'editor'], label: 'second', granted_at: since },
      { collection_id: first.id, roles: ['viewer'], label: 'first', granted_at: iso() },
    ],
    pagination: { offset: 0, limit: 100, count: 2, has_more: false, total: 2 },
  });
  expect(await ids(bob, { role: 'editor' })).toEqual([second.id]);
  expect(await ids(bob, { role: 'owner, viewer' })).toEqual([second.id, first.id]);
  expect(await ids(bob, { role: 'owner' })).toEqual([]);
  expect(await ids(bob, { role: '' })).toEqual([second.id, first.id]);
  expect(await mine(bob, { limit: '1', offset: '1' })).toMatchObject({
    collections: [{ collection_id: first.id }],
    pagination: { offset: 1, limit: 1, count: 1, has_more: false, total: 2 },
  });
  expect((await mine(bob, { limit: '1' })).pagination).toMatchObject({ has_more: true, total: 2 });
});

it('leaves out expired memberships unless they are asked for, and deleted collections', async () => {
  const eve = await user(node, 'eve');
  const [short, gone] = [await made('short'), await made('gone')];
  await enrol(node, ada, short.id, eve, 'editor', 60);
  await enrol(node, ada, gone.id, eve, 'editor');
  expect(await ids(eve)).toEqual([gone.id, short.id]);
  await remove(node, ada, await read(node, ada, gone.id));
  clock.ms += 60_000;
  expect(await ids(eve)).toEqual([]);
  expect(await ids(eve, { include_expired: 'true' })).toEqual([short.id]);
});

it("does not count everyone's roles, relationships that give none, or another network", async () => {
  const zoe = await user(node, 'zoe');
  const open = await made('open');
  await update(node, ada, await read(node, ada, open.id), {
    relationships_add: [
      { predicate: 'viewer', peer: '*' },
      { predicate: 'about', peer: zoe.id },
    ],
  });
  expect(await ids(zoe)).toEqual([]);
  expect((await mine(on('test', ada))).collections).toEqual([]);
});

it("lists a processor's", async () => {
  const home = await made('home');
  const { id } = await create(node, ada, {
    type: 'klados',
    collection: home.id,
    properties: { label: 'k', endpoint: 'https://klados.test', status: 'development' },
  });
  const klados = processor(node, id, ada);
  await enrol(node, ada, home.id, klados, 'editor');
  expect(await mine(klados)).toMatchObject({ collections: [{ collection_id: home.id, roles: ['editor'] }] });
});
