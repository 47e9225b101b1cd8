import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { lastMove } from '../../src/server/store/events.ts';
import { spoolFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { type Importer, importer, ndjson, type Report } from '../helpers/imports.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { exported, imported, tipsOf } from '../helpers/node-archives.ts';
import { SampleState } from '../helpers/sample-archive.ts';

const things = (count: number) => ndjson(Array.from({ length: count }, (_, i) => ({ id: i, label: `Thing ${i}` })));

/** The imports, the newest first: what the node says of their end. */
async function states(on: Importer): Promise<string[]> {
  const { imports } = (await on.ask('GET', '/node/imports')).body as { imports: { state: string }[] };
  return imports.map(({ state }) => state);
}

test('an import says whether it ended, goes on, or was broken off, and so it does after a stop of the node', async () => {
  await using folder = await temporaryFolder();
  {
    await using node = await startNode({ data: folder.path });
    const on = importer(node);
    await on.run({ collection: 'Whole' }, { 'a.ndjson': things(3) });
    expect(await states(on)).toEqual(['ended']);

    const given = await on.start({ collection: 'Given up' });
    await on.put(given.id, 'a.ndjson', things(3));
    expect(await states(on)).toEqual(['open', 'ended']);
    expect((await on.ask('DELETE', `/node/imports/${given.id}?ended=false`)).status).toBe(204);
    expect(await states(on)).toEqual(['broken_off', 'ended']);
    expect((await on.put(given.id, 'b.ndjson', things(3))).status).toBe(404);

    const damaged = await on.start({ collection: 'Damaged' });
    await on.put(damaged.id, 'a.ndjson', `${things(3)}{"id":`);
    expect((await states(on))[0]).toBe('broken_off');
    await on.ask('DELETE', `/node/imports/${damaged.id}`);
    expect((await states(on))[0]).toBe('broken_off');

    const single = await on.ask('POST', '/node/import?collection=Single&name=a.ndjson', things(3));
    expect(single.status, single.text).toBe(200);
    expect((await states(on))[0]).toBe('ended');

    const open = await on.start({ collection: 'Open' });
    await on.put(open.id, 'a.ndjson', things(3));
    expect(await states(on)).toEqual(['open', 'ended', 'broken_off', 'broken_off', 'ended']);
  }
  await using node = await startNode({ data: folder.path });
  expect(await states(importer(node))).toEqual(['broken_off', 'ended', 'broken_off', 'broken_off', 'ended']);
});

test('an import takes no file before what came of the one before is counted', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path, writer: 'thread' });
  const on = importer(node);
  const { id } = await on.start({ collection: 'Counted' });
  const rest = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from('\n');
    await rest.promise;
  }
  const sent = fetch(`${node.url}/node/imports/${id}/files/a.ndjson`, {
    method: 'PUT',
    headers: operator(node).headers,
    body: ReadableStream.from(body()),
    duplex: 'half',
  } as RequestInit);
  await expect
    .poll(async () => (await on.ask('GET', `/node/imports/${id}`)).body)
    .toMatchObject({ reading: { bytes: 1 } });
  const other = new Database(databaseFile(folder.path, 'main'));
  other.exec('BEGIN IMMEDIATE');
  rest.resolve();
  const taken = new Set<number>();
  for (let i = 0; i < 20; i++) taken.add((await on.put(id, 'b.ndjson', things(3))).status);
  other.close();
  expect([...taken]).toEqual([409]);
  expect((await sent).status).toBe(200);
  await (await sent).text();
  expect((await on.put(id, 'b.ndjson', things(3))).status).toBe(200);
});

test('an import that is given up is not read any further', async () => {
  await using node = await startNode();
  const on = importer(node);
  const { id } = await on.start({ collection: 'Given up' });
  const begun = things(1000);
  const rest = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from(begun);
    await rest.promise;
    yield Buffer.from('{"id":"late","label":"Late"}\n');
  }
  const sent = fetch(`${node.url}/node/imports/${id}/files/a.ndjson`, {
    method: 'PUT',
    headers: { ...operator(node).headers, 'Content-Type': 'application/octet-stream' },
    body: body(),
    duplex: 'half',
  } as RequestInit);
  const now = async () => (await on.ask('GET', `/node/imports/${id}`)).body;
  await expect.poll(now).toMatchObject({ reading: { name: 'a.ndjson', bytes: begun.length } });
  // Also who did not begin it is told how far it is.
  const counted = async () => {
    const { body } = await on.ask('GET', `/node/imports/${id}/made`);
    return (body as { import: { counts: { created: number } } }).import.counts.created;
  };
  await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThan(0);
  expect((await on.ask('DELETE', `/node/imports/${id}`)).status).toBe(409);
  expect((await on.ask('DELETE', `/node/imports/${id}?ended=false`)).status).toBe(204);
  // What of it is being written is not counted yet.
  expect(await states(on)).toEqual(['open']);
  rest.resolve();
  expect(await (await sent).text()).toContain('given up');
  expect(await states(on)).toEqual(['broken_off']);
  expect((await on.ask('GET', `/node/imports/${id}`)).status).toBe(404);
});

test('an archive that was taken in has ended', async () => {
  await using from = await startNode();
  const { id } = await collection(from, operator(from));
  const { car } = await exported(from, `?collection=${id}`);
  await using node = await startNode();
  const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
  const sent = await node.fetch('/node/import-car?name=sent.car', { method: 'POST', headers, body: car });
  expect(sent.status).toBe(200);
  expect(await states(importer(node))).toEqual(['ended']);
});

test('an archive says that it has begun as soon as leaving does not end it any more, however long its first part takes', async () => {
  const state = new SampleState();
  state.write('person');
  await using node = await startNode();
  const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
  const sent = await node.fetch('/node/import-car', { method: 'POST', headers, body: await state.export() });
  expect(JSON.parse(sent.text.split('\n')[0] ?? '')).toEqual({ progress: { entities: 0, total: 1 } });
});

test('an archive is refused before any of it has come while another one is taken in', async () => {
  const state = new SampleState();
  state.write('person');
  const car = await state.export();
  await using node = await startNode();
  const { id } = operator(node);
  const asked: string[] = [];
  async function* sent(name: string) {
    asked.push(name);
    yield car;
  }
  const receive = (name: string) =>
    node.ctx.archives.carImports.receive(
      { actor: { kind: 'user', id, ids: [id], operator: true }, network: 'main' },
      sent(name),
      new AbortController().signal,
    );
  const first = receive('first');
  await first.next();
  await expect(receive('second').next()).rejects.toThrow('An import of an archive is under way on this node');
  expect(asked).toEqual(['first']);
  while (!(await first.next()).value?.done);
  // It has ended, whoever still has to take note of that.
  const { body } = await ask(node, operator(node), 'GET /node/imports');
  expect(body).toMatchObject({ imports: [{ state: 'ended', counts: { entities: 1, created: 1 } }] });
  await first.next();
});

test.each(['car', 'bagit'])('what is left while it is verified (%s) is not taken in', async (format) => {
  const state = new SampleState();
  for (let i = 0; i < 1500; i++) state.write(`person ${i}`);
  await using from = await startNode();
  await imported(from, await state.export());
  const { car } = await exported(from, `?format=${format}`);
  for (let isSeen = false; !isSeen; ) {
    await using node = await startNode();
    const spooled = spoolFolder(join(node.data, 'main'));
    const names = () => readdir(spooled).catch(() => []);
    const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
    const sending = request(`${node.url}/node/import-car`, { method: 'POST', headers });
    sending.on('error', () => undefined);
    sending.end(car);
    let received = -1;
    for (let isThere = true; isThere && received < car.length; await setImmediate()) {
      const [name] = await names();
      const size = name === undefined ? undefined : (await stat(join(spooled, name)).catch(() => null))?.size;
      isThere = size !== undefined || received < 0;
      received = size ?? received;
    }
    sending.destroy();
    // Who did not come to see all of it came too late to leave meanwhile.
    isSeen = received === car.length;
    if (!isSeen) continue;
    await expect.poll(names, { timeout: 60_000 }).toEqual([]);
    expect((await tipsOf(node)).size).toBe(0);
    expect(await states(importer(node))).toEqual([]);
    expect((await imported(node, car)).created).toBeGreaterThanOrEqual(1500);
  }
});

test('an import that the disk ends counts all that is in, also of what was written in more than one transaction', async () => {
  await using node = await startNode();
  const on = importer(node);
  const { id, collection: into } = await on.start({ collection: 'Full' });
  const store = await node.ctx.networks.get('main');
  const last = store.read(lastMove) + 94;
  const db = new Database(databaseFile(node.data, 'main'));
  db.exec(`CREATE TRIGGER full AFTER INSERT ON moves WHEN NEW.id > ${last} BEGIN SELECT RAISE(ABORT, 'full'); END`);
  db.close();
  // Each takes so long to write that not many fit into one transaction.
  const text = () => randomBytes(120_000).toString('base64');
  const large = ndjson(Array.from({ length: 120 }, (_, n) => ({ id: n, label: `Large ${n}`, text: text() })));
  const { text: said } = await on.put(id, 'a.ndjson', large);
  expect(said).toContain('Service unavailable');
  const { created } = (await on.ask('GET', `/node/imports/${id}`)).body as Report;
  const { entities } = (await on.ask('GET', `/collections/${into.id}/entities`)).body as { entities: unknown[] };
  expect(created).toBeGreaterThan(0);
  expect(created).toBe(entities.length);
});
