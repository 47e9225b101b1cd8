import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, on, operator, type Person, processor, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, nowhere, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { type FoundHits, indexIdle, labels, search } from '../helpers/searches.ts';

// Every optional field of every search endpoint, over one small world of herons.

let node: TestNode;
let owner: Person;
let reader: Person;
let now = Date.UTC(2026, 0, 1);
/** A collection of drawings, one of letters, and one that nobody of the test holds a role in. */
let drawings: Entity;
let letters: Entity;
let others: Entity;
let drawn: Entity[];
let agents: Entity[];

beforeAll(async () => {
  node = await startNode({ now: () => now });
  [owner, reader] = [await user(node, 'owner'), await user(node, 'reader')];
  const admin = operator(node);
  const herons = { description: 'All about herons' };
  drawings = await collection(node, owner, { label: 'Drawings', ...herons, properties: { _place: 'attic' } });
  letters = await collection(node, owner, { label: 'Letters', ...herons, properties: { _place: 'cellar' } });
  others = await collection(node, admin, { label: 'Others', ...herons });
  const plant = async (within: Entity, who: Person, type: string, label: string, more: object = {}) => {
    now += 1000;
    return create(node, who, { type, collection: within.id, properties: { label, ...more } });
  };
  drawn = [];
  for (let i = 0; i < 6; i++)
    drawn.push(
      await plant(drawings, owner, 'drawing', `Heron ${i}`, {
        ...{
          _year: 1900 + i,
          _tags: ['bird', `n${i}`],
          _signed: i % 2 === 0,
          description: 'A heron by a pond',
          text: 'Herons',
        },
        ...(i === 5 && { _gone: null, _place: { shelf: 3 } }),
      }),
    );
  for (let i = 0; i < 3; i++) await plant(letters, owner, 'letter', `On herons ${i}`, { _year: `${1910 + i}` });
  await plant(letters, owner, 'envelope', 'For a heron');
  for (let i = 0; i < 4; i++) await plant(others, admin, 'drawing', `A heron of others ${i}`);
  const agent = (who: Person, within: string, label: string, more: object) =>
    create(node, who, {
      type: 'agent',
      collection: within,
      properties: {
        label,
        description: 'Counts herons',
        endpoint: 'https://a.test',
        actions_required: ['entity:view'],
        ...more,
      },
    });
  agents = [
    await agent(admin, others.id, 'Heron counter', { status: 'development', _cost: 1 }),
    await agent(owner, drawings.id, 'Heron watcher', { status: 'development', _cost: 2 }),
  ];
  await create(node, owner, { type: 'note', properties: { label: 'A loose heron', _year: 1900 } });
  await enrol(node, owner, drawings.id, reader, 'viewer');
  await indexIdle(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const find = (endpoint: string, body: object, who = owner): Promise<FoundHits> =>
  search(node, who, endpoint, { query: 'heron', ...body });
const names = async (endpoint: string, body: object, who = owner) => labels(await find(endpoint, body, who)).toSorted();
const places = async (endpoint: string, body: object) => {
  const { results } = await find(endpoint, body);
  const of = (id: string | null | undefined) =>
    [drawings, letters, others].find((one) => one.id === id)?.properties.label;
  return results.map(({ collection_id }) => String(of(collection_id) ?? 'none'));
};
const times = (n: number, word: string) => Array<string>(n).fill(word);

describe('POST /search/entities', () => {
  it('collection_id, collection_ids: one, several, none, unknown ones; the same one counts once', async () => {
    expect(await places('entities', { collection_id: letters.id })).toEqual(times(4, 'Letters'));
    expect((await places('entities', { collection_ids: [letters.id, others.id] })).toSorted()).toEqual([
      ...times(4, 'Letters'),
      ...times(4 + 1, 'Others'),
    ]);
    expect(await names('entities', { collection_ids: [], limit: 100 })).toHaveLength(17);
    expect(await names('entities', { collection_id: nowhere })).toEqual([]);
    const twice = await find('entities', { collection_id: letters.id, collection_ids: [letters.id, nowhere] });
    expect(twice.metadata).toMatchObject({
      collection_ids: [letters.id, nowhere],
      collections_searched: 2,
      result_count: 4,
    });
  });

  it('types', async () => {
    expect(await names('entities', { types: ['envelope'] })).toEqual(['For a heron']);
    expect(await names('entities', { types: ['envelope', 'note', 'none'] })).toEqual(['A loose heron', 'For a heron']);
    expect(await names('entities', { types: ['collection'] })).toEqual(['Drawings', 'Letters', 'Others']);
    expect(await names('entities', { types: [], limit: 100 })).toHaveLength(17);
  });

  it('limit, at its borders and without', async () => {
    const more: Entity[] = [];
    for (let i = 0; i < 10; i++) more.push(await create(node, owner, { properties: { label: `Heron of more ${i}` } }));
    await indexIdle(node);
    const count = async (limit?: number) => (await names('entities', { limit })).length;
    expect([await count(1), await count(), await count(100)]).toEqual([1, 20, 27]);
    for (const one of more) await remove(node, owner, one);
    expect(await count(100)).toBe(17);
  });

  it('per_collection_limit: the best of each, and what lies in none', async () => {
    expect((await places('entities', { per_collection_limit: 2 })).toSorted()).toEqual([
      ...times(2, 'Drawings'),
      ...times(2, 'Letters'),
      ...times(2, 'Others'),
      'none',
    ]);
    expect(await places('entities', { per_collection_limit: 50, collection_id: letters.id })).toHaveLength(4);
    const all = await find('entities', { limit: 100 });
    const best = all.results.find(({ collection_id }) => collection_id === drawings.id)?.id;
    const one = await find('entities', { per_collection_limit: 1, types: ['drawing'] });
    expect(one.results.map(({ id }) => id)).toContain(best);
  });

  it('per_collection_limit: of what lies in several, in each of them that is searched', async () => {
    const [upper, lower] = [
      await collection(node, owner, { label: 'U' }),
      await collection(node, owner, { label: 'L' }),
    ];
    const made: Entity[] = [];
    for (const [first, second] of [drawings, letters].flatMap((one) => times(3, '').map(() => [one, upper] as const)))
      made.push(
        await create(node, owner, {
          collection: first.id,
          relationships: [second, lower].map(({ id }) => ({ predicate: 'collection', peer: id })),
          properties: { label: 'A heron of several' },
        }),
      );
    made.push(await create(node, owner, { collection: upper.id, properties: { label: 'A heron of one' } }));
    await indexIdle(node);
    const count = async (body: object) => (await names('entities', { limit: 100, ...body })).length;
    const of = (...some: Entity[]) => ({ collection_ids: some.map(({ id }) => id) });
    expect(await count({ ...of(upper), per_collection_limit: 2 })).toBe(2);
    expect(await count({ ...of(lower), per_collection_limit: 4 })).toBe(4);
    expect(await count({ ...of(upper, lower), per_collection_limit: 6 })).toBe(6);
    expect(await count({ ...of(upper, lower), per_collection_limit: 7 })).toBe(7);
    for (const one of [...made, upper, lower]) await remove(node, owner, one);
    await indexIdle(node);
  });

  it('expand: a preview, the whole entity beside it, or neither', async () => {
    const shown = async (expand?: string) => {
      const { results } = await find('entities', { types: ['envelope'], expand });
      const { entity, entity_preview } = results[0] ?? {};
      return [entity_preview?.label, entity?.properties.label];
    };
    expect(await shown()).toEqual(['For a heron', undefined]);
    expect(await shown('preview')).toEqual(['For a heron', undefined]);
    expect(await shown('none')).toEqual([undefined, undefined]);
    expect(await shown('full')).toEqual(['For a heron', 'For a heron']);
  });
});

describe('the filter', () => {
  const drawnIn = (...numbers: number[]) => numbers.map((n) => `Heron ${n}`);
  it.each<[object, () => string[]]>([
    [{ _year: 1903 }, () => drawnIn(3)],
    [{ _year: { $eq: 1903 } }, () => drawnIn(3)],
    [{ _year: { $ne: 1903 } }, () => drawnIn(0, 1, 2, 4, 5)],
    [{ _year: { $gt: 1904 } }, () => drawnIn(5)],
    [{ _year: { $gte: 1904 } }, () => drawnIn(4, 5)],
    [{ _year: { $lt: 1901 } }, () => drawnIn(0)],
    [{ _year: { $lte: 1901 } }, () => drawnIn(0, 1)],
    [{ _year: { $gt: 1901, $lt: 1904 } }, () => drawnIn(2, 3)],
    [{ _year: { $in: [1901, 1905, '1903', null] } }, () => drawnIn(1, 5)],
    [{ _year: { $nin: [1901, 1905] } }, () => drawnIn(0, 2, 3, 4)],
    [{ _tags: { $in: ['n1', 'n2'] } }, () => drawnIn(1, 2)],
    [{ _tags: { $nin: ['n1', 'n2'] } }, () => drawnIn(0, 3, 4, 5)],
    [{ _tags: 'n4' }, () => drawnIn(4)],
    [{ _signed: true }, () => drawnIn(0, 2, 4)],
    [{ _signed: { $in: [false, 'x'] } }, () => drawnIn(1, 3, 5)],
    [{ _place: { $exists: true } }, () => drawnIn(5)],
    [{ _place: { $exists: false } }, () => drawnIn(0, 1, 2, 3, 4)],
    [{ _gone: null, _year: { $gte: 1905 } }, () => drawnIn(5)],
    [{ _gone: { $in: [null, 1] }, _year: 1900 }, () => drawnIn(0)],
    [{ $and: [{ _year: { $gt: 1900 } }, { _signed: true }] }, () => drawnIn(2, 4)],
    [{ $or: [{ _year: 1900 }, { $and: [{ _tags: 'bird' }, { _year: 1901 }] }] }, () => drawnIn(0, 1)],
    [{ $or: [{ type: 'letter' }, { _year: 1900 }] }, () => drawnIn(0)],
    [{ type: { $ne: 'drawing' } }, () => []],
    [{ type: { $in: ['drawing', 'letter'] } }, () => drawnIn(0, 1, 2, 3, 4, 5)],
    [{ created_at: { $lte: '2026-01-01T00:00:02Z' } }, () => drawnIn(0, 1)],
    [{ created_at: { $in: ['2026-01-01T00:00:02Z', '2026-01-01T01:00:03+01:00'] } }, () => drawnIn(1, 2)],
    [{ updated_at: { $gt: '2026-01-01T00:00:05.5Z' } }, () => drawnIn(5)],
    [{ created_at: { $exists: true }, _year: { $gt: 1904 } }, () => drawnIn(5)],
    [{}, () => drawnIn(0, 1, 2, 3, 4, 5)],
  ])('%j', async (filter, expected) => {
    expect(await names('entities', { collection_id: drawings.id, types: ['drawing'], filter })).toEqual(expected());
  });

  it('holds in /search/collections, /search/agents and /search/discover', async () => {
    expect(await names('collections', { filter: { _place: 'attic' } })).toEqual(['Drawings']);
    expect(await names('agents', { scope: 'all', filter: { _cost: { $gt: 1 } } })).toEqual(['Heron watcher']);
    expect(await names('discover', { filter: { _year: 1905 } })).toEqual(['Heron 5']);
  });

  it('with as many conditions as there may be, over all that is found', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 990 }, (_, i) => [`_none${i}`, { $exists: false }]).slice(0, 490),
    );
    expect(await names('entities', { filter: { ...many, type: 'envelope' } })).toEqual(['For a heron']);
    const flat = Object.fromEntries(Array.from({ length: 990 }, (_, i) => [`_none${i}`, null]));
    expect(await names('entities', { filter: { ...flat, type: 'envelope' } })).toEqual(['For a heron']);
    const wide = {
      $or: Array.from({ length: 9 }, (_, n) => ({
        _year: { $in: Array.from({ length: 100 }, (_, i) => n * 100 + i) },
      })),
    };
    expect(await names('entities', { filter: wide })).toEqual([]);
    const years = Array.from({ length: 990 }, (_, i) => 914 + i);
    const among = await names('entities', { filter: { _year: { $in: years } } });
    expect(await names('entities', { filter: { _year: { $gte: 914, $lte: 1903 } } })).toEqual(among);
    expect(among).toContain('Heron 3');
    const outside = await names('entities', { filter: { _year: { $nin: years, $exists: true } } });
    expect(outside).toEqual(expect.arrayContaining(['Heron 4', 'Heron 5']));
    expect(outside.filter((one) => among.includes(one))).toEqual([]);
    const each = years.slice(-490).map((year) => ({ _year: year }));
    expect(await names('entities', { filter: { $or: each } })).toEqual(among);
    expect(await names('entities', { filter: { type: { $in: ['envelope', ...years.map(String)] } } })).toEqual([
      'For a heron',
    ]);
  });
});

describe('POST /search/collections', () => {
  it('limit, types, expand', async () => {
    expect(await names('collections', {})).toEqual(['Drawings', 'Letters', 'Others']);
    expect(await names('collections', { limit: 1 })).toHaveLength(1);
    expect(await names('collections', { types: ['letter'] })).toEqual(['Letters']);
    expect(await names('collections', { types: ['drawing'] })).toEqual(['Drawings', 'Others']);
    expect(await names('collections', { types: ['none'] })).toEqual([]);
    expect(await names('collections', { types: [] })).toEqual(['Drawings', 'Letters', 'Others']);
    const [none, preview, full] = await Promise.all(
      ['none', 'preview', 'full'].map((expand) => find('collections', { types: ['letter'], expand })),
    );
    expect(none?.results[0]).not.toHaveProperty('entity_preview');
    expect(preview?.results[0]?.entity_preview).toMatchObject({ description_preview: 'All about herons' });
    expect(full?.results[0]?.entity).toMatchObject({ id: letters.id, cid: letters.cid });
    expect(full?.metadata).toEqual({ query: 'heron', result_count: 1 });
  });
});

describe('POST /search/agents', () => {
  it('scope, limit, expand', async () => {
    expect(await names('agents', {})).toEqual(['Heron counter']);
    expect(await names('agents', { scope: 'official' })).toEqual(['Heron counter']);
    expect(await names('agents', { scope: 'all' })).toEqual(['Heron counter', 'Heron watcher']);
    expect(await names('agents', { scope: 'all', limit: 1 })).toHaveLength(1);
    const { results, metadata } = await find('agents', { expand: 'full' });
    expect(results).toMatchObject([{ id: agents[0]?.id, status: 'development', entity: { id: agents[0]?.id } }]);
    expect(metadata).toEqual({ query: 'heron', result_count: 1 });
    expect((await find('agents', { expand: 'none' })).results[0]).not.toHaveProperty('entity_preview');
  });

  it('the official collection may be set', async () => {
    await using other = await startNode({ env: { ARCHEION_OFFICIAL_COLLECTION: '01J00000000000000000000000' } });
    const me = operator(other);
    const made = async (label: string, id?: string) => {
      const { id: within } = await collection(other, me, { label, ...(id && { id }) });
      await create(other, me, {
        type: 'agent',
        collection: within,
        properties: {
          label: `Agent of ${label}`,
          endpoint: 'https://a.test',
          actions_required: ['entity:view'],
          status: 'development',
        },
        sync_index: true,
      });
    };
    await made('approved', '01J00000000000000000000000');
    await made('private');
    const official = await search(other, me, 'agents', { query: 'agent' });
    expect(labels(official)).toEqual(['Agent of approved']);
  });
});

describe('POST /search/discover', () => {
  it('limit, types, collection_limit, per_collection_limit, expand', async () => {
    const all = await find('discover', {});
    expect(all.metadata).toEqual({ query: 'heron', collections_searched: 3, result_count: all.results.length });
    expect((await places('discover', {})).toSorted()).toEqual([
      ...times(5, 'Drawings'),
      ...times(4, 'Letters'),
      ...times(5, 'Others'),
    ]);
    expect((await places('discover', { per_collection_limit: 20 })).toSorted()).toHaveLength(16);
    expect((await places('discover', { per_collection_limit: 1 })).toSorted()).toEqual([
      'Drawings',
      'Letters',
      'Others',
    ]);
    const one = await find('discover', { collection_limit: 1 });
    expect(one.metadata.collections_searched).toBe(1);
    expect(new Set(one.results.map(({ collection_id }) => collection_id)).size).toBe(1);
    expect(await places('discover', { types: ['letter'] })).toEqual(times(3, 'Letters'));
    expect(await names('discover', { limit: 2 })).toHaveLength(2);
    expect((await find('discover', { types: ['envelope'], expand: 'full' })).results[0]?.entity?.type).toBe('envelope');
    expect((await find('discover', { limit: 1, expand: 'none' })).results[0]).not.toHaveProperty('entity_preview');
  });
});

describe('POST /search/similar', () => {
  const alike = (body: object) =>
    search(node, owner, 'similar/items', { id: drawn[0]?.id, collection_id: drawings.id, ...body });

  it('items: limits, collections, the same one or not', async () => {
    const all = await alike({});
    expect(all.metadata).toMatchObject({ source_id: drawn[0]?.id, collections_searched: 3, cached: false });
    const of = ({ results }: FoundHits, where: Entity) =>
      results.filter(({ collection_id }) => collection_id === where.id);
    expect(of(all, drawings)).toHaveLength(5);
    expect(all.results.map(({ id }) => id)).not.toContain(drawn[0]?.id);
    expect(of(await alike({ tier2_limit: 2 }), drawings)).toHaveLength(2);
    expect(of(await alike({ include_same_collection: false }), drawings)).toEqual([]);
    expect((await alike({ include_same_collection: false })).metadata.collections_searched).toBe(2);
    expect((await alike({ tier1_limit: 1 })).metadata.collections_searched).toBe(2);
    expect((await alike({ limit: 3 })).results).toHaveLength(3);
    expect(
      (await alike({ pi: drawn[0]?.id, id: undefined, collection_pi: drawings.id, collection_id: undefined })).results,
    ).toEqual(all.results);
    expect((await alike({ limit: 1, expand: 'full' })).results[0]).toHaveProperty('entity');
    expect((await alike({ limit: 1, expand: 'none' })).results[0]).not.toHaveProperty('entity_preview');
    expect((await alike({ limit: 1 })).results[0]).toMatchObject({
      type: expect.any(String),
      entity_preview: expect.anything(),
    });
  });

  it('collections: limit, expand; results have no type', async () => {
    const near = (body: object) => search(node, owner, 'similar/collections', { id: drawings.id, ...body });
    const all = await near({});
    expect(labels(all).toSorted()).toEqual(['Letters', 'Others']);
    expect(all.results[0]).not.toHaveProperty('type');
    expect((await near({ limit: 1 })).results).toHaveLength(1);
    expect((await near({ expand: 'full' })).results[0]?.entity?.type).toBe('collection');
    expect((await near({ id: undefined, pi: drawings.id })).results).toEqual(all.results);
  });

  it('is kept for ten minutes, until it is asked to look anew, or the source changes, or something of it goes', async () => {
    const place = await collection(node, owner, { label: 'Nests' });
    const nest = (label: string) =>
      create(node, owner, { collection: place.id, properties: { label }, sync_index: true });
    const source = await nest('A wren in its nest of moss');
    const second = await nest('Another wren in a nest of moss');
    const ask4 = (body: object = {}) =>
      search(node, owner, 'similar/items', { id: source.id, collection_id: place.id, limit: 4, ...body });
    const first = await ask4();
    const made = first.metadata.cached_at;
    expect([first.metadata.cached, made]).toEqual([false, new Date(now).toISOString()]);
    await nest('A third wren in a nest of moss');
    now += 60_000;
    const kept = await ask4();
    expect(kept.metadata).toEqual({ ...first.metadata, cached: true });
    expect(kept.results).toEqual(first.results);
    const anew = await ask4({ refresh: true });
    expect(anew.metadata).toMatchObject({ cached: false, cached_at: new Date(now).toISOString() });
    expect(labels(anew)).toContain('A third wren in a nest of moss');
    // Another way to show it is the same search.
    expect((await ask4({ expand: 'full' })).metadata.cached).toBe(true);
    expect((await ask4({ limit: 5 })).metadata.cached).toBe(false);
    await remove(node, owner, second);
    const less = await ask4();
    expect(less.metadata.cached).toBe(false);
    expect(labels(less)).not.toContain(second.properties.label);
    expect((await ask4()).metadata.cached).toBe(true);
    now += 10 * 60_000;
    expect((await ask4()).metadata.cached).toBe(false);
    await update(node, owner, source, { properties: { label: 'A wren that flew' } });
    expect((await ask4()).metadata.cached).toBe(false);
  });

  it('nor is it kept when something of it lies elsewhere', async () => {
    const me = operator(node);
    const [place, other] = [
      await collection(node, me, { label: 'Rookery', description: 'All about rooks' }),
      await collection(node, me, { label: 'Heronry', description: 'All about rooks' }),
    ];
    const within = (one: Entity, label: string) =>
      create(node, me, { collection: one.id, properties: { label }, sync_index: true });
    const source = await within(place, 'A rook in its nest of twigs');
    const leaves = await within(place, 'Another rook in a nest of twigs');
    const moves = await within(other, 'A third rook in a nest of twigs');
    await indexIdle(node);
    const asked = async (same: boolean) => {
      const body = { id: source.id, collection_id: place.id, include_same_collection: same, limit: 50 };
      const { results, metadata } = await search(node, me, 'similar/items', body);
      return { ids: results.map(({ id }) => id), cached: metadata.cached };
    };
    const [all, elsewhere] = [await asked(true), await asked(false)];
    expect(all.ids).toEqual(expect.arrayContaining([leaves.id, moves.id]));
    expect(elsewhere.ids).toContain(moves.id);
    const collectionOf = (one: Entity) => ({ predicate: 'collection', peer: one.id });
    await update(node, me, leaves, { relationships_remove: [collectionOf(place)] });
    await update(node, me, moves, {
      relationships_remove: [collectionOf(other)],
      relationships_add: [collectionOf(place)],
    });
    const anew = [await asked(true), await asked(false)];
    expect(anew.map(({ cached }) => cached)).toEqual([false, false]);
    expect(anew[0]?.ids).not.toContain(leaves.id);
    expect(anew[0]?.ids).toContain(moves.id);
    expect(anew[1]?.ids).not.toContain(moves.id);
  });
});

describe('GET /collections/{id}/entities/search?similar_to', () => {
  it('finds what is like an entity, of a type, with scores, most similar first; also without credentials', async () => {
    const path = (query: string, where = drawings) => `/collections/${where.id}/entities/search?similar_to=${query}`;
    const answer = ok<{ entities: { id: string; score: number }[]; count: number; similar_to: string }>(
      await node.fetch(path(`${drawn[0]?.id}&type=drawing`)),
    );
    // As with `q`, whatever the case of letters.
    expect(ok(await node.fetch(path(`${drawn[0]?.id}&type=Drawing`)))).toEqual(answer);
    expect(ok(await node.fetch(path(`${drawn[0]?.id}&type=drawings`)))).toMatchObject({ entities: [], count: 0 });
    expect(answer).toMatchObject({ collection_id: drawings.id, similar_to: drawn[0]?.id, count: 5 });
    expect(answer.entities.map(({ id }) => id).toSorted()).toEqual(
      drawn
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
    const scores = answer.entities.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    // From another collection than its own, and no more than asked for.
    const there = ok<{ count: number }>(await node.fetch(path(`${drawn[0]?.id}&limit=2`, letters)));
    expect(there.count).toBe(2);
    const labels = ok<{ entities: object[]; query: string }>(
      await node.fetch(`/collections/${drawings.id}/entities/search?q=heron%203`),
    );
    expect(labels.entities[0]).not.toHaveProperty('score');
  });
});

describe('POST /users/me/search', () => {
  const mine = (body: object, who = reader) => find('/users/me/search', body, who);

  it('type, role, include_public, limit, expand', async () => {
    expect((await mine({})).results.map(({ collection_id }) => collection_id)).toEqual(Array(7).fill(drawings.id));
    expect(labels(await mine({ type: 'agent' }))).toEqual(['Heron watcher']);
    expect((await mine({ role: 'viewer' })).results).toHaveLength(7);
    const none = await mine({ role: 'owner' });
    expect([none.results, none.metadata.collections_queried]).toEqual([[], 0]);
    expect(labels(await mine({ include_public: true, type: 'note' }))).toEqual(['A loose heron']);
    expect((await mine({ limit: 1 })).results).toHaveLength(1);
    expect((await mine({ limit: 1, expand: 'full' })).results[0]).toHaveProperty('entity');
    expect((await mine({}, owner)).metadata).toMatchObject({ collections_queried: 3, collections_total: 3 });
  });

  it('looks where a role is held through a group, and where everyone holds one', async () => {
    const [ann, home] = [await user(node, 'ann'), await collection(node, owner, { label: 'Aviary' })];
    const link = (predicate: string, peer: string) => ({ relationships_add: [{ predicate, peer }] });
    const group = await create(node, owner, { type: 'group', collection: home.id, properties: { label: 'watchers' } });
    await update(node, owner, group, link('member', ann.id));
    const [grouped, open] = [await collection(node, owner), await collection(node, owner)];
    const asMember = { relationships_add: [{ predicate: 'editor', peer: group.id, peer_type: 'group' }] };
    await update(node, owner, grouped, asMember);
    await update(node, owner, open, link('viewer', '*'));
    for (const { id } of [grouped, open])
      await create(node, owner, { collection: id, properties: { label: `Bittern in ${id}` }, sync_index: true });
    const bitterns = (body: object, who = ann) => search(node, who, '/users/me/search', { query: 'bittern', ...body });
    const all = await bitterns({});
    expect(all.results.map(({ collection_id }) => collection_id).sort()).toEqual([grouped.id, open.id].sort());
    expect(all.metadata).toMatchObject({ collections_queried: 2, collections_total: 2 });
    expect((await bitterns({ role: 'editor' })).results).toMatchObject([{ collection_id: grouped.id }]);
    expect((await bitterns({ role: 'viewer' })).results).toMatchObject([{ collection_id: open.id }]);
    await update(node, owner, await read(node, owner, open.id), {
      relationships_remove: [{ predicate: 'viewer', peer: '*' }],
    });
    expect((await bitterns({ role: 'viewer' })).results).toEqual([]);
  });

  it('looks in the first 25 collections that were made, and says how many there are', async () => {
    const rich = await user(node, 'rich');
    const made: Entity[] = [];
    for (let i = 0; i < 27; i++) {
      now += 1000;
      made.push(await collection(node, rich, { label: `Hoard ${i}` }));
    }
    await create(node, rich, { collection: made[0]?.id, properties: { label: 'Ibis first' } });
    await create(node, rich, { collection: made[26]?.id, properties: { label: 'Ibis last' }, sync_index: true });
    const found = await search(node, rich, '/users/me/search', { query: 'ibis' });
    expect(labels(found)).toEqual(['Ibis first']);
    expect(found.metadata).toMatchObject({ collections_queried: 25, collections_total: 27 });
  });

  it('looks first where a role is held by name, then through a group, then where everyone holds one', async () => {
    const [crowd, few, own] = [await user(node, 'crowd'), await user(node, 'few'), await user(node, 'own')];
    const made = async (who: Person, predicate: string, peer?: { peer: string; peer_type?: string }) => {
      now += 1000;
      const one = await collection(node, who);
      if (peer) await update(node, who, one, { relationships_add: [{ predicate, ...peer }] });
      return one;
    };
    for (let i = 0; i < 25; i++) await made(crowd, 'viewer', { peer: '*' });
    const home = await made(few, 'viewer');
    const group = await create(node, few, { type: 'group', collection: home.id, properties: { label: 'some' } });
    await update(node, few, group, { relationships_add: [{ predicate: 'member', peer: own.id }] });
    const grouped = await made(few, 'editor', { peer: group.id, peer_type: 'group' });
    const mineAlone = await made(own, 'owner');
    for (const { id, who } of [
      { id: grouped.id, who: few },
      { id: mineAlone.id, who: own },
    ])
      await create(node, who, { collection: id, properties: { label: 'A dotterel' }, sync_index: true });
    const found = await search(node, own, '/users/me/search', { query: 'dotterel' });
    expect(found.results.map(({ collection_id }) => collection_id).sort()).toEqual([grouped.id, mineAlone.id].sort());
    expect(found.metadata).toMatchObject({ collections_queried: 25, collections_total: 27 });
  });
});

describe('who may search', () => {
  const all = ['entities', 'collections', 'agents', 'discover', 'similar/items', 'similar/collections'];
  const body = () => ({ query: 'heron', id: drawings.id, collection_id: drawings.id });

  it('is whoever is registered: nobody else', async () => {
    for (const endpoint of [...all.map((it) => `/search/${it}`), '/users/me/search']) {
      expect((await node.fetch(endpoint, { method: 'POST', body: body() })).status, endpoint).toBe(401);
      expect((await ask(node, reader, `POST ${endpoint}`, body())).status, endpoint).toBe(200);
    }
    const agent = processor(node, agents[1]?.id ?? '', owner, 'agent');
    for (const who of [agent, service(node)])
      for (const endpoint of all) expect((await ask(node, who, `POST /search/${endpoint}`, body())).status).toBe(200);
  });

  it('finds on its own network alone, and is refused an id of the other one', async () => {
    const there = on('test', operator(node));
    expect((await search(node, there, 'entities', { query: 'heron' })).results).toEqual([]);
    for (const [endpoint, sent, path] of [
      ['entities', { query: 'a', collection_id: drawings.id }, ['collection_id']],
      ['entities', { query: 'a', collection_ids: [drawings.id] }, ['collection_ids', 0]],
      ['similar/collections', { id: drawings.id }, ['id']],
      ['similar/items', { pi: drawings.id, collection_id: drawings.id }, ['pi']],
    ] as const) {
      const { status, body: refused } = await ask(node, there, `POST /search/${endpoint}`, sent);
      expect([status, refused]).toMatchObject([400, { details: { issues: [{ path }] } }]);
    }
  });
});

describe('sync_index', () => {
  it('is answered when searches find what was created, changed, and not what was deleted', async () => {
    const made = await create(node, owner, { properties: { label: 'Spoonbill' }, sync_index: true });
    const find4 = async (query: string) => labels(await search(node, owner, 'entities', { query }));
    expect(await find4('spoonbill')).toEqual(['Spoonbill']);
    const changed = await update(node, owner, made, { properties: { label: 'Shoebill' }, sync_index: true });
    expect([await find4('spoonbill'), await find4('shoebill')]).toEqual([[], ['Shoebill']]);
    await remove(node, owner, changed, { sync_index: true });
    expect(await find4('shoebill')).toEqual([]);
    // A large body is served on another thread, which knows the index by its file alone.
    const large = { label: 'Jabiru', text: 'x'.repeat(200_000), description: 'On a nest' };
    await create(node, owner, { properties: large, sync_index: true });
    expect(await find4('jabiru')).toEqual(['Jabiru']);
    for (const sync_index of [null, false]) expect(await create(node, owner, { sync_index })).toMatchObject({ ver: 1 });
    expect((await ask(node, owner, 'POST /entities', { type: 't', sync_index: 'yes' })).status).toBe(400);
  });
});
