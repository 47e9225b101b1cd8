import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { QueryBody, QueryView } from '../../src/server/resources/query/wire.ts';
import { queries, readable } from '../argo/queries.ts';
import { ask, on, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, invalid, nowhere, ok, onTest, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let node: TestNode;
let ada: Person;
let e: Record<'tate' | 'turner' | 'girtin' | 'rome' | 'ship' | 'horses' | 'storm' | 'loose', Entity>;

beforeAll(async () => {
  // No two of them are of the same millisecond.
  let later = 0;
  node = await startNode({ now: () => Date.now() + later++ });
  ada = await user(node, 'ada');
  const tate = await collection(node, ada, { label: 'Tate' });
  const made = (type: string, label: string, links: [string, Entity][] = [], properties: object = {}) =>
    create(node, ada, {
      type,
      collection: tate.id,
      properties: { label, ...properties },
      relationships: links.map(([predicate, { id }]) => ({ predicate, peer: id })),
    });
  const rome = await made('movement', 'Romanticism');
  const turner = await made('artist', 'Joseph Turner', [['member_of', rome]]);
  const girtin = await made('artist', 'Thomas Girtin', [['member_of', rome]]);
  const ship = await made('artwork', 'A Ship', [['made_by', turner]], { description: 'Oil', _year: 1805 });
  const horses = await made('artwork', 'Horses in watercolour', [['made_by', turner]], { _year: 1810 });
  const storm = await made('artwork', 'Storm', [['made_by', girtin]], { _year: 1800 });
  const loose = await create(node, ada, { type: 'artwork', properties: { label: 'A Ship without a home' } });
  e = { tate, turner, girtin, rome, ship, horses, storm, loose };
  await indexIdle(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const query = async (path: string, body: Partial<QueryBody> = {}, who = ada) =>
  ok<QueryView>(await ask(node, who, 'POST /query', { path, ...body }));
const found = async (...of: Parameters<typeof query>) => (await query(...of)).results.map(({ entity }) => entity.label);

describe('an entry', () => {
  it('by id has no path, and is shown in both spellings', async () => {
    const { results, metadata } = await query(`@${e.ship.id}`);
    expect(results).toEqual([
      {
        entity: {
          id: e.ship.id,
          pi: e.ship.id,
          type: 'artwork',
          label: 'A Ship',
          collection_id: e.tate.id,
          collection_pi: e.tate.id,
          preview_data: {
            id: e.ship.id,
            type: 'artwork',
            label: 'A Ship',
            collection_id: e.tate.id,
            collection_pi: e.tate.id,
            description_preview: 'Oil',
            created_at: e.ship.created_at,
            updated_at: expect.any(String),
          },
        },
        path: [],
        score: 1,
      },
    ]);
    expect(metadata).toEqual({
      query: `@${e.ship.id}`,
      hops: 0,
      k: 25,
      k_explore: 75,
      total_candidates_explored: 1,
      execution_time_ms: expect.any(Number),
    });
  });

  it('by text is searched for, and scored', async () => {
    const { results } = await query('"ship" type:artwork');
    expect(results.map(({ entity }) => entity.label).toSorted()).toEqual(['A Ship', 'A Ship without a home']);
    for (const { score } of results) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it('by type gives those that were changed last first', async () => {
    expect(await found('type:artwork')).toEqual(['A Ship without a home', 'Storm', 'Horses in watercolour', 'A Ship']);
    expect(await found('type:artwork', { k: 2 })).toEqual(['A Ship without a home', 'Storm']);
    expect(await found('type:"artwork",movement', { k: 5 })).toHaveLength(5);
  });

  it.each([
    ['@:public "ship"', {}, ['A Ship without a home']],
    ['@:public type:collection', {}, []],
    ['@:collections "tate"', {}, ['Tate']],
    ['@:collection(TATE) "ship"', {}, ['A Ship']],
    ['"ship"', { collection: 'TATE' }, ['A Ship']],
    ['@:public "ship"', { collection: 'TATE' }, ['A Ship without a home']],
    ['@LOOSE', { collection: 'TATE' }, []],
    // Nothing of the type is like the text, and the text has no threshold.
    ['"ship" type:artist', {}, ['Thomas Girtin', 'Joseph Turner']],
    ['"ship" type:nothing', {}, []],
  ])('within a scope: %s %j', async (path, body, labels) => {
    const named = (text: string) => text.replace('TATE', e.tate.id).replace('LOOSE', e.loose.id);
    const asked = { ...body, ...('collection' in body && { collection: e.tate.id }) };
    expect(await found(named(path), asked)).toEqual(labels);
  });

  it('says the collection in which it was sought', async () => {
    expect((await query('"ship"', { collection: e.tate.id })).metadata.collection).toBe(e.tate.id);
    const { metadata } = await query(`@:collection(${e.tate.id}) "ship"`, { collection: nowhere });
    expect(metadata.collection).toBe(e.tate.id);
    expect((await query('@:public "ship"', { collection: e.tate.id })).metadata).not.toHaveProperty('collection');
  });

  it('fits a metadata filter', async () => {
    expect(await found('type:artwork', { filter: { _year: { $gte: 1805 } } })).toEqual([
      'Horses in watercolour',
      'A Ship',
    ]);
    expect(await found('"ship"', { filter: { _year: 1805 } })).toEqual(['A Ship']);
    expect(await found(`@${e.storm.id}`, { filter: { _year: 1805 } })).toEqual(['Storm']);
    expect(await found(`@${e.turner.id} <-[made_by]- "ship horses"`, { filter: { _year: 1810 } })).toEqual([
      'Horses in watercolour',
    ]);
    // A text ranks what was reached, and leaves nothing of it out that fits.
    expect(await found(`@${e.turner.id} <-[made_by]- "zebra"`, { filter: { _year: 1810 } })).toEqual([
      'Horses in watercolour',
    ]);
  });
});

describe('hops', () => {
  it('lead to entities, with the path before them', async () => {
    const { results, metadata } = await query(`@${e.ship.id} -[made_by]-> type:artist -[*]-> type:movement`, {
      expand: 'none',
    });
    expect(results).toEqual([
      {
        entity: {
          id: e.rome.id,
          pi: e.rome.id,
          type: 'movement',
          label: 'Romanticism',
          collection_id: e.tate.id,
          collection_pi: e.tate.id,
        },
        path: [
          { entity: e.ship.id, type: 'artwork', label: 'A Ship' },
          { edge: 'made_by', direction: 'outgoing' },
          { entity: e.turner.id, type: 'artist', label: 'Joseph Turner' },
          { edge: 'member_of', direction: 'outgoing' },
        ],
        score: 1,
      },
    ]);
    expect(metadata).toMatchObject({ hops: 2, total_candidates_explored: 3 });
  });

  it('go either way, and up to four relationships', async () => {
    expect((await found(`@${e.ship.id} <-[*]{,4}-> type:artwork`)).toSorted()).toEqual([
      'Horses in watercolour',
      'Storm',
    ]);
    expect(await found(`@${e.ship.id} <-[*]{4}-> @${e.storm.id}`)).toEqual(['Storm']);
    expect(await found(`@${e.ship.id} <-[*]{3}-> @${e.storm.id}`)).toEqual([]);
    const [first] = (await query(`@${e.rome.id} <-[*]{2}- "storm"`)).results;
    expect(first?.path.map((step) => step.direction ?? step.label)).toEqual([
      'Romanticism',
      'incoming',
      'Thomas Girtin',
      'incoming',
    ]);
  });

  it('of three or more find what is nearer, too, by the way around it', async () => {
    const isle = (label: string, ...to: Entity[]) => {
      const relationships = to.map(({ id }) => ({ predicate: 'bridge', peer: id }));
      return create(node, ada, { type: 'isle', properties: { label }, relationships });
    };
    const far = await create(node, ada, { type: 'shore' });
    const [east, west] = [await isle('East', far), await isle('West', far)];
    const home = await create(node, ada, {
      ...{ type: 'shore', properties: { label: 'Home' } },
      relationships: [east, west].map(({ id }) => ({ predicate: 'bridge', peer: id })),
    });
    const around = await query(`@${home.id} <-[*]{3}-> type:isle`);
    expect(around.results.map(({ entity }) => entity.label).toSorted()).toEqual(['East', 'West']);
    await update(node, ada, far, { relationships_add: [{ predicate: 'bridge', peer: east.id }] });
    const [only, ...others] = (await query(`@${home.id} -[*]{3}-> type:isle`)).results;
    expect([only?.entity.label, others]).toEqual(['East', []]);
    const ids = only?.path.flatMap(({ entity }) => entity ?? []);
    expect(ids).toEqual([home.id, west.id, far.id]);
  });

  it('begin at a text and end at one: from works to their artist', async () => {
    const { results } = await query('"horses watercolour" type:artwork -[made_by]-> type:artist ~ "turner"');
    expect(results.map(({ entity }) => entity.label)).toEqual(['Joseph Turner']);
    expect(results[0]?.path[0]).toMatchObject({ entity: e.horses.id, score: expect.any(Number) });
  });

  it('begin at the nearest to a text that lead on, where the nearest of all do not', async () => {
    const made = '"turner" -[made_by]-> type:artist';
    const { results } = await query(made, { k_explore: 1 });
    expect(results.map(({ entity }) => entity.label)).toEqual(['Joseph Turner']);
    expect((await query(made, { k_explore: 1, filter: { _year: 1810 } })).results[0]?.path[0]?.entity).toBe(
      e.horses.id,
    );
    const { metadata } = await query('"turner" -[made_by]-> type:movement', { k_explore: 1 });
    expect(metadata).toMatchObject({ error: 'no_path_found', partial_path: [{ entity: e.turner.id }] });
  });

  it('follow relations whose names are only alike', async () => {
    const { results } = await query(`@${e.ship.id} -[making]-> type:artist`);
    expect(results.map(({ entity }) => entity.label)).toEqual(['Joseph Turner']);
    expect(results[0]?.path[1]).toEqual({ edge: 'made_by', direction: 'outgoing', score: expect.any(Number) });
  });

  it('follow names that are like one that no relationship has any more', async () => {
    const to = await create(node, ada, { type: 'place', properties: { label: 'Margate' } });
    const peer = to.id;
    const from = await create(node, ada, {
      type: 'visit',
      properties: { label: 'A visit' },
      relationships: [{ predicate: 'stayed_at', peer }],
    });
    const stayed = (term: string) => query(`@${from.id} -[${term}]-> type:place`);
    expect((await stayed('stayed_at')).results).toMatchObject([{ entity: { id: peer }, score: 1 }]);
    await update(node, ada, from, {
      relationships_add: [{ predicate: 'stayed_in', peer }],
      relationships_remove: [{ predicate: 'stayed_at', peer }],
    });
    for (const term of ['stayed_at', 'Stayed_At'])
      expect((await stayed(term)).results.map(({ path }) => path.at(-1))).toEqual([
        { edge: 'stayed_in', direction: 'outgoing', score: expect.any(Number) },
      ]);
    // While others have it, it leads nowhere from here.
    const relationships = [{ predicate: 'stayed_at', peer }];
    await create(node, ada, { type: 'visit', properties: { label: 'Another visit' }, relationships });
    expect((await stayed('stayed_at')).metadata.error).toBe('no_path_found');
  });

  it('show whole entities where they are asked to', async () => {
    const { results } = await query(`@${e.ship.id} -[made_by]-> type:artist`, { expand: 'full' });
    expect(results[0]?.entity.full_entity).toMatchObject({ id: e.turner.id, properties: { label: 'Joseph Turner' } });
    expect(results[0]?.path[0]?.full_entity).toMatchObject({ id: e.ship.id });
    expect(results[0]?.entity).not.toHaveProperty('preview_data');
  });

  it('go on from those of very many that lead on', async () => {
    const hub = await create(node, ada, { type: 'author', properties: { label: 'hub' } });
    const topic = await create(node, ada, { type: 'topic' });
    const written = [
      { predicate: 'written_by', peer: hub.id },
      { predicate: 'about', peer: topic.id },
    ];
    const works = await Promise.all(
      Array.from({ length: 150 }, () => create(node, ada, { type: 'book', relationships: written })),
    );
    const [last = hub] = works.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const relationships = [{ predicate: 'kept_in', peer: last.id }];
    const shelf = await create(node, ada, { type: 'shelf', relationships });
    for (const hop of ['<-[kept_in]-', '<-[*]-', '<-[*]->']) {
      const { results, metadata } = await query(`@${hub.id} <-[written_by]- type:book ${hop} type:shelf`, { k: 1 });
      expect(results).toMatchObject([{ entity: { id: shelf.id }, path: [{}, {}, { entity: last.id }, {}] }]);
      expect(metadata).toMatchObject({ k_explore: 3, total_candidates_explored: 5 });
    }
    const lost = await query(`@${hub.id} <-[written_by]- type:book <-[*]{,2}-> type:zebra`, { k: 1 });
    expect(lost.metadata).toMatchObject({ error: 'no_path_found', stopped_at_hop: 2, truncated: true });
  });

  it('do not lead to or through what was deleted', async () => {
    const [near, middle] = [await create(node, ada), await create(node, ada)];
    const linked = await create(node, ada, {
      relationships: [
        { predicate: 'beside', peer: middle.id },
        { predicate: 'beside', peer: near.id },
      ],
    });
    expect((await query(`@${linked.id} -[beside]-> type:document`)).results).toHaveLength(2);
    await remove(node, ada, middle);
    const { results } = await query(`@${linked.id} -[beside]-> type:document`);
    expect(results.map(({ entity }) => entity.id)).toEqual([near.id]);
    expect((await query(`@${middle.id}`)).metadata.error).toBe('no_entry_point');
  });
});

describe('a query that ends before its end', () => {
  it('says why and how far it came', async () => {
    const { results, metadata } = await query(`@${e.ship.id} -[made_by]-> type:artist -[*]-> type:zebra`);
    expect(results).toEqual([]);
    expect(metadata).toMatchObject({
      error: 'no_path_found',
      reason: 'Traversal stopped at hop 2 - no matching relations or entities',
      stopped_at_hop: 2,
      partial_path: [
        { entity: e.ship.id, label: 'A Ship', type: 'artwork', preview_data: { label: 'A Ship' } },
        { edge: 'made_by', direction: 'outgoing' },
        { entity: e.turner.id, label: 'Joseph Turner', type: 'artist' },
      ],
    });
  });

  it.each([
    [`@${nowhere}`, 'no_entry_point'],
    ['@nobody', 'no_entry_point'],
    ['type:a -[*]-> type:b', 'invalid_entry_point'],
    ['"a" -[*]->', 'unsupported_query'],
  ])('%s', async (path, error) => {
    const { results, metadata } = await query(path);
    expect({ results, error: metadata.error }).toEqual({ results: [], error });
    expect(metadata.reason).toEqual(expect.any(String));
    expect(metadata).not.toHaveProperty('partial_path');
  });
});

test('without a search index texts are refused, and what needs none is answered', async () => {
  await using folder = await temporaryFolder();
  const index = join(folder.path, 'main', 'search.db');
  await mkdir(index, { recursive: true });
  await using broken = await startNode({ data: folder.path });
  const me = operator(broken);
  const sea = await create(broken, me, { type: 'place', properties: { label: 'Sea' } });
  const ship = await create(broken, me, { relationships: [{ predicate: 'sails', peer: sea.id }] });
  const asked = async (path: string) => ask(broken, me, 'POST /query', { path });
  for (const path of ['"ship"', `@${ship.id} -[*]-> "sea"`, `@${ship.id} -[sailed]-> type:place`]) {
    const { status, body } = await asked(path);
    expect({ status, body }).toMatchObject({ status: 503, body: { details: { service: 'search' } } });
  }
  for (const path of [`@${ship.id} -[sails]-> type:place`, 'type:place']) {
    const { results } = ok<QueryView>(await asked(path));
    expect(results.map(({ entity }) => entity.id)).toEqual([sea.id]);
  }
});

describe('a request', () => {
  it('is explained where it asks for it', async () => {
    const { metadata } = await query('"x" type:a,b -[p, q]{,4}-> type:c', { explain: true });
    expect(metadata.plan).toBe('sem("x") filter types(a/b) ; out [p/q] 1..4 types(c)');
    expect((await query('"x"')).metadata).not.toHaveProperty('plan');
  });

  it('that cannot be read says where', async () => {
    const { status, body } = await ask(node, ada, 'POST /query', { path: '@w -[*]{5}-> type:x' });
    const { error, details } = invalid(['path'], 'depth out of 1..4 at position 8');
    expect({ status, body }).toEqual({ status: 400, body: { error, details: { ...details, position: 8 } } });
  });

  it.each([
    [{ path: '"\ud800"' }, 'path'],
    [{ path: '"x"', filter: { year: 1 } }, 'filter'],
    [{ path: '"x"', filter: { _a: { $regex: 'a' } } }, 'filter'],
    [{ path: '"x"', expand: 'some' }, 'expand'],
    [{ path: '"x"', explain: 'yes' }, 'explain'],
    [{ path: '"x"', collection: '' }, 'collection'],
    [{ path: '"x"', collection: onTest }, 'collection'],
  ])('%j is refused', async (body, member) => {
    const answer = await ask(node, ada, 'POST /query', body);
    expect(answer.status).toBe(400);
    const { details } = answer.body as ReturnType<typeof invalid>;
    expect(details.issues[0]?.path).toContain(member);
  });

  it('is answered, or refused with the place, whatever it holds', async () => {
    const property = fc.asyncProperty(queries, async (path) => {
      const { status, body } = await ask(node, ada, 'POST /query', { path, expand: 'none' });
      expect([200, 400]).toContain(status);
      if (status === 400 && path !== '' && path.length <= 10_000 && path.isWellFormed())
        expect(body).toMatchObject({ details: { position: expect.any(Number) } });
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it.each([
    ['"ship"', { collection: nowhere }],
    [`@:collection(${nowhere}) "ship"`, {}],
    [`@:collection(${onTest}) "ship"`, {}],
  ])('%s in a collection that is nowhere, %j, has no entry point', async (path, body) => {
    const { results, metadata } = await query(path, body);
    expect({ results, error: metadata.error }).toEqual({ results: [], error: 'no_entry_point' });
  });

  it('that can be read has results with whole paths, or a reason why it has none', async () => {
    const ids = Object.values(e).map(({ id }) => id);
    const beams = fc.record({ k: fc.integer({ min: 1, max: 5 }), k_explore: fc.integer({ min: 1, max: 8 }) });
    const property = fc.asyncProperty(readable, beams, fc.constantFrom(...ids), async (text, beam, id) => {
      // Every `@` another one, the same each time.
      let at = ids.indexOf(id);
      const path = text.replaceAll(/@(?!:)/g, () => `@${ids[at++ % ids.length]}`);
      const { results, metadata } = await query(path, { ...beam, expand: 'none' });
      expect(results.length).toBeLessThanOrEqual(beam.k);
      expect(metadata.error === undefined || results.length === 0).toBe(true);
      if (metadata.hops > 0 && results.length === 0) expect(metadata.reason).toEqual(expect.any(String));
      const scores = results.map(({ score }) => score);
      if (metadata.hops > 0) expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      for (const { entity, path: before, score } of results) {
        expect(score >= 0 && score <= 1).toBe(true);
        const visited = [...before.flatMap((step) => step.entity ?? []), entity.id];
        expect(new Set(visited).size).toBe(visited.length);
        const kinds = before.map((step) => (step.entity === undefined ? 'edge' : 'entity'));
        expect(kinds).toEqual(before.map((_, i) => (i % 2 === 0 ? 'entity' : 'edge')));
        expect(before.length).toBeGreaterThanOrEqual(2 * metadata.hops);
        expect(before.length).toBeLessThanOrEqual(8 * metadata.hops);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('may hold what other languages take for syntax', async () => {
    for (const text of ['" OR 1=1 --', 'NEAR(a b)', 'label:x*', "'; DROP TABLE entity", 'a\0b', '%', '日本'])
      expect((await query(`"${text.replaceAll(/["\\]/g, '\\$&')}"`)).metadata.query).toContain(text.slice(1));
  });

  it('sees its own network alone', async () => {
    const { metadata } = await query(`@${e.ship.id}`, {}, on('test', operator(node)));
    expect(metadata.error).toBe('no_entry_point');
  });
});

test('a relation is followed by its name also where there are thousands of others', async () => {
  const to = await create(node, ada, { type: 'rare', properties: { label: 'Rarely led to' } });
  const relationships = Array.from({ length: 2050 }, (_, n) => ({ predicate: `leads_${n}_to`, peer: to.id }));
  const from = await create(node, ada, { type: 'hub', properties: { label: 'Hub' }, relationships });
  const { results } = await query(`@${from.id} -[LEADS_2049_to]-> type:rare`);
  expect(results.map(({ score, path }) => [score, path.at(-1)])).toEqual([
    [1, { edge: 'leads_2049_to', direction: 'outgoing' }],
  ]);
});
