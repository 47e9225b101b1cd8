import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import { table } from '../../src/server/generated/routes.ts';
import { unnamedVersions, weight } from '../../src/server/http/large-requests.ts';
import { movable } from '../../src/server/http/movable.ts';
import type { Caller } from '../../src/server/model/caller.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import { maxOnLoop } from '../../src/server/model/large.ts';
import type { RequestPool } from '../../src/server/request-pool.ts';
import { AskerTurns } from '../../src/server/store/threads/asker-turns.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  enrol,
  invalid,
  ok,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { threadGate } from '../helpers/thread-gate.ts';

let node: TestNode;
let owner: Person;
let collectionId: string;
beforeAll(async () => {
  node = await startNode({ writer: 'thread' });
  owner = operator(node);
  collectionId = (await collection(node, owner)).id;
});
afterAll(() => node[Symbol.asyncDispose]());

const long = 'Ein langer Text. '.repeat(20_000);
const large = { label: 'large', text: long, list: Array.from({ length: 2000 }, (_, i) => ({ i, half: i / 2 })) };

function made(properties: object = large): Promise<Entity> {
  return create(node, owner, { properties, collection: collectionId });
}

describe('a large entity', () => {
  test('comes back as it was sent', async () => {
    const entity = await made();
    expect(entity.properties).toEqual(large);
    expect((await read(node, owner, entity.id)).properties).toEqual(large);
    const { body } = await ask(node, owner, `GET /versions/manifest/${entity.cid}`);
    expect(body).toMatchObject({ cid: entity.cid, manifest: { properties: large } });
  });

  test('is changed, deleted and restored by small requests', async () => {
    const first = await made();
    const second = await update(node, owner, first, { properties: { label: 'changed' } });
    expect(second).toMatchObject({ ver: 2, prev_cid: first.cid, properties: { ...large, label: 'changed' } });
    const grave = await remove(node, owner, second);
    const back = await ask(node, owner, `POST /entities/${first.id}/restore`, { expect_tip: grave.cid });
    expect(ok(back)).toMatchObject({ ver: 4, restored_from_ver: 2, properties: second.properties });
    const { body } = await ask(node, owner, `GET /entities/${first.id}/diff?from=${first.cid}&to=${second.cid}`);
    expect(body).toMatchObject({ changes: { properties: { changed: { label: { from: 'large', to: 'changed' } } } } });
  });

  test('is read with others', async () => {
    const [one, two] = [await made(), await made({ label: 'small' })];
    const { body } = await ask(node, owner, 'POST /entities/batch-get', { ids: [one.id, two.id] });
    expect(body).toMatchObject({ entities: [{ properties: large }, { properties: { label: 'small' } }] });
  });

  test('is not read so often at once that the answer would not fit into memory', async () => {
    const text = 'x'.repeat(6 * 2 ** 20);
    const big = await made({ text });
    const asked = (times: number) =>
      ask(node, anonymous, 'POST /entities/batch-get', { ids: Array(times).fill(big.id) });
    const refused = (path: string) =>
      invalid([path], 'asks for more than an answer has at most, 128 MiB: ask for fewer at once');
    expect(await asked(100)).toMatchObject({ status: 400, body: refused('ids') });
    expect(await asked(22)).toMatchObject({ status: 400, body: refused('ids') });
    expect(ok<{ entities: Entity[] }>(await asked(3)).entities.map(({ id }) => id)).toEqual(Array(3).fill(big.id));

    const relationships = Array.from({ length: 100 }, (_, n) => ({ predicate: `part_${n}`, peer: big.id }));
    const whole = await create(node, owner, { relationships });
    const expanded = (query: string) => ask(node, anonymous, `GET /entities/${whole.id}?expand=relationships:${query}`);
    expect(await expanded('full')).toMatchObject({ status: 400, body: refused('expand_limit') });
    const some = ok(await expanded('full&expand_limit=3'));
    expect(some.relationships.filter((r) => 'peer_entity' in r)).toHaveLength(3);
    expect((await expanded('preview&expand_limit=3')).status).toBe(200);
  });

  test('a batch of large ones is written whole', async () => {
    const entities = Array.from({ length: 20 }, (_, i) => ({ type: 'document', properties: { i, text: long } }));
    const answer = await ask(node, owner, 'POST /entities/batch', { entities, default_collection: collectionId });
    expect(answer.status).toBe(201);
    const { results } = answer.body as { results: { id: string }[] };
    expect((await read(node, owner, results[19]?.id ?? '')).properties).toEqual({ i: 19, text: long });
  });

  test('a stale tip is told with the tip that is there', async () => {
    const first = await made();
    const second = await update(node, owner, first, { note: 'newer' });
    const answer = await ask(node, owner, `PUT /entities/${first.id}`, { expect_tip: first.cid, properties: large });
    expect(answer).toMatchObject({ status: 409, body: conflict(first.cid, second.cid) });
    expect((await read(node, owner, first.id)).cid).toBe(second.cid);
  });

  test('concurrent changes of one all succeed or conflict, and none is lost', async () => {
    const first = await made();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        ask(node, owner, `PUT /entities/${first.id}`, { expect_tip: first.cid, properties: { [`n${i}`]: i } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 200)?.body;
    expect(await read(node, owner, first.id)).toEqual(won);
  });
});

describe('a large file', () => {
  test('is served there, but for its bytes and the addresses of these', () => {
    const ofFiles = table.routes.filter(({ path }) => /^\/files|\/content/.test(path));
    const onLoop = ofFiles.filter((route) => !movable(route)).map(({ method, path }) => `${method} ${path}`);
    expect(onLoop.toSorted()).toEqual([
      'get /entities/:id/content',
      'get /files/:id/content',
      'get /files/:id/download',
      'post /entities/:id/content',
      'post /files/:id/content',
    ]);
  });

  test('is declared and changed, and its bytes come and go, as those of others', async () => {
    const declared = { key: 'k', filename: 'page.txt', content_type: 'text/plain', size: 5, properties: large };
    const made = ok<Entity & { upload_url: string }>(await ask(node, owner, 'POST /files', declared));
    const label = { expect_tip: made.cid, label: 'Changed' };
    const changed = ok<Entity>(await ask(node, owner, `PUT /files/${made.id}`, label));
    const upload = `PUT ${new URL(made.upload_url).pathname}`;
    ok(await ask(node, owner, upload, Buffer.from('bytes'), { 'Content-Type': 'text/plain' }));
    const confirm = { expect_tip: changed.cid };
    const file = ok<Entity>(await ask(node, owner, `POST /files/${made.id}/confirm-upload`, confirm));
    expect(file.properties).toMatchObject({ ...large, label: 'Changed', uploaded: true });
    const link = ok<{ download_url: string }>(await ask(node, owner, `GET /files/${made.id}/download`));
    expect((await node.fetch(new URL(link.download_url).pathname)).text).toBe('bytes');
    const put = { expect_tip: file.cid, key: 'v1', cid: file.properties.cid, size: 5, content_type: 'text/plain' };
    const held = ok<Entity>(await ask(node, owner, `POST /entities/${made.id}/content/complete`, put));
    const renamed = { expect_tip: held.cid, old_key: 'v1', new_key: 'v2' };
    ok(await ask(node, owner, `PATCH /entities/${made.id}/content`, renamed));
    expect((await node.fetch(`/entities/${made.id}/content?key=v2`)).text).toBe('bytes');
  });
});

describe('refusals are those of small requests', () => {
  test('who asks comes first', async () => {
    const { status } = await node.fetch('/entities', { method: 'POST', body: `{"type": ${long}` });
    expect(status).toBe(401);
  });

  test.each([
    ['what is not JSON', `{"type": "${long}"`, 'the body is not valid JSON'],
    ['what is not UTF-8', Buffer.from(`{"type": "\xff${long}"}`, 'latin1'), 'the body is not valid UTF-8'],
    ['what is nested too deep', '['.repeat(maxOnLoop + 1), expect.stringContaining('nested deeper than')],
  ])('%s', async (_, body, message) => {
    const headers = { ...owner.headers, 'Content-Type': 'application/json' };
    const answer = await node.fetch('/entities', { method: 'POST', headers, body });
    expect(answer).toMatchObject({ status: 400, body: { details: { issues: [{ path: [], message }] } } });
  });

  test('a wrong member is named', async () => {
    const answer = await ask(node, owner, 'POST /entities', { type: 7, properties: large });
    expect(answer).toMatchObject({ status: 400, body: { details: { issues: [{ path: ['type'] }] } } });
  });

  test('a role that is missing, and one that is given', async () => {
    const guest = await user(node, 'guest');
    const entity = await made();
    const change = { expect_tip: entity.cid, properties: { text: `${long}!` } };
    expect((await ask(node, guest, `PUT /entities/${entity.id}`, change)).status).toBe(403);
    await enrol(node, owner, collectionId, guest, 'editor');
    const changed = ok(await ask(node, guest, `PUT /entities/${entity.id}`, change));
    expect(changed.edited_by).toEqual({ user_id: guest.id, method: 'manual' });
  });
});

describe('what is too much for the event loop', () => {
  const sizes = {
    ...{ ofEntity: () => 100, ofVersion: () => 30, ofHistory: () => 500, ofPair: () => 60, ofLargest: () => 200 },
  };
  const caller: Caller = { actor: { kind: 'anonymous' }, network: 'main' };
  const of = (request: { params?: object; query?: object; body?: unknown }) =>
    weight({ headers: {}, caller, ...request, params: { ...request.params }, query: { ...request.query } }, sizes);

  test.each([
    [{}, 0],
    [{ params: { id: 'a' } }, 100],
    [{ params: { id: 'a', childId: 'b' } }, 200],
    [{ params: { cid: 'a' } }, 30],
    [{ params: { id: 'a' }, query: { from: 'b', to: 'c' } }, 160],
    [{ params: { id: 'a' }, body: { collection_id: 'b' } }, 200],
    [{ params: { id: 'a' }, body: { entity_id: 'b', expect_tip: 'c' } }, 200],
    [{ body: { id: 'a', type: 'document' } }, 100],
    [{ body: { entities: [{ type: 'document' }, { id: 'a' }] } }, 100],
    [{ body: { ids: ['a', 'b', 'c'] } }, 300],
    [{ body: { source_id: 'a', target_id: 'b', note: 'c' } }, 200],
    [{ params: { id: 'a' }, body: { children: [{ id: 'b' }, { id: 'a', type: 'folder' }, {}, null] } }, 300],
    [{ body: { ids: Array(5000).fill('a') } }, 10_000],
    [{ body: { updates: [{ entity_id: 'a' }, { entity_id: 'b' }, 5] } }, 200],
    [{ body: { updates: Array(100).fill({}) } }, 0],
    [{ body: { updates: Array(101).fill({}) } }, Number.POSITIVE_INFINITY],
    [{ body: { ids: [7, null], source_id: {} } }, 0],
    [{ body: ['ids'] }, 0],
    [{ query: { expand: 'relationships' } }, Number.POSITIVE_INFINITY],
  ])('%j weighs %d', (request, expected) => {
    expect(of(request)).toBe(expected);
  });

  test('an entity weighs what its current version has in bytes, a deleted one its largest', async () => {
    const entity = await made();
    const isLarge = () => node.ctx.largeRequests.isLarge({ params: { id: entity.id }, query: {}, headers: {}, caller });
    expect(isLarge()).toBe(true);
    await remove(node, owner, entity);
    expect(isLarge()).toBe(true);
    const small = await made({ label: 'small' });
    expect(node.ctx.largeRequests.isLarge({ params: { id: small.id }, query: {}, headers: {}, caller })).toBe(false);
  });
});

test('what is searched in a large collection is searched where vectors from elsewhere are', async () => {
  const { id } = await collection(node, owner, { label: 'large', properties: large });
  const { open, begun } = threadGate('serveLarge');
  try {
    open();
    ok(await ask(node, owner, 'POST /search/entities', { query: 'anything', collection_id: id }));
    ok(await ask(node, owner, 'POST /search/similar/items', { id, collection_id: id }));
    expect(begun).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});

test('a page of versions that are large, though the newest is not, is read on another thread', async () => {
  const first = await made();
  const second = await update(node, owner, first, { properties_remove: ['text', 'list'] });
  const third = await update(node, owner, second, { properties: { n: 3 } });
  const { open, begun } = threadGate('serveLarge', 'runTool');
  try {
    open();
    const page = ok<{ versions: { cid: string; note?: string }[] }>(
      await ask(node, owner, `GET /versions/${first.id}`),
    );
    expect(page.versions.map(({ cid }) => cid)).toEqual([third.cid, second.cid, first.cid]);
    const from = await ask(node, owner, `GET /versions/${first.id}?from=${second.cid}`);
    expect(ok<typeof page>(from).versions.map(({ cid }) => cid)).toEqual([second.cid, first.cid]);
    expect(begun).toEqual(['serveLarge', 'serveLarge']);
    ok(await ask(node, owner, `GET /versions/${(await made({ label: 'small' })).id}`));
    expect(begun).toHaveLength(2);
    const light = await made({ label: 'small' });
    await update(node, owner, light, { properties: large });
    const before = begun.length;
    ok(await ask(node, owner, `GET /versions/${light.id}?from=${light.cid}`));
    expect(begun.slice(before)).toEqual(['serveLarge']);
  } finally {
    vi.restoreAllMocks();
  }
});

test('a small version is compared on another thread with a large one before it, and with a small one here', async () => {
  const first = await made();
  const second = await update(node, owner, first, { properties_remove: ['text', 'list'] });
  const third = await update(node, owner, second, { properties: { n: 3 } });
  const { open, begun } = threadGate('serveLarge');
  const compared = async (query: string) =>
    ok<{ from: { ver: number } }>(await ask(node, owner, `GET /entities/${first.id}/diff${query}`)).from.ver;
  try {
    open();
    expect(await compared('')).toBe(2);
    expect(await compared(`?from=${second.cid}`)).toBe(2);
    expect(begun).toEqual([]);
    expect(await compared(`?to=${second.cid}`)).toBe(1);
    expect(begun).toEqual(['serveLarge']);
    await update(node, owner, await update(node, owner, third, { properties: large }), {
      properties_remove: ['text', 'list'],
    });
    const before = begun.length;
    expect(await compared('')).toBe(4);
    expect(begun.slice(before)).toEqual(['serveLarge']);
  } finally {
    vi.restoreAllMocks();
  }
});

test('what is compared by a tool, or read of a conflict, weighs what is read of it', async () => {
  const first = await made();
  const second = await update(node, owner, first, { properties_remove: ['text', 'list'] });
  const pool = node.ctx.largeRequests as RequestPool;
  const caller: Caller = { actor: { kind: 'anonymous' }, network: 'main' };
  const request = { params: { id: first.id }, query: {}, headers: {}, caller };
  expect(pool.namesLarge(caller, { id: first.id }, 'previous')).toBe(true);
  expect(pool.namesLarge(caller, { id: first.id, from: second.cid }, 'previous')).toBe(false);
  await update(node, owner, second, { properties: { n: 3 } });
  expect(pool.isLarge(request, 'previous')).toBe(false);
  for (const path of ['/node/conflicts/:id', '/node/conflicts/:id/resolve'])
    expect(pool.isLarge(request, unnamedVersions({ method: 'get', path }))).toBe(true);
});

test('a version is weighed with its own predecessor, also where the entity has others of these numbers', async () => {
  const id = derivedId('main', 'two of one number');
  const store = await node.ctx.networks.get('main');
  const { cid } = await made();
  const json = store.read((db) => findVersion(db, cid)?.manifest);
  const version = (members: object) => encodeHistoric({ ...json, id, properties: {}, ...members } as never);
  const first = version({ properties: large });
  const ours = version({ ver: 2, prev: { '/': first.cid }, note: 'ours' });
  const theirs = version({ ver: 2, prev: { '/': first.cid }, note: 'theirs' });
  const third = version({ ver: 3, prev: { '/': theirs.cid } });
  const commit = (expect: string | null, tip: string, blocks: (typeof first)[]) =>
    store.submit([{ changes: [{ id, expect, tip, blocks }], preconditions: [], rows: [], origin: 'local', time: 0 }]);
  expect(await commit(null, third.cid, [first, theirs, third])).toMatchObject([{ committed: true }]);
  expect(await commit(third.cid, ours.cid, [ours])).toMatchObject([{ committed: true }]);
  const caller: Caller = { actor: { kind: 'anonymous' }, network: 'main' };
  const request = { params: { id }, query: {}, headers: {}, caller };
  expect(node.ctx.largeRequests.isLarge(request, 'previous')).toBe(true);
});

test('bytes for a large entity are entered on another thread, and refused there as those for a small one', async () => {
  const guest = await user(node, 'sends bytes');
  const entity = await made();
  const { open, begun } = threadGate('enterContent');
  const send = ({ id }: Entity, person: Person, key: string, headers: Record<string, string> = {}) =>
    ask(node, person, `POST /entities/${id}/content?key=${key}`, Buffer.from(key), {
      ...{ 'Content-Type': 'text/plain', ...headers },
    });
  try {
    open();
    const refusals = async (one: Entity) => {
      const first = await send(one, owner, 'a');
      expect(first.status).toBe(200);
      const answers = [await send(one, guest, 'a'), await send(one, owner, 'a', { 'If-None-Match': '*' })];
      await remove(node, owner, await read(node, owner, one.id));
      return [...answers, await send(one, owner, 'b')].map(({ status, text }) => ({ status, text }));
    };
    const ofSmall = await refusals(await made({ label: 'small' }));
    expect(ofSmall.map(({ status }) => status)).toEqual([403, 412, 400]);
    expect(begun).toEqual([]);
    expect(await refusals(await made())).toEqual(ofSmall);
    expect(begun).toHaveLength(5);
    const turns = vi.spyOn(AskerTurns.prototype, 'take');
    const all = await Promise.all(['a', 'b', 'c'].map((key) => send(entity, owner, key)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(begun).toHaveLength(11);
    // What has come is not refused: all of it would have to be sent again.
    expect(turns.mock.calls.filter(([_asker, _work, goesOn]) => goesOn)).toHaveLength(3);
    const { properties } = await read(node, owner, entity.id);
    expect(properties).toMatchObject({ ...large, content: { a: { size: 1 }, b: { size: 1 }, c: { size: 1 } } });
    expect((await node.fetch(`/entities/${entity.id}/content?key=b`)).text).toBe('b');
  } finally {
    vi.restoreAllMocks();
  }
});

test('bytes of a large file are entered on another thread, and refused there as those of a small one', async () => {
  const guest = await user(node, 'sends files');
  const { open, begun } = threadGate('enterFile');
  try {
    open();
    const answers = async (properties: object) => {
      const declared = { key: 'k', filename: 'page.txt', content_type: 'text/plain', size: 5 };
      const { id, cid } = ok<Entity>(
        await ask(node, owner, 'POST /files', { ...declared, properties, collection: collectionId }),
      );
      const send = (person: Person, text: string, type = 'text/plain') =>
        ask(node, person, `POST /files/${id}/content`, Buffer.from(text), { 'Content-Type': type });
      const before = [await send(guest, 'bytes'), await send(owner, 'byte'), await send(owner, 'bytes', 'image/png')];
      const made = ok<Entity>(await send(owner, 'bytes'));
      expect(made).toEqual(await read(node, owner, id));
      expect(made).toMatchObject({ ver: 2, prev_cid: cid, properties: { size: 5, uploaded: true } });
      const again = await send(owner, 'bytes');
      await remove(node, owner, made);
      return [...before, again, await send(owner, 'bytes')].map(({ status, text }) => ({
        status,
        text: text.replace(made.cid, 'tip'),
      }));
    };
    const ofSmall = await answers({});
    expect(ofSmall.map(({ status }) => status)).toEqual([403, 400, 400, 409, 400]);
    expect(begun).toEqual([]);
    const turns = vi.spyOn(AskerTurns.prototype, 'take');
    expect(await answers(large)).toEqual(ofSmall);
    expect(begun).toHaveLength(7);
    expect(turns.mock.calls.filter(([_asker, _work, goesOn]) => goesOn)).toHaveLength(1);
    expect((await ask(node, owner, `POST /files/${collectionId}/content`, Buffer.from('x'))).status).toBe(404);
  } finally {
    vi.restoreAllMocks();
  }
});

test('nothing is done for a client that has left before its turn, and those after it do not wait', async () => {
  const { port } = new URL(node.url);
  const peers = await Promise.all(Array.from({ length: 60 }, () => made()));
  const list = peers.map(({ id: peer }) => ({ predicate: 'has', peer }));
  const hub = await create(node, owner, { relationships: list, collection: collectionId });
  const slow = `/entities/${hub.id}?expand=relationships:full`;
  const running = [node.fetch(slow), node.fetch(slow)];
  const pool = node.ctx.largeRequests as RequestPool;
  await vi.waitFor(() => expect(pool.underWay).toBe(2), 30_000);
  const id = derivedId('main', 'left before its turn');
  const body = JSON.stringify({ type: 'document', id, properties: large, collection: collectionId });
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: ${owner.headers.Authorization}\r\nContent-Length: ${body.length}`;
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`POST /entities HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  await vi.waitFor(() => expect(pool.underWay).toBe(3), 30_000);
  socket.destroy();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await read(node, owner, (await made()).id)).properties).toEqual(large);
  expect((await node.fetch(`/entities/${id}`)).status).toBe(404);
  expect(pool.underWay).toBe(0);
});

test('a hundred without credentials wait at most, and take turns with those that show some', async () => {
  const { open, begun } = threadGate('serveLarge', 'runTool');
  try {
    const entity = await create(node, owner, { collection: collectionId });
    const slow = `GET /entities/${entity.id}?expand=relationships`;
    const pool = node.ctx.largeRequests as RequestPool;
    const strangers = Array.from({ length: 102 }, () => ask(node, anonymous, slow));
    await vi.waitFor(() => expect(pool.underWay).toBe(102), 30_000);
    const refused = await ask(node, anonymous, slow);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    const reason = 'Too many large requests without credentials wait for their turn; try again, or show some.';
    expect(refused.body).toEqual({ error: 'Service unavailable', details: { service: 'store', reason } });
    const known = ask(node, owner, slow);
    await vi.waitFor(() => expect(pool.underWay).toBe(103), 30_000);
    open();
    for (const answer of await Promise.all([...strangers, known])) expect(answer.status).toBe(200);
    expect(begun).toHaveLength(103);
  } finally {
    vi.restoreAllMocks();
  }
});
