import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreateView } from '../../src/server/resources/entities/wire.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, nowhere, ok, onTest, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  node = await startNode();
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

const batch = async (entities: unknown[], more: object = {}, query = '', who = ada) => {
  const { status, body } = await ask(node, who, `POST /entities/batch${query}`, { entities, ...more });
  return { status, ...(body as BatchCreateView) };
};
const at = (view: BatchCreateView, index: number) => view.results[index];

describe('a batch', () => {
  it('creates each item, in order, in its own collection or the default one', async () => {
    const [own, other] = [await collection(node, ada), await collection(node, ada)];
    const items = [
      { type: 'a', note: 'n' },
      { type: 'b', collection: other.id },
      { type: 'c', id: '01J500000000000000000000B0' },
    ];
    const view = await batch(items, { default_collection: own.id });
    expect(view).toMatchObject({ status: 201, summary: { total: 3, succeeded: 3, failed: 0 } });
    expect(view.results.map((r) => [r.index, r.success && r.type])).toEqual([
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ]);
    expect(at(view, 2)).toMatchObject({ id: '01J500000000000000000000B0', ver: 1 });
    const place = async (i: number) => {
      const result = at(view, i);
      const answer = await ask(node, ada, `GET /entities/${result?.success && result.id}`);
      return (answer.body as { relationships: { peer: string }[] }).relationships[0]?.peer;
    };
    expect([await place(0), await place(1)]).toEqual([own.id, other.id]);
  });

  it('leaves an item in the collection that its relationships name', async () => {
    const [own, theirs] = [await collection(node, ada), await collection(node, bob)];
    const linked = (peer: string) => ({ type: 'a', relationships: [{ predicate: 'collection', peer }] });
    const view = await batch([linked(own.id), linked(theirs.id)], { default_collection: theirs.id });
    expect(view.results).toMatchObject([{ success: true }, { success: false, code: 'FORBIDDEN' }]);
    const made = at(view, 0);
    expect((await ask(node, ada, `GET /entities/${made?.success && made.id}`)).body).toMatchObject({
      relationships: [{ predicate: 'collection', peer: own.id }],
    });
  });

  it('fails item by item', async () => {
    const theirs = await collection(node, bob);
    const view = await batch([
      { type: 'x' },
      { type: 'x'.repeat(101) },
      { properties: {} },
      { type: 'x', collection: theirs.id },
      { type: 'x', collection: nowhere },
      { type: 'x', id: onTest },
      { type: 'x', properties: { big: 2 ** 53 } },
      { type: 'x', properties: [] },
      { type: 'user' },
    ]);
    expect(view.status).toBe(207);
    expect(view.summary).toEqual({ total: 9, succeeded: 1, failed: 8 });
    const code = view.results.map((r) => (r.success ? 'ok' : r.code));
    const invalid = 'VALIDATION_ERROR';
    expect(code).toEqual(['ok', invalid, invalid, 'FORBIDDEN', invalid, invalid, invalid, invalid, 'FORBIDDEN']);
    expect(at(view, 6)).toMatchObject({ details: { issues: [{ path: ['properties', 'big'] }] } });
    expect(at(view, 3)).toEqual({
      success: false,
      index: 3,
      error: 'Action not allowed: entity:create',
      code: 'FORBIDDEN',
    });
  });

  it.each([
    { type: 'x', id: 'x' },
    { type: 'x', collection: 'x' },
    { type: 'x', collection: onTest },
    { type: 'x', note: 5, relationships: [{ predicate: '', peer: 5 }] },
    { type: 'x', collection: nowhere, relationships: [{ predicate: 'has', peer: 'x' }] },
  ])('says of %j what POST /entities says of it', async (item) => {
    const { body } = await ask(node, ada, 'POST /entities', item);
    expect(at(await batch([item]), 0)).toMatchObject({ success: false, ...(body as object) });
  });

  it('looks for targets only when it is told to', async () => {
    const items = [{ type: 'x', relationships: [{ predicate: 'has', peer: nowhere }] }];
    const checked = await batch(items, {}, '?validate_relationships=true');
    expect((await batch(items)).status).toBe(201);
    expect(at(checked, 0)).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: ['relationships', 0, 'peer'] }] },
    });
  });

  it('answers a replay of an item, and a conflict', async () => {
    const item = { type: 'x', id: '01J500000000000000000000B1', properties: { a: 1 } };
    const view = await batch([item, item, { ...item, properties: { a: 2 } }]);
    const [first, again, other] = view.results;
    expect(first).toMatchObject({ success: true });
    expect(again).toEqual({ ...first, index: 1 });
    expect(other).toMatchObject({ code: 'CONFLICT', details: { expected: '' } });
    expect(at(await batch([item]), 0)).toEqual(first);
  });

  it.each([[undefined], [[]], [Array(101).fill({ type: 'x' })], ['x'], [{}]])(
    'is refused with the envelope %#',
    async (entities) => {
      const answer = await ask(node, ada, 'POST /entities/batch', { entities });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ details: { issues: [{ path: ['entities'] }] } });
    },
  );

  it('takes a hundred', async () => {
    const view = await batch(Array.from({ length: 100 }, (_, i) => ({ type: 'x', properties: { i } })));
    expect(view.summary).toEqual({ total: 100, succeeded: 100, failed: 0 });
    expect(new Set(view.results.map((r) => r.success && r.id)).size).toBe(100);
  });
});

describe('a batch of reads', () => {
  it('answers what is there in the order that was asked, the rest as not found', async () => {
    const [a, b] = [await create(node, ada, { properties: { n: 'a' } }), await create(node, ada)];
    const grave = await remove(node, ada, await create(node, ada));
    const sent = { ids: [b.id, nowhere, a.id, grave.id, b.id] };
    const answer = await ask(node, anonymous, 'POST /entities/batch-get', sent);
    expect(ok(answer)).toEqual({ entities: [b, a, b], not_found: [nowhere, grave.id] });
  });

  it('answers the bytes of each read', async () => {
    const made = await create(node, ada, { properties: { z: 1, a: { '/': [1.5] } } });
    const { text } = await ask(node, ada, `GET /entities/${made.id}`);
    const answer = await ask(node, ada, 'POST /entities/batch-get', { ids: [made.id] });
    expect(answer.text).toBe(`{"entities":[${text}],"not_found":[]}`);
  });
});
