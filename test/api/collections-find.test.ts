import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CatalogView,
  CollectionSearchView,
  FoundEntityView,
  LookupView,
} from '../../src/server/resources/collections/wire.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let home: Entity;
const clock = { ms: Date.UTC(2026, 0, 1) };
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  ada = await user(node, 'ada');
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

const made = (label: string | undefined, type = 'work', where: Entity = home) => {
  clock.ms += 1000;
  return create(node, ada, { type, collection: where.id, ...(label === undefined ? {} : { properties: { label } }) });
};
const asked = async <T>(what: 'lookup' | 'search', query: Record<string, string>, where: Entity = home) =>
  ok<T>(await ask(node, anonymous, `GET /collections/${where.id}/entities/${what}?${new URLSearchParams(query)}`));
const lookUp = async (query: Record<string, string>, where?: Entity) =>
  labels((await asked<LookupView>('lookup', query, where)).entities);
const search = async (query: Record<string, string>, where?: Entity) =>
  labels((await asked<CollectionSearchView>('search', query, where)).entities);
const labels = (found: FoundEntityView[]) => found.map(({ label, type }) => `${label} ${type}`);

describe('a lookup', () => {
  it('takes the whole label, whatever its case, newest first', async () => {
    for (const label of ['Straße', 'STRASSE', 'strasse 2', 'Caf\u00e9']) await made(label);
    expect(await lookUp({ label: 'strasse' })).toEqual(['STRASSE work', 'Straße work']);
    expect(await lookUp({ label: 'CAFE\u0301' })).toEqual(['Caf\u00e9 work']);
    expect(await lookUp({ label: 'cafe' })).toEqual([]);
  });

  it('gives first what was made last, though something named it before the others were made', async () => {
    const box = await collection(node, ada);
    const id = '01J0000000000000000000NAMD';
    const relationships = [{ predicate: 'mentions', peer: id }];
    const body = { type: 'letter', collection: box.id, relationships };
    ok(await ask(node, ada, 'POST /entities?validate_relationships=false', body));
    for (const label of ['Report', 'report']) await made(label, 'work', box);
    clock.ms += 1000;
    await create(node, ada, { id, type: 'work', collection: box.id, properties: { label: 'REPORT' } });
    expect(await lookUp({ label: 'report' }, box)).toEqual(['REPORT work', 'report work', 'Report work']);
    expect(await lookUp({ label: 'report', limit: '1' }, box)).toEqual(['REPORT work']);
    expect(await lookUp({ label: 'report', type: 'WORK', limit: '2' }, box)).toEqual(['REPORT work', 'report work']);
  });

  it('takes a type, with a label or without', async () => {
    const box = await collection(node, ada);
    await made('one', 'Letter', box);
    await made('two', 'letter', box);
    await made('one', 'note', box);
    await made(undefined, 'note', box);
    await made('three', 'Straße', box);
    expect(await lookUp({ type: 'LETTER' }, box)).toEqual(['two letter', 'one Letter']);
    expect(await lookUp({ type: 'note' }, box)).toEqual(['null note', 'one note']);
    expect(await lookUp({ type: 'STRASSE' }, box)).toEqual(['three Straße']);
    expect(await lookUp({ type: 'letter', label: 'ONE' }, box)).toEqual(['one Letter']);
    expect(await lookUp({ type: 'letter', limit: '1' }, box)).toEqual(['two letter']);
    expect(await asked('lookup', { type: 'unheard of' }, box)).toEqual({
      collection_id: box.id,
      entities: [],
      count: 0,
    });
  });

  it('goes with the entity: its label, its collections, its deletion and its return', async () => {
    const [one, two] = [await collection(node, ada), await collection(node, ada)];
    const found = async (label: string) => [
      (await lookUp({ label }, one)).length,
      (await lookUp({ label }, two)).length,
    ];
    const first = await made('before', 'work', one);
    expect(await found('BEFORE')).toEqual([1, 0]);
    const renamed = await update(node, ada, first, {
      properties: { label: 'after' },
      relationships_add: [{ predicate: 'collection', peer: two.id }],
    });
    expect([await found('before'), await found('after')]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    const moved = await update(node, ada, renamed, {
      relationships_remove: [{ predicate: 'collection', peer: one.id }],
    });
    expect(await found('after')).toEqual([0, 1]);
    const grave = await remove(node, ada, moved);
    expect(await found('after')).toEqual([0, 0]);
    ok(await ask(node, ada, `POST /entities/${first.id}/restore`, { expect_tip: grave.cid }));
    expect(await found('after')).toEqual([0, 1]);
  });

  it('tells long labels apart that begin alike', async () => {
    const long = 'L'.repeat(600);
    await made(`${long}a`);
    await made(`${long}b`);
    expect(await lookUp({ label: `${long}B` })).toEqual([`${long}b work`]);
    expect(await lookUp({ label: long })).toEqual([]);
  });
});

describe('a search by part of a label', () => {
  it('finds it anywhere, what is known for the shortest time first', async () => {
    const box = await collection(node, ada);
    for (const label of ['Zebra', 'a zebroid', 'Horse', '100 % zebra_', 'ΟΔΟΣ ZEBRA']) await made(label, 'animal', box);
    await made('zebra crossing', 'street', box);
    expect(await search({ q: 'ZEBR' }, box)).toEqual([
      'zebra crossing street',
      'ΟΔΟΣ ZEBRA animal',
      '100 % zebra_ animal',
      'a zebroid animal',
      'Zebra animal',
    ]);
    expect(await search({ q: 'zebra', type: 'STREET' }, box)).toEqual(['zebra crossing street']);
    expect(await search({ q: 'zebr', limit: '2' }, box)).toEqual(['zebra crossing street', 'ΟΔΟΣ ZEBRA animal']);
    expect(await search({ q: '% z' }, box)).toEqual(['100 % zebra_ animal']);
    expect(await search({ q: '_' }, box)).toEqual(['100 % zebra_ animal']);
    expect(await search({ q: 'οδος' }, box)).toEqual(['ΟΔΟΣ ZEBRA animal']);
    expect(await search({ q: 'z%a' }, box)).toEqual([]);
  });
});

describe('the catalog', () => {
  it('lists live collections in pages, newest first, and counts them', async () => {
    await using fresh = await startNode({ now: () => clock.ms });
    const eve = await user(fresh, 'eve');
    const all: Entity[] = [];
    for (let n = 0; n < 4; n++) {
      clock.ms += 1000;
      all.unshift(await collection(fresh, eve));
    }
    const page = async (query: string) =>
      ok<CatalogView>(await ask(fresh, anonymous, `GET /collections/catalog${query}`));
    await remove(fresh, eve, all[1] as Entity);
    const left = all.filter((_, n) => n !== 1).map(({ id, created_at }) => ({ id, updated_at: created_at }));
    expect(await page('')).toEqual({
      data: left,
      pagination: { total: 3, limit: 100, offset: 0, has_more: false },
    });
    expect(await page('?limit=1&offset=1')).toEqual({
      data: left.slice(1, 2),
      pagination: { total: 3, limit: 1, offset: 1, has_more: true },
    });
    expect((await page('?offset=9')).data).toEqual([]);
  });
});
