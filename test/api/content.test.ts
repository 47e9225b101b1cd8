import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, invalid, lacking, ok, read, remove, update } from '../helpers/entities.ts';
import { type ContentAnswer, cidOf, declare, keptBy, put, text, uploaded } from '../helpers/files.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { verified } from '../helpers/node-archives.ts';

let node: TestNode;
let me: Person;
beforeAll(async () => {
  node = await startNode({ writer: 'thread' });
  me = await user(node, 'me');
});
afterAll(() => node[Symbol.asyncDispose]());

const get = (id: string, query = '') => ask(node, me, `GET /entities/${id}/content${query}`);
const entries = ({ properties }: Entity) => properties.content as Record<string, { cid: string; filename?: string }>;

describe('content by key', () => {
  test('is written without a tip, and never meets a conflict', async () => {
    const { id } = await create(node, me);
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    const answers = await Promise.all(keys.map((key) => put(node, me, id, key, `bytes of ${key}`)));
    expect(answers.map(({ content }) => content.key)).toEqual(keys);
    const now = await read(node, me, id);
    expect(now.ver).toBe(13);
    expect(Object.keys(entries(now)).sort()).toEqual(keys.toSorted());
    for (const key of keys) expect((await get(id, `?key=${key}`)).text).toBe(`bytes of ${key}`);
  });

  test('takes the place of what was under its key, and leaves nothing of its entry', async () => {
    const { id } = await create(node, me);
    const path = `POST /entities/${id}/content?key=k`;
    ok(await ask(node, me, `${path}&filename=first.txt`, Buffer.from('first'), text));
    const { content, prev_cid } = ok<ContentAnswer>(await ask(node, me, path, Buffer.from('second'), text));
    expect(content).not.toHaveProperty('filename');
    const { key: _, ...entry } = content;
    const now = await read(node, me, id);
    expect([now.properties, now.prev_cid]).toEqual([{ content: { k: entry } }, prev_cid]);
    expect((await get(id, `?cid=${cidOf('first')}`)).text).toBe('first');
  });

  test('takes nobody’s place where the client says so, and whoever was quicker stays', async () => {
    const { id } = await create(node, me);
    const send = (bytes: string) =>
      ask(node, me, `POST /entities/${id}/content?key=k`, Buffer.from(bytes), { ...text, 'If-None-Match': '*' });
    const answers = await Promise.all(['one', 'two', 'three'].map(send));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const refused = answers.find(({ status }) => status === 412);
    expect(refused?.body).toEqual({
      error: 'Precondition Failed: there is content under "k" already',
      details: { key: 'k' },
    });
    const kept = answers.findIndex(({ status }) => status === 200);
    expect((await get(id, '?key=k')).text).toBe(['one', 'two', 'three'][kept]);
    expect((await read(node, me, id)).ver).toBe(2);
    expect((await send('four')).status).toBe(412);
    ok(await ask(node, me, `POST /entities/${id}/content?key=k`, Buffer.from('five'), text));
  });

  test('of no name is the last that came', async () => {
    const { id } = await create(node, me);
    expect((await get(id)).body).toEqual(lacking('Nothing has been uploaded there'));
    await put(node, me, id, 'b', 'one');
    expect((await get(id)).text).toBe('one');
    await put(node, me, id, 'a', 'two');
    expect((await get(id)).text).toBe('two');
  });

  test('stands beside the bytes of a file, which come first', async () => {
    const file = await uploaded(node, me, 'own');
    await put(node, me, file.id, 'thumb', 'small');
    expect([(await get(file.id)).text, (await get(file.id, '?key=thumb')).text]).toEqual(['own', 'small']);
    const plain = await create(node, me, { type: 'file', properties: { label: 'x' } });
    await put(node, me, plain.id, 'v1', 'later form');
    expect((await ask(node, me, `GET /files/${plain.id}/content`)).text).toBe('later form');
  });

  test.each(['__proto__', 'constructor', 'toString', '../../x', 'a/b?c=d', '\u0000', 'Ü'.repeat(255), '%2e%2e'])(
    'has the name that it is given: %j',
    async (key) => {
      const { id } = await create(node, me);
      await put(node, me, id, key, 'named');
      const now = await read(node, me, id);
      expect(Object.keys(entries(now))).toEqual([key]);
      expect((await get(id, `?key=${encodeURIComponent(key)}`)).text).toBe('named');
      const body = { old_key: key, new_key: 'plain', expect_tip: now.cid };
      const { cid } = ok<Entity>(await ask(node, me, `PATCH /entities/${id}/content`, body));
      const back = { old_key: 'plain', new_key: key, expect_tip: cid };
      const { cid: tip } = ok<Entity>(await ask(node, me, `PATCH /entities/${id}/content`, back));
      const query = `key=${encodeURIComponent(key)}&expect_tip=${tip}`;
      const gone = await ask(node, me, `DELETE /entities/${id}/content?${query}`);
      expect(gone.body).toMatchObject({ removed_key: key });
      expect(entries(await read(node, me, id))).toEqual({});
      expect(Object.prototype).not.toHaveProperty('cid');
    },
  );

  test('is removed by its CID where that is under one key, and its bytes stay', async () => {
    const { id } = await create(node, me);
    await put(node, me, id, 'a', 'twice');
    const { cid: tip } = await put(node, me, id, 'b', 'twice');
    const gone = (query: string) => ask(node, me, `DELETE /entities/${id}/content?${query}`);
    const cid = cidOf('twice');
    expect((await gone(`cid=${cid}&expect_tip=${tip}`)).status).toBe(400);
    expect((await gone(`key=a&cid=${cid}&expect_tip=${tip}`)).status).toBe(400);
    const { cid: next } = ok<Entity>(await gone(`key=a&expect_tip=${tip}`));
    expect((await gone(`cid=${cid}&expect_tip=${next}`)).body).toMatchObject({ removed_key: 'b' });
    expect(await keptBy(node).size(cid)).toBe(5);
    expect((await get(id, `?cid=${cid}`)).text).toBe('twice');
  });

  test('keeps its place when it is renamed', async () => {
    const { id } = await create(node, me);
    await put(node, me, id, 'a', '1');
    const { cid } = await put(node, me, id, 'b', '2');
    ok(await ask(node, me, `PATCH /entities/${id}/content`, { old_key: 'a', new_key: 'c', expect_tip: cid }));
    expect(Object.keys(entries(await read(node, me, id))).sort()).toEqual(['b', 'c']);
    expect((await get(id, '?key=a')).status).toBe(404);
    expect((await get(id, '?key=c')).text).toBe('1');
  });

  test('needs a type, which is not guessed', async () => {
    const { id } = await create(node, me);
    const sent = (headers: { 'Content-Type'?: string }) =>
      ask(node, me, `POST /entities/${id}/content?key=k`, Buffer.from('%PDF-1.7'), headers);
    for (const none of [{}, { 'Content-Type': '' }, { 'Content-Type': ' ' }]) {
      const { status, body } = await sent(none);
      expect([status, body]).toEqual([400, invalid(['content-type'], expect.stringMatching(/^is required: /))]);
    }
    const { status, body } = await sent({ 'Content-Type': 'multipart/form-data; boundary=x' });
    expect([status, body]).toEqual([400, invalid(['content-type'], expect.stringContaining('send no form'))]);
    expect(ok<ContentAnswer>(await sent(text)).content.content_type).toBe('text/plain');
    expect((await read(node, me, id)).ver).toBe(2);
  });

  test('of a file that declares no type is looked at where it comes without one', async () => {
    const typeOf = async (bytes: Buffer, headers = {}) => {
      const { id } = await create(node, me, { type: 'file', properties: { key: 'k', filename: 'f' } });
      const file = ok<Entity>(await ask(node, me, `POST /files/${id}/content`, bytes, headers));
      return file.properties.content_type;
    };
    const pdf = Buffer.from('%PDF-1.7\n%');
    expect(await typeOf(pdf)).toBe('application/pdf');
    for (const empty of ['', ' ']) expect(await typeOf(pdf, { 'Content-Type': empty })).toBe('application/pdf');
    expect(await typeOf(pdf, text)).toBe('text/plain');
    expect(await typeOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]))).toBe('image/jpeg');
    for (const bytes of [Buffer.alloc(0), Buffer.from('just text'), Buffer.alloc(5000)])
      expect(await typeOf(bytes)).toBe('application/octet-stream');
  });

  test('is refused where it comes encoded: other bytes would be kept than were meant', async () => {
    const { id } = await create(node, me);
    const file = await declare(node, me, 'zipped', { size: gzipSync('zipped').length });
    const encoded = (value: string) => ({ ...text, 'Content-Encoding': value });
    const { pathname } = new URL(file.upload_url);
    for (const line of [`POST /entities/${id}/content?key=k`, `POST /files/${file.id}/content`, `PUT ${pathname}`]) {
      const answer = await ask(node, me, line, gzipSync('zipped'), encoded('gzip'));
      expect([answer.status, answer.body]).toEqual([400, invalid(['content-encoding'], expect.any(String))]);
    }
    ok(await ask(node, me, `POST /entities/${id}/content?key=k`, Buffer.from('plain'), encoded('identity')));
    expect((await get(id)).text).toBe('plain');
  });

  test('of JSON type is bytes all the same', async () => {
    const { id } = await create(node, me);
    const json = { 'Content-Type': 'application/json' };
    ok(await ask(node, me, `POST /entities/${id}/content?key=k`, Buffer.from('{"a":'), json));
    expect((await get(id)).text).toBe('{"a":');
  });

  test('is refused where the entity has another property of that name', async () => {
    const made = await create(node, me, { properties: { content: 'a text' } });
    const answer = await ask(node, me, `POST /entities/${made.id}/content?key=k`, Buffer.from('x'), text);
    expect(answer.body).toEqual(
      invalid(['properties', 'content'], 'is no map of content: move it to another property first'),
    );
    expect((await get(made.id)).status).toBe(404);
    expect((await read(node, me, made.id)).cid).toBe(made.cid);
  });

  test('is refused for deleted entities, before any of it is read', async () => {
    const made = await create(node, me);
    await remove(node, me, made);
    const answer = await ask(node, me, `POST /entities/${made.id}/content?key=k`, Buffer.from('to nobody'), text);
    expect(answer.body).toEqual(invalid(['id'], 'the entity is deleted'));
    expect(await keptBy(node).size(cidOf('to nobody'))).toBeUndefined();
  });
});

test('content of a large entity is found on a reader thread, as that of others is here', async () => {
  const large = { properties: { text: 'a'.repeat(200_000) } };
  const store = await node.ctx.networks.get('main');
  const scene = async (body: object) => {
    const { id } = await create(node, me, body);
    await put(node, me, id, 'k', `first ${id}`);
    await put(node, me, id, 'k', `second ${id}`);
    const file = await uploaded(node, me, `own ${id}`);
    const { cid } = await read(node, me, file.id);
    await update(node, me, { ...file, cid }, body);
    return { id, file: file.id };
  };
  const found = async ({ id, file }: Awaited<ReturnType<typeof scene>>) => {
    const readLong = vi.spyOn(store, 'readLong');
    const said = ['', '?key=k', `?cid=${cidOf(`first ${id}`)}`, '?key=other', `?cid=${cidOf('other')}`];
    const answers = await Promise.all(said.map((query) => get(id, query)));
    const link = ok<{ download_url: string }>(await ask(node, me, `GET /files/${file}/download`)).download_url;
    const linked = await node.fetch(new URL(link).pathname);
    const names = readLong.mock.calls.map(([name]) => name);
    readLong.mockRestore();
    expect(answers.slice(0, 3).map(({ text }) => text)).toEqual([`second ${id}`, `second ${id}`, `first ${id}`]);
    for (const { body } of answers.slice(3)) expect(body).toEqual(lacking('Nothing has been uploaded there'));
    expect(linked.text).toBe(`own ${id}`);
    return names;
  };
  expect(await found(await scene({ properties: {} }))).toEqual([]);
  expect(await found(await scene(large))).toEqual(Array.from({ length: 7 }, () => 'heldContent'));
});

test('an answer comes although the refused upload is still being sent', async () => {
  const { id } = await create(node, me);
  const stranger = { Authorization: 'ApiKey uk_00000000000000000000000000000000' };
  for (const [headers, status] of [
    [{}, 401],
    [stranger, 401],
    [{ ...me.headers, 'Content-Length': '600000000' }, 413],
  ] as const) {
    const path = `/entities/${id}/content?key=k`;
    const answer = await node.fetch(path, {
      method: 'POST',
      headers: { ...text, ...headers },
      body: Buffer.alloc(100),
    });
    expect(answer.status).toBe(status);
  }
  const large = new Blob([Buffer.alloc(30_000_000)]);
  const sent = { method: 'POST', body: large };
  const refused = await fetch(`${node.url}/entities/${id}/content?key=k`, sent);
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: expect.any(String) }]);
});

test('what the store says of content is found wrong where it is', async () => {
  const { id } = await create(node, me);
  await put(node, me, id, 'k', 'recorded');
  expect(await verified(node)).toMatchObject({ ok: true });
  const store = await node.ctx.networks.get('main');
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(store.database);
  db.prepare('DELETE FROM content WHERE entity = (SELECT key FROM entity WHERE id = ?)').run(id);
  db.close();
  expect(await verified(node)).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([{ kind: 'content', id, message: expect.stringMatching(/which no row says/) }]),
  });
});

test('content of no name is the last that came, also where the clock was set back', async () => {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  await using one = await startNode({ now: () => clock.ms });
  const who = await user(one, 'who');
  const { id } = await create(one, who);
  await put(one, who, id, 'b', 'one');
  clock.ms -= 7_200_000;
  const { content } = await put(one, who, id, 'a', 'two');
  expect(content).toMatchObject({ uploaded_at: '2026-01-01T00:00:00.001Z' });
  expect((await ask(one, who, `GET /entities/${id}/content`)).text).toBe('two');
  const now = await read(one, who, id);
  expect(entries(now).a).toMatchObject({ uploaded_at: '2026-01-01T00:00:00.001Z' });
  const complete = { key: 'c', cid: cidOf('one'), size: 3, content_type: 'text/plain', expect_tip: now.cid };
  ok(await ask(one, who, `POST /entities/${id}/content/complete`, complete));
  expect((await ask(one, who, `GET /entities/${id}/content`)).text).toBe('one');
});

test('bytes that are cut short on the disk are not given out as whole', async () => {
  const { id } = await create(node, me);
  const { content } = await put(node, me, id, 'k', 'hello world');
  const { folder, path } = keptBy(node).place(content.cid);
  await writeFile(join(folder, path), 'hello');
  const answer = await get(id, '?key=k');
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('archeion verify');
  await writeFile(join(folder, path), 'hello world');
  expect((await get(id, '?key=k')).text).toBe('hello world');
  // A size that somebody has written wrong is no damage.
  const now = await read(node, me, id);
  await update(node, me, now, { properties: { content: { k: { ...entries(now).k, size: 3 } } } });
  expect((await get(id, '?key=k')).text).toBe('hello world');
});

test('bytes of which an entry says a wrong size are read once to be sure of them, however many ask', async () => {
  const { id } = await create(node, me);
  const bytes = Buffer.alloc(8 * 2 ** 20, 'x');
  const written = ok<ContentAnswer>(await ask(node, me, `POST /entities/${id}/content?key=k`, bytes, text));
  const now = await read(node, me, id);
  await update(node, me, now, { properties: { content: { k: { ...entries(now).k, size: 3 } } } });
  const part = async () => {
    const answer = await ask(node, me, `GET /entities/${id}/content`, undefined, { Range: 'bytes=0-1' });
    expect([answer.status, answer.text]).toEqual([206, 'xx']);
  };
  const wholly = vi.spyOn(FileStore.prototype, 'isSound');
  onTestFinished(() => wholly.mockRestore());
  await Promise.all(Array.from({ length: 10 }, part));
  await part();
  expect(wholly).toHaveBeenCalledTimes(1);
  // What has become of them since is seen.
  const { folder, path } = keptBy(node).place(written.content.cid);
  await writeFile(join(folder, path), 'hello');
  expect((await get(id)).status).toBe(503);
});

test('content goes with an entity that is written through other endpoints', async () => {
  const { id } = await create(node, me);
  await put(node, me, id, 'k', 'stays');
  const now = await update(node, me, await read(node, me, id), { properties: { a: 1 } });
  expect(Object.keys(entries(now))).toEqual(['k']);
});
