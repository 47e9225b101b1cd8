import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, lacking, ok, read, update } from '../helpers/entities.ts';
import { cidOf, declare, keptBy, lose, put, send, text, uploaded } from '../helpers/files.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { collect, listOf } from '../helpers/sample-archive.ts';

let node: TestNode;
let me: Person;
beforeAll(async () => {
  node = await startNode();
  me = await user(node, 'me');
});
afterAll(() => node[Symbol.asyncDispose]());

const content = (id: string, headers?: Record<string, string>) =>
  ask(node, me, `GET /files/${id}/content`, undefined, headers);
/** Uploads `slow bytes` in two parts; `meanwhile` is done between them. */
const uploadSlowly = (id: string, meanwhile: () => Promise<unknown>) => {
  async function* parts() {
    yield Buffer.from('slow ');
    await meanwhile();
    yield Buffer.from('bytes');
  }
  return fetch(`${node.url}/files/${id}/content`, {
    method: 'POST',
    headers: { ...me.headers, ...text },
    body: ReadableStream.from(parts()),
    duplex: 'half',
  });
};

describe('a file', () => {
  test('has the label that it is given, else its name, and lies where it is put', async () => {
    const [place, folder] = [
      await collection(node, me),
      await create(node, me, { type: 'folder', properties: { label: 'f' } }),
    ];
    const made = await declare(node, me, 'a', {
      label: 'A page',
      description: 'd',
      collection: place.id,
      relationships: [{ predicate: 'in', peer: folder.id }],
    });
    expect(made.properties).toMatchObject({ label: 'A page', description: 'd', uploaded: false });
    expect(made.relationships.map(({ predicate, peer }) => [predicate, peer])).toEqual([
      ['collection', place.id],
      ['in', folder.id],
    ]);
    expect((await declare(node, me, 'b')).properties.label).toBe('page.txt');
  });

  test('says by itself what its bytes are, whatever its declaration claims', async () => {
    const others = { cid: cidOf('another'), uploaded: true, size: 99, key: 'other', a: 1 };
    const made = await declare(node, me, 'mine', { key: 'k', properties: others });
    expect(made.properties).toEqual({
      ...{ key: 'k', filename: 'page.txt', content_type: 'text/plain', size: 4, label: 'page.txt', a: 1 },
      uploaded: false,
    });
  });

  test('whose bytes are here already, in many files, keeps them once', async () => {
    const before = (await listOf(keptBy(node).list())).length;
    const files = await Promise.all(
      [1, 2, 3].map((n) => uploaded(node, me, 'the same bytes', { filename: `${n}.txt` })),
    );
    expect(files.map(({ properties }) => properties.cid)).toEqual(files.map(() => cidOf('the same bytes')));
    expect(await listOf(keptBy(node).list())).toHaveLength(before + 1);
    expect(await collect(keptBy(node).read(cidOf('the same bytes')))).toEqual(Buffer.from('the same bytes'));
  });

  test('may be empty', async () => {
    const made = await uploaded(node, me, '');
    const answer = await content(made.id);
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '0']);
  });

  test('takes its bytes once, also from two at a time', async () => {
    const { id } = await declare(node, me, 'race');
    const answers = await Promise.all([1, 2, 3].map(() => send(node, me, id, 'race')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await read(node, me, id)).ver).toBe(2);
  });

  test('takes bytes of the declared type alone, however it is written', async () => {
    const made = await declare(node, me, 'typed', { content_type: 'text/plain; charset=UTF-8' });
    const as = (type: Record<string, string>) =>
      ask(node, me, `POST /files/${made.id}/content`, Buffer.from('typed'), type);
    for (const type of [{}, text, { 'Content-Type': 'text/plain;charset=latin1' }])
      expect((await as(type)).body).toEqual(
        invalid(['content-type'], 'must be text/plain; charset=UTF-8, as the file was declared'),
      );
    expect((await as({ 'Content-Type': 'Text/Plain;charset=utf-8' })).status).toBe(200);
  });

  test.each(['text/plain\nX-Other: 1', 'text/плэйн'])('of the type %j, which no header carries', async (type) => {
    const refusal = invalid(['content_type'], 'must be a media type, as image/jpeg: no header can carry this one');
    const made = await uploaded(node, me, `typed ${type}`);
    const bytes = { content_type: type, size: 3 };
    for (const [line, body] of [
      ['POST /files', { ...bytes, key: 'k', filename: 'f' }],
      [`PUT /files/${made.id}`, { expect_tip: made.cid, content_type: type }],
      [`POST /files/${made.id}/reupload`, { ...bytes, expect_tip: made.cid, key: 'new' }],
      [`POST /entities/${made.id}/content/upload-url`, { ...bytes, cid: cidOf('new') }],
    ] as const) {
      const answer = await ask(node, me, line, body);
      expect([line, answer.status, answer.body]).toEqual([line, 400, refusal]);
    }
    // What stands there already, as a mirror or a write of its properties may have it, takes its bytes and gives them.
    const properties = { label: 'f', key: 'k', size: 3, content_type: type, uploaded: false };
    const { id } = await create(node, me, { type: 'file', properties });
    const any = { 'Content-Type': 'application/octet-stream' };
    const sent = ok<Entity>(await ask(node, me, `POST /files/${id}/content`, Buffer.from('new'), any));
    expect(sent.properties).toMatchObject({ content_type: type, cid: cidOf('new'), uploaded: true });
    const got = await content(id);
    expect([got.text, got.headers['content-type']]).toEqual(['new', 'application/octet-stream']);
  });

  test('whose bytes are fewer or more than declared keeps none', async () => {
    const { id } = await declare(node, me, 'exact', { content_type: 'text/plain' });
    for (const [bytes, said] of [
      ['exac', '4 bytes came, not 5'],
      ['exactly', 'more than 5 bytes came'],
    ] as const) {
      const chunked = await ask(node, me, `POST /files/${id}/content`, Buffer.from(bytes), {
        ...text,
        'Transfer-Encoding': 'chunked',
      });
      expect(chunked.body).toEqual(invalid(['size'], said));
      expect(await keptBy(node).size(cidOf(bytes))).toBeUndefined();
    }
    expect((await read(node, me, id)).ver).toBe(1);
  });

  test('made without a declaration of its bytes takes what comes, and what it looks like', async () => {
    const { id } = await create(node, me, { type: 'file', properties: { label: 'x' } });
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
    const made = ok<Entity>(await ask(node, me, `POST /files/${id}/content`, png));
    expect(made.properties).toMatchObject({ content_type: 'image/png', size: png.length, uploaded: true });
  });
});

describe('a reupload', () => {
  test('changes nothing else, which it takes no permission for', async () => {
    const home = await collection(node, me, { roles: { scanner: ['file:reupload'] } });
    const scanner = await user(node, 'scanner');
    await enrol(node, me, home.id, scanner, 'scanner');
    const made = await declare(node, me, 'page', { collection: home.id });
    const relationships_remove = [{ predicate: 'collection' }];
    const relationships_add = [{ predicate: 'about', peer: home.id }];
    const body = { expect_tip: made.cid, key: 'k', content_type: 'text/plain', size: 1 };
    const others = { properties_remove: 1, relationships_add, relationships_remove };
    const again = ok<Entity>(await ask(node, scanner, `POST /files/${made.id}/reupload`, { ...body, ...others }));
    expect(again.relationships).toEqual(made.relationships);
  });

  test('a key brings back its bytes also where a CID was written by hand that has none here', async () => {
    const first = await uploaded(node, me, 'kept', { key: 'k1' });
    let tip = first.cid;
    const set = async (line: string, body: object) => {
      const answer = await ask(node, me, line.replace('ID', first.id), { expect_tip: tip, ...body });
      tip = ok<Entity>(answer).cid;
      return ok<Entity>(answer);
    };
    await set('PUT /files/ID', { properties: { cid: cidOf('elsewhere') } });
    await set('PUT /entities/ID', { properties: { cid: 'no CID at all' } });
    const byCid = await ask(node, me, `GET /entities/${first.id}/content?cid=${cidOf('kept')}`);
    expect(byCid.status).toBe(200);
    await set('POST /files/ID/reupload', { key: 'k2', content_type: 'text/plain', size: 3 });
    tip = ok<Entity>(await send(node, me, first.id, 'new')).cid;
    const back = await set('PUT /files/ID', { key: 'k1' });
    expect(back.properties).toMatchObject({ key: 'k1', cid: cidOf('kept'), size: 4, uploaded: true });
    expect((await content(first.id)).text).toBe('kept');
    // Where the bytes of none are here, the last that was said of the key holds.
    await set('POST /files/ID/reupload', { key: 'k3', content_type: 'text/plain', size: 3 });
    await set('PUT /entities/ID', { properties: { cid: cidOf('elsewhere'), uploaded: true } });
    await set('PUT /files/ID', { key: 'k2' });
    expect((await set('PUT /files/ID', { key: 'k3' })).properties).toMatchObject({ cid: cidOf('elsewhere') });
  });

  test('leaves the old bytes to the old versions, and a key goes back to them', async () => {
    const first = await uploaded(node, me, 'first', { key: 'k1' });
    const body = { expect_tip: first.cid, note: 'again', key: 'k2', content_type: 'text/html', size: 6, label: 'L' };
    const waiting = ok<Entity>(await ask(node, me, `POST /files/${first.id}/reupload`, body));
    expect(waiting.properties).toEqual({
      ...{ key: 'k2', content_type: 'text/html', size: 6, label: 'L', filename: 'page.txt', uploaded: false },
    });
    expect((await content(first.id)).status).toBe(404);
    expect((await ask(node, me, `GET /entities/${first.id}/content?cid=${cidOf('first')}`)).text).toBe('first');
    const html = { 'Content-Type': 'text/html' };
    const second = ok<Entity>(await ask(node, me, `POST /files/${first.id}/content`, Buffer.from('second'), html));
    expect((await content(first.id)).text).toBe('second');

    const back = ok<Entity>(await ask(node, me, `PUT /files/${first.id}`, { expect_tip: second.cid, key: 'k1' }));
    const { label: _, ...bytes } = first.properties;
    expect(back.properties).toEqual({ ...bytes, label: 'L' });
    expect((await content(first.id)).text).toBe('first');
    for (const key of ['k1', 'k2'])
      expect(
        (await ask(node, me, `POST /files/${first.id}/reupload`, { ...body, expect_tip: back.cid, key })).status,
      ).toBe(400);
  });

  test('and back to a key whose version says neither size nor type says none of the other bytes either', async () => {
    const first = await uploaded(node, me, 'first', { key: 'k1' });
    const properties_remove = ['size', 'content_type'];
    const bare = ok<Entity>(
      await ask(node, me, `PUT /entities/${first.id}`, { expect_tip: first.cid, properties_remove }),
    );
    const body = { expect_tip: bare.cid, key: 'k2', content_type: 'text/html', size: 6 };
    ok(await ask(node, me, `POST /files/${first.id}/reupload`, body));
    const html = { 'Content-Type': 'text/html' };
    const { cid: expect_tip } = ok<Entity>(
      await ask(node, me, `POST /files/${first.id}/content`, Buffer.from('second'), html),
    );
    const back = ok<Entity>(await ask(node, me, `PUT /files/${first.id}`, { expect_tip, key: 'k1' }));
    expect(back.properties).toEqual(bare.properties);
    expect((await content(first.id)).text).toBe('first');
  });

  test('while the bytes come refuses these', async () => {
    const made = await declare(node, me, 'slow bytes', { key: 'old' });
    let reuploaded: unknown;
    const answer = await uploadSlowly(made.id, async () => {
      const body = { expect_tip: made.cid, key: 'new', content_type: 'text/plain', size: 1 };
      reuploaded = (await ask(node, me, `POST /files/${made.id}/reupload`, body)).status;
    });
    expect(reuploaded).toBe(200);
    expect(await answer.json()).toEqual(
      invalid(['key'], 'the file was declared anew while its bytes came: upload them again'),
    );
  });

  test.each([
    ['takes the type that was said meanwhile', { content_type: 'text/markdown' }, { content_type: 'text/markdown' }],
    ['is refused where another size was said meanwhile', { size: 11 }, null],
  ])('%s', async (_name, change, then) => {
    const made = await declare(node, me, 'slow bytes', { key: 'old' });
    const answer = await uploadSlowly(made.id, () =>
      ask(node, me, `PUT /files/${made.id}`, { expect_tip: made.cid, ...change }),
    );
    expect(answer.status).toBe(then ? 200 : 400);
    expect((await read(node, me, made.id)).properties).toMatchObject({ ...change, ...(then ?? { uploaded: false }) });
  });

  test('is asked for by a size that the bytes do not have', async () => {
    const made = await uploaded(node, me, 'sized');
    const size = (n: number) => ask(node, me, `PUT /files/${made.id}`, { expect_tip: made.cid, size: n });
    expect((await size(6)).body).toEqual(invalid(['size'], 'the bytes are 5: reupload others'));
    expect((await size(5)).status).toBe(200);
  });
});

describe('a download', () => {
  test('heeds ranges and conditions', async () => {
    const { id } = await uploaded(node, me, '0123456789');
    const etag = `"${cidOf('0123456789')}"`;
    const asked = async (headers: Record<string, string>) => {
      const { status, text: bytes, headers: answered } = await content(id, headers);
      return [status, bytes, answered['content-range']];
    };
    expect(await asked({ Range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await asked({ Range: 'bytes=-3' })).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await asked({ Range: 'bytes=7-99' })).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await asked({ Range: 'bytes=-65536' })).toEqual([206, '0123456789', 'bytes 0-9/10']);
    expect((await asked({ Range: 'bytes=-0' }))[0]).toBe(416);
    const empty = await uploaded(node, me, '');
    expect((await content(empty.id, { Range: 'bytes=-8' })).status).toBe(200);
    expect((await content(empty.id, { Range: 'bytes=0-' })).status).toBe(416);
    expect(await asked({ Range: 'bytes=0-0,5-6' })).toEqual([200, '0123456789', undefined]);
    expect(await asked({ Range: 'lines=1-2' })).toEqual([200, '0123456789', undefined]);
    expect(await asked({ Range: 'bytes=2-4', 'If-Range': etag })).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await asked({ Range: 'bytes=2-4', 'If-Range': '"other"' })).toEqual([200, '0123456789', undefined]);
    expect(await asked({ 'If-None-Match': etag })).toEqual([304, '', undefined]);
    expect(await asked({ 'If-Match': etag })).toEqual([200, '0123456789', undefined]);
    expect((await asked({ 'If-Match': '"other"' }))[0]).toBe(412);
    expect((await asked({ 'If-Unmodified-Since': new Date(0).toUTCString() }))[0]).toBe(200);
    expect((await asked({ Range: 'bytes=10-' }))[0]).toBe(416);
    const head = await ask(node, me, `HEAD /files/${id}/content`);
    expect([head.status, head.text, head.headers['content-length'], head.headers.etag]).toEqual([200, '', '10', etag]);
  });

  test('is not repeated to a fetch that has the bytes', async () => {
    const { id } = await uploaded(node, me, 'once');
    const first = await fetch(`${node.url}/files/${id}/content`);
    expect([first.status, await first.text()]).toEqual([200, 'once']);
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    const again = await fetch(`${node.url}/files/${id}/content`, { headers });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', headers['If-None-Match']]);
  });

  test('of many bytes comes whole, to a slow reader too, and ends with one that leaves', async () => {
    const bytes = Buffer.alloc(3_000_000, 'a long page, ');
    const { id } = await create(node, me, { type: 'file', properties: { label: 'long' } });
    ok(await ask(node, me, `POST /files/${id}/content`, bytes, text));
    const answer = await fetch(`${node.url}/files/${id}/content`);
    const parts: Uint8Array[] = [];
    for await (const part of answer.body ?? []) {
      parts.push(part);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(cidOf(Buffer.concat(parts))).toBe(cidOf(bytes));
    const ranged = await fetch(`${node.url}/files/${id}/content`, { headers: { Range: 'bytes=65535-2000000' } });
    expect(cidOf(await ranged.bytes())).toBe(cidOf(bytes.subarray(65_535, 2_000_001)));
    const leaving = new AbortController();
    const left = await fetch(`${node.url}/files/${id}/content`, { signal: leaving.signal });
    leaving.abort();
    await expect(left.bytes()).rejects.toThrow('aborted');
    expect(node.logged.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('may be kept for good only where the CID is named', async () => {
    const { id } = await uploaded(node, me, 'cached');
    const caching = async (path: string) => (await ask(node, me, `GET ${path}`)).headers['cache-control'];
    expect(await caching(`/files/${id}/content`)).toBe('private, no-cache');
    expect(await caching(`/entities/${id}/content?cid=${cidOf('cached')}`)).toBe(
      'private, max-age=31536000, immutable',
    );
  });

  test('says where the bytes are not here', async () => {
    const { id, properties } = await uploaded(node, me, 'lost');
    await lose(keptBy(node), properties.cid as string);
    const answer = await content(id);
    expect([answer.status, answer.body]).toEqual([
      404,
      lacking(expect.stringMatching(/^The bytes of bafkrei\w+ are not on this node/)),
    ]);
    expect((await ask(node, me, `GET /files/${id}/download`)).status).toBe(404);
  });

  test.each([
    ['../../etc/passwd', 'attachment; filename=passwd'],
    ['..\\..\\boot.ini', 'attachment; filename=boot.ini'],
    ['..', 'attachment; filename=content'],
    ['a\u0000b\r\nX-Evil: 1', 'attachment; filename="abX-Evil: 1"'],
    ['"quoted"; x=y', 'attachment; filename="\\"quoted\\"; x=y"'],
    ['\u202ecod.exe', 'attachment; filename=cod.exe'],
    ['\u0645\u06cc\u200c\u062e', 'attachment; filename="????"; filename*=UTF-8\'\'%D9%85%DB%8C%E2%80%8C%D8%AE'],
    ['\u200c.\u200d', 'attachment; filename=content'],
    ['Ünï.txt', 'attachment; filename="?n?.txt"; filename*=UTF-8\'\'%C3%9Cn%C3%AF.txt'],
    ['n'.repeat(10_000), `attachment; filename=${'n'.repeat(255)}`],
  ])('is saved under a harmless name: %j', async (filename, disposition) => {
    const made = await uploaded(node, me, filename.slice(0, 20), { filename });
    expect(made.properties.filename).toBe(filename);
    const { status, headers } = await content(made.id);
    expect([status, headers['content-disposition'], headers['x-evil']]).toEqual([200, disposition, undefined]);
  });

  test('never has a type that could not stand in a header', async () => {
    for (const content_type of ['text/html\r\nX-Evil: 1', 'no type', 'ä/ö', `a/${'b'.repeat(300)}`]) {
      const { id } = await create(node, me, {
        type: 'document',
        properties: { content: { k: { cid: cidOf('held'), content_type } } },
      });
      await put(node, me, id, 'other', 'held');
      const { headers } = await ask(node, me, `GET /entities/${id}/content?key=k`);
      expect(headers['content-type']).toBe('application/octet-stream');
      expect(headers['x-evil']).toBeUndefined();
    }
  });

  test('refuses names that no text may have', async () => {
    const body = '{"key":"k","filename":"a\\ud800","content_type":"text/plain","size":1}';
    const headers = { 'Content-Type': 'application/json' };
    expect((await ask(node, me, 'POST /files', body, headers)).body).toEqual(
      invalid(['filename'], 'holds an unpaired surrogate'),
    );
  });

  test('by an address lasts five minutes and cannot be changed', async () => {
    const clock = { ms: Date.UTC(2026, 0, 1) };
    await using other = await startNode({ now: () => clock.ms });
    const owner = await user(other, 'owner');
    const { id } = await uploaded(other, owner, 'linked');
    const { download_url } = ok<{ download_url: string }>(await ask(other, owner, `GET /files/${id}/download`));
    const { pathname } = new URL(download_url);
    expect((await other.fetch(pathname)).text).toBe('linked');
    expect((await other.fetch(pathname, { method: 'HEAD' })).headers['content-length']).toBe('6');
    for (const path of [
      `${pathname}x`,
      pathname.replace(id, owner.id),
      pathname.replace(/\.\d+\./, '.9999999999999.'),
      '/node/downloads/x',
    ])
      expect((await other.fetch(path)).status).toBe(404);
    clock.ms += 5 * 60_000 + 1;
    expect((await other.fetch(pathname)).status).toBe(404);
  });
});

test('a disk that cannot be written says so, and leaves nothing', async () => {
  await using other = await startNode();
  const owner = await user(other, 'owner');
  const { id } = await declare(other, owner, 'no room');
  const folder = `${other.data}/main/files`;
  await rm(folder, { recursive: true, force: true });
  const { writeFile } = await import('node:fs/promises');
  await writeFile(folder, 'in the way');
  const answer = await send(other, owner, id, 'no room');
  expect([answer.status, (answer.body as { error: string }).error]).toEqual([503, 'Service unavailable']);
  expect((await read(other, owner, id)).ver).toBe(1);
});

test('an update through another endpoint keeps what the file says of its bytes', async () => {
  const made = await uploaded(node, me, 'kept on');
  const next = await update(node, me, made, { properties: { label: 'other' } });
  expect(next.properties).toEqual({ ...made.properties, label: 'other' });
  expect((await content(made.id)).text).toBe('kept on');
});
