import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, onTest, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let node: TestNode;
let ada: Person;
let home: Entity;
let painter: Entity;
let work: Entity;
let older: Entity;

beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  home = await collection(node, ada, { label: 'Tate' });
  painter = await create(node, ada, { type: 'artist', collection: home.id, properties: { label: 'Joseph Turner' } });
  older = await create(node, ada, {
    type: 'artwork',
    collection: home.id,
    properties: { label: 'A Ship' },
    relationships: [{ predicate: 'made_by', peer: painter.id }],
  });
  work = await update(node, ada, older, { properties: { label: 'A Ship at Sea' } });
  await indexIdle(node);
});
afterAll(() => node[Symbol.asyncDispose]());

async function use(
  name: string,
  args: object,
  { of, who } = { of: node, who: ada },
): Promise<{ text: string; isError?: boolean }> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const { body } = await ask(of, who, 'POST /mcp', message);
  const { content, isError } = (body as { result: CallToolResult }).result;
  const [first] = content;
  return { text: first?.type === 'text' ? first.text : '', ...(isError === true && { isError }) };
}

const page = { limit: 10, offset: 0 };

describe('with every argument that it takes', () => {
  test.each<[string, () => object, RegExp]>([
    ['my_collections', () => page, /"label":"Tate"/],
    ['list_collections', () => page, /"label":"Tate"/],
    [
      'describe_collection',
      () => ({ collection: home.id }),
      /"types":\[\{"type":"artist","count":1\},\{"type":"artwork","count":1\}\].*"made_by"/,
    ],
    ['search_collections', () => ({ text: 'tate', limit: 10 }), /"label":"Tate"/],
    [
      'list_entities',
      () => ({ collection: home.id, type: 'artwork', changed_since: '2026-01-01', ...page }),
      /"label":"A Ship at Sea".*"has_more":false/,
    ],
    ['find_entities', () => ({ collection: home.id, label: 'ship', type: 'artwork', limit: 10 }), /"A Ship at Sea"/],
    ['search', () => ({ text: 'ship', collection: home.id, types: ['artwork'], limit: 10 }), /"A Ship at Sea"/],
    ['find_similar', () => ({ id: work.id, limit: 10 }), /"results":\[/],
    ['query', () => ({ path: '"ship" -[made_by]-> type:artist', collection: home.id, limit: 10 }), /"Joseph Turner"/],
    ['get_entity', () => ({ id: work.id }), /"A Ship at Sea"/],
    ['get_relationships', () => ({ id: work.id, predicate: 'made_by', ...page }), /"Joseph Turner".*"total":1/],
    [
      'get_neighbours',
      () => ({ id: work.id, predicate: 'made_by', type: 'artist', direction: 'outgoing', steps: 2, limit: 10 }),
      /"Joseph Turner"/,
    ],
    [
      'find_paths',
      () => ({ from: work.id, to: painter.id, direction: 'outgoing', max_depth: 2, limit: 5 }),
      /"made_by".*"Joseph Turner"/,
    ],
    ['get_history', () => ({ id: work.id, limit: 10, from: older.cid }), /"ver":1/],
    ['get_version', () => ({ cid: older.cid }), /"A Ship"/],
    [
      'compare_versions',
      () => ({ id: work.id, from: older.cid, to: work.cid }),
      /"from":"A Ship","to":"A Ship at Sea"/,
    ],
  ])('%s answers', async (name, args, told) => {
    expect(await use(name, args())).toEqual({ text: expect.stringMatching(told) });
  });

  test('no tool is left out above', async () => {
    const { body } = await ask(node, ada, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((body as { result: { tools: object[] } }).result.tools).toHaveLength(16);
  });
});

test('a page of a collection far down is listed', async () => {
  const far = { text: expect.stringMatching(/"entities":\[\],"has_more":false/) };
  expect(await use('list_entities', { collection: home.id, limit: 100, offset: 5000 })).toEqual(far);
});

test('a collection tells what was changed since a time, and when that was', async () => {
  const changed_since = new Date(work.ts).toISOString();
  const { text } = await use('list_entities', { collection: home.id, changed_since });
  const known = { id: work.id, type: 'artwork', label: 'A Ship at Sea', updated_at: changed_since };
  expect(JSON.parse(text)).toEqual({ entities: [known], has_more: false });
  expect((await use('list_entities', { collection: home.id, changed_since: 'yesterday' })).text).toBe(
    'Wrong arguments. changed_since: must be a time, as 2026-05-31 or 2026-05-31T18:00:00Z',
  );
  for (const no of ['2026-05', 'artwork 5'])
    expect((await use('list_entities', { collection: home.id, changed_since: no })).text).toContain('. changed_since:');
});

test('what was deleted since a time is not listed, and the tool says so', async () => {
  const other = await collection(node, ada, { label: 'Other' });
  await remove(node, ada, await create(node, ada, { type: 'artwork', collection: other.id }));
  const { text } = await use('list_entities', { collection: other.id, changed_since: '2020-01-01' });
  expect(JSON.parse(text)).toEqual({ entities: [], has_more: false });
  const { body } = await ask(node, ada, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const { tools } = (body as { result: { tools: { name: string; description: string }[] } }).result;
  expect(tools.find(({ name }) => name === 'list_entities')?.description).toContain('deleted');
});

test('of a list that is too long for an answer the first entries are told whole, and that there are more', async () => {
  const many = await collection(node, ada, { label: 'Many' });
  const entities = Array.from({ length: 90 }, (_, i) => ({
    ...{ type: 'print', collection: many.id },
    properties: { label: `Sheet ${i} ${'"of many" '.repeat(40)}` },
  }));
  ok(await ask(node, ada, 'POST /entities/batch', { entities }));
  const listed = async (args: object) =>
    JSON.parse((await use('list_entities', { collection: many.id, limit: 90, ...args })).text);
  const { entities: first, has_more, cut } = await listed({});
  expect([has_more, cut]).toEqual([true, expect.stringContaining(`the first ${first.length}.`)]);
  const { entities: rest } = await listed({ offset: first.length, limit: 30 });
  const { entities: third } = await listed({ offset: first.length + rest.length });
  const ids = [...first, ...rest, ...third].map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([90, 90]);
});

test('as many hits as can be asked for are told whole', async () => {
  const description = 'A mill by a stream, with a long text that says more of it. '.repeat(4);
  const made = Array.from({ length: 50 }, (_, i) =>
    create(node, ada, { type: 'print', properties: { label: `Mill ${i}`, description } }),
  );
  await Promise.all(made);
  await indexIdle(node);
  const { results } = JSON.parse((await use('search', { text: 'mill', limit: 50 })).text);
  expect(results).toHaveLength(50);
  expect(results[0].description).toMatch(/^A mill by a stream/);
});

test('how many others have a relationship to an entity is told by its name', async () => {
  const { text } = await use('get_relationships', { id: painter.id });
  expect(JSON.parse(text)).toMatchObject({ total: 1, incoming: [{ predicate: 'made_by', count: 1 }] });
});

test('from how many entities a query goes on does not hang on how many results are wanted', async () => {
  const { text } = await use('query', { path: '"ship" -[made_by]-> type:artist', limit: 1 });
  expect(text).toContain('"k":1,"k_explore":75');
});

test('relationships that stand behind many others come with the labels of now', async () => {
  const parts = await Promise.all(
    Array.from({ length: 3 }, (_, i) => create(node, ada, { type: 'artist', properties: { label: `Then ${i}` } })),
  );
  const many = Array.from({ length: 120 }, (_, i) => ({ predicate: `depicts_${i}`, peer: home.id }));
  const last = parts.map(({ id }) => ({ predicate: 'made_by', peer: id }));
  const whole = await create(node, ada, { properties: { label: 'Whole' }, relationships: [...many, ...last] });
  for (const [i, one] of parts.entries()) await update(node, ada, one, { properties: { label: `Now ${i}` } });
  const labels = async (args: object) =>
    [...(await use('get_relationships', { id: whole.id, ...args })).text.matchAll(/"peer_label":"([^"]*)"/g)].map(
      ([, label]) => label,
    );
  const now = ['Now 0', 'Now 1', 'Now 2'];
  expect(await labels({ predicate: 'made_by' })).toEqual(now);
  expect((await labels({ offset: 100 })).slice(-3)).toEqual(now);
});

test('two versions of a deleted entity are compared', async () => {
  const first = await create(node, ada, { properties: { label: 'First' } });
  const second = await update(node, ada, first, { properties: { label: 'Second' } });
  await remove(node, ada, second);
  const args = { id: first.id, from: first.cid, to: second.cid };
  expect(await use('compare_versions', args)).toEqual({ text: expect.stringContaining('"to":"Second"') });
});

test.each<[string, string, object]>([
  ['list_entities', 'collection', {}],
  ['find_entities', 'collection', { label: 'ship' }],
  ['search', 'collection', { text: 'ship' }],
  ['query', 'collection', { path: '"ship"' }],
  ['find_similar', 'id', {}],
  ['get_entity', 'id', {}],
  ['get_relationships', 'id', {}],
  ['get_neighbours', 'id', {}],
  ['get_history', 'id', {}],
  ['compare_versions', 'id', {}],
  ['find_paths', 'from', { to: onTest }],
])('an id of the other network is refused by the argument that it came in: %s, %s', async (name, argument, more) => {
  const text = `Wrong arguments. ${argument}: is not an id of the main network`;
  expect(await use(name, { [argument]: onTest, ...more })).toEqual({ isError: true, text });
});

test.each<[string, object]>([
  ['list_entities', {}],
  ['find_entities', { label: 'ship' }],
  ['describe_collection', {}],
  ['search', { text: 'ship' }],
  ['query', { path: '"ship"' }],
])('nothing is looked for in what is no collection: %s', async (name, more) => {
  const text = 'Wrong arguments. collection: is no collection: it is of the type artist';
  expect(await use(name, { collection: painter.id, ...more })).toEqual({ isError: true, text });
});

test('an argument that a tool does not take is refused by its name, and nothing is written then', async () => {
  const refused = (text: string) => ({ isError: true, text: `Wrong arguments. ${text}` });
  // Others take `type`: what comes would be taken for all that there is of it.
  expect(await use('search', { text: 'ship', type: 'artist' })).toEqual(
    refused('type: is no argument; there are text, collection, types, limit'),
  );
  await using writing = await startNode({ env: { ARCHEION_MCP_WRITES: 'true' } });
  const who = await user(writing, 'ada');
  const made = await create(writing, who, { properties: { label: 'Then' } });
  const write = (name: string, args: object) => use(name, args, { of: writing, who });
  const change = { id: made.id, expect_tip: made.cid };
  expect(await write('update_entity', { ...change, property: { label: 'Now' } })).toEqual(
    refused(
      'property: is no argument; there are id, expect_tip, properties, properties_remove, relationships_add, relationships_remove, note',
    ),
  );
  const relationship = { predicate: 'near', peer: made.id, label: 'Then' };
  expect(await write('update_entity', { ...change, relationships_add: [relationship] })).toEqual(
    refused('relationships_add.0.label: is not taken here'),
  );
  expect(await write('create_entity', { type: 'document', label: 'Now' })).toMatchObject({ isError: true });
  expect(await read(writing, who, made.id)).toEqual(made);
});
