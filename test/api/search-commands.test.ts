import { mkdir, rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { lastLine, operate } from '../helpers/node-archives.ts';
import { indexIdle } from '../helpers/searches.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: TestNode;
let works: Entity;
let horses: Entity;

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startNode({ data: folder.path });
  const me = operator(node);
  works = await collection(node, me, { label: 'Watercolours' });
  const painter = await create(node, me, { type: 'artist', properties: { label: 'Joseph Turner' } });
  horses = await create(node, me, {
    type: 'artwork',
    collection: works.id,
    properties: { label: 'A Team of\u001b[31m Horses', medium: 'Watercolour on paper', _year: 1807 },
    relationships: [{ predicate: 'made_by', peer: painter.id }],
  });
  for (const label of ['A Ship', 'A Ship at Sea', 'A Ship in a Storm'])
    await create(node, me, { type: 'artwork', collection: works.id, properties: { label } });
  await indexIdle(node);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** One command line in this process, on a data folder. */
async function archeion(data: string, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(args, {
    env: { ARCHEION_DATA: data, ARCHEION_LOG_LEVEL: 'silent' },
    pid: process.pid,
    dataFolder: data,
    ui: null,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    terminal: null,
    stopped: new AbortController().signal,
  });
  return { code, out, err };
}

const waiting = { timeout: 60_000, interval: 50 };
const here = (...args: string[]) => archeion(folder.path, ...args);
interface Found {
  results: { id: string; label: string }[];
  metadata: { result_count: number };
}
const found = async (...args: string[]) => {
  const { code, out, err } = await here('search', ...args, '--json');
  expect([code, ...err]).toEqual([0]);
  expect(out).toHaveLength(1);
  return JSON.parse(out[0] ?? '') as Found;
};

test('a search prints a table, and nothing that a terminal would obey', async () => {
  expect(await here('search', 'horses in watercolour by Turner')).toEqual({
    code: 0,
    err: [],
    out: [
      'score  id                          type     label',
      expect.stringMatching(new RegExp(`^\\d\\.\\d{3}  ${horses.id}  artwork  A Team of \\[31m Horses$`)),
      expect.stringMatching(/ {2}artist {3}Joseph Turner$/),
    ],
  });
  expect(await here('search', 'xylophone\u001b[2J')).toEqual({
    code: 0,
    err: [],
    out: ['Nothing was found for xylophone [2J.'],
  });
});

test('words may be misspelled, and need no quotes', async () => {
  for (const words of [['horsse', 'in', 'watercolor', 'by', 'turnr'], ['HORSES turner'], ['hores watercolour']])
    expect((await found(...words)).results[0]?.id, words.join(' ')).toBe(horses.id);
});

test('options restrict it', async () => {
  const count = async (...args: string[]) => (await found('ship', 'horses', 'Turner', ...args)).results.length;
  expect(await count()).toBe(5);
  expect(await count('--limit', '2')).toBe(2);
  expect(await count('--type', 'artist')).toBe(1);
  expect(await count('--type', 'artist', '--type', 'artwork')).toBe(5);
  expect(await count('--collection', works.id)).toBe(4);
  expect(await count('--collection', 'Watercolours')).toBe(4);
  expect(await count('--filter', '{"_year": {"$lt": 1900}}')).toBe(1);
});

test('what cannot be is one sentence and a 2', async () => {
  for (const [args, words] of [
    [['search'], /missing required argument/],
    [['search', 'x'.repeat(501)], /^archeion: query: must have at most 500 characters/],
    [['search', 'a', '--limit', '0'], /must be a number from 1 to 100/],
    [['search', 'a', '--filter', 'year > 3'], /must be a JSON object/],
    [['search', 'a', '--filter', '{"year": 3}'], /properties that begin with _ can be filtered/],
    [['search', 'a', '--collection', 'x'], /^archeion: There is no collection with the label or id x\.$/],
    [['search', 'a', '--collection', ''], /^archeion: There is no collection/],
    [['search', 'a', '--collection', 'é'.repeat(20_000)], /^archeion: There is no collection/],
    [['search', 'a', '--collection', '\u001b[2J'], /^archeion: There is no collection with the label or id {2}\[2J\.$/],
  ] as const) {
    const { code, err } = await here(...args);
    expect([code, err[0]]).toEqual([2, expect.stringMatching(words)]);
  }
});

test('the index is made anew while the node runs, with progress; only for the operator', async () => {
  const answer = await operate(node, 'POST /node/reindex');
  expect(answer.headers.get('Content-Type')).toMatch('application/x-ndjson');
  const lines = (await answer.clone().text()).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toEqual({ progress: { step: 'changes', done: 0, total: expect.any(Number) } });
  // Five entities, their collection and the operator.
  expect(await lastLine(answer)).toEqual({ done: { network: 'main', entities: 7, moves: 7 } });
  expect((await here('reindex')).out).toEqual(['Indexed: 7 entities of the main network.']);
  expect((await found('horses')).results.map(({ id }) => id)).toEqual([horses.id]);
  expect((await ask(node, await user(node, 'reader'), 'POST /node/reindex')).status).toBe(403);
  expect((await node.fetch('/node/reindex', { method: 'POST' })).status).toBe(401);
});

test('one reindexing at a time', async () => {
  const account = node.ctx.identity.ensureOperator().account;
  const actor = { kind: 'user' as const, id: account.id, ids: [account.id], operator: true };
  const first = node.ctx.upkeep.reindex({ actor, network: 'main' });
  await first.next();
  const second = await operate(node, 'POST /node/reindex');
  expect([second.status, await second.text()]).toEqual([503, expect.stringContaining('A reindexing is under way')]);
  for await (const line of first) expect(line).not.toHaveProperty('error');
  expect((await operate(node, 'POST /node/reindex')).status).toBe(200);
});

test('status says how far the index has come', async () => {
  await indexIdle(node);
  const { networks } = ok<{ networks: { moves: number; index: object }[] }>(
    await ask(node, operator(node), 'GET /node/status'),
  );
  expect(networks[0]?.index).toEqual({ moves: networks[0]?.moves, behind: false, learning: false, problem: null });
});

test('without a running node both use one of their own, which waits for its index', async () => {
  await using other = await temporaryFolder();
  {
    await using stopped = await startNode({ data: other.path });
    for (let i = 0; i < 300; i++) await create(stopped, operator(stopped), { properties: { label: `Zebra ${i}` } });
  }
  await rm(searchFile(`${other.path}/main`), { force: true });
  const first = await archeion(other.path, 'search', 'zebra', '--limit', '100', '--json');
  expect((JSON.parse(first.out[0] ?? '') as Found).metadata.result_count).toBe(100);
  const { code, out, err } = await archeion(other.path, 'reindex', '--json');
  expect({ code, out }).toEqual({ code: 0, out: [JSON.stringify({ network: 'main', entities: 301, moves: 301 })] });
  // What takes long says how far it is.
  for (const line of err) expect(line).toMatch(/^(index|reindex): /);
});

test('an index that cannot be made ends a search with the reason, and status names it', async () => {
  await using other = await temporaryFolder();
  await using stopped = await startNode({ data: other.path });
  await create(stopped, operator(stopped), { properties: { label: 'Zebra' } });
  await stopped[Symbol.asyncDispose]();
  await rm(searchFile(`${other.path}/main`), { force: true });
  await mkdir(searchFile(`${other.path}/main`));
  const { code, out, err } = await archeion(other.path, 'search', 'zebra');
  expect({ code, out }).toEqual({ code: 1, out: [] });
  expect(err.at(-1)).toMatch(/^archeion: Service unavailable: The disk could not be read or written/);
  await using again = await startNode({ data: other.path });
  await vi.waitFor(async () => {
    const { networks } = ok<{ networks: { index: object }[] }>(await ask(again, operator(again), 'GET /node/status'));
    expect(networks[0]?.index).toMatchObject({ problem: expect.stringContaining('cannot be opened') });
  }, waiting);
  const told = await archeion(other.path, 'status');
  expect(told.out.join('\n')).toContain('the search index has a problem: The');
  expect(told.out.join('\n')).toMatch(/the search index has 0 of \d+ moves? so far/);
});

test('a label that several collections have is answered with their ids', async () => {
  const me = operator(node);
  const twins = [await collection(node, me, { label: 'Twins' }), await collection(node, me, { label: 'Twins' })];
  const { code, err } = await here('search', 'a', '--collection', 'Twins');
  const ids = twins.map(({ id }) => id).join(', ');
  expect([code, ...err]).toEqual([
    2,
    `archeion: The label Twins fits several collections: give the id, one of ${ids}.`,
  ]);
  for (const twin of twins) ok(await ask(node, me, `DELETE /entities/${twin.id}`, { expect_tip: twin.cid }));
  expect((await here('search', 'a', '--collection', 'Twins')).code).toBe(2);
});

test('archeion search of a folder whose index cannot go on says so', async () => {
  await using own = await temporaryFolder();
  const run = async (label: string, after: (made: TestNode) => Promise<void>) => {
    await using made = await startNode({ data: own.path });
    await create(made, operator(made), { type: 'artist', properties: { label } });
    await after(made);
  };
  await run('Ada', indexIdle);
  const other = new Database(searchFile(`${own.path}/main`));
  try {
    other.exec('BEGIN IMMEDIATE');
    await run('Bob', async () => undefined);
    const { code, out, err } = await archeion(own.path, 'search', 'Bob');
    expect([code, out]).toEqual([0, ['Nothing was found for Bob.']]);
    expect(err.at(-1)).toMatch(
      /^The index has \d of \d changes and cannot go on: Another program holds the database\./,
    );
  } finally {
    other.close();
  }
});
