import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MetEntities } from '../../src/server/store/imports/met-entities.ts';
import { operator } from '../helpers/callers.ts';
import { type Importer, importer, linesOf, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let on: Importer;
beforeAll(async () => {
  node = await startNode();
  on = importer(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const issuesOf = (body: unknown) =>
  (body as { details: { issues: { path: unknown[]; message: string }[] } }).details.issues;

describe('the collection', () => {
  test('an unknown label makes one that the operator owns, a known one is used', async () => {
    const { collection } = await on.start({ collection: 'Prints' });
    expect(collection).toMatchObject({ label: 'Prints', created: true });
    const made = (await on.ask('GET', `/collections/${collection.id}`)).body as {
      relationships: { predicate: string }[];
    };
    expect(made.relationships).toMatchObject([{ predicate: 'owner' }]);
    expect((await on.start({ collection: 'Prints' })).collection).toEqual({ ...collection, created: false });
    expect((await on.start({ collection: collection.id })).collection).toEqual({ ...collection, created: false });
  });

  test('two imports at once make it once', async () => {
    const both = await Promise.all([on.start({ collection: 'Twice' }), on.start({ collection: 'Twice' })]);
    expect(both[0].collection.id).toBe(both[1].collection.id);
  });

  test('an unknown id is a 400, and so is the id of something else', async () => {
    const { collection } = await on.run({ collection: 'Things' }, { 'a.ndjson': '{"id":1,"label":"a"}' });
    const thing = (await on.entities(collection.id)).get('a')?.id;
    for (const id of [unknownId, thing]) {
      const answer = await on.ask('POST', '/node/imports', { collection: id });
      expect(answer.status).toBe(400);
      expect(issuesOf(answer.body)).toMatchObject([{ path: ['collection'] }]);
    }
  });

  test('a label that fits two is a 400 that names both', async () => {
    const ids = [];
    for (let i = 0; i < 2; i++)
      ids.push(((await on.ask('POST', '/collections', { label: 'Maps' })).body as { id: string }).id);
    const answer = await on.ask('POST', '/node/imports', { collection: 'Maps' });
    expect(answer.status).toBe(400);
    for (const id of ids) expect(issuesOf(answer.body)[0]?.message).toContain(id);
  });

  test('a form in place of the bytes is a 400 before it is made', async () => {
    const { Authorization = '' } = operator(node).headers;
    const headers = { Authorization, 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nid\n1\r\n--x--\r\n');
    const sent = await node.fetch('/node/import?collection=Forms', { method: 'POST', headers, body });
    expect([sent.status, issuesOf(sent.body)]).toMatchObject([400, [{ path: ['content-type'] }]]);
    expect((await on.ask('GET', '/node/names/collections?label=Forms')).body).toEqual({ ids: [] });
  });
});

test.each(['a.json/', 'a.json#', 'a.json/#?x', 'a.json?x'])('a file is taken as its bytes under %s', async (name) => {
  const { id } = await on.start({ collection: 'Ends' });
  const { Authorization = '' } = operator(node).headers;
  const headers = { Authorization, 'Content-Type': 'application/json' };
  const body = '[{"id": 1, "label": "one"}]';
  const answer = await node.fetch(`/node/imports/${id}/files/${name}`, { method: 'PUT', headers, body });
  expect(linesOf(answer.text).at(-1)).toMatchObject({ done: { records: 1 } });
});

describe('what is refused', () => {
  test('everybody but the operator', async () => {
    const { id } = await on.start({ collection: 'Closed' });
    const made = (await on.ask('POST', '/node/keys', { service: true })).body as { key: string };
    for (const [headers, status] of [
      [{}, 401],
      [{ Authorization: `ApiKey ${made.key}` }, 403],
    ] as const) {
      const asked = [
        node.fetch('/node/imports', { method: 'POST', headers, body: { collection: 'Closed' } }),
        node.fetch(`/node/imports/${id}`, { headers }),
        node.fetch(`/node/imports/${id}/files/a.csv`, { method: 'PUT', headers, body: 'id\n1\n' }),
        node.fetch('/node/import?collection=Closed', { method: 'POST', headers, body: Buffer.from('id\n1\n') }),
        node.fetch('/node/status', { headers }),
      ];
      expect((await Promise.all(asked)).map((answer) => answer.status)).toEqual(asked.map(() => status));
    }
  });

  test.each([
    [{}, ['collection']],
    [{ collection: '' }, ['collection']],
    [{ collection: 'x'.repeat(201) }, ['collection']],
    [{ collection: 'a\ud800' }, ['collection']],
    [{ collection: 'a', type: 'user' }, ['type']],
    [{ collection: 'a', type: 'work', mapping: { records: [{ type: 'work' }] } }, ['type']],
    [{ collection: 'a', mapping: { records: [{ type: 'work', id: 5 }] } }, ['records', 0, 'id']],
    [{ collection: 'a', mapping: [] }, ['mapping']],
  ])('%j', async (body, path) => {
    const answer = await on.ask('POST', '/node/imports', body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer.body).map((issue) => issue.path)).toContainEqual(path);
  });

  test('an unknown import, also on the other network', async () => {
    const { id } = await on.start({ collection: 'Here' });
    expect((await on.put('nothing', 'a.csv', 'id\n1\n')).status).toBe(404);
    const answer = await node.fetch(`/node/imports/${id}`, { headers: { 'X-Arke-Network': 'test' } });
    expect(answer.status).toBe(401);
    await on.ask('DELETE', `/node/imports/${id}`);
    expect((await on.put(id, 'a.csv', 'id\n1\n')).status).toBe(404);
  });

  test.each<[string, string, string | Uint8Array]>([
    ['no JSON', 'a.ndjson', '{"id":1}\nhello\n'],
    ['a list as a record', 'a.ndjson', '[1]\n'],
    ['an integer that is not exact', 'a.ndjson', '{"id":1,"n":9007199254740993}\n'],
    ['no UTF-8', 'a.ndjson', Buffer.from('{"id":1,"a":"\xff"}\n', 'latin1')],
    ['a NUL byte', 'a.csv', 'id\n\0\n'],
    ['rows of two lengths', 'a.csv', 'id,label\n1\n'],
    ['half an array', 'a.json', '[{"id":1},'],
    ['damaged gzip', 'a.csv.gz', gzipSync('id\n1\n').subarray(0, 15)],
    ['deep nesting', 'a.ndjson', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}\n`],
  ])('%s', async (_what, name, content) => {
    const { id } = await on.start({ collection: 'Hostile' });
    const answer = await on.put(id, name, content);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer.body)[0]?.message).toContain(name);
    const again = await on.put(id, 'b.csv', 'id\n1\n');
    expect(again.status).toBe(409);
    expect((await on.ask('DELETE', `/node/imports/${id}`)).status).toBe(204);
  });

  test('a record that no rule fits is counted, and the others are written', async () => {
    const mapping = { records: [{ match: { field: 'name' }, type: 'person', id: 'id' }] };
    const records = ndjson([{ id: 1, name: 'a' }, { id: 2 }, { name: 'b' }, { id: 3, name: 'c' }]);
    const report = await on.run({ collection: 'Unfit', mapping }, { 'a.ndjson': records });
    expect(report).toMatchObject({ records: 4, created: 2, refused: 2 });
    expect(report.refused_examples.map(({ place }) => place)).toEqual(['a.ndjson, line 2', 'a.ndjson, line 3']);
  });

  test('a processor that calls itself verified', async () => {
    const report = await on.run(
      { collection: 'Kladoi', type: 'klados' },
      { 'a.ndjson': '{"id":1,"label":"k","status":"active"}' },
    );
    expect(report).toMatchObject({
      created: 0,
      refused: 1,
      refused_examples: [{ issues: expect.arrayContaining([expect.objectContaining({ path: ['status'] })]) }],
    });
  });
});

test('an export with its history is no list of records, one of the newest versions is', async () => {
  const version = (year: number) =>
    on.run({ collection: 'Sent' }, { 'a.ndjson': ndjson([{ id: 1, label: 'a', year }]) });
  const { collection } = await version(1);
  await version(2);
  const lines = async (history: string) =>
    (await on.ask('GET', `/node/export?format=ndjson&collection=${collection.id}&history=${history}`)).text;
  const { id, collection: into } = await on.start({ collection: 'Taken back' });
  const answer = await on.put(id, 'lines.ndjson', await lines('all'));
  expect(answer.status).toBe(400);
  expect(issuesOf(answer.body)[0]?.message).toMatch(
    /^lines\.ndjson, line [23]: is another version .*export --out FILE\.car.*import-car.*--history tip$/,
  );
  // The collection alone has one version only.
  expect([...(await on.entities(into.id)).keys()]).not.toContain((await on.entities(collection.id)).get('a')?.id);
  const report = await on.run({ collection: 'Taken back' }, { 'lines.ndjson': await lines('tip') });
  expect(report).toMatchObject({ records: 2, entities: 2, refused: 0, repeated: 0 });
});

test('what came before a bad record is written, and the error is the last line', async () => {
  const good = Array.from({ length: 12_000 }, (_, id) => ({ id, label: `${id}`, text: 'x'.repeat(200) }));
  const { id, collection } = await on.start({ collection: 'Late' });
  const answer = await on.put(id, 'late.ndjson', `${ndjson(good)}oops\n${ndjson(good)}`);
  const last = linesOf(answer.text).at(-1);
  expect(last).toMatchObject({ error: 'Validation failed', details: { issues: [{ path: ['late.ndjson', 12_001] }] } });
  expect(answer.lines[0]).toMatchObject({ progress: { records: expect.any(Number), bytes: expect.any(Number) } });
  expect((await on.ask('GET', `/node/imports/${id}`)).body).toMatchObject({ created: 12_000 });
  const listed = (await on.ask('GET', `/collections/${collection.id}/entities?limit=10000`)).body as { entities: [] };
  expect(listed.entities).toHaveLength(10_000);
}, 120_000);

test('an upload that breaks off is no fault of the node, and the next import goes on', async () => {
  const records = Array.from({ length: 500 }, (_, id) => ({ id, label: `${id}` }));
  const { id } = await on.start({ collection: 'Broken' });
  const { hostname, port } = new URL(node.url);
  const headers = { Authorization: (await import('node:fs')).readFileSync(`${node.data}/operator.key`, 'utf8').trim() };
  await new Promise<void>((resolve) => {
    const request = httpRequest({
      hostname,
      port,
      path: `/node/imports/${id}/files/a.ndjson`,
      method: 'PUT',
      headers: { Authorization: `ApiKey ${headers.Authorization}` },
    });
    request.on('error', () => resolve());
    request.write(ndjson(records.slice(0, 300)), () => setTimeout(() => request.destroy(new Error('gone')), 50));
  });
  await expect.poll(async () => (await on.put(id, 'a.ndjson', '{}')).text).toContain('start another import');
  const report = await on.run({ collection: 'Broken' }, { 'a.ndjson': ndjson(records) });
  expect(report).toMatchObject({ records: 500, created: 200, unchanged: 300 });
  expect(node.logged.filter((line) => line.includes('request failed'))).toEqual([]);
});

test('an import waits for its file', async () => {
  const { id } = await on.start({ collection: 'Waiting' });
  const many = ndjson(Array.from({ length: 5000 }, (_, i) => ({ id: i, label: `${i}` })));
  const first = on.put(id, 'a.ndjson', many);
  await expect.poll(async () => (await on.put(id, 'b.csv', 'id\n1\n')).status, { interval: 5 }).toBe(409);
  expect((await first).lines.at(-1)).toMatchObject({ done: { created: 5000 } });
});

test('what an import has met is forgotten when it ends, fails or is given up', async () => {
  const forgotten = vi.spyOn(MetEntities.prototype, 'close');
  onTestFinished(() => forgotten.mockRestore());
  const after = async (text: string, end?: string) => {
    const { id } = await on.start({ collection: 'Met' });
    forgotten.mockClear();
    await on.put(id, 'a.ndjson', text);
    if (end !== undefined) await on.ask('DELETE', `/node/imports/${id}${end}`);
    return forgotten.mock.calls.length;
  };
  const record = '{"id":1,"label":"a"}';
  expect(await after(record)).toBe(0);
  expect(await after(record, '')).toBe(1);
  expect(await after(record, '?ended=false')).toBe(1);
  expect(await after(`${record}\n{"id":`)).toBe(1);
});

test('at most eight imports are remembered', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 9; i++) ids.push((await on.start({ collection: 'Many' })).id);
  expect((await on.ask('GET', `/node/imports/${ids[0]}`)).status).toBe(404);
  expect((await on.ask('GET', `/node/imports/${ids[8]}`)).status).toBe(200);
});

test('a key for a program, and the status', async () => {
  const made = (await on.ask('POST', '/node/keys', { label: 'cron', expires_in: 60 })).body as Record<string, string>;
  expect(made).toMatchObject({ label: 'cron', key_prefix: made.key?.slice(0, 12) });
  const headers = { Authorization: `ApiKey ${made.key}` };
  const status = (await node.fetch('/node/status', { headers })).body;
  expect(status).toMatchObject({
    url: node.url,
    version: expect.any(String),
    instance: expect.any(String),
    networks: [{ network: 'main', entities: expect.any(Number), moves: expect.any(Number), file_bytes: 0 }],
  });
  expect((await on.ask('POST', '/node/keys', { label: 'x'.repeat(101) })).status).toBe(400);
});

test('keys for programs, of the service account too, are listed and revoked by the operator alone', async () => {
  type Made = { key: string; key_prefix: string };
  const mine = (await on.ask('POST', '/node/keys', { label: 'mine' })).body as Made;
  const service = (await on.ask('POST', '/node/keys', { service: true, label: 'everything' })).body as Made;
  const listed = async () => ((await on.ask('GET', '/node/keys')).body as { keys: { key_prefix: string }[] }).keys;
  const [newest, next] = await listed();
  const unused = { last_used_at: null, created_at: expect.any(String), expires_at: expect.any(String) };
  const views = [
    { key_prefix: service.key_prefix, service: true, label: 'everything', ...unused },
    { key_prefix: mine.key_prefix, service: false, label: 'mine', ...unused },
  ];
  // Both may have been made in one millisecond.
  expect([newest, next]).toEqual(expect.arrayContaining(views));
  const as = (key: string) => ({ headers: { Authorization: `ApiKey ${key}` } });
  for (const method of ['GET', 'DELETE']) {
    const path = method === 'GET' ? '/node/keys' : `/node/keys/${mine.key_prefix}`;
    expect((await node.fetch(path, { method })).status).toBe(401);
    expect((await node.fetch(path, { method, ...as(service.key) })).status).toBe(403);
  }
  expect((await on.ask('DELETE', '/node/keys/ak_nothere')).status).toBe(404);
  expect((await on.ask('DELETE', `/node/keys/${mine.key_prefix.slice(0, 3)}`)).status).toBe(400);
  expect((await on.ask('DELETE', `/node/keys/${service.key_prefix}`)).status).toBe(204);
  expect((await node.fetch('/entities/none', as(service.key))).status).toBe(401);
  expect((await on.ask('DELETE', `/node/keys/${mine.key_prefix}`)).status).toBe(204);
  expect((await node.fetch('/node/status', as(mine.key))).status).toBe(401);
  const left = (await listed()).map(({ key_prefix }) => key_prefix);
  expect(left).not.toContain(mine.key_prefix);
  expect(left).not.toContain(service.key_prefix);
});

test('the event loop turns while a record with very many nested items is mapped, here and in the preview', async () => {
  const nested = [{ path: 'parts', predicate: 'part', type: 'part', id: 'id' }];
  const mapping = { records: [{ type: 'work', id: 'id', nested }] };
  const parts = Array.from({ length: 2000 }, (_, id) => (id < 1999 ? { id } : {}));
  const content = ndjson([{ id: 'whole', parts }]);
  const { id } = await on.start({ collection: 'Wholes', mapping });
  let turns = 0;
  let immediate = setImmediate(function turn() {
    turns++;
    immediate = setImmediate(turn);
  });
  // Each look at the clock finds that a step has lasted long enough.
  const begun = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => begun + clock.mock.calls.length * 1000);
  try {
    const { lines } = await on.put(id, 'wholes.ndjson', content);
    expect(lines.at(-1)?.done).toMatchObject({ records: 1, refused: 1 });
    expect(turns).toBeGreaterThan(50);
    turns = 0;
    const sample = { name: 'wholes.ndjson', text: content, whole: true };
    expect((await on.ask('POST', '/node/imports/preview', { ...sample, mapping })).body).toMatchObject({ refused: 1 });
    expect(turns).toBeGreaterThan(50);
  } finally {
    clearImmediate(immediate);
    clock.mockRestore();
  }
});
