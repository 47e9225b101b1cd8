import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RequestPool } from '../../src/server/request-pool.ts';
import { anonymous, ask, impostor, operator, type Person, processor, user } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let node: TestNode;
let writing: TestNode;
let ada: Person;
let home: Entity;
let painter: Entity;
let work: Entity;

beforeAll(async () => {
  node = await startNode();
  writing = await startNode({ env: { ARCHEION_MCP_WRITES: 'true' } });
  ada = await user(node, 'ada');
  home = await collection(node, ada, { label: 'Tate' });
  painter = await create(node, ada, { type: 'artist', collection: home.id, properties: { label: 'Joseph Turner' } });
  work = await create(node, ada, {
    type: 'artwork',
    collection: home.id,
    properties: { label: 'A Ship at Sea' },
    relationships: [{ predicate: 'made_by', peer: painter.id }],
  });
  await indexIdle(node);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await writing[Symbol.asyncDispose]();
});

/** The SDK's own client, connected. */
async function connected(to: TestNode, who: Person) {
  const client = new Client({ name: 'test', version: '1' });
  const troubles: Error[] = [];
  client.onerror = (error) => void troubles.push(error);
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', to.url), { requestInit: { headers: who.headers } }),
  );
  return { client, troubles, [Symbol.asyncDispose]: () => client.close() };
}

/** A tool that is used as one message, without the SDK's connection. */
const message = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
});

/** What a tool says, and whether it is a refusal. */
async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, isError: isError === true, value: isError ? null : JSON.parse(text) };
}

const reading = [
  ...[
    'compare_versions',
    'describe_collection',
    'find_entities',
    'find_paths',
    'find_similar',
    'get_entity',
    'get_history',
    'get_neighbours',
  ],
  ...['get_relationships', 'get_version', 'list_collections', 'list_entities', 'my_collections', 'query', 'search'],
  'search_collections',
];

describe('over HTTP', () => {
  it('the tools are listed, with what they take', async () => {
    await using it = await connected(node, ada);
    const formats = vi.spyOn(Ajv.prototype, 'addFormat');
    const { tools } = await it.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(reading);
    for (const { description, inputSchema, annotations } of tools) {
      expect(description).toMatch(/\w/);
      expect(inputSchema.type).toBe('object');
      expect(annotations?.readOnlyHint).toBe(true);
    }
    expect(it.client.getServerVersion()?.name).toBe('archeion');
    expect(it.client.getInstructions()).toContain('search');
    expect(it.troubles).toEqual([]);
    // No validator is made for a message: none of them brings a form.
    expect(formats).not.toHaveBeenCalled();
    formats.mockRestore();
  });

  it('the node is searched, queried and read', async () => {
    await using it = await connected(node, ada);
    const { client } = it;
    expect((await use(client, 'list_collections')).value).toMatchObject({
      collections: [{ id: home.id, label: 'Tate' }],
      has_more: false,
    });
    expect((await use(client, 'search', { text: 'ship', types: ['artwork'] })).value.results).toMatchObject([
      { id: work.id, label: 'A Ship at Sea' },
    ]);
    const path = `"ship" type:artwork -[made_by]-> type:artist`;
    expect((await use(client, 'query', { path })).value.results).toMatchObject([{ entity: { id: painter.id } }]);
    expect((await use(client, 'get_entity', { id: work.id })).value.properties).toEqual({ label: 'A Ship at Sea' });
    expect((await use(client, 'get_history', { id: work.id })).value.versions).toMatchObject([
      { ver: 1, cid: work.cid },
    ]);
    expect((await use(client, 'find_paths', { from: work.id, to: painter.id })).text).toContain('made_by');
    const around = await use(client, 'get_neighbours', { id: painter.id, direction: 'incoming' });
    expect(around.text).toContain(work.id);
  });

  it('a message that is longer than a language model writes is refused before it is read', async () => {
    const message = (length: number) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'get_entity', arguments: { id: work.id, text: 'a'.repeat(length) } },
    });
    const sent = (path: string, length: number) => ask(node, ada, `POST ${path}`, message(length));
    const error =
      'The body is too large: at most 256 KiB of JSON are a message to the tools; make what is longer by POST /entities';
    for (const path of ['/mcp', '/mcp/', '/mcp?x'])
      expect(await sent(path, 2 ** 18)).toMatchObject({ status: 413, body: { error } });
    expect((await sent('/mcp', 2 ** 18 - 1000)).status).toBe(200);
  });

  it('several messages at once are answered together, twenty at most', async () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const done = (id: number) => ({ jsonrpc: '2.0', id, result: {} });
    const sent = (body: object[]) => ask(node, ada, 'POST /mcp', body, { 'MCP-Protocol-Version': '2025-03-26' });
    expect((await sent([ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping(2)])).body).toEqual([
      done(1),
      done(2),
    ]);
    expect((await sent([ping(1)])).body).toEqual([done(1)]);
    expect((await sent([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await sent([ping(1), cancelled, ping(2)])).body).toEqual([done(1), done(2)]);
    expect((await sent([cancelled])).status).toBe(202);
    const all = Array.from({ length: 21 }, (_, id) => ping(id));
    expect((await sent(all.slice(1))).body).toHaveLength(20);
    for (const wrong of [[], all, [ping(1), ping(1)]])
      expect(await sent(wrong)).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
  });

  it('refusals are said in words', async () => {
    await using it = await connected(node, ada);
    const { client } = it;
    expect(await use(client, 'get_entity', { id: nowhere })).toMatchObject({ isError: true, text: 'Entity not found' });
    expect(await use(client, 'get_entity', { id: 'x' })).toMatchObject({
      isError: true,
      text: 'Wrong arguments. id: must be an entity id',
    });
    expect((await use(client, 'query', { path: '"ship" -[' })).text).toContain('at position 9');
    expect(await use(client, 'create_entity', { type: 'x' })).toMatchObject({
      isError: true,
      text: 'There is no tool create_entity.',
    });
  });

  it('a result is bounded', async () => {
    const label = 'long';
    const long = await create(node, ada, { properties: { label, text: 'x'.repeat(100_000) } });
    await using it = await connected(node, ada);
    const { text } = await use(it.client, 'get_entity', { id: long.id });
    expect(text.length).toBeLessThan(30_000);
    expect(text).toContain('cut');
  });

  it('nobody unknown is answered', async () => {
    for (const who of [anonymous, impostor]) await expect(connected(node, who)).rejects.toThrow('Unauthorized');
    const answer = await ask(node, anonymous, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(answer.status).toBe(401);
  });

  it('only messages are taken', async () => {
    for (const method of ['GET', 'DELETE']) expect((await ask(node, ada, `${method} /mcp`)).status).toBe(405);
    expect((await ask(node, ada, 'GET /mcp/more')).status).toBe(404);
    expect((await ask(node, ada, 'POST /mcp', [])).status).toBe(400);
    expect((await ask(node, ada, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'no/such' })).body).toMatchObject({
      id: 1,
      error: { code: -32601 },
    });
    const old = await ask(
      node,
      ada,
      'POST /mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'MCP-Protocol-Version': '1' },
    );
    expect(old.status).toBe(400);
  });
});

describe('where writing is switched on', () => {
  it('entities are made and changed, by whoever may', async () => {
    const bob = await user(writing, 'bob');
    const eve = await user(writing, 'eve');
    const mine = await collection(writing, bob);
    await using it = await connected(writing, bob);
    const { tools } = await it.client.listTools();
    const writers = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name);
    expect(writers).toEqual(['create_entity', 'update_entity']);

    const args = { type: 'note', properties: { label: 'First' }, collection: mine.id };
    const { value } = await use(it.client, 'create_entity', args);
    expect(value).toMatchObject({ ver: 1 });
    const change = { id: value.id, expect_tip: value.cid, properties: { label: 'Second' }, note: 'better' };
    expect((await use(it.client, 'update_entity', change)).value).toMatchObject({ id: value.id, ver: 2 });
    expect(await read(writing, bob, value.id)).toMatchObject({ properties: { label: 'Second' } });

    const stale = await use(it.client, 'update_entity', change);
    expect(stale).toMatchObject({ isError: true, text: 'Conflict: entity was modified' });
    await using other = await connected(writing, eve);
    expect(await use(other.client, 'create_entity', args)).toMatchObject({ isError: true });
    expect((await use(other.client, 'get_entity', { id: value.id })).value.properties.label).toBe('Second');
  });

  it('a relationship goes whose peer is no id', async () => {
    const dan = await user(writing, 'dan');
    const relationships = [{ predicate: 'viewer', peer: '*' }];
    const { id, cid } = await collection(writing, dan, { relationships });
    await using it = await connected(writing, dan);
    const change = { id, expect_tip: cid, relationships_remove: relationships };
    expect((await use(it.client, 'update_entity', change)).value).toMatchObject({ id, ver: 2 });
    expect((await read(writing, dan, id)).relationships.map(({ peer }) => peer)).toEqual([dan.id]);
  });

  it('members of every name are kept', async () => {
    const carl = await user(writing, 'carl');
    const properties = '{"label":"Odd","__proto__":{"a":1}}';
    const params = `{"name":"create_entity","arguments":{"type":"note","properties":${properties}}}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const { text } = await ask(writing, carl, 'POST /mcp', message, { 'Content-Type': 'application/json' });
    const [id = ''] = /[0-9A-Z]{26}/.exec(text) ?? [];
    expect(JSON.stringify((await read(writing, carl, id)).properties)).toBe(properties);
  });

  it('a processor has the permissions of its key', async () => {
    const owner = operator(writing);
    const agent = await create(writing, owner, { type: 'document' });
    await using it = await connected(writing, processor(writing, agent.id, owner));
    expect((await use(it.client, 'get_entity', { id: agent.id })).value.id).toBe(agent.id);
    const change = { id: agent.id, expect_tip: agent.cid, properties: { a: 1 } };
    expect(await use(it.client, 'update_entity', change)).toMatchObject({ isError: true });
  });
});

describe('a large entity', () => {
  const list = Array.from({ length: 300_000 }, (_, i) => ({ i, half: i / 2 }));
  let large: Entity;
  beforeAll(async () => {
    const first = await create(node, ada, { properties: { label: 'Large', list }, collection: home.id });
    large = await update(node, ada, first, { properties: { label: 'Larger' } });
    await indexIdle(node);
    await ask(node, ada, 'POST /mcp', message('get_version', { cid: large.cid }));
  });

  it.each<[string, () => object, RegExp]>([
    ['get_entity', () => ({ id: large.id }), /"note":"The entity is too large to show\. get_relationships gives/],
    ['get_relationships', () => ({ id: large.id }), /"predicate":"collection".*"total":1/],
    ['get_history', () => ({ id: large.id }), /"ver":2.*"ver":1/],
    ['get_version', () => ({ cid: large.cid }), /^{"cut":"The result has \d+ characters, of which these are the first/],
    ['compare_versions', () => ({ id: large.id }), /"label":{"from":"Large","to":"Larger"}/],
    ['get_version', () => ({ cid: nowhere }), /^Entity not found$/],
  ])('is read with %s and holds up nobody', async (name, args, told) => {
    const elsewhere = vi.spyOn(node.ctx.largeRequests as RequestPool, 'runTool');
    const { body } = await ask(node, ada, 'POST /mcp', message(name, args()));
    const threads = elsewhere.mock.calls.length;
    elsewhere.mockRestore();
    const { content } = (body as { result: CallToolResult }).result;
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(told) }]);
    expect(threads).toBe(told.source.includes('not found') ? 0 : 1);
  });
});
