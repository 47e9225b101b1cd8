import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { type FoundHits, indexIdle, labels, search } from '../helpers/searches.ts';
import { type NamedTopic, topicTitles, topicWords } from '../helpers/topics.ts';

let node: TestNode;
let owner: Person;
let works: Entity;
const titles = topicTitles(560);
const topicOf = new Map(titles.map(({ topic, title }) => [title, topic]));

async function fill(list: readonly { title: string }[], type: string): Promise<void> {
  for (let at = 0; at < list.length; at += 90) {
    const entities = list
      .slice(at, at + 90)
      .map(({ title }) => ({ type, properties: { label: title }, collection: works.id }));
    ok(await ask(node, owner, 'POST /entities/batch', { entities }));
  }
  await indexIdle(node);
}

beforeAll(async () => {
  node = await startNode();
  owner = await user(node, 'curator');
  works = await collection(node, owner, { label: 'Works' });
  await fill(titles, 'artwork');
});
afterAll(() => node[Symbol.asyncDispose]());

const find = (query: string, body: object = {}) => search(node, owner, 'entities', { query, limit: 100, ...body });
const about = ({ results }: FoundHits, topic: NamedTopic) =>
  results.filter(({ label }) => topicOf.get(label) === topic);

describe('a search by meaning', () => {
  it('finds what has none of the words of the query, after what has them', async () => {
    const found = await find('schooner');
    const having = found.results.filter(({ label }) => label.includes('schooner'));
    expect(having.length).toBeLessThan(100);
    expect(
      labels(found)
        .slice(0, having.length)
        .every((label) => label.includes('schooner')),
    ).toBe(true);
    expect(about(found, 'sea').length).toBeGreaterThan(having.length + 3);
    expect(about(found, 'court')).toEqual([]);
    const scores = found.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    expect((await find('schooner')).results).toEqual(found.results);
  });

  it('finds what has all words of the query before what says nearly the same, also where one is misspelt', async () => {
    // By what it says it is about fields.
    const field = topicWords('field').join(' ');
    const description = `${field} ${field} schooner ${field} emperor ${field}`;
    await create(node, owner, {
      ...{ type: 'artwork', collection: works.id, sync_index: true },
      properties: { label: 'Untitled', description },
    });
    for (const query of ['schooner emperor', 'schoonr emperor', 'schooners emperors']) {
      const found = await find(query);
      expect(labels(found)[0], query).toBe('Untitled');
      expect(found.results.length, query).toBeGreaterThan(5);
    }
  });

  it('finds no more than fits: in a collection, of a type, not deleted', async () => {
    const other = await collection(node, owner, { label: 'Other works' });
    const body = { properties: { label: 'anchor regatta mariner' }, collection: other.id, sync_index: true };
    const made = await create(node, owner, { type: 'artwork', ...body });
    const place = await create(node, owner, { type: 'place', ...body, properties: { label: 'anchor tide mariner' } });
    const inOther = await find('schooner', { collection_id: other.id });
    expect(labels(inOther).toSorted()).toEqual(['anchor regatta mariner', 'anchor tide mariner']);
    expect(labels(await find('schooner', { types: ['place'] }))).toEqual(['anchor tide mariner']);
    const filter = { created_at: { $gte: made.created_at } };
    expect((await find('schooner', { filter })).results.map(({ id }) => id)).toEqual(
      expect.arrayContaining([made.id, place.id]),
    );
    await remove(node, owner, made);
    await indexIdle(node);
    expect(labels(await find('schooner', { collection_id: other.id }))).toEqual(['anchor tide mariner']);
  });

  it('finds what is like an entity though it shares few words', async () => {
    const source = (await find('plough', { limit: 1 })).results[0];
    const found = await search(node, owner, 'similar/items', {
      ...{ id: source?.id, collection_id: works.id, limit: 20, tier2_limit: 20 },
    });
    expect(about(found, 'field').length).toBeGreaterThanOrEqual(12);
    expect(found.results.some(({ id }) => id === source?.id)).toBe(false);
  });

  it('compares short texts by what they mean', async () => {
    const store = await node.ctx.networks.get('main');
    const { likeness } = await node.ctx.search.engine.similarities(store, ['sailor'], ['sailor', 'mariner', 'banquet']);
    const [same, near, far] = likeness;
    expect(same).toBe(1);
    expect(near).toBeGreaterThan(0.5);
    expect(far).toBeLessThan(0.3);
  });
});

describe('what was learned', () => {
  it('is learned again when the index has grown by half, and knows the new words', async () => {
    const more = topicTitles(600, { seed: 2 }).slice(300);
    const [wanted] = more.filter(({ topic }) => topic === '2-20');
    const [word = ''] = wanted?.title.split(' ') ?? [];
    await fill(more, 'artwork');
    const found = labels(await find(word)).map((label) => more.find(({ title }) => title === label));
    expect(found.filter((it) => it?.topic === '2-20' && !it.title.includes(word)).length).toBeGreaterThan(1);
  });

  it('is made anew with the index', async () => {
    const before = about(await find('throne'), 'court').length;
    const rebuilt = await ask(node, operator(node), 'POST /node/reindex', {});
    expect(rebuilt.status).toBe(200);
    await indexIdle(node);
    const found = await find('throne');
    expect(about(found, 'court')).toHaveLength(before);
    expect(labels(found).filter((label) => !label.includes('throne')).length).toBeGreaterThan(1);
  });
});
