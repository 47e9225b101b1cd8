import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexed, indexIdle, labels, search } from '../helpers/searches.ts';

let node: TestNode;
let owner: Person;
let works: Entity;
beforeAll(async () => {
  node = await startNode();
  owner = await user(node, 'curator');
  works = await collection(node, owner, { label: 'Watercolours' });
});
afterAll(() => node[Symbol.asyncDispose]());

const inWorks = (label: string, body: object = {}) => indexed(node, owner, label, { collection: works.id, ...body });

describe('an entity is found', () => {
  it('by its label, its texts, its type and the labels of what it leads to', async () => {
    const artist = await inWorks('Joseph Mallord William Turner', { type: 'artist' });
    const { id } = await inWorks('A Team of Grey Cobs', {
      type: 'artwork',
      properties: { label: 'A Team of Grey Cobs', medium: 'Gouache', notes: ['seen at Petworth', { on: 'verso' }] },
      relationships: [{ predicate: 'created_by', peer: artist.id }],
    });
    for (const query of ['grey cobs', 'GOUACHE', 'petworth', 'verso', 'artwork cobs', 'Mallord cobs']) {
      const { results } = await search(node, owner, 'entities', { query });
      expect(results[0], query).toMatchObject({ id, type: 'artwork', collection_id: works.id });
    }
    expect((await search(node, owner, 'entities', { query: 'mallord', types: ['artwork'] })).results).toHaveLength(1);
  });

  it('misspelled, inflected, without diacritics, and by the beginning of a word', async () => {
    await inWorks('Étude de chevaux près de la rivière');
    await inWorks('Lighthouses on the northern shore');
    for (const query of ['etude', 'chevuax', 'riviere', 'RIVIÈRE'])
      expect(labels(await search(node, owner, 'entities', { query }))[0], query).toMatch(/^Étude/);
    for (const query of ['lighthouse', 'lightohuses', 'lighth', 'northren shroe'])
      expect(labels(await search(node, owner, 'entities', { query }))[0], query).toMatch(/^Lighthouses/);
  });

  it('by whole numbers, and by texts in properties that are named as parts of processors are', async () => {
    const { id } = await inWorks('Numbered', {
      properties: {
        ...{ label: 'Numbered', year: 1893, inventory: 48_151_623, measures: [{ height: 7431 }], founded: -4567 },
        ...{ flow: 'laminarhaft', input_schema: { of: 'quellband' } },
      },
    });
    for (const query of ['1893', '48151623', '7431', '4567', 'laminarhaft', 'quellband'])
      expect((await search(node, owner, 'entities', { query })).results[0]?.id, query).toBe(id);
  });

  it('by a Greek word that ends in a final sigma, before what has words like it', async () => {
    for (const [label, text] of [
      ['Third', 'λόγοι και λόγοι και έργα'],
      ['First', 'Εν αρχή ην ο λόγος, και ο κόσμος ην εκεί, και πολλά άλλα'],
      ['Second', 'λόγοι και έργα'],
    ])
      await inWorks('', { properties: { label, text } });
    for (const query of ['λόγος', 'ΛΟΓΟΣ'])
      expect(labels(await search(node, owner, 'entities', { query }))[0], query).toBe('First');
  });

  it('by a word with a letter that is written as others in capitals, or without it', async () => {
    await inWorks('Weiße Straße');
    for (const query of ['STRASSE', 'strasse', 'Straße', 'weisse'])
      expect(labels(await search(node, owner, 'entities', { query })), query).toEqual(['Weiße Straße']);
  });

  it('in texts without spaces between words', async () => {
    await inWorks('東京国立博物館の絵巻物');
    expect(labels(await search(node, owner, 'entities', { query: '博物館' }))).toEqual(['東京国立博物館の絵巻物']);
  });

  it('by a single character of such a text, wherever it stands', async () => {
    await inWorks('白馬の図', { properties: { label: '白馬の図', text: '紙本墨画' } });
    for (const query of ['白', '馬', '図', '画'])
      expect(labels(await search(node, owner, 'entities', { query })), query).toEqual(['白馬の図']);
    await inWorks('馬');
    expect(labels(await search(node, owner, 'entities', { query: '馬' }))).toEqual(['馬', '白馬の図']);
    expect(labels(await search(node, owner, 'entities', { query: '紙本 馬' }))[0]).toBe('白馬の図');
  });

  it('by the label that an inline reference names now', async () => {
    const place = await inWorks('Norham Castle', { type: 'place' });
    const { id } = await inWorks('Sketch', {
      properties: { label: 'Sketch', text: `Seen from [the hill](arke:${place.id}).` },
    });
    expect((await search(node, owner, 'entities', { query: 'norham sketch' })).results[0]?.id).toBe(id);
    const named = async (query: string) => {
      await indexIdle(node);
      return labels(await search(node, owner, 'entities', { query, types: ['document'] }));
    };
    const renamed = await update(node, owner, place, { properties: { label: 'Bamburgh Keep' } });
    expect([await named('bamburgh'), await named('norham')]).toEqual([['Sketch'], []]);
    await remove(node, owner, renamed);
    expect([await named('bamburgh'), await named('hill')]).toEqual([[], ['Sketch']]);
    // One that comes later, too.
    const later = '01J00000000000000000000ABC';
    await inWorks('Letter', { properties: { label: 'Letter', text: `About [him](arke:${later}).` } });
    await create(node, owner, { id: later, type: 'person', properties: { label: 'Theophilus' } });
    expect(await named('theophilus')).toEqual(['Letter']);
  });

  it('no longer when it is deleted, and again when it is restored', async () => {
    const made = await inWorks('Quicksilver still life');
    const find = async () => labels(await search(node, owner, 'entities', { query: 'quicksilver' }));
    expect(await find()).toEqual(['Quicksilver still life']);
    const grave = await remove(node, owner, made);
    expect(await find()).toEqual([]);
    ok(await ask(node, owner, `POST /entities/${made.id}/restore`, { expect_tip: grave.cid }));
    await indexIdle(node);
    expect(await find()).toEqual(['Quicksilver still life']);
  });

  it('by what it says now, not by what it said', async () => {
    const made = await inWorks('Marmalade study');
    await update(node, owner, made, { properties: { label: 'Tangerine study' }, sync_index: true });
    expect(labels(await search(node, owner, 'entities', { query: 'tangerine' }))).toEqual(['Tangerine study']);
    expect(labels(await search(node, owner, 'entities', { query: 'marmalade' }))).toEqual([]);
  });

  it('by the new label of what it leads to, when that one changes', async () => {
    const artist = await inWorks('Anonymous Hand', { type: 'artist' });
    const made = { relationships: [{ predicate: 'created_by', peer: artist.id }], type: 'artwork' };
    for (let i = 0; i < 3; i++) await inWorks(`Sheet ${i}`, made);
    await update(node, owner, artist, { properties: { label: 'Wilhelmina Featherstone' } });
    await indexIdle(node);
    const found = await search(node, owner, 'entities', { query: 'featherstone', types: ['artwork'] });
    expect(labels(found).toSorted()).toEqual(['Sheet 0', 'Sheet 1', 'Sheet 2']);
  });
});

describe('what comes first', () => {
  const first = async (query: string, body: object = {}) =>
    labels(await search(node, owner, 'entities', { query, ...body }));

  it('has all the words, however common some of them are, then some; and words that say nothing count for nothing', async () => {
    const [moored, painter] = [await inWorks('Felucca moored'), await inWorks('Barnaby Quill')];
    const by = { relationships: [{ predicate: 'made_by', peer: painter.id }] };
    await inWorks('Felucca, felucca: a felucca in the felucca by the felucca');
    await inWorks('A felucca', by);
    for (let i = 0; i < 4; i++) await inWorks(`Study ${i} in a sketchbook`, by);
    for (const query of ['felucca by Barnaby Quill', 'Quill felucca', 'feluca quil', 'a feluccas in the quill'])
      expect((await first(query))[0], query).toBe('A felucca');
    expect(await first('in the felucca')).toEqual(await first('felucca'));
    expect(await first('felucca moored')).toEqual([
      moored.properties.label,
      ...(await first('felucca')).filter((it) => it !== moored.properties.label),
    ]);
  });

  it('has the words beside each other, or as a whole label', async () => {
    const part = await inWorks('Gable end', { type: 'subject' });
    const whole = await inWorks('Gable', { type: 'subject' });
    const about = (label: string, peer: string) =>
      inWorks(label, { type: 'leaf', relationships: [{ predicate: 'subject', peer }] });
    await about('Leaf with an end', part.id);
    await about('Leaf with no end and with many words more', whole.id);
    expect(await first('gable', { types: ['leaf'] })).toEqual([
      'Leaf with no end and with many words more',
      'Leaf with an end',
    ]);
    await inWorks('Barge, thames, sailing');
    await inWorks('Sunset with a Thames sailing barge off Gravesend, seen from the other bank of the river');
    expect((await first('Thames sailing barge'))[0]).toMatch(/^Sunset/);
  });

  it('is what has the text as its label, however many words that has', async () => {
    const label = (words: number) => Array.from({ length: words }, (_, n) => `w${n}`).join(' ');
    for (const words of [32, 36, 40]) await inWorks(label(words));
    for (const words of [32, 36, 40])
      expect(labels(await search(node, owner, 'entities', { query: label(words) }))[0]).toBe(label(words));
  });

  it('is what was typed, even if it is nothing but words that say nothing', async () => {
    await inWorks('To be or not to be');
    expect((await first('to be or not to be'))[0]).toBe('To be or not to be');
    expect((await first('or not'))[0]).toBe('To be or not to be');
  });
});

describe('the answer', () => {
  it('has what the wire says, by `expand`', async () => {
    const made = await inWorks('Zephyr', {
      properties: { label: 'Zephyr', description: 'd'.repeat(300), text: 't\0x' },
    });
    const { id, type, created_at } = made;
    const places = { collection_id: works.id, collection_pi: works.id };
    const facts = { id, pi: id, label: 'Zephyr', type, score: 1, ...places, created_at, updated_at: created_at };
    const preview = {
      ...{ id, type, label: 'Zephyr', ...places },
      description_preview: `${'d'.repeat(200)}...`,
      text_preview: 't\0x',
      ...{ created_at, updated_at: created_at },
    };
    const metadata = {
      collection_ids: [],
      collection_pis: [],
      query: 'zephyr',
      collections_searched: 0,
      result_count: 1,
    };
    const found = (body: object) => search(node, owner, 'entities', { query: 'zephyr', ...body });
    expect(await found({})).toEqual({ results: [{ ...facts, entity_preview: preview }], metadata });
    expect(await found({ expand: 'none' })).toEqual({ results: [facts], metadata });
    const full = await found({ expand: 'full' });
    expect(full.results).toEqual([
      { ...facts, entity_preview: preview, entity: await ok(await ask(node, owner, `GET /entities/${id}`)) },
    ]);
  });

  it('previews texts alone', async () => {
    const { id } = await inWorks('', {
      properties: { label: 'A preview of lists', description: ['one', 'two'], text: { in: 'an object' } },
    });
    const { results } = await search(node, owner, 'entities', { query: 'preview of lists', limit: 1 });
    expect(results[0]?.entity_preview).toEqual(await ok(await ask(node, owner, `GET /entities/${id}/preview`)));
  });

  it('is in the order of scores between 0 and 1, and the same each time', async () => {
    for (let i = 0; i < 8; i++) await inWorks('Ostrich twins');
    const { results } = await search(node, owner, 'entities', { query: 'ostrich' });
    const scores = results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    expect((await search(node, owner, 'entities', { query: 'ostrich' })).results).toEqual(results);
    expect((await search(node, owner, 'entities', { query: 'ostrich', limit: 3 })).results).toEqual(
      results.slice(0, 3),
    );
  });
});

describe('restrictions are conditions inside the search', () => {
  it('so that k results are k that fit', async () => {
    const other = await collection(node, owner, { label: 'Others' });
    for (let i = 0; i < 30; i++) await create(node, owner, { collection: other.id, properties: { label: 'Pelican' } });
    for (let i = 0; i < 5; i++)
      await inWorks('Pelican on a rock with many further words', {
        type: 'bird',
        properties: { label: 'Pelican on a rock with many further words', _n: i, _tags: ['a', `t${i}`] },
      });
    const count = async (body: object) =>
      (await search(node, owner, 'entities', { query: 'pelican', limit: 5, ...body })).results.length;
    expect(await count({ collection_id: works.id })).toBe(5);
    expect(await count({ collection_pi: works.id })).toBe(5);
    expect(await count({ collection_ids: [works.id, other.id], limit: 100 })).toBe(35);
    expect(await count({ collection_pis: [works.id], types: ['bird'] })).toBe(5);
    expect(await count({ types: ['fish'] })).toBe(0);
    expect(await count({ filter: { _n: { $gte: 3 } } })).toBe(2);
    expect(await count({ filter: { $or: [{ _n: 0 }, { _tags: 't1' }], type: 'bird' } })).toBe(2);
    expect(await count({ filter: { _n: { $exists: true } }, collection_id: other.id })).toBe(0);
    expect(await count({ filter: { created_at: { $gt: '2100-01-01' } } })).toBe(0);
    const spread = await search(node, owner, 'entities', { query: 'pelican', per_collection_limit: 2 });
    expect(spread.results.map(({ collection_id }) => collection_id).toSorted()).toEqual(
      [works.id, works.id, other.id, other.id].toSorted(),
    );
    const found = await search(node, owner, 'entities', {
      query: 'pelican',
      collection_ids: [works.id],
      collection_id: other.id,
    });
    expect(found.metadata).toMatchObject({ collection_ids: [other.id, works.id], collections_searched: 2 });
  });

  it('and one network knows nothing of the other', async () => {
    await inWorks('Mainland');
    const onTest = { 'X-Arke-Network': 'test' };
    const answer = await ask(node, owner, 'POST /search/entities', { query: 'mainland' }, onTest);
    expect(answer.body).toMatchObject({ results: [] });
  });
});

describe('collections, agents, discoveries', () => {
  it('finds collections by their own words and by what they hold', async () => {
    const made = await collection(node, owner, { label: 'Box 17', description: 'Letters of a lighthouse keeper' });
    await create(node, owner, { collection: made.id, type: 'letter', properties: { label: 'To the Trinity House' } });
    await indexIdle(node);
    for (const query of ['lighthouse keeper', 'trinity']) {
      const { results, metadata } = await search(node, owner, 'collections', { query });
      expect(results[0]).toMatchObject({ id: made.id, type: 'collection', label: 'Box 17' });
      expect(metadata).toEqual({ query, result_count: results.length });
    }
    const typed = async (types: string[]) =>
      (await search(node, owner, 'collections', { query: 'trinity', types })).results.length;
    expect([await typed(['letter']), await typed(['map']), await typed(['collection'])]).toEqual([1, 0, 1]);
  });

  it("finds agents: of the operator's collections, or all", async () => {
    const admin = operator(node);
    const approved = await collection(node, admin, { label: 'Approved' });
    const agent = (who: Person, label: string, within?: string) =>
      indexed(node, who, label, {
        type: 'agent',
        ...(within && { collection: within }),
        properties: { label, endpoint: 'https://a.test', status: 'development', description: 'reads handwriting' },
      });
    const good = await agent(admin, 'Transcriber', approved.id);
    const own = await agent(owner, 'Reader', works.id);
    const find = async (body: object) =>
      (await search(node, owner, 'agents', { query: 'handwriting', ...body })).results;
    expect(await find({})).toMatchObject([{ id: good.id, status: 'development', collection_id: approved.id }]);
    expect((await find({ scope: 'all' })).map(({ id }) => id).toSorted()).toEqual([good.id, own.id].toSorted());
    expect((await find({}))[0]).not.toHaveProperty('type');
  });

  it('discovers in the collections that fit best, a few of each', async () => {
    const made = [];
    for (let i = 0; i < 3; i++) {
      const one = await collection(node, owner, { label: `Fungi ${i}` });
      made.push(one.id);
      for (let j = 0; j < 4; j++)
        await create(node, owner, { collection: one.id, properties: { label: 'Chanterelle' } });
    }
    await indexIdle(node);
    const find = (body: object) => search(node, owner, 'discover', { query: 'chanterelle', ...body });
    const all = await find({ per_collection_limit: 2 });
    expect(all.results.map(({ collection_id }) => collection_id).toSorted()).toEqual([...made, ...made].toSorted());
    expect(all.metadata).toEqual({ query: 'chanterelle', collections_searched: 3, result_count: 6 });
    const one = await find({ collection_limit: 1 });
    expect(new Set(one.results.map(({ collection_id }) => collection_id)).size).toBe(1);
    expect(one.results).toHaveLength(4);
    expect((await find({ limit: 3 })).results).toHaveLength(3);
  });
});

describe("the caller's own collections", () => {
  it('are searched, by role, with what lies in no collection on request', async () => {
    const reader = await user(node, 'reader');
    const hers = await collection(node, reader, { label: 'Hers' });
    await create(node, reader, { collection: hers.id, properties: { label: 'Heliotrope', _p: 1 } });
    await create(node, owner, { collection: works.id, properties: { label: 'Heliotrope' } });
    await indexed(node, owner, 'Heliotrope', { type: 'flower' });
    ok(await ask(node, owner, `POST /collections/${works.id}/members`, { user_id: reader.id, role: 'viewer' }));
    const find = (body: object) => search(node, reader, '/users/me/search', { query: 'heliotrope', ...body });
    const both = await find({});
    expect(both.results.map(({ collection_id }) => collection_id).toSorted()).toEqual([hers.id, works.id].toSorted());
    expect(both.metadata).toEqual({
      query: 'heliotrope',
      ...{ collections_queried: 2, collections_total: 2, include_public: false, result_count: 2 },
      execution_time_ms: expect.any(Number),
    });
    expect((await find({ role: 'owner' })).results.map(({ collection_id }) => collection_id)).toEqual([hers.id]);
    expect((await find({ include_public: true })).results).toHaveLength(3);
    expect((await find({ include_public: true, type: 'flower' })).results).toMatchObject([{ collection_id: null }]);
    expect((await find({ limit: 1, expand: 'none' })).results[0]).not.toHaveProperty('entity_preview');
  });
});
