import { renameSync, writeFileSync } from 'node:fs';
import { appendFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anonymous, ask, on, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, invalid, ok, read } from '../helpers/entities.ts';
import { type ContentAnswer, cidOf, declare, keptBy, lose, text, uploaded } from '../helpers/files.ts';
import { type Answer, startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { verified } from '../helpers/node-archives.ts';
import { collect, listOf } from '../helpers/sample-archive.ts';

const clock = { ms: 0 };
let folder: { path: string } & AsyncDisposable;
let node: TestNode;
let me: Person;
beforeEach(async () => {
  clock.ms = Date.now();
  folder = await temporaryFolder();
  node = await startNode({ data: folder.path, now: () => clock.ms });
  me = await user(node, 'me');
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const hour = 3_600_000;
const bytes = Buffer.alloc(300_000, 'a page of a book, ');
const cid = cidOf(bytes);
const wanted = { cid, content_type: 'application/pdf', size: bytes.length };

/** An entity and the path of an address for bytes of it. */
async function addressed(body: object = {}): Promise<{ entity: Entity; path: string }> {
  const entity = await create(node, me);
  const answer = await ask(node, me, `POST /entities/${entity.id}/content/upload-url`, { ...wanted, ...body });
  return { entity, path: new URL(ok<{ upload_url: string }>(answer).upload_url).pathname };
}

const put = (path: string, part: Buffer, headers: Record<string, string> = {}) =>
  ask(node, anonymous, `PUT ${path}`, part, headers);
const range = (from: number, to: number) => ({ 'Content-Range': `bytes ${from}-${to - 1}/${bytes.length}` });
const offsetOf = async (path: string) => (await ask(node, anonymous, `HEAD ${path}`)).headers['upload-offset'];
const partsOf = () => readdir(join(node.data, 'main/uploads')).catch(() => []);

async function complete({ id, cid: expect_tip }: Entity): Promise<Answer> {
  return ask(node, me, `POST /entities/${id}/content/complete`, { key: 'book', ...wanted, expect_tip });
}

/** Sends a part of a body and breaks the connection off when the node has it. */
async function cutOff(path: string, part: Buffer): Promise<void> {
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
  socket.write(part);
  while ((await offsetOf(path)) !== String(part.length)) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
}

async function restarted(): Promise<void> {
  await node[Symbol.asyncDispose]();
  node = await startNode({ data: folder.path, now: () => clock.ms });
}

describe('an upload address', () => {
  test('takes the bytes at once, and the entity names them then', async () => {
    const { entity, path } = await addressed();
    expect(await offsetOf(path)).toBe('0');
    const answer = await put(path, bytes, { 'Content-Type': 'application/pdf' });
    expect([answer.status, answer.body, answer.headers.etag]).toEqual([
      200,
      { offset: bytes.length, size: bytes.length, complete: true, cid, expires_at: expect.any(String) },
      `"${cid}"`,
    ]);
    expect(await collect(keptBy(node).read(cid))).toEqual(bytes);
    expect(await partsOf()).toEqual([]);
    expect((await read(node, me, entity.id)).ver).toBe(1);
    const { content } = ok<ContentAnswer>(await complete(entity));
    expect(content).toMatchObject({ key: 'book', cid, size: bytes.length, content_type: 'application/pdf' });
    // Sent again, as a client does whose answer was lost.
    expect((await put(path, bytes)).status).toBe(200);
  });

  test('takes them in parts, each where the last one ended', async () => {
    const { path } = await addressed();
    const first = await put(path, bytes.subarray(0, 100_000), range(0, 100_000));
    expect([first.status, first.headers['upload-offset'], first.body]).toEqual([
      202,
      '100000',
      { offset: 100_000, size: bytes.length, complete: false, expires_at: expect.any(String) },
    ]);
    for (const wrong of [range(99_999, 200_000), range(100_001, 200_000), range(0, 100_000)]) {
      const [from = 0, to = 0] = /(\d+)-(\d+)/.exec(wrong['Content-Range'])?.slice(1).map(Number) ?? [];
      const answer = await put(path, bytes.subarray(from, to + 1), wrong);
      expect([answer.status, answer.body]).toEqual([
        409,
        { error: 'The upload stands at 100000 bytes: go on from there', details: { offset: 100_000 } },
      ]);
    }
    expect((await put(path, bytes.subarray(100_000, 200_000), { 'Upload-Offset': '100000' })).status).toBe(202);
    expect((await put(path, bytes.subarray(200_000), range(200_000, 300_000))).body).toMatchObject({ cid });
    expect(await collect(keptBy(node).read(cid))).toEqual(bytes);
  });

  test('goes on where a connection broke off, also after the node has been started again', async () => {
    const { entity, path } = await addressed();
    await cutOff(path, bytes.subarray(0, 120_000));
    await restarted();
    expect(await offsetOf(path)).toBe('120000');
    expect(await listOf(keptBy(node).list())).toEqual([]);
    expect((await complete(entity)).status).toBe(400);
    expect((await put(path, bytes.subarray(120_000), range(120_000, 300_000))).status).toBe(200);
    await restarted();
    expect((await complete(entity)).status).toBe(200);
  });

  test('goes on where its bytes are on the disk for certain, not at the end of what a power cut left', async () => {
    const { path } = await addressed();
    await put(path, bytes.subarray(0, 100_000), range(0, 100_000));
    await node[Symbol.asyncDispose]();
    const [part = ''] = await partsOf();
    await appendFile(join(node.data, 'main/uploads', part), Buffer.alloc(50_000));
    node = await startNode({ data: folder.path, now: () => clock.ms });
    expect(await offsetOf(path)).toBe('100000');
    expect((await put(path, bytes.subarray(150_000), range(150_000, 300_000))).status).toBe(409);
    expect((await put(path, bytes.subarray(100_000), range(100_000, 300_000))).body).toMatchObject({ cid });
    expect(await collect(keptBy(node).read(cid))).toEqual(bytes);
  });

  test('is complete where the node was killed after the bytes had become a file, and before it said so', async () => {
    const { entity, path } = await addressed();
    expect((await put(path, bytes)).status).toBe(200);
    await node[Symbol.asyncDispose]();
    const db = new Database(join(folder.path, 'main/archeion.db'));
    db.exec('UPDATE upload SET received = NULL');
    db.close();
    node = await startNode({ data: folder.path, now: () => clock.ms });
    expect(await offsetOf(path)).toBe(String(bytes.length));
    expect((await put(path, bytes, range(0, 300_000))).body).toMatchObject({ complete: true, cid });
    expect((await complete(entity)).status).toBe(200);
  });

  test.each([
    ['is complete where the node was killed before the bytes that it had compared had become a file', bytes],
    ['is not complete where an earlier program had counted others than were declared', Buffer.alloc(bytes.length)],
  ])('%s', async (_name, come) => {
    const { entity, path } = await addressed();
    // What was declared is there, as somebody else's.
    const other = await addressed();
    expect((await put(other.path, bytes)).status).toBe(200);
    expect((await put(path, come.subarray(1), range(0, 299_999))).status).toBe(202);
    await node[Symbol.asyncDispose]();
    const [part = ''] = await partsOf();
    await writeFile(join(node.data, 'main/uploads', part), come);
    const db = new Database(join(folder.path, 'main/archeion.db'));
    db.exec('UPDATE upload SET come = size WHERE received IS NULL');
    db.close();
    node = await startNode({ data: folder.path, now: () => clock.ms });
    const answers = await Promise.all([1, 2, 3].map(() => ask(node, anonymous, `GET ${path}`)));
    const isRight = come === bytes;
    expect(answers.map(({ status }) => status)).toContain(isRight ? 200 : 400);
    const view = await ask(node, anonymous, `GET ${path}`);
    expect(view.body).toMatchObject({ offset: isRight ? bytes.length : 0, complete: isRight });
    expect((await put(path, bytes)).body).toMatchObject({ cid });
    expect((await complete(entity)).status).toBe(200);
    expect(await partsOf()).toEqual([]);
  });

  test('goes on although the broken request has not ended', async () => {
    const { path } = await addressed();
    const { hostname, port } = new URL(node.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes.subarray(0, 50_000));
    while ((await offsetOf(path)) !== '50000') await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await put(path, bytes.subarray(50_000), range(50_000, 300_000))).status).toBe(200);
    socket.destroy();
  });

  test('begins again with a body without a range', async () => {
    const { path } = await addressed();
    expect((await put(path, Buffer.alloc(1000), range(0, 1000))).status).toBe(202);
    expect((await put(path, bytes)).body).toMatchObject({ cid });
  });

  test('refuses what it was not made for, keeps nothing of it, and takes the right bytes then', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const refused: [Buffer, Record<string, string>, string[], string][] = [
      [Buffer.alloc(300_000), {}, ['cid'], `the bytes are those of ${cidOf(Buffer.alloc(300_000))}: begin again`],
      [bytes.subarray(1), {}, ['size'], '299999 bytes come, not 300000'],
      [bytes.subarray(1), chunked, ['size'], '299999 bytes came, not 300000'],
      [Buffer.alloc(300_001), chunked, ['size'], 'more than 300000 bytes came'],
      [
        bytes,
        { 'Content-Type': 'text/html' },
        ['content-type'],
        'must be application/pdf, for which the address was made',
      ],
      [
        Buffer.alloc(2),
        { 'Content-Range': 'bytes 299999-300000/300000' },
        ['content-range'],
        'must lie within the 300000 bytes of the whole',
      ],
      [Buffer.alloc(2), { 'Content-Range': 'bytes 0-1/2' }, ['content-range'], 'the whole is 300000 bytes'],
      [Buffer.alloc(2), { 'Content-Range': 'bytes 0-2/300000' }, ['content-range'], '2 bytes come, not 3'],
      [Buffer.alloc(2), { 'Content-Range': '0-2' }, ['content-range'], 'must be like bytes 0-99/200'],
      [Buffer.alloc(2), { 'Upload-Offset': '-1' }, ['upload-offset'], 'must be a number of bytes'],
    ];
    for (const [sent, headers, path, message] of refused) {
      const { path: address } = await addressed();
      const answer = await put(address, sent, headers);
      expect([answer.status, answer.body]).toEqual([400, invalid(path, message)]);
      expect(await listOf(keptBy(node).list())).toEqual([]);
      expect((await put(address, bytes)).body).toMatchObject({ cid });
      await lose(keptBy(node), cid);
    }
  });

  test('is found by nobody who does not have it, and not after 15 minutes', async () => {
    const { path } = await addressed();
    for (const wrong of [`${path}x`, path.replace('main-', 'test-'), '/node/uploads/x', '/node/uploads/main-'])
      for (const line of [`GET ${wrong}`, `PUT ${wrong}`]) expect((await ask(node, anonymous, line)).status).toBe(404);
    clock.ms += 15 * 60_000 + 1;
    expect((await put(path, bytes)).body).toEqual({
      error: 'Upload not found: the address is wrong or has expired. Ask for another',
    });
  });

  test('lasts as long as parts come', async () => {
    const { path } = await addressed();
    for (let at = 0; at < bytes.length; at += 100_000) {
      clock.ms += 10 * 60_000;
      expect((await put(path, bytes.subarray(at, at + 100_000), range(at, at + 100_000))).status).toBeLessThan(300);
    }
    expect(await keptBy(node).size(cid)).toBe(bytes.length);
  });

  test('on the test network is of that network', async () => {
    const tester = on('test', me);
    const entity = ok<Entity>(await ask(node, tester, 'POST /entities', { type: 'document' }));
    const made = await ask(node, tester, `POST /entities/${entity.id}/content/upload-url`, wanted);
    const { pathname } = new URL(ok<{ upload_url: string }>(made).upload_url);
    expect((await put(pathname, bytes)).status).toBe(200);
    expect(await keptBy(node).size(cid)).toBeUndefined();
    const body = { key: 'book', ...wanted, expect_tip: entity.cid };
    expect((await ask(node, tester, `POST /entities/${entity.id}/content/complete`, body)).status).toBe(200);
    expect((await ask(node, tester, `GET /entities/${entity.id}/content`)).headers['content-length']).toBe('300000');
  });

  test('names the public address of the node', async () => {
    await using other = await startNode({ env: { ARCHEION_PUBLIC_URL: 'https://archive.example/base/' } });
    const owner = await user(other, 'owner');
    const file = await declare(other, owner, 'x');
    expect(file.upload_url).toMatch(/^https:\/\/archive\.example\/base\/node\/uploads\/main-/);
  });
});

describe('a file with an address', () => {
  test('of known bytes takes no others, and is confirmed', async () => {
    const made = await declare(node, me, 'known', { cid: cidOf('known') });
    expect(made.properties).not.toHaveProperty('cid');
    const { pathname } = new URL(made.upload_url);
    expect((await put(pathname, Buffer.from('wrong'), text)).status).toBe(400);
    expect((await put(pathname, Buffer.from('known'), text)).status).toBe(200);
    const confirmed = ok<Entity>(
      await ask(node, me, `POST /files/${made.id}/confirm-upload`, { expect_tip: made.cid, note: 'came' }),
    );
    expect(confirmed.properties).toMatchObject({ uploaded: true, cid: cidOf('known'), size: 5 });
    expect((await ask(node, me, `GET /files/${made.id}/content`)).text).toBe('known');
  });

  test('says so where other bytes are sent to it than have come', async () => {
    const made = await declare(node, me, 'first');
    const { pathname } = new URL(made.upload_url);
    const send = async (body: string, headers = {}) => (await put(pathname, Buffer.from(body), headers)).status;
    expect([await send('first'), await send('first', text)]).toEqual([200, 200]);
    const other = await put(pathname, Buffer.from('later'), text);
    expect([other.status, other.text]).toEqual([400, expect.stringContaining(`those of ${cidOf('first')} have come`)]);
    expect(await send('more than that')).toBe(400);
    expect(await send('')).toBe(400);
    expect(await send('rst', { 'Content-Range': 'bytes 2-4/5' })).toBe(200);
    ok(await ask(node, me, `POST /files/${made.id}/confirm-upload`, { expect_tip: made.cid }));
    expect((await ask(node, me, `GET /files/${made.id}/content`)).text).toBe('first');
  });

  test('is not confirmed with bytes of an earlier declaration', async () => {
    const made = await declare(node, me, 'early', { key: 'k1' });
    expect((await put(new URL(made.upload_url).pathname, Buffer.from('early'), text)).status).toBe(200);
    const body = { expect_tip: made.cid, key: 'k2', content_type: 'text/plain', size: 5 };
    const next = ok<Entity>(await ask(node, me, `POST /files/${made.id}/reupload`, body));
    const answer = await ask(node, me, `POST /files/${made.id}/confirm-upload`, { expect_tip: next.cid });
    expect(answer.status).toBe(400);
  });
});

describe('what uploads leave behind', () => {
  test('goes where the address has expired, and stays where it has not', async () => {
    const [old, young] = [await addressed(), await addressed()];
    await put(old.path, bytes.subarray(0, 10), range(0, 10));
    clock.ms += 14 * 60_000;
    await put(young.path, bytes.subarray(0, 20), range(0, 20));
    clock.ms += 2 * 60_000;
    await restarted();
    expect(await partsOf()).toHaveLength(1);
    expect(await offsetOf(young.path)).toBe('20');
    clock.ms += 2 * hour;
    await node.ctx.leftovers.sweep();
    expect(await partsOf()).toEqual([]);
  });

  test('goes after two days where no version has ever named it', async () => {
    const { path } = await addressed();
    expect((await put(path, bytes)).status).toBe(200);
    const file = await uploaded(node, me, 'first');
    const body = { expect_tip: file.cid, key: 'k2', content_type: 'text/plain', size: 1 };
    ok(await ask(node, me, `POST /files/${file.id}/reupload`, body));
    clock.ms += 47 * hour;
    await node.ctx.leftovers.sweep();
    expect(await keptBy(node).size(cid)).toBe(bytes.length);
    clock.ms += 2 * hour;
    await node.ctx.leftovers.sweep();
    expect(await listOf(keptBy(node).list())).toEqual([cidOf('first')]);
    expect([...(await partsOf()), ...(await readdir(join(node.data, 'main/files/incoming')))]).toEqual([]);
  });

  test('lies aside for four weeks before it is gone for good', async () => {
    const { entity, path } = await addressed();
    expect((await put(path, bytes)).status).toBe(200);
    const aside = () => readdir(join(node.data, 'main/files/unwanted'));
    const later = async (days: number) => {
      clock.ms += days * 24 * hour;
      await node.ctx.leftovers.sweep();
    };
    await later(3);
    expect([await listOf(keptBy(node).list()), await aside()]).toEqual([[], [cid]]);
    expect((await verified(node)).remarks).toEqual([
      'A file that no version names lies aside in main/files/unwanted: the node deletes it when it has been there for four weeks.',
    ]);
    // Whoever knows the CID has no right to them there either.
    const body = { type: 'document', properties: { content: { k: { cid, size: 1, content_type: 'text/plain' } } } };
    expect((await ask(node, await user(node, 'thief'), 'POST /entities', body)).status).toBe(400);
    expect([await listOf(keptBy(node).list()), await aside()]).toEqual([[cid], []]);
    await later(3);
    expect(await aside()).toEqual([cid]);
    await later(20);
    expect(await aside()).toEqual([cid]);
    await later(9);
    expect([await aside(), keptBy(node).has(cid), (await read(node, me, entity.id)).ver]).toEqual([[], false, 1]);
  });

  test('is not what a version names whose row is missing: a look at the version brings it back', async () => {
    const file = await uploaded(node, me, 'the only copy');
    const only = cidOf('the only copy');
    const db = new Database(join(folder.path, 'main/archeion.db'));
    db.exec('DELETE FROM content');
    db.close();
    const later = async () => {
      clock.ms += 49 * hour;
      await node.ctx.leftovers.sweep();
      return listOf(keptBy(node).list());
    };
    expect(await later()).toEqual([]);
    expect((await ask(node, me, `GET /files/${file.id}/content`)).text).toBe('the only copy');
    expect(await later()).toEqual([]);
    const { problems } = await verified(node);
    expect(problems.map(({ message }) => message).join()).toContain(`names the content ${only}, which no row says`);
    expect(await listOf(keptBy(node).list())).toEqual([only]);
    expect((await ask(node, me, `GET /files/${file.id}/content`)).text).toBe('the only copy');
  });

  test('is not what is wanted, or came again, at the last moment', async () => {
    const files = keptBy(node);
    async function* whole() {
      yield bytes;
    }
    await files.put(whole());
    const { folder: root, path } = files.place(cid);
    await utimes(join(root, path), 1, 1);
    const kept = () => listOf(files.list());
    const wantedNow = [false, true];
    await files.setUnwantedAside(cid, Date.now(), () => wantedNow.shift() ?? false);
    expect(await kept()).toEqual([cid]);
    await utimes(join(root, path), 1, 1);
    let looks = 0;
    const comesAgain = () => {
      if (looks++ > 0) return false;
      writeFileSync(join(root, 'again'), bytes);
      renameSync(join(root, 'again'), join(root, path));
      return false;
    };
    await files.setUnwantedAside(cid, Date.now() - hour, comesAgain);
    expect([looks, await kept()]).toEqual([1, [cid]]);
    await utimes(join(root, path), 1, 1);
    await files.setUnwantedAside(cid, Date.now(), () => false);
    expect(await kept()).toEqual([]);
  });

  test('is looked through once at a time, and no more when the node has ended', async () => {
    const files = keptBy(node);
    for (let i = 0; i < 200; i++)
      await files.put(
        (async function* () {
          yield Buffer.from(`orphan ${i}`);
        })(),
      );
    clock.ms += 49 * hour;
    const sweeping = node.ctx.leftovers.sweep();
    expect(node.ctx.leftovers.sweep()).toBe(sweeping);
    let swept: unknown = 'goes on';
    void sweeping.then(
      () => (swept = 'ended'),
      (error: unknown) => (swept = error),
    );
    while ((await listOf(files.list())).length === 200) await new Promise(setImmediate);
    await node[Symbol.asyncDispose]();
    expect(swept).toBe('ended');
    await restarted();
    await node.ctx.leftovers.sweep();
    expect(await listOf(keptBy(node).list())).toEqual([]);
  });

  test('a second call to complete names bytes a day later', async () => {
    const { entity, path } = await addressed();
    expect((await put(path, bytes)).status).toBe(200);
    clock.ms += 23 * hour;
    await node.ctx.leftovers.sweep();
    expect((await complete(entity)).status).toBe(200);
  });
});
