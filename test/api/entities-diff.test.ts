import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import type { Json, JsonObject } from '../../src/server/model/manifest.ts';
import { patchDiff } from '../../src/server/resources/entities/diff.ts';
import type { PatchDiffView, SemanticDiffView } from '../../src/server/resources/entities/wire.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let first: Entity;
let second: Entity;
let third: Entity;
let other: Entity;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  const [a, b] = [await create(node, ada), await create(node, ada)];
  other = b;
  first = await create(node, ada, {
    properties: { kept: { x: 1 }, changed: [1], gone: null },
    relationships: [
      { predicate: 'has', peer: a.id, properties: { page: 1 } },
      { predicate: 'of', peer: a.id },
    ],
  });
  second = await update(node, ada, first, {
    properties: { changed: [1, 2], added: 'new' },
    properties_remove: ['gone'],
    relationships_add: [
      { predicate: 'has', peer: a.id, peer_label: 'A', properties: { page: 2 } },
      { predicate: 'has', peer: b.id },
    ],
    relationships_remove: [{ predicate: 'of' }],
  });
  third = await update(node, ada, second, { properties: { last: true } });
});
afterAll(() => node[Symbol.asyncDispose]());

type AnyDiff = Pick<SemanticDiffView, 'changes'> & Pick<PatchDiffView, 'patch'> & { format: string };

const diff = async (query = '', id = first.id): Promise<AnyDiff> =>
  (await ask(node, anonymous, `GET /entities/${id}/diff${query}`)).body as AnyDiff;
const side = ({ cid, ver, ts }: Entity) => ({ cid, ver, ts: new Date(ts).toISOString() });

/** What a comparison is of: its name, the query, and the two sides. */
const compared: [string, () => string, () => [Entity, Entity]][] = [
  ['no parameters: the tip with the one before', () => '', () => [second, third]],
  ['`to`: with the one before it', () => `?to=${second.cid}`, () => [first, second]],
  ['`from`: with the tip', () => `?from=${first.cid}`, () => [first, third]],
  ['both: any two, also backwards', () => `?from=${third.cid}&to=${first.cid}`, () => [third, first]],
  ['one with itself', () => `?from=${first.cid}&to=${first.cid}`, () => [first, first]],
];

describe('the versions compared', () => {
  it.each(compared)('%s', async (_name, query, sides) => {
    const [from, to] = sides();
    expect(await diff(query())).toMatchObject({
      entity_id: first.id,
      from: side(from),
      to: side(to),
    });
  });

  it('of version 1 begin with nothing: everything is added', async () => {
    const view = await diff(`?to=${first.cid}`);
    expect(view).toMatchObject({ from: null, to: side(first), format: 'semantic' });
    expect(view.changes).toEqual({
      properties: { added: first.properties, removed: {}, changed: {} },
      relationships: { added: first.relationships, removed: [], changed: [] },
    });
  });

  it('go on being compared after the deletion, where they are named', async () => {
    const made = await create(node, ada, { properties: { a: 1 } });
    const changed = await update(node, ada, made, { properties: { a: 2 } });
    const grave = await remove(node, ada, changed);
    const a = { changed: { a: { from: 1, to: 2 } } };
    for (const query of [`?from=${made.cid}&to=${changed.cid}`, `?to=${changed.cid}`])
      expect(await diff(query, made.id)).toMatchObject({
        from: side(made),
        to: side(changed),
        changes: { properties: a },
      });
    expect(await diff(`?to=${grave.cid}&format=patch`, made.id)).toMatchObject({
      from: side(changed),
      patch: [{ op: 'remove', path: '/properties/a' }],
    });
    const { status, body } = await ask(node, ada, `GET /entities/${made.id}/diff?from=${made.cid}`);
    expect([status, body]).toMatchObject([404, { details: { deleted: true, tip: grave.cid } }]);
  });
});

describe('the semantic form', () => {
  it('tells what was added, removed and changed', async () => {
    const { changes } = await diff(`?to=${second.cid}`);
    const [has, of] = first.relationships;
    expect(changes).toEqual({
      properties: { added: { added: 'new' }, removed: { gone: null }, changed: { changed: { from: [1], to: [1, 2] } } },
      relationships: {
        added: [{ predicate: 'has', peer: other.id, peer_type: 'document' }],
        removed: [of],
        changed: [{ ...has, peer_label: 'A', properties: { from: { page: 1 }, to: { page: 2 } } }],
      },
    });
  });

  it('is empty between a version and itself', async () => {
    expect((await diff(`?from=${first.cid}&to=${first.cid}`)).changes).toEqual({
      properties: { added: {}, removed: {}, changed: {} },
      relationships: { added: [], removed: [], changed: [] },
    });
  });
});

describe('the patch form', () => {
  const content = ({ properties, relationships }: Entity) => structuredClone({ properties, relationships });

  it.each([
    ['forth', () => [first, third]],
    ['back', () => [third, first]],
  ] as const)('leads from one content to the other, %s', async (_name, sides) => {
    const [from, to] = sides() as [Entity, Entity];
    const { patch, format } = await diff(`?format=patch&from=${from.cid}&to=${to.cid}`);
    expect(format).toBe('patch');
    const document = content(from);
    expect(applyPatch(document, patch as Operation[]).every((error) => error === null)).toBe(true);
    expect(document).toEqual(content(to));
    expect(
      patch.every(
        ({ op, path }) => ['add', 'remove', 'replace'].includes(op) && /^\/(properties|relationships)/.test(path),
      ),
    ).toBe(true);
  });

  it('of version 1 adds everything', async () => {
    const document = { properties: {}, relationships: [] };
    applyPatch(document, (await diff(`?format=patch&to=${first.cid}`)).patch as Operation[]);
    expect(document).toEqual(content(first));
  });

  it('escapes names, and follows none of those that every object has', async () => {
    const text = '{"type":"x","properties":{"a/b~c":1,"__proto__":{"x":1},"constructor":{"y":1}}}';
    const json = { 'Content-Type': 'application/json' };
    const made = (await ask(node, ada, 'POST /entities', text, json)).body as Entity;
    await update(node, ada, made, { properties: { 'a/b~c': 2, constructor: { y: 2 } } });
    const { patch } = await diff('?format=patch', made.id);
    expect(patch).toEqual([
      { op: 'replace', path: '/properties/a~1b~0c', value: 2 },
      { op: 'replace', path: '/properties/constructor/y', value: 2 },
    ]);
    const all = await ask(node, ada, `GET /entities/${made.id}/diff?to=${made.cid}`);
    expect(all.status).toBe(200);
    expect(all.text).toContain('"__proto__":{"x":1}');
  });

  it('says which version is not here where that before is not, and shows nothing as new', async () => {
    const id = '01J1000000000000000000000D';
    const store = await node.ctx.networks.get('main');
    const json = store.read((db) => findVersion(db, first.cid)?.manifest);
    const before = encodeHistoric({ ...json, id } as never).cid;
    const block = encodeHistoric({ ...json, id, ver: 2, prev: { '/': before } } as never);
    const change = { id, expect: null, tip: block.cid, blocks: [block] };
    await store.submit([{ changes: [change], preconditions: [], rows: [], origin: 'local', time: 0 }]);
    const answer = await ask(node, ada, `GET /entities/${id}/diff`);
    expect(answer).toMatchObject({ status: 404, body: { details: { from: before } } });
    const same = await ask(node, ada, `GET /entities/${id}/diff?from=${block.cid}`);
    expect(same).toMatchObject({ status: 200, body: { changes: {} } });
  });

  it('leads from any content to any other, and is empty where they say the same', () => {
    const { content } = fc.letrec<{ value: Json; object: JsonObject; content: JsonObject }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(null, false, 0, 1, 2, '', 'a'),
        fc.array(tie('value'), { maxLength: 6 }),
        tie('object'),
      ),
      object: fc.dictionary(fc.constantFrom('', 'a', '-', '0', '/', '~1', 'toString'), tie('value')),
      content: tie('object'),
    }));
    const changes = (from: JsonObject, to: JsonObject) => {
      const document = structuredClone({ properties: from, relationships: [] });
      const patch = patchDiff({ properties: from, relationships: [] }, { properties: to, relationships: [] });
      expect(applyPatch(document, structuredClone(patch) as Operation[])).toEqual(patch.map(() => null));
      expect(document.properties).toEqual(to);
      return patch;
    };
    const both = fc.property(content, content, (from, to) => {
      changes(from, to);
      expect(changes(from, structuredClone(from))).toEqual([]);
    });
    fc.assert(both, { seed: 6902, numRuns: 200 });
  });

  it.each([
    { name: 'of a long list that is emptied', from: Array(100_000).fill(0), to: [] },
    { name: 'of a long list that comes', from: ['a'], to: ['a', ...Array(100_000).fill(0)] },
    { name: 'of many lists', from: Array(10).fill(Array(20_000).fill(0)), to: Array(10).fill([]) },
  ])('replaces whole what would take very many operations: $name', ({ from, to }) => {
    const content = (list: Json) => ({ properties: { list }, relationships: [] });
    const patch = patchDiff(content(from), content(to));
    expect(patch.length).toBe(1);
    expect(patch).toEqual([{ op: 'replace', path: '/properties/list', value: to }]);
  });

  it('takes an item out of a list, and puts one in, without a word of the others', async () => {
    const made = await create(node, ada, { properties: { list: ['a', 'b', 'c', 'd'] } });
    await update(node, ada, made, { properties: { list: ['a', 'c', 'd', { e: 1 }] } });
    expect((await diff('?format=patch', made.id)).patch).toEqual([
      { op: 'remove', path: '/properties/list/1' },
      { op: 'add', path: '/properties/list/3', value: { e: 1 } },
    ]);
  });

  const list = (length: number, item: (i: number) => unknown = (i) => i) => Array.from({ length }, (_, i) => item(i));

  it.each([
    ['comes', [], list(20_000), 20_000],
    ['goes but for one item', list(20_000), [7], 19_999],
    [
      'is one of rows, all of which change',
      list(40, (i) => list(40, (j) => i + j + 1)),
      list(40, () => list(40, () => 0)),
      1600,
    ],
    ['stays', list(1000), list(1000), 0],
    ['changes whole', list(1000), list(1000, (i) => -1 - Number(i)), 1],
  ])('has what it can of a long list that %s', async (_name, before, after, count) => {
    const made = await create(node, ada, { properties: { list: before } });
    await update(node, ada, made, { properties: { list: after } });
    expect((await diff('?format=patch', made.id)).patch).toHaveLength(count);
  });
});
