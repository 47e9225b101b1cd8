import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CollectionLinesView,
  TableFacetsView,
  TablePageView,
} from '../../src/server/resources/node/tables/wire.ts';
import { misfits } from '../contract/document.ts';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  create,
  type Entity,
  invalid,
  notFound,
  nowhere,
  ok,
  onTest,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
let ada: Person;
const clock = { ms: Date.UTC(2026, 0, 1) };
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  me = operator(node);
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

const made = (where: Entity, type: string, properties: object, relationships: object[] = []) => {
  clock.ms += 1000;
  return create(node, me, { type, collection: where.id, properties, relationships });
};
type Query = Record<string, string | number | string[] | object[] | undefined>;
const queryOf = (query: Query) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  );
async function page(where: Entity, query: Query = {}): Promise<TablePageView> {
  const answer = await ask(node, me, `GET /node/collections/${where.id}/table?${queryOf(query)}`);
  expect(misfits('GET /node/collections/{id}/table', answer.status, answer.body), answer.text).toEqual([]);
  return ok<TablePageView>(answer);
}
const labels = async (where: Entity, query: Query = {}) => (await page(where, query)).rows.map(({ label }) => label);

describe('the overview of collections', () => {
  it('counts what lies in each, newest first', async () => {
    clock.ms += 1000;
    const first = await collection(node, me, { label: 'Letters' });
    clock.ms += 1000;
    const second = await collection(node, me, { label: 'Maps' });
    await made(first, 'letter', { label: 'one' });
    await remove(node, me, await made(first, 'letter', { label: 'two' }));
    const answer = await ask(node, me, 'GET /node/collections?limit=2');
    expect(misfits('GET /node/collections', 200, answer.body)).toEqual([]);
    const { collections, total } = ok<CollectionLinesView>(answer);
    expect(collections.map(({ id, label, entities, mirror }) => [id, label, entities, mirror])).toEqual([
      [second.id, 'Maps', 0, null],
      [first.id, 'Letters', 1, null],
    ]);
    expect(total).toBe(2);
  });
});

describe('the collections that a text may mean', () => {
  it('are its namesakes, then what begins with it, the own ones first and those of jobs last', async () => {
    await using other = await startNode();
    const boss = operator(other);
    const make = (label: string) => collection(other, boss, { label });
    const job = 'Pipeline Job: job_01M8P3AV5J4F7BMC69R65RPYPE';
    const ids = new Map<string, string>();
    for (const label of ['Straßen', 'Old Mäps', 'maps', 'Maps of Wales', 'Letters', job])
      ids.set(label, (await make(label)).id);
    const found = async (query: Query) => {
      const answer = await ask(other, boss, `GET /node/collections?${queryOf(query)}`);
      expect(misfits('GET /node/collections', 200, answer.body)).toEqual([]);
      const { collections, total } = ok<CollectionLinesView>(answer);
      return [collections.map(({ label }) => label), total];
    };
    expect(await found({ q: ' MÁPS ' })).toEqual([['maps', 'Maps of Wales', 'Old Mäps'], 3]);
    expect(await found({ q: 'maps', limit: 1, offset: 1 })).toEqual([['Maps of Wales'], 3]);
    expect(await found({ q: '' })).toEqual([['Letters', 'Maps of Wales', 'maps', 'Old Mäps', 'Straßen', job], 6]);
    expect(await found({ q: ids.get('Letters') ?? '' })).toEqual([['Letters'], 1]);
    expect(await found({ q: 'strasse' })).toEqual([['Straßen'], 1]);
    expect(await found({ q: 'photographs' })).toEqual([[], 0]);
  });
});

describe('the facets of a collection', () => {
  it('count its types, and name the properties and predicates of those that are asked for', async () => {
    const home = await collection(node, me);
    const ann = await made(home, 'person', { label: 'Ann', born: 1900, alive: false });
    await made(home, 'letter', { label: 'To Ann', pages: 2 }, [{ predicate: 'to', peer: ann.id }]);
    await made(home, 'letter', { label: 'Again', pages: 'many', dates: [1, 2], place: null });
    const facets = async (types?: string[]) => {
      const answer = await ask(node, me, `GET /node/collections/${home.id}/facets?${queryOf({ types })}`);
      expect(misfits('GET /node/collections/{id}/facets', 200, answer.body)).toEqual([]);
      return ok<TableFacetsView>(answer);
    };
    expect(await facets(['letter'])).toEqual({
      collection_id: home.id,
      types: [
        { type: 'letter', count: 2 },
        { type: 'person', count: 1 },
      ],
      sampled: 2,
      properties: [
        { name: 'label', present: 2, kinds: ['string'] },
        { name: 'pages', present: 2, kinds: ['string', 'number'] },
        { name: 'dates', present: 1, kinds: ['array'] },
        { name: 'place', present: 1, kinds: [] },
      ],
      relationships: [
        { name: 'collection', present: 2, kinds: ['array'] },
        { name: 'to', present: 1, kinds: ['array'] },
      ],
    });
    expect((await facets()).properties.map(({ name }) => name)).toEqual([
      ...['label', 'pages', 'alive', 'born', 'dates', 'place'],
    ]);
  });
});

describe('a table', () => {
  let home: Entity;
  let ann: Entity;
  beforeAll(async () => {
    home = await collection(node, me);
    ann = await made(home, 'person', { label: 'Ann' });
    const to = [{ predicate: 'to', peer: ann.id, peer_label: 'Ann' }];
    await made(home, 'letter', { label: 'éclair', year: 1900, seen: true, 'odd "name\\': 'x' }, to);
    await made(home, 'letter', { label: 'Zebra', year: 1899.5, seen: false, tags: ['a', 'b'] });
    await made(home, 'letter', { label: 'apple', year: 'unknown', text: 'long '.repeat(100) });
    await made(home, 'letter', {});
  });

  it('has the newest first, with the cells of the columns that are wanted', async () => {
    const columns = ['properties.year', 'properties.seen', 'properties.tags', 'relationships.to', 'properties.text'];
    const { rows, total, offset } = await page(home, { columns: [...columns, 'properties.odd "name\\'] });
    expect([total, offset]).toEqual([5, 0]);
    expect(rows.map(({ label }) => label)).toEqual([null, 'apple', 'Zebra', 'éclair', 'Ann']);
    expect(rows.map(({ cells }) => cells)).toEqual([
      {},
      { 'properties.year': 'unknown', 'properties.text': `${'long '.repeat(48)}…` },
      { 'properties.year': 1899.5, 'properties.seen': false, 'properties.tags': 'a, b' },
      {
        'properties.year': 1900,
        'properties.seen': true,
        'relationships.to': 'Ann',
        'properties.odd "name\\': 'x',
      },
      {},
    ]);
  });

  it('is sorted by any column, what is missing at the end', async () => {
    const letter = { types: ['letter'] };
    expect(await labels(home, { ...letter, sort: 'label' })).toEqual(['apple', 'éclair', 'Zebra', null]);
    expect(await labels(home, { ...letter, sort: 'label', order: 'desc' })).toEqual(['Zebra', 'éclair', 'apple', null]);
    expect(await labels(home, { ...letter, sort: 'properties.year' })).toEqual(['Zebra', 'éclair', 'apple', null]);
    expect(await labels(home, { ...letter, sort: 'properties.year', order: 'desc' })).toEqual([
      ...['apple', 'éclair', 'Zebra', null],
    ]);
    expect((await labels(home, { sort: 'relationships.to' }))[0]).toBe('éclair');
    expect((await labels(home, { sort: 'created_at' }))[0]).toBe('Ann');
  });

  it('has only the rows that fit', async () => {
    const where = (column: string, op: string, value?: string) => labels(home, { filter: [{ column, op, value }] });
    expect(await where('label', 'contains', 'EB')).toEqual(['Zebra']);
    expect(await where('label', 'is', 'ÉCLAIR')).toEqual(['éclair']);
    expect(await where('properties.year', 'min', '1900')).toEqual(['apple', 'éclair']);
    expect(await where('properties.year', 'max', '1899.9')).toEqual(['Zebra']);
    expect(await where('properties.seen', 'is', 'false')).toEqual(['Zebra']);
    expect(await where('properties.seen', 'not', 'false')).toEqual([null, 'apple', 'éclair', 'Ann']);
    expect(await where('properties.tags', 'present')).toEqual(['Zebra']);
    expect(await where('properties.tags', 'is', 'A, b')).toEqual(['Zebra']);
    expect(await where('properties.tags', 'contains', '"')).toEqual([]);
    expect(await where('label', 'missing')).toEqual([null]);
    expect(await where('relationships.to', 'contains', 'ann')).toEqual(['éclair']);
    expect(await where('properties.odd "name\\', 'is', 'x')).toEqual(['éclair']);
    const both = [
      { column: 'properties.year', op: 'present' },
      { column: 'label', op: 'contains', value: 'e' },
    ];
    expect(await labels(home, { filter: both, types: ['letter', 'person'] })).toEqual(['apple', 'Zebra']);
  });

  it('sorts and compares lists as its cells show them', async () => {
    const lists = await collection(node, me);
    for (const value of [['oil', 'wood'], 'oil', [], [true, 2], [['a'], 'b'], 'paper'])
      await made(lists, 'work', { label: JSON.stringify(value), value });
    const sorted = await page(lists, { sort: 'properties.value', columns: ['properties.value'] });
    expect(sorted.rows.map(({ cells }) => cells['properties.value'])).toEqual([
      ...['[["a"],"b"]', 'oil', 'oil, wood', 'paper', 'true, 2', ''],
    ]);
    for (const { label, cells } of sorted.rows) {
      const filter = [{ column: 'properties.value', op: 'is', value: cells['properties.value'] }];
      if (label !== '[]') expect(await labels(lists, { filter })).toEqual([label]);
    }
    expect(await labels(lists, { filter: [{ column: 'properties.value', op: 'missing' }] })).toEqual(['[]']);
  });

  it('shows, sorts and tests peers by what they are called now', async () => {
    const books = await collection(node, me);
    const author = await made(books, 'person', { label: 'J. Smith' });
    const gone = await made(books, 'person', { label: 'Zoe' });
    const by = (label: string, one: object) => made(books, 'book', { label }, [{ predicate: 'author', ...one }]);
    await by('renamed', { peer: author.id, peer_label: 'J. Smith' });
    await by('unsaid', { peer: author.id });
    await by('deleted', { peer: gone.id, peer_label: 'Zoe' });
    await update(node, me, author, { properties: { label: 'Ann Smith' } });
    await remove(node, me, gone);
    const column = 'relationships.author';
    const { rows } = await page(books, { types: ['book'], sort: column, columns: [column] });
    expect(rows.map(({ label, cells }) => [label, cells[column]])).toEqual([
      ['unsaid', 'Ann Smith'],
      ['renamed', 'Ann Smith'],
      ['deleted', 'Zoe'],
    ]);
    expect(await labels(books, { filter: [{ column, op: 'contains', value: 'ann' }] })).toEqual(['unsaid', 'renamed']);
    expect(await labels(books, { filter: [{ column, op: 'contains', value: 'J.' }] })).toEqual([]);
  });

  it('compares texts by the number that they are or begin with, as it sorts them', async () => {
    const years = await collection(node, me);
    const values = ['950', 'unknown', '9', 1200, '1890-05-01', '10', '1890', 'c. 1700', '1891', '9.75', '-3', '', 1e3];
    for (const year of values) await made(years, 'work', { label: String(year), year });
    const column = 'properties.year';
    const sorted = ['-3', '9', '9.75', '10', '950', '1000', '1200', '1890', '1890-05-01', '1891', 'c. 1700', 'unknown'];
    expect(await labels(years, { sort: column })).toEqual([...sorted, null]);
    const where = (op: string, value: string) => labels(years, { sort: column, filter: [{ column, op, value }] });
    for (const [i, value] of sorted.entries()) expect(await where('min', value), value).toEqual(sorted.slice(i));
    for (const [i, value] of sorted.entries()) expect(await where('max', value), value).toEqual(sorted.slice(0, i + 1));
    expect(await where('min', '100')).toEqual(sorted.slice(4));
    expect(await where('min', 'C')).toEqual(sorted.slice(10));
  });

  it('keeps its order from page to page, whatever is written meanwhile', async () => {
    const first = await page(home, { sort: 'label', limit: 2 });
    expect(first.rows.map(({ label }) => label)).toEqual(['Ann', 'apple']);
    const late = await made(home, 'letter', { label: 'Aaron' });
    const second = await page(home, { sort: 'label', limit: 2, offset: 2, view: first.view });
    expect(second.rows.map(({ label }) => label)).toEqual(['éclair', 'Zebra']);
    expect([second.view, second.total]).toEqual([first.view, 5]);
    expect(await labels(home, { sort: 'label', limit: 1 })).toEqual(['Aaron']);
    const now = await page(home, { sort: 'label', limit: 1 });
    await remove(node, me, late);
    const gone = await page(home, { sort: 'label', limit: 1, view: now.view });
    expect(gone.rows).toEqual([expect.objectContaining({ id: late.id, gone: true, cells: {} })]);
    // A view of another table is none of this one.
    expect(await labels(home, { sort: 'label', order: 'desc', limit: 1, view: now.view })).toEqual(['Zebra']);
  });

  it('cuts no page from an order that was made after another start, under the name of one from before', async () => {
    await using folder = await temporaryFolder();
    let works: Entity;
    const first = async (of: TestNode, view?: string) => {
      const query = queryOf({ sort: 'label', limit: 1, view });
      return ok<TablePageView>(await ask(of, operator(of), `GET /node/collections/${works.id}/table?${query}`));
    };
    const add = (of: TestNode, label: string) =>
      create(of, operator(of), { collection: works.id, properties: { label } });
    let before: TablePageView;
    {
      await using earlier = await startNode({ data: folder.path });
      works = await collection(earlier, operator(earlier), { label: 'Works' });
      await add(earlier, 'Nocturne');
      before = await first(earlier);
    }
    await using later = await startNode({ data: folder.path });
    const between = await first(later);
    await add(later, 'Arrangement');
    const now = await first(later, before.view);
    expect([before, between, now].map(({ rows }) => rows[0]?.label)).toEqual(['Nocturne', 'Nocturne', 'Arrangement']);
    expect(new Set([before.view, between.view, now.view]).size).toBe(3);
  });

  it('is refused where what is asked for is nothing', async () => {
    const asked = async (query: Query) => {
      const answer = await ask(node, me, `GET /node/collections/${home.id}/table?${queryOf(query)}`);
      expect(answer.status).toBe(400);
      return answer.body;
    };
    const column = expect.stringContaining('must be id, type, label');
    expect(await asked({ sort: 'year' })).toEqual(invalid(['sort'], column));
    expect(await asked({ columns: ['year'] })).toEqual(invalid(['columns', 0], column));
    expect(await asked({ columns: 'year' })).toEqual(invalid(['columns'], expect.stringContaining('a JSON list')));
    expect(await asked({ types: '[1]' })).toEqual(invalid(['types'], expect.stringContaining('a JSON list')));
    expect(await asked({ filter: '{}' })).toEqual(invalid(['filter'], expect.stringContaining('a JSON list')));
    expect(await asked({ filter: [{ column: 'label', op: 'like', value: 'x' }] })).toEqual(
      invalid(['filter', 0], expect.stringContaining('{column, op, value}')),
    );
    expect(await asked({ limit: 501 })).toEqual(invalid(['limit'], 'must be at most 500'));
  });

  it("is the operator's, of a live collection", async () => {
    for (const path of ['', `/${home.id}/table`, `/${home.id}/facets`]) {
      expect((await ask(node, anonymous, `GET /node/collections${path}`)).status).toBe(401);
      expect((await ask(node, ada, `GET /node/collections${path}`)).status).toBe(403);
    }
    for (const what of ['table', 'facets']) {
      const get = (id: string) => ask(node, me, `GET /node/collections/${id}/${what}`);
      expect((await get(nowhere)).body).toEqual(notFound);
      expect((await get(ann.id)).body).toEqual(notFound);
      expect((await get(onTest)).status).toBe(400);
      const gone = await collection(node, me);
      await remove(node, me, gone);
      expect((await get(gone.id)).body).toEqual(notFound);
    }
  });
});
