import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, invalid, ok, read, remove, update } from '../helpers/entities.ts';
import { cidOf, declare, keptBy, lose, put, uploaded } from '../helpers/files.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
let thief: Person;
beforeAll(async () => {
  node = await startNode();
  me = await user(node, 'me');
  thief = await user(node, 'thief');
});
afterAll(() => node[Symbol.asyncDispose]());

/** Bytes that are on the node and that no entity names: sent to an address of mine. */
async function unnamed(bytes: string): Promise<{ cid: string; entity: Entity }> {
  const entity = await create(node, me);
  const { length } = Buffer.from(bytes);
  const body = { cid: cidOf(bytes), content_type: 'text/plain', size: length };
  const made = await ask(node, me, `POST /entities/${entity.id}/content/upload-url`, body);
  const { pathname } = new URL(ok<{ upload_url: string }>(made).upload_url);
  ok(await ask(node, anonymous, `PUT ${pathname}`, Buffer.from(bytes)));
  expect(await keptBy(node).size(cidOf(bytes))).toBe(length);
  return { cid: cidOf(bytes), entity };
}

/** Sends chunks of a body without its end, and breaks the connection off after that. */
async function cutOff(path: string, chunks: string[], after: (socket: Socket) => Promise<unknown>): Promise<void> {
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const come = after(socket);
  for (const chunk of chunks) {
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await setTimeout(50);
  }
  await come;
  socket.destroy();
}

const refusal = (path: (string | number)[]) =>
  invalid(path, 'names bytes that no entity which you may view holds: upload them');
const entry = (cid: string) => ({ content: { k: { cid, size: 1, content_type: 'text/plain' } } });

describe('who knows a CID does not get its bytes', () => {
  test('by naming it through any door', async () => {
    const { cid } = await unnamed('private');
    const own = await create(node, thief);
    const file = await create(node, thief, { type: 'file', properties: { label: 'f' } });
    const doors: [string, object, (string | number)[]][] = [
      ['POST /entities', { type: 'document', properties: entry(cid) }, ['properties', 'content', 'k', 'cid']],
      ['POST /entities', { type: 'file', properties: { label: 'f', cid, uploaded: true } }, ['properties', 'cid']],
      [
        `PUT /entities/${own.id}`,
        { expect_tip: own.cid, properties: entry(cid) },
        ['properties', 'content', 'k', 'cid'],
      ],
      [`PUT /files/${file.id}`, { expect_tip: file.cid, properties: { cid, uploaded: true } }, ['properties', 'cid']],
      [
        `POST /entities/${own.id}/content/complete`,
        { key: 'k', cid, size: 7, content_type: 'a/b', expect_tip: own.cid },
        ['cid'],
      ],
    ];
    for (const [line, body, path] of doors) {
      const answer = await ask(node, thief, line, body);
      expect([line, answer.status, answer.body]).toEqual([line, 400, refusal(path)]);
    }
    const batch = { entities: [{ type: 'document', properties: entry(cid) }, { type: 'document' }] };
    const answer = await ask(node, thief, 'POST /entities/batch', batch);
    expect(answer.body).toMatchObject({
      results: [{ success: false, code: 'VALIDATION_ERROR' }, { success: true }],
    });
    const additive = { updates: [{ entity_id: own.id, properties: entry(cid) }] };
    expect((await ask(node, thief, 'POST /updates/additive', additive)).status).toBe(202);
    await node.ctx.additive.idle();
    expect((await read(node, thief, own.id)).cid).toBe(own.cid);
    expect((await ask(node, thief, `GET /entities/${own.id}/content?cid=${cid}`)).status).toBe(404);
  });

  test('by sending others to an address for it, or none', async () => {
    const { cid } = await unnamed('private, too');
    const own = await create(node, thief);
    const body = { cid, content_type: 'text/plain', size: 5 };
    const made = await ask(node, thief, `POST /entities/${own.id}/content/upload-url`, body);
    const { pathname } = new URL(ok<{ upload_url: string }>(made).upload_url);
    const state = async (path: string) =>
      ok<{ offset: number; complete: boolean }>(await ask(node, anonymous, `GET ${path}`));
    const until = async (path: string, holds: (now: { offset: number; complete: boolean }) => boolean) => {
      for (let now = await state(path); ; now = await state(path)) if (holds(now)) return now;
    };
    await cutOff(pathname, ['wrong', 'x'], (socket) => once(socket, 'data'));
    expect(await state(pathname)).toMatchObject({ complete: false });
    await cutOff(pathname, ['wrong'], () => until(pathname, ({ offset }) => offset === 5));
    // The last byte is to come again, since all of them would be taken for the right ones. Until these are written there may be none.
    expect(await until(pathname, ({ offset, complete }) => offset === 4 || complete)).toMatchObject({ offset: 4 });
    const naming = { key: 'k', cid, size: 12, content_type: 'text/plain', expect_tip: own.cid };
    expect((await ask(node, thief, `POST /entities/${own.id}/content/complete`, naming)).body).toEqual(
      refusal(['cid']),
    );

    const file = await declare(node, thief, '', { cid });
    const { pathname: empty } = new URL(file.upload_url);
    expect(await state(empty)).toMatchObject({ complete: false });
    const confirmed = await ask(node, thief, `POST /files/${file.id}/confirm-upload`, { expect_tip: file.cid });
    expect(confirmed.status).toBe(400);
    expect((await ask(node, thief, `GET /files/${file.id}/content`)).status).toBe(404);
  });

  test('but those whose entity it came to may name it there', async () => {
    const { cid, entity } = await unnamed('mine to name');
    const named = await update(node, me, entity, { properties: entry(cid) });
    expect(named.properties).toEqual(entry(cid));
    expect((await ask(node, thief, `GET /entities/${entity.id}/content`)).text).toBe('mine to name');
  });

  test('and so does the operator, who has the disk', async () => {
    const { cid } = await unnamed('on my disk');
    expect((await create(node, operator(node), { properties: entry(cid) })).ver).toBe(1);
  });
});

describe('content is named by others', () => {
  test('where they may view an entity that holds it', async () => {
    const { properties } = await uploaded(node, me, 'for all to see');
    const made = await create(node, thief, { properties: entry(properties.cid as string) });
    expect((await ask(node, thief, `GET /entities/${made.id}/content?key=k`)).text).toBe('for all to see');
  });

  test('not where that entity is deleted', async () => {
    const file = await uploaded(node, me, 'gone with it');
    const cid = file.properties.cid as string;
    await remove(node, me, file);
    const answer = await ask(node, thief, 'POST /entities', { type: 'document', properties: entry(cid) });
    expect(answer.body).toEqual(refusal(['properties', 'content', 'k', 'cid']));
    const tip = ok<{ cid: string }>(await ask(node, me, `GET /entities/${file.id}/tip`));
    ok(await ask(node, me, `POST /entities/${file.id}/restore`, { expect_tip: tip.cid }));
    expect((await ask(node, me, `GET /files/${file.id}/content`)).text).toBe('gone with it');
  });

  test('where its bytes are not here: they may be elsewhere, or come later', async () => {
    const cid = cidOf('somewhere else');
    expect((await create(node, thief, { properties: entry(cid) })).properties).toEqual(entry(cid));
    expect((await create(node, thief, { properties: { content: 'a text of mine' } })).ver).toBe(1);
    expect((await create(node, thief, { properties: entry('no CID at all') })).ver).toBe(1);
  });

  test('again where an earlier version of the same entity named it', async () => {
    const { id } = await create(node, me);
    await put(node, me, id, 'k', 'an old page');
    await put(node, me, id, 'k', 'a new page');
    const back = await update(node, thief, await read(node, me, id), { properties: entry(cidOf('an old page')) });
    expect((await ask(node, me, `GET /entities/${id}/content`)).text).toBe('an old page');
    expect(back.ver).toBe(4);
  });

  test('without a look at the disk or the holders where nothing new is named', async () => {
    const file = await uploaded(node, me, 'unchanged');
    await lose(keptBy(node), file.properties.cid as string);
    expect((await update(node, thief, file, { properties: { a: 1 } })).ver).toBe(3);
    expect((await declare(node, thief, 'plain')).ver).toBe(1);
  });
});
