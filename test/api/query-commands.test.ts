import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { operator } from '../helpers/callers.ts';
import { create, type Entity } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: TestNode;
let painter: Entity;
let work: Entity;

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startNode({ data: folder.path });
  const me = operator(node);
  painter = await create(node, me, { type: 'artist', properties: { label: 'Joseph Turner' } });
  const sea = await create(node, me, { type: 'subject', properties: { label: 'Sea' } });
  const relationships = [
    { predicate: 'made_by', peer: painter.id },
    { predicate: 'shows', peer: sea.id },
  ];
  await create(node, me, { type: 'artwork', properties: { label: 'A Sketch' }, relationships });
  work = await create(node, me, {
    type: 'artwork',
    properties: { label: 'A Ship\u001b[31m at Sea' },
    relationships,
  });
  await indexIdle(node);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** One command line in this process, against the running node. */
function archeion(args: string[], input?: PassThrough, data = folder.path) {
  const out: string[] = [];
  const err: string[] = [];
  const stop = new AbortController();
  const code = run(args, {
    env: { ARCHEION_DATA: data, ARCHEION_LOG_LEVEL: 'silent' },
    pid: process.pid,
    dataFolder: data,
    ui: null,
    ...(input && { input: () => input }),
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    terminal: null,
    stopped: stop.signal,
  });
  return { out, err, code, stop };
}

async function done(...args: string[]): Promise<string[]> {
  const { code, out, err } = archeion(args);
  expect([await code, ...err]).toEqual([0]);
  return out;
}

test('a query prints a table with the paths', async () => {
  const lines = await done('query', `@${work.id} -[made_by]-> type:artist`, '--explain');
  expect(lines).toEqual([
    `plan   id(${work.id}) ; out [made_by] 1 types(artist)`,
    `score  id                          type    label`,
    `1.000  ${painter.id}  artist  Joseph Turner`,
    // Nothing that a terminal obeys comes from an entity.
    '       A Ship [31m at Sea -made_by->',
    expect.stringMatching(/^1 result; 2 looked at in [\d.]+ ms\.$/),
  ]);
});

test('a hop that says nothing of where it leads is a mistake on the command line', async () => {
  const { code, err } = archeion(['query', `@${work.id} -[*]->`, '--json']);
  expect([await code, ...err]).toEqual([
    2,
    expect.stringMatching(/^archeion: Nothing was looked for\. End the hop with /),
  ]);
});

test('a query prints one JSON document', async () => {
  const [json = '', ...more] = await done('query', 'type:artist,artwork', '--k', '1', '--json');
  expect(more).toEqual([]);
  expect(JSON.parse(json)).toMatchObject({ results: [{ entity: { id: work.id } }], metadata: { k: 1 } });
});

test('a query says that there was more to look at, and what to do', async () => {
  const argo = `@${painter.id} <-[*]- type:artwork -[*]{,2}-> type:zebra`;
  const [json = ''] = await done('query', argo, '--k', '2', '--k-explore', '1', '--json');
  expect(JSON.parse(json).metadata).toMatchObject({ k: 2, k_explore: 1, truncated: true });
  expect((await done('query', argo, '--k-explore', '1')).at(-1)).toMatch(
    /^There was more to look at: raise --k-explore/,
  );
  expect((await done('query', argo, '--k-explore', '2')).at(-1)).toMatch(/^No results; 3 looked at/);
});

test('a query that is refused says why', async () => {
  expect(await done('query', 'type:artist -[*]-> type:artist')).toEqual([
    expect.stringMatching(/^Queries with hops require .* zero-hop queries\.$/),
    expect.stringMatching(/^No results; 0 looked at/),
  ]);
});

test('a query that finds nothing says why', async () => {
  expect(await done('query', `@${work.id} -[made_by]-> type:artist -[*]-> type:zebra`)).toEqual([
    'Traversal stopped at hop 2 - no matching relations or entities.',
    'It came to: A Ship [31m at Sea -made_by-> Joseph Turner',
    expect.stringMatching(/^No results; 2 looked at/),
  ]);
});

test('without a running node a query uses one of its own, which waits for its index where it asks for a text', async () => {
  await using other = await temporaryFolder();
  {
    await using stopped = await startNode({ data: other.path });
    for (let i = 0; i < 200; i++) await create(stopped, operator(stopped), { properties: { label: `Zebra ${i}` } });
  }
  // It may have ended before it began one.
  await rm(searchFile(`${other.path}/main`), { force: true });
  const asked = async (path: string) => {
    const { code, out, err } = archeion(['query', path, '--k', '100', '--json'], undefined, other.path);
    expect([await code, ...err]).toEqual([0]);
    return JSON.parse(out[0] ?? '').results;
  };
  expect(await asked('"zebra"')).toHaveLength(100);
  expect(await asked('type:document')).toHaveLength(100);
});

test('what cannot be read is shown with a caret below the place', async () => {
  const { code, out, err } = archeion(['query', '"é😀" -[a b]-> @x']);
  expect(await code).toBe(2);
  expect(out).toEqual([]);
  expect(err.join('\n').split('\n')).toEqual([
    'archeion: ] expected at position 10',
    '  "é😀" -[a b]-> @x',
    '           ^',
  ]);
});

test.each([
  ['query', '"x"', '--k', '0'],
  ['query', '"x"', '--k', '101'],
  ['query', '"x"', '--k', '1e1'],
  ['query', '"x"', '--k-explore', '301'],
  ['query'],
])('%s %s %s %s is a wrong command line', async (...args) => {
  expect(await archeion(args).code).toBe(2);
});

test('the tool server reads and writes lines', async () => {
  const input = new PassThrough();
  const { code, out } = archeion(['mcp'], input);
  const answers = () => out.map((line) => JSON.parse(line));
  input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\nno');
  input.write(' message\n');
  input.write('{"jsonrpc":"2.0","id":"two","method":"tools/list"}\n');
  input.write('[{"jsonrpc":"2.0","id":3,"method":"ping"}]\n[]\r\n');
  await vi.waitFor(() => expect(out).toHaveLength(5), 10_000);
  input.end();
  expect(await code).toBe(0);
  expect(answers()).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(answers()).toContainEqual([{ jsonrpc: '2.0', id: 3, result: {} }]);
  expect(answers()).toContainEqual(
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
  );
  expect(answers().find(({ id }) => id === 'two').result.tools.length).toBeGreaterThan(10);
});

test('the tool server answers a last message that ends with the input', async () => {
  const input = new PassThrough();
  const { code, out } = archeion(['mcp'], input);
  input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n \n\n{"jsonrpc":"2.0","id":2,"method":"ping"}');
  expect(await code).toBe(0);
  expect(out.map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32700 } },
    { id: 1, result: {} },
    { id: 2, result: {} },
  ]);
});

test.each([
  ['more than the node takes', 256 * 1024, 3],
  ['many times that', 8 * 1024 * 1024, 3],
  ['more than it reads', 40 * 1024 * 1024, null],
])('the tool server says of a message of %s why it is refused, and goes on', async (_, length, id) => {
  const input = new PassThrough();
  const { code, out, err } = archeion(['mcp'], input);
  input.write(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping', params: { text: 'x'.repeat(length) } }));
  input.end('\n{"jsonrpc":"2.0","id":4,"method":"ping"}\n');
  expect([await code, ...err]).toEqual([0]);
  const answers = out.map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
  const error = { code: -32603, message: expect.stringMatching(/ is too large: .*at most 256 KiB/) };
  expect(answers).toEqual([
    { jsonrpc: '2.0', id, error },
    { jsonrpc: '2.0', id: 4, result: {} },
  ]);
});

test('the tool server hands on why the node refuses a list, for each request in it', async () => {
  const input = new PassThrough();
  const { code, out, err } = archeion(['mcp'], input);
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const many = Array.from({ length: 21 }, (_, id) => ping(id));
  input.end(`${JSON.stringify(many)}\n${JSON.stringify([ping(30), ping(30)])}\n`);
  expect([await code, ...err]).toEqual([0]);
  const answers = out.map((line) => JSON.parse(line)).sort((a, b) => b.length - a.length);
  const refused = (ids: number[], words: RegExp) =>
    ids.map((id) => ({ jsonrpc: '2.0', id, error: { code: -32600, message: expect.stringMatching(words) } }));
  expect(answers).toEqual([
    refused([...many.keys()], /^Invalid Request: a list has 1 to 20 messages/),
    refused([30, 30], /^Invalid Request: two requests of a list have the same id/),
  ]);
});

test('the tool server makes no node where there is none', async () => {
  const { code, err } = archeion(['mcp'], new PassThrough(), `${folder.path}/none`);
  expect(await code).toBe(2);
  expect(err).toEqual([expect.stringContaining('There is no node in')]);
  expect(existsSync(`${folder.path}/none`)).toBe(false);
});

test('the tool server ends when it is told to', async () => {
  const { code, stop, out } = archeion(['mcp'], new PassThrough());
  stop.abort();
  expect(await code).toBe(0);
  expect(out).toEqual([]);
});
