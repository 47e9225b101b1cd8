import { describe, expect, it } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { answerJson, type EmbedEndpoint, kindVector, startEmbedEndpoint } from '../helpers/embed-endpoint.ts';
import { create, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle, labels, search } from '../helpers/searches.ts';
import { idOf } from '../helpers/store.ts';

const titles = [
  'A schooner at anchor',
  'The vessel returns',
  'Portrait of a monarch',
  'The queen at rest',
  'Oak in snow',
];

async function fill(node: TestNode, list: readonly string[] = titles): Promise<void> {
  const entities = list.map((label) => ({ type: 'artwork', properties: { label }, sync_index: true }));
  ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
}

const find = (node: TestNode, query: string) => search(node, operator(node), 'entities', { query, types: ['artwork'] });

/** Waits until something is so, which the node does in the background. */
async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await reached()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
  throw new Error('it did not come to that');
}

const passed = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const foundBoth = async (node: TestNode): Promise<boolean> => labels(await find(node, 'boats')).length >= 2;
const ships = ['A schooner at anchor', 'The vessel returns'];

describe('an endpoint that makes vectors', () => {
  it('makes those of entities in batches, and of queries, and nothing else is asked', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node, [...titles, ...Array.from({ length: 60 }, (_, i) => `Leaf ${i}`)]);
    await until(() => foundBoth(node));
    const found = await find(node, 'boats');
    expect(labels(found).slice(0, 2).toSorted()).toEqual(ships);
    expect(found.metadata).not.toHaveProperty('embedder');
    expect(new Set(endpoint.asked.map(({ path, key, model }) => `${path} ${key} ${model}`))).toEqual(
      new Set(['/v1/embeddings Bearer the-secret-key small']),
    );
    expect(Math.max(...endpoint.asked.map(({ input }) => input.length))).toBe(32);
    const before = endpoint.asked.length;
    await find(node, 'boats');
    expect(endpoint.asked).toHaveLength(before);
  });

  it('is asked again for what changed, and compares the names of relationships', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    const made = await create(node, operator(node), {
      type: 'artwork',
      properties: { label: 'Blank' },
      sync_index: true,
    });
    await update(node, operator(node), made, { properties: { label: 'The ruler enthroned' }, sync_index: true });
    await until(async () => labels(await find(node, 'kings')).includes('The ruler enthroned'));
    const store = await node.ctx.networks.get('main');
    const alike = await node.ctx.search.engine.similarities(
      store,
      ['monarch_of', 'ship_of'],
      ['ruler', 'forest_near', 'vessel'],
    );
    expect(alike.likeness[0]).toBeGreaterThan(0.9);
    expect(alike.likeness[1]).toBeLessThan(0.3);
    expect(alike.likeness[2]).toBeGreaterThan(0.9);
    expect(alike.truncated).toBe(false);
  });

  it.each([
    [1999, 0],
    [199, 600],
  ])('compares %i names in small requests, each once, where one takes %i ms', async (count, ms) => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    endpoint.asked.length = 0;
    endpoint.instead = (response, { input }) => {
      const data = input.map((text, index) => ({ index, embedding: endpoint.vector(text, '') }));
      setTimeout(() => answerJson(response, { data }), ms);
      return true;
    };
    const store = await node.ctx.networks.get('main');
    const names = ['ruler', ...Array.from({ length: count }, (_, i) => `name ${i}`)];
    const alike = (term: string) => node.ctx.search.engine.similarities(store, [term], names);
    const begun = await alike('monarch');
    if (ms > 0) expect(begun.truncated).toBe(true);
    if (begun.truncated) expect(begun.likeness[0]).toBeLessThan(0.5);
    // What one call had no time for is left to the next.
    await until(async () => ((await alike('monarch')).likeness[0] ?? 0) > 0.9);
    expect((await alike('king')).likeness[0]).toBeGreaterThan(0.9);
    expect((await alike('king')).truncated).toBe(false);
    const asked = endpoint.asked.map(({ input }) => input);
    expect(Math.max(...asked.map(({ length }) => length))).toBe(32);
    expect(asked.flat().toSorted()).toEqual(['king', 'monarch', ...names].toSorted());
    expect((await find(node, 'boats')).metadata).not.toHaveProperty('embedder');
  });

  it('is asked once for all names of a query, which says where there was no time for them', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    const me = operator(node);
    const peer = await create(node, me, { type: 'artwork' });
    const names = ['reigns', ...Array.from({ length: 150 }, (_, i) => `name_${i}`)];
    const relationships = names.map((predicate) => ({ predicate, peer: peer.id }));
    const { id } = await create(node, me, { type: 'artwork', relationships });
    await indexIdle(node);
    let ms = 700;
    endpoint.instead = (response, { input }) => {
      const data = input.map((text, index) => ({ index, embedding: endpoint.vector(text, '') }));
      setTimeout(() => answerJson(response, { data }), ms);
      return true;
    };
    endpoint.asked.length = 0;
    const asked = async (terms: string) => {
      const path = `@${id} -[${terms}]-> type:artwork -[${terms}]-> type:artwork`;
      return ok<{ metadata: object }>(await ask(node, me, 'POST /query', { path })).metadata;
    };
    expect(await asked('king_one, king_two, king_three')).toMatchObject({ truncated: true });
    // Of thirty that three terms and two hops would need, one after the other, those that there is time for.
    expect(endpoint.asked.length).toBeLessThan(10);
    ms = 0;
    expect(await asked('king_one, king_two, king_three')).not.toHaveProperty('truncated');
  });

  it('is sent what changed and what came while it made the first ones', async () => {
    await using endpoint = await startEmbedEndpoint();
    let release = (): unknown => undefined;
    endpoint.instead = (response, { input }) => {
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: endpoint.vector(text, '') }));
      release = () => answerJson(response, { object: 'list', data });
      return true;
    };
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    // What it leads to has its place in the index's order from now on, before those that come until it is there.
    const id = idOf(7);
    const leading = {
      type: 'artwork',
      properties: { label: 'Log' },
      relationships: [{ predicate: 'leads_to', peer: id }],
    };
    ok(await ask(node, operator(node), 'POST /entities?validate_relationships=false', leading));
    const body = { type: 'artwork', properties: { label: 'Blank' }, sync_index: true };
    const made = await create(node, operator(node), body);
    await until(() => endpoint.asked.length === 1);
    await update(node, operator(node), made, { properties: { label: 'The ruler enthroned' }, sync_index: true });
    await create(node, operator(node), { ...body, id, properties: { label: 'Ship of the line' } });
    endpoint.instead = null;
    release();
    await until(async () => labels(await find(node, 'kings')).includes('The ruler enthroned'));
    await until(async () => labels(await find(node, 'boats')).includes('Ship of the line'));
  });

  it('is asked again where nothing but the name of a relationship changed', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    const me = operator(node);
    const { id: peer } = await create(node, me, { type: 'person', properties: { label: 'Rosa' } });
    const painted = { predicate: 'painted_by', peer };
    const body = { type: 'artwork', properties: { label: 'Blank' }, sync_index: true };
    const made = await create(node, me, { ...body, relationships: [painted] });
    const isSent = (text: string) => endpoint.asked.some(({ input }) => input.some((one) => one.includes(text)));
    await until(() => isSent('painted_by: Rosa'));
    const relationships_add = [{ predicate: 'forged_by', peer }];
    await update(node, me, made, { relationships_remove: [painted], relationships_add, sync_index: true });
    await until(() => isSent('forged_by: Rosa'));
  });

  it('is not asked again where nothing but numbers changed, which are found', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    const label = 'Oak in the count';
    const body = { type: 'artwork', properties: { label, views: 4711 }, sync_index: true };
    const later: (() => void)[] = [];
    endpoint.instead = (response, { input }) => {
      if (later.length > 0 || !input.some((text) => text.includes(label))) return false;
      const data = input.map((text, index) => ({ index, embedding: endpoint.vector(text, 'small') }));
      return later.push(() => answerJson(response, { data })) > 0;
    };
    let made = await create(node, operator(node), body);
    const asked = () => endpoint.asked.flatMap(({ input }) => input).filter((text) => text.includes(label));
    await until(() => asked().length === 1);
    made = await update(node, operator(node), made, { properties: { views: 4712 }, sync_index: true });
    await indexIdle(node);
    expect(labels(await find(node, '4712'))[0]).toBe(label);
    // They changed before the vector came, which is that of the text still.
    for (const answer of later) answer();
    await until(async () => labels(await find(node, 'forest')).includes(label));
    await update(node, operator(node), made, { properties: { seen: 'by many' }, sync_index: true });
    await until(() => asked().some((text) => text.includes('by many')));
    expect(asked()).toHaveLength(2);
  });

  it.each<[string, (endpoint: EmbedEndpoint) => void, RegExp]>([
    [
      'refuses',
      (it) => (it.instead = (response) => answerJson(response, { error: { message: 'Bad the-secret-key' } }, 500)),
      /answered 500: Bad \[key\]/,
    ],
    [
      'wants a key',
      (it) => (it.instead = (response) => answerJson(response, {}, 401)),
      /answered 401: set ARCHEION_EMBED_KEY/,
    ],
    [
      'answers HTML',
      (it) =>
        (it.instead = (response) => Boolean(response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Hello'))),
      /answered text\/html instead of JSON/,
    ],
    [
      'answers something else',
      (it) => (it.instead = (response) => answerJson(response, { data: 'x' })),
      /no list of embeddings/,
    ],
    [
      'answers too few',
      (it) => (it.instead = (response) => answerJson(response, { data: [] })),
      /answered 0 embeddings for/,
    ],
    ['answers no numbers', (it) => (it.vector = () => ['a', 'b'] as unknown as number[]), /no list of numbers/],
    ['answers huge vectors', (it) => (it.vector = () => Array(9000).fill(1)), /an embedding of 9000 numbers/],
    ['hangs up', (it) => (it.instead = (response) => Boolean(response.destroy())), /cannot be reached/],
  ])('that %s does not hinder a search by words, which says so', async (_, spoil, reason) => {
    await using endpoint = await startEmbedEndpoint();
    spoil(endpoint);
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(async () => (await find(node, 'schooner')).metadata.embedder !== undefined);
    const found = await find(node, 'schooner');
    expect(labels(found)).toEqual(['A schooner at anchor']);
    expect(found.metadata.embedder).toEqual({ available: false, reason: expect.stringMatching(reason) });
    const asked = endpoint.asked.length;
    for (let i = 0; i < 20; i++) await find(node, `schooner ${i}`);
    expect(endpoint.asked.length).toBeLessThan(asked + 5);
  });

  it('that is down is asked again later, and then everything is made up for', async () => {
    await using endpoint = await startEmbedEndpoint();
    endpoint.instead = (response) => answerJson(response, {}, 503);
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(async () => (await find(node, 'schooner')).metadata.embedder !== undefined);
    endpoint.instead = null;
    await until(() => foundBoth(node));
    expect((await find(node, 'boats')).metadata).not.toHaveProperty('embedder');
  });

  it('that is slow does not make searches slow', async () => {
    await using endpoint = await startEmbedEndpoint();
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    endpoint.instead = () => true;
    const found = await find(node, 'monarch');
    expect(labels(found)[0]).toBe('Portrait of a monarch');
    expect(found.metadata.embedder).toEqual({ available: false, reason: 'The embedder did not answer within 3 s.' });
  });

  it('that refuses one text makes vectors of the others', async () => {
    await using endpoint = await startEmbedEndpoint();
    endpoint.instead = (response, { input }) =>
      input.some((text) => text.startsWith('The queen')) && answerJson(response, { error: 'too long' }, 400);
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    expect(labels(await find(node, 'ruler'))).toContain('Portrait of a monarch');
    const { id } = (await find(node, 'queen')).results.find(({ label }) => label.includes('queen')) ?? {};
    const said = node.logged.filter((line) => line.includes('the embedder refuses'));
    expect(said).toHaveLength(1);
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ network: 'main', entities: [id] });
    expect(said[0]).not.toMatch(/queen/i);
  });

  it('that refuses a search says so', async () => {
    await using endpoint = await startEmbedEndpoint();
    endpoint.instead = (response, { input }) =>
      input.includes('unspeakable ships') && answerJson(response, { error: 'no such text' }, 400);
    await using node = await startNode({ env: endpoint.env() });
    await fill(node);
    await until(() => foundBoth(node));
    const reason = 'The embedder answered 400: no such text.';
    expect((await find(node, 'unspeakable ships')).metadata.embedder).toEqual({ available: false, reason });
    expect((await find(node, 'boats')).metadata).not.toHaveProperty('embedder');
  });

  it('that refuses everything is asked less and less often, and that is said', async () => {
    await using endpoint = await startEmbedEndpoint();
    endpoint.instead = (response) => answerJson(response, { error: { message: 'no such model' } }, 400);
    await using node = await startNode({ env: endpoint.env() });
    await fill(node, [...titles, ...Array.from({ length: 60 }, (_, i) => `Leaf ${i}`)]);
    await until(() => endpoint.asked.length > 0);
    await passed(3500);
    expect(endpoint.asked.length).toBeLessThan(10);
    const reason = 'The embedder answered 400: no such model.';
    expect((await find(node, 'schooner')).metadata.embedder).toEqual({ available: false, reason });
    expect(node.logged.filter((line) => line.includes(reason))).toHaveLength(1);
    endpoint.instead = null;
    await until(() => foundBoth(node));
  });

  it('is not asked on and on after a start where the only text that changed is one that it refuses', async () => {
    await using folder = await temporaryFolder();
    await using endpoint = await startEmbedEndpoint();
    {
      await using node = await startNode({ data: folder.path, env: endpoint.env() });
      await fill(node);
      await until(() => foundBoth(node));
      endpoint.instead = (response) => answerJson(response, {}, 503);
      await fill(node, ['Unspeakable']);
    }
    endpoint.instead = (response, { input }) =>
      input.some((text) => text.startsWith('Unspeakable')) && answerJson(response, { error: 'no' }, 400);
    endpoint.asked.length = 0;
    await using node = await startNode({ data: folder.path, env: endpoint.env() });
    await until(() => endpoint.asked.length > 0);
    await passed(1000);
    expect(endpoint.asked.length).toBeLessThan(8);
    expect(node.logged.filter((line) => line.includes('the embedder refuses'))).toHaveLength(1);
    await fill(node, ['Ship of the line']);
    await until(async () => labels(await find(node, 'boats')).includes('Ship of the line'));
  });

  it('that refuses everything for a while makes the vectors of all nevertheless', async () => {
    await using endpoint = await startEmbedEndpoint();
    let left = 40;
    const made = new Set<string>();
    endpoint.instead = (response, { input }) => {
      if (input.length > left) return answerJson(response, { error: 'The budget is used up' }, 400);
      left -= input.length;
      for (const text of input) made.add(text.trim());
      return false;
    };
    await using node = await startNode({ env: endpoint.env() });
    const leaves = Array.from({ length: 100 }, (_, i) => `Leaf ${i}`);
    await fill(node, leaves);
    // Before that the query's own vector could still be made, and be known from then on.
    await until(() => left === 0);
    await until(async () => (await find(node, 'Leaf 1')).metadata.embedder !== undefined);
    left = Number.POSITIVE_INFINITY;
    await until(() => leaves.every((leaf) => [...made].some((text) => text.split('\n')[0] === leaf)));
    expect(node.logged.filter((line) => line.includes('the embedder refuses'))).toEqual([]);
  });

  it('that takes texts again just after it refused them one by one makes their vectors', async () => {
    await using endpoint = await startEmbedEndpoint();
    let left = 6;
    const made = new Set<string>();
    endpoint.instead = (response, { input }) => {
      // It comes back while its last texts are looked at one by one.
      if (input.length === 1 && left === 0 && input[0]?.startsWith('Leaf')) {
        left = Number.POSITIVE_INFINITY;
        return answerJson(response, { error: 'The budget is used up' }, 400);
      }
      if (input.length > left) return answerJson(response, { error: 'The budget is used up' }, 400);
      left -= input.length;
      for (const text of input) made.add(text.trim().split('\n')[0] ?? '');
      return false;
    };
    await using node = await startNode({ env: endpoint.env() });
    const leaves = Array.from({ length: 32 }, (_, i) => `Leaf ${i}`);
    await fill(node, leaves);
    await until(() => leaves.every((leaf) => made.has(leaf)));
    expect(node.logged.filter((line) => line.includes('the embedder refuses'))).toEqual([]);
  });

  it('with another model makes all anew, also where its vectors have another size, and the old ones answer meanwhile', async () => {
    await using folder = await temporaryFolder();
    await using endpoint = await startEmbedEndpoint();
    {
      await using node = await startNode({ data: folder.path, env: endpoint.env('first') });
      await fill(node);
      await until(() => foundBoth(node));
    }
    endpoint.vector = (text, model) => (model === 'first' ? kindVector(text) : [...kindVector(text), 0.01, 0.02, 0.01]);
    endpoint.instead = (response, { model, input }) =>
      model === 'second' && input.length > 1 && answerJson(response, {}, 503);
    await using node = await startNode({ data: folder.path, env: endpoint.env('second') });
    await until(() => foundBoth(node));
    expect(
      labels(await find(node, 'boats'))
        .slice(0, 2)
        .toSorted(),
    ).toEqual(ships);
    // What is made anew in the background asks meanwhile.
    expect(endpoint.asked.findLast(({ input }) => input[0] === 'boats')?.model).toBe('first');
    endpoint.instead = null;
    await until(async () => {
      await find(node, `kings ${endpoint.asked.length}`);
      return endpoint.asked.at(-1)?.model === 'second' && endpoint.asked.at(-1)?.input.length === 1;
    });
    expect(labels(await find(node, 'trees'))[0]).toBe('Oak in snow');
  });

  it('with another model that it refuses is asked for it less and less often, and the old one answers all searches', async () => {
    await using folder = await temporaryFolder();
    await using endpoint = await startEmbedEndpoint();
    {
      await using node = await startNode({ data: folder.path, env: endpoint.env('first') });
      await fill(node);
      await until(() => foundBoth(node));
    }
    endpoint.instead = (response, { model }) => model === 'second' && answerJson(response, { error: 'unknown' }, 400);
    await using node = await startNode({ data: folder.path, env: endpoint.env('second') });
    const refused = () => endpoint.asked.filter(({ model }) => model === 'second');
    await until(() => refused().length > 0);
    await until(() => foundBoth(node));
    for (let i = 0; i < 40; i++) {
      expect((await find(node, `boat ${i}`)).metadata).not.toHaveProperty('embedder');
      await passed(100);
    }
    // At the start, after 1, 3 and 7 seconds: the texts, and one that nothing is wrong with.
    expect(refused().length).toBeLessThanOrEqual(8);
    expect(node.logged.filter((line) => line.includes('answered 400: unknown'))).toHaveLength(1);
  });
});

describe('settings', () => {
  it.each([
    [{ ARCHEION_EMBED_URL: 'http://127.0.0.1:9/v1' }, /ARCHEION_EMBED_URL: needs ARCHEION_EMBED_MODEL/],
    [{ ARCHEION_EMBED_MODEL: 'small' }, /ARCHEION_EMBED_MODEL: needs ARCHEION_EMBED_URL/],
    [{ ARCHEION_EMBED_URL: 'http://me:secret@host/v1' }, /put the key into ARCHEION_EMBED_KEY/],
    [{ ARCHEION_EMBED_KEY: 'two words' }, /ARCHEION_EMBED_KEY: must be one word/],
  ])('%o is refused in plain words', async (env, message) => {
    await expect(startNode({ env })).rejects.toThrow(message);
  });
});
