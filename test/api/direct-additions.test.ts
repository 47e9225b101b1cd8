import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../src/server/model/caller.ts';
import { chain } from '../../src/server/store/versions.ts';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, read } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
let home: Entity;
let caller: Caller;
beforeAll(async () => {
  node = await startNode({});
  me = operator(node);
  home = await collection(node, me);
  caller = { actor: { kind: 'user', id: me.id, ids: [me.id], operator: true }, network: 'main' };
});
afterAll(() => node[Symbol.asyncDispose]());

const linked = (entity_id: string, n: number, predicate = 'about') => [
  { entity_id, relationships_add: [{ predicate, peer: home.id, properties: { n } }], properties: { [`k${n}`]: n } },
];

test('what comes while an entity is being written goes into the next version together', async () => {
  const { id } = await create(node, me, { collection: home.id });
  await Promise.all(Array.from({ length: 300 }, (_, n) => node.ctx.updates.apply(caller, id, linked(id, n))));
  const { ver, properties } = await read(node, me, id);
  expect(Object.keys(properties).filter((key) => /^k\d/.test(key))).toHaveLength(300);
  expect(ver).toBeLessThan(20);
});

test('what is refused is told to whoever asked for it, and keeps nothing else out', async () => {
  const { id } = await create(node, me, { collection: home.id });
  const asked = [linked(id, 1), linked(id, 2, 'No Predicate'), linked(id, 3), linked(id, 4)];
  const ends = await Promise.allSettled(asked.map((one) => node.ctx.updates.apply(caller, id, one)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(ends[1]).toMatchObject({ reason: { code: 'VALIDATION_ERROR' } });
  const { properties } = await read(node, me, id);
  expect(properties).toMatchObject({ k1: 1, k3: 3, k4: 4 });
  expect(properties).not.toHaveProperty('k2');
});

test('what is noted of each is kept, since by that it is known again', async () => {
  const { id } = await create(node, me, { collection: home.id });
  const notes = Array.from({ length: 40 }, (_, n) => `By job_${String(n).padStart(26, '0')}`);
  const noted = (note: string, n: number) => linked(id, n).map((one) => ({ ...one, note }));
  await Promise.all(notes.map((note, n) => node.ctx.updates.apply(caller, id, noted(note, n))));
  const { cid } = await read(node, me, id);
  const store = await node.ctx.networks.get('main');
  const versions = store.read((db) => chain(db, cid, 100));
  expect(versions.flatMap(({ manifest }) => manifest.note?.split('\n') ?? []).sort()).toEqual(notes);
});
