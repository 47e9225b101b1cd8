import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerBytes } from '../../src/server/http/byte-answer.ts';
import type { StreamRequest } from '../../src/server/http/streams.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read as readEntity } from '../helpers/entities.ts';
import { importer, ndjson } from '../helpers/imports.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// A key that is revoked, or expires, or a session that is signed out while one of its requests goes on: what comes after that is
// not taken, and nothing more is told.

let node: TestNode;
let ada: Person;
/** How far the node's clock is ahead, in milliseconds. */
let ahead = 0;
/** What the first bytes of an answer wait for. */
let first = Promise.withResolvers<void>();
/** Called when they are waited for. */
let asked = Promise.withResolvers<void>();
async function* late() {
  asked.resolve();
  await first.promise;
  yield Buffer.from('bytes');
}
beforeAll(async () => {
  node = await startNode({
    now: () => Date.now() + ahead,
    extend: (app) => {
      app.get('/late', (request, _response, next) => {
        answerBytes(request as unknown as StreamRequest, late(), {}).catch(next);
      });
    },
  });
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

const refusal = 'Unauthorized: Missing or invalid authentication token';

const ends = ['was revoked', 'has expired'] as const;

/** Another key of a person, with what ends it so. */
async function keyOf(person: Person, end: (typeof ends)[number]): Promise<Person & { end(): Promise<void> }> {
  const line = person.id === operator(node).id ? '/node/keys' : '/users/me/keys';
  const wanted = { expires_in: 60 };
  const { key, key_prefix } = ok<{ key: string; key_prefix: string }>(await ask(node, person, `POST ${line}`, wanted));
  return {
    id: person.id,
    headers: { Authorization: `ApiKey ${key}` },
    end: async () => {
      if (end === 'has expired') ahead += 61_000;
      else expect((await ask(node, person, `DELETE ${line}/${key_prefix}`)).status).toBeLessThan(300);
    },
  };
}

/** A request that has come, and whose body stays open. */
async function begun({ headers }: Person, line: string, type: string, url = node.url): Promise<ClientRequest> {
  const [method = '', path = ''] = line.split(' ');
  const request = httpRequest(new URL(path, url), {
    method,
    agent: false,
    headers: { ...headers, 'Content-Type': type, Expect: '100-continue' },
  });
  request.flushHeaders();
  await once(request, 'continue');
  return request;
}

async function answerOf(request: ClientRequest): Promise<{ status: number; text: string }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

const ids = async (home: { id: string }) =>
  ok<{ entities: { id: string }[] }>(await ask(node, operator(node), `GET /collections/${home.id}/entities`)).entities;

describe.each(ends)('a body that goes on after its key %s', (end) => {
  it('of an import: the lines that come then are not imported', async () => {
    const key = await keyOf(operator(node), end);
    const { id, collection: into } = ok<{ id: string; collection: { id: string } }>(
      await ask(node, key, 'POST /node/imports', { collection: 'Lines' }),
    );
    const sending = await begun(key, `PUT /node/imports/${id}/files/a.ndjson`, 'application/octet-stream');
    const answer = answerOf(sending);
    sending.write('{"id":1,"label":"Before"}\n');
    await expect
      .poll(async () => (await ask(node, operator(node), `GET /node/imports/${id}`)).body)
      .toMatchObject({ reading: { bytes: 26 } });
    await key.end();
    for (let n = 0; n < 100; n++) sending.write(`{"id":"late ${n}","label":"Late"}\n`);
    sending.end();
    expect(await answer).toEqual({ status: 401, text: JSON.stringify({ error: refusal }) });
    expect(await ids(into)).toHaveLength(1);
  });

  it('of content: the bytes are not kept', async () => {
    const home = await collection(node, ada);
    const { id, cid } = await create(node, ada, { type: 'file', collection: home.id });
    const key = await keyOf(ada, end);
    const sending = await begun(key, `POST /entities/${id}/content?key=scan`, 'image/png');
    const answer = answerOf(sending);
    sending.write('the first');
    await key.end();
    sending.end('the rest');
    expect(await answer).toEqual({ status: 401, text: JSON.stringify({ error: refusal }) });
    expect(ok<Entity>(await ask(node, ada, `GET /entities/${id}`)).cid).toBe(cid);
  });

  it('of JSON: nothing is made', async () => {
    const home = await collection(node, ada);
    const key = await keyOf(ada, end);
    const sending = await begun(key, 'POST /entities', 'application/json');
    const answer = answerOf(sending);
    sending.write(`{"type":"document",`);
    await key.end();
    sending.end(`"collection":"${home.id}"}`);
    expect(await answer).toEqual({ status: 401, text: JSON.stringify({ error: refusal }) });
    expect(await ids(home)).toEqual([]);
  });
});

describe('a body that goes on', () => {
  it.each([
    ['disabled', 'PUT /kladoi', { status: 'disabled' }],
    ['deleted', 'DELETE /entities', {}],
  ])('of a klados that is %s meanwhile: the bytes are not kept', async (_what, line, change) => {
    await using scene = await JobScene.open();
    const klados = await scene.klados('accept', { actions_required: ['entity:view', 'entity:update'] });
    await scene.invoke(klados.id);
    const sending = await begun(
      klados.self,
      `POST /entities/${scene.file.id}/content?key=scan`,
      'image/png',
      scene.node.url,
    );
    const answer = answerOf(sending);
    sending.write('the first');
    const { cid } = await readEntity(scene.node, scene.who, klados.id);
    ok(await ask(scene.node, scene.who, `${line}/${klados.id}`, { expect_tip: cid, ...change }));
    sending.end('the rest');
    expect(await answer).toEqual({ status: 401, text: JSON.stringify({ error: refusal }) });
    expect((await readEntity(scene.node, scene.who, scene.file.id)).cid).toBe(scene.file.cid);
  });

  it('whose sender may not write there any more: the bytes are not kept either', async () => {
    const home = await collection(node, ada);
    const bob = await user(node, 'bob');
    await enrol(node, ada, home.id, bob, 'editor');
    const { id, cid } = await create(node, ada, { type: 'file', collection: home.id });
    const sending = await begun(bob, `POST /entities/${id}/content?key=scan`, 'image/png');
    const answer = answerOf(sending);
    sending.write('the first');
    await ask(node, ada, `DELETE /collections/${home.id}/members/${bob.id}?role=editor`);
    sending.end('the rest');
    expect((await answer).status).toBe(403);
    expect(ok<Entity>(await ask(node, ada, `GET /entities/${id}`)).cid).toBe(cid);
  });
});

/** What comes of an answer until it ends, or is cut off. */
async function read(who: Person, path: string): Promise<{ response: IncomingMessage; rest: Promise<Buffer> }> {
  const request = httpRequest(new URL(path, node.url), { agent: false, headers: who.headers });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  const rest = new Promise<void>((resolve) => response.on('close', resolve)).then(() => Buffer.concat(chunks));
  return { response, rest };
}

/** What somebody else is told of an export. */
async function stateOf(id: string): Promise<object> {
  const { state, error } = ok<{ state: string; error?: string }>(
    await ask(node, operator(node), `GET /node/exports/${id}`),
  );
  return { state, error };
}
const brokenOff = {
  state: 'stopped',
  error: 'The key or session that it was fetched with is good no longer: prepare another.',
};

describe.each(ends)('an answer that goes on after its key %s', (end) => {
  it('of lines: says so, and what they tell of is not gone on with', async () => {
    const { run } = importer(node);
    const records = Array.from({ length: 3000 }, (_, id) => ({ id, label: `Thing ${id}` }));
    const { id, collection: into } = await run({ collection: 'Undone' }, { 'a.ndjson': ndjson(records) });
    const key = await keyOf(operator(node), end);
    const undoing = httpRequest(new URL(`/node/imports/${id}/undo`, node.url), {
      ...{ method: 'POST', agent: false, headers: key.headers },
    });
    undoing.end();
    const [response] = (await once(undoing, 'response')) as [IncomingMessage];
    await key.end();
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text).toMatch(/^\{"progress"/);
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toEqual({ error: refusal, status: 401 });
    expect((await ids(into)).length).toBeGreaterThan(0);
  });

  it('of events: tells of nothing that happens then, and ends', async () => {
    const home = await collection(node, ada);
    const key = await keyOf(ada, end);
    const { response, rest } = await read(key, '/node/events/stream');
    const before = await create(node, ada, { collection: home.id });
    await new Promise<void>((resolve) => {
      response.on('data', (chunk: Buffer) => chunk.toString().includes(before.id) && resolve());
    });
    await key.end();
    const after = await create(node, ada, { collection: home.id });
    const told = (await rest).toString();
    expect(told).toContain(before.id);
    expect(told).not.toContain(after.id);
  });

  it('of bytes: is cut off', async () => {
    const home = await collection(node, ada);
    const { id } = await create(node, ada, { type: 'file', collection: home.id });
    const bytes = Buffer.alloc(64 * 1024 * 1024, 7);
    const kept = await node.fetch(`/entities/${id}/content?key=scan`, {
      method: 'POST',
      headers: { ...ada.headers, 'Content-Type': 'image/png' },
      body: bytes,
    });
    expect(kept.status).toBeLessThan(300);
    for (const path of [`/entities/${id}/content?key=scan`, '/node/export']) {
      const key = await keyOf(operator(node), end);
      const { response, rest } = await read(key, path);
      response.pause();
      await key.end();
      response.resume();
      expect((await rest).length).toBeLessThan(bytes.length);
      const { 'x-archeion-export': of } = response.headers;
      if (path === '/node/export') expect(await stateOf(String(of))).toEqual(brokenOff);
    }
    const { id: prepared, url } = ok<{ id: string; url: string }>(
      await ask(node, operator(node), 'POST /node/exports', { format: 'car' }),
    );
    const key = await keyOf(operator(node), end);
    const { response, rest } = await read(key, url);
    response.pause();
    await key.end();
    response.resume();
    expect((await rest).length).toBeLessThan(bytes.length);
    expect(await stateOf(prepared)).toEqual(brokenOff);
  });

  it('of bytes: is refused where the first of them come only then', async () => {
    [first, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const key = await keyOf(operator(node), end);
    const answer = ask(node, key, 'GET /late');
    await asked.promise;
    await key.end();
    first.resolve();
    expect(await answer).toMatchObject({ status: 401, body: { error: refusal } });
  });
});

describe('what goes on with a session of the page', () => {
  /** Signs a browser in, which may have been before. */
  async function signedIn(before: Record<string, string> = {}): Promise<Person> {
    const { url } = ok<{ url: string }>(await ask(node, operator(node), 'POST /node/session-links'));
    const token = new URL(url).hash.replace('#token=', '');
    const headers = { ...before, Origin: node.url };
    const opened = await node.fetch('/node/session', { method: 'POST', headers, body: { token } });
    expect(opened.status).toBe(200);
    const Cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    return { id: operator(node).id, headers: { Origin: node.url, Cookie } };
  }
  const signOut = async (who: Person) => expect((await ask(node, who, 'DELETE /node/session')).status).toBe(204);

  it('ends when that is signed out: bodies, events and bytes', async () => {
    const home = await collection(node, ada);
    const page = await signedIn();
    const sending = await begun(page, 'POST /entities', 'application/json');
    const answer = answerOf(sending);
    sending.write(`{"type":"document",`);
    const stream = await read(page, '/node/events/stream');
    const file = await create(node, ada, { type: 'file', collection: home.id });
    const bytes = Buffer.alloc(64 * 1024 * 1024, 7);
    const headers = { ...ada.headers, 'Content-Type': 'image/png' };
    ok(await node.fetch(`/entities/${file.id}/content?key=scan`, { method: 'POST', headers, body: bytes }));
    const download = await read(page, `/entities/${file.id}/content?key=scan`);
    download.response.pause();

    await signOut(page);
    sending.end(`"collection":"${home.id}"}`);
    expect(await answer).toEqual({ status: 401, text: JSON.stringify({ error: refusal }) });
    expect(await ids(home)).toHaveLength(1);
    const after = await create(node, ada, { collection: home.id });
    expect((await stream.rest).toString()).not.toContain(after.id);
    download.response.resume();
    expect((await download.rest).length).toBeLessThan(bytes.length);
  });

  it('goes on when another link signs the same browser in or nobody uses it for long, until that signs out', async () => {
    const home = await collection(node, ada);
    const page = await signedIn();
    const sent = async () => {
      const sending = await begun(page, 'POST /entities', 'application/json');
      sending.write(`{"type":"document",`);
      return { answer: answerOf(sending), end: () => sending.end(`"collection":"${home.id}"}`) };
    };
    const [first, second, third] = [await sent(), await sent(), await sent()];
    const again = await signedIn(page.headers);
    first.end();
    expect((await first.answer).status).toBe(201);
    ahead += 13 * 60 * 60 * 1000;
    second.end();
    expect((await second.answer).status).toBe(201);
    const last = await signedIn(again.headers);
    await signOut(last);
    third.end();
    expect((await third.answer).status).toBe(401);
  });

  it('ends with the session that took the place of its own', async () => {
    const page = await signedIn();
    const sending = await begun(page, 'POST /entities', 'application/json');
    const answer = answerOf(sending);
    sending.write(`{"type":"document",`);
    await signOut(await signedIn(page.headers));
    sending.end('"properties":{}}');
    expect((await answer).status).toBe(401);
  });
});
