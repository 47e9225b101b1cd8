import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerBytes } from '../../src/server/http/byte-answer.ts';
import type { StreamRequest } from '../../src/server/http/streams.ts';
import type { Caller } from '../../src/server/model/caller.ts';
import { operator } from '../helpers/callers.ts';
import { type Importer, importer, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

interface Prepared {
  id: string;
  name: string;
  entities: number;
  state: string;
  bytes: number;
  url: string;
}

let node: TestNode;
let on: Importer;
let collection: string;
let ids: string[];
beforeAll(async () => {
  node = await startNode();
  on = importer(node);
  const works = Array.from({ length: 12 }, (_, i) => ({ id: i, label: `Work ${i}` }));
  collection = (await on.run({ collection: 'Dürer & Söhne' }, { 'a.ndjson': ndjson(works) })).collection.id;
  ids = [...(await on.entities(collection)).values()].map(({ id }) => id).sort();
});
afterAll(() => node[Symbol.asyncDispose]());

async function prepare(body: object): Promise<Prepared> {
  const answer = await on.ask('POST', '/node/exports', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Prepared;
}

const state = async ({ id }: Prepared) => (await on.ask('GET', `/node/exports/${id}`)).body as Prepared;

describe('a prepared export', () => {
  test('is named after the day where the node is', async () => {
    const before = process.env.TZ;
    await using far = await startNode({ now: () => Date.UTC(2026, 10, 29, 21) });
    try {
      process.env.TZ = 'Pacific/Auckland';
      const answer = await importer(far).ask('POST', '/node/exports', { format: 'ndjson' });
      expect(answer.body).toMatchObject({ name: 'main-2026-11-30.ndjson' });
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  test('is fetched once, as a file with a name, and tells how far it is', async () => {
    const prepared = await prepare({ format: 'ndjson', collection });
    expect(prepared).toMatchObject({ entities: 13, state: 'waiting', bytes: 0 });
    expect(prepared.name).toMatch(/^Durer_Sohne-\d{4}-\d\d-\d\d\.ndjson$/);
    const file = await on.ask('GET', prepared.url);
    expect(file.status).toBe(200);
    expect(file.headers['content-disposition']).toBe(`attachment; filename="${prepared.name}"`);
    expect(file.text.trim().split('\n')).toHaveLength(13);
    expect(await state(prepared)).toMatchObject({ state: 'done', bytes: Buffer.byteLength(file.text) });
    expect((await on.ask('GET', prepared.url)).status).toBe(409);
  });

  test('is not fetched by a HEAD, which tells what a GET would', async () => {
    const prepared = await prepare({ format: 'ndjson', collection });
    for (let i = 0; i < 2; i++) {
      const { status, text, headers } = await on.ask('HEAD', prepared.url);
      expect({ status, text, type: headers['content-type'] }).toEqual({
        ...{ status: 200, text: '', type: 'application/x-ndjson' },
      });
      expect(headers).toMatchObject({
        'content-disposition': `attachment; filename="${prepared.name}"`,
        'x-archeion-entities': '13',
      });
    }
    expect(await state(prepared)).toMatchObject({ state: 'waiting', bytes: 0 });
    expect((await on.ask('GET', prepared.url)).text.trim().split('\n')).toHaveLength(13);
    expect((await on.ask('HEAD', prepared.url)).status).toBe(409);
  });

  test('of a selection has these entities alone, in every format', async () => {
    const entities = ids.slice(3, 6);
    const lines = await on.ask('GET', (await prepare({ format: 'ndjson', collection, entities })).url);
    const found = lines.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(found).toEqual(entities);
    const table = await on.ask('GET', (await prepare({ format: 'csv', entities })).url);
    expect(table.text.trim().split('\r\n')).toHaveLength(4);
    for (const format of ['car', 'bagit', 'ro-crate']) {
      const { url } = await prepare({ format, entities });
      const answer = await fetchBytes(url);
      const imported = await node.fetch('/node/import-car', {
        method: 'POST',
        headers: { ...(await key()), 'Content-Type': 'application/octet-stream' },
        body: answer,
      });
      expect(imported.status, imported.text).toBe(200);
      expect(JSON.parse(imported.text.trim().split('\n').at(-1) ?? '')).toMatchObject({
        done: { entities: 3, unchanged: 3 },
      });
    }
  });

  async function key(): Promise<Record<string, string>> {
    const made = (await on.ask('POST', '/node/keys', {})).body as { key: string };
    return { Authorization: `ApiKey ${made.key}` };
  }

  async function fetchBytes(url: string): Promise<Uint8Array> {
    const answer = await fetch(`${node.url}${url}`, { headers: await key() });
    return new Uint8Array(await answer.arrayBuffer());
  }

  test('that is stopped says so, however often it is stopped; one that is done stays done', async () => {
    const prepared = await prepare({ format: 'car', collection });
    for (let i = 0; i < 2; i++) expect((await on.ask('DELETE', `/node/exports/${prepared.id}`)).status).toBe(204);
    expect(await state(prepared)).toMatchObject({ state: 'stopped', bytes: 0, error: 'The export was stopped.' });
    expect(await on.ask('GET', prepared.url)).toMatchObject({
      status: 409,
      body: { error: 'This export was stopped: prepare another.' },
    });
    const done = await prepare({ format: 'csv', collection });
    await on.ask('GET', done.url);
    expect((await on.ask('DELETE', `/node/exports/${done.id}`)).status).toBe(204);
    expect(await state(done)).toMatchObject({ state: 'done' });
    expect(await state(done)).not.toHaveProperty('error');
  });

  test('is refused for what is none, and to others', async () => {
    const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    expect((await on.ask('POST', '/node/exports', { format: 'pdf' })).status).toBe(400);
    expect((await on.ask('POST', '/node/exports', { format: 'car', entities: [] })).status).toBe(400);
    expect((await on.ask('POST', '/node/exports', { format: 'car', entities: ['x'] })).status).toBe(400);
    expect((await on.ask('POST', '/node/exports', { format: 'car', entities: [ids[0], unknown] })).status).toBe(404);
    const { id, url } = await prepare({ format: 'car', collection });
    for (const path of [`/node/exports/${id}`, url]) expect((await node.fetch(path)).status).toBe(401);
  });

  test('beside eight that are being fetched is refused, and says so in a way that a page can translate', async () => {
    const { id } = operator(node);
    const caller: Caller = { actor: { kind: 'user', id, ids: [id], operator: true }, network: 'main' };
    const fetched = [];
    for (let i = 0; i < 8; i++) {
      const { chunks } = node.ctx.archives.prepared.fetch(caller, (await prepare({ format: 'csv', collection })).id);
      fetched.push(chunks);
      await chunks.next();
    }
    expect(await on.ask('POST', '/node/exports', { format: 'csv' })).toMatchObject({
      ...{ status: 503, body: { details: { under_way: 'exports' } } },
    });
    for (const chunks of fetched) await chunks.return(undefined);
    await prepare({ format: 'csv', collection });
  });

  test('beyond eight forgets the one that waits longest', async () => {
    const first = await prepare({ format: 'car', collection });
    for (let i = 0; i < 8; i++) await prepare({ format: 'csv', collection });
    expect((await on.ask('GET', first.url)).status).toBe(404);
  });
});

test('bytes that are answered at once are not read through for a HEAD, which has the same status', async () => {
  const [chunk, most] = [Buffer.alloc(64 * 1024), 100];
  let [read, ended] = [0, 0];
  async function* chunks() {
    try {
      for (; read < most; read++) yield chunk;
    } finally {
      ended++;
    }
  }
  await using other = await startNode({
    extend: (app) =>
      app.get('/long', (request, _response, next) => {
        answerBytes(request as unknown as StreamRequest, chunks(), { 'X-Long': 'yes' }).catch(next);
      }),
  });
  expect(await other.fetch('/long', { method: 'HEAD' })).toMatchObject({ status: 200, headers: { 'x-long': 'yes' } });
  await expect.poll(() => ended).toBe(1);
  expect(read).toBe(0);
  expect((await other.fetch('/long')).text).toHaveLength(chunk.length * most);
  const direct = importer(other);
  expect(await direct.ask('HEAD', '/node/export')).toMatchObject({
    status: 200,
    headers: { 'x-archeion-entities': '1' },
  });
  expect((await direct.ask('HEAD', `/node/export?entity=${ids[0]}`)).status).toBe(404);
});
