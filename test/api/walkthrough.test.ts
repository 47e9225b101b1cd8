import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type TestNode } from '../helpers/node.ts';

// What somebody writes who has the interface's description, an address and a token, and nothing else: plain fetch. The
// steps build on each other.

const secret = 'the secret that the identity provider and the node share';
let node: TestNode;
beforeAll(async () => {
  node = await startNode({ env: { ARCHEION_JWT_SECRET: secret } });
});
afterAll(() => node[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: a script looks into answers without knowing their types.
type Json = any;

async function call(who: string | null, method: string, path: string, body?: Json, type = 'application/json') {
  const response = await fetch(node.url + path, {
    method,
    headers: { ...(who && { Authorization: who }), ...(body !== undefined && { 'Content-Type': type }) },
    ...(body !== undefined && { body: type === 'application/json' ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Json };
}

function token(subject: string, name: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { sub: subject, name, email: `${subject}@example.org`, iat: seconds, exp: seconds + 600 };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `Bearer ${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

let ada: string;
let bob: string;
let bobId: string;
let collection: Json;
let folder: Json;
let inner: Json;
let file: Json;
const bytes = new Uint8Array(100_000).map((_, i) => (i * 7) % 256);

describe('a script', () => {
  it('is nobody at first', async () => {
    expect(await call(null, 'GET', '/users/me')).toMatchObject({ status: 401 });
    const stranger = await call(token('ada', 'Ada'), 'GET', '/users/me');
    expect(stranger).toMatchObject({ status: 403, body: { error: expect.stringMatching(/not registered/) } });
  });

  it('registers with its token, once', async () => {
    const first = await call(token('ada', 'Ada'), 'POST', '/auth/register');
    expect(first).toMatchObject({
      status: 201,
      body: { created: true, user: { ver: 1, properties: { name: 'Ada' } } },
    });
    const again = await call(token('ada', 'Ada'), 'POST', '/auth/register');
    expect(again).toEqual({ status: 200, body: { created: false, user: first.body.user } });
    const who = await call(token('ada', 'Ada'), 'GET', '/auth/whoami');
    expect(who.body).toMatchObject({ type: 'user', id: first.body.user.id, auth_method: 'jwt', idp_user_id: 'ada' });
    expect(who.body.supabase_user_id).toBe('ada');
  });

  it('makes keys, and uses them', async () => {
    const keyOf = async (jwt: string) => {
      const made = await call(jwt, 'POST', '/users/me/keys', { label: 'script' });
      expect(made).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^uk_[0-9a-f]{32}$/) } });
      return `ApiKey ${made.body.key}`;
    };
    ada = await keyOf(token('ada', 'Ada'));
    await call(token('bob', 'Bob'), 'POST', '/auth/register');
    bob = await keyOf(token('bob', 'Bob'));
    const me = await call(bob, 'GET', '/users/me');
    expect(me).toMatchObject({ status: 200, body: { type: 'user', properties: { label: 'Bob' } } });
    bobId = me.body.id;
    const key = await call(ada, 'GET', '/auth/whoami');
    expect(key.body).toMatchObject({ auth_method: 'api_key', key_prefix: ada.slice(7, 19) });
    expect((await call(ada.replace('ApiKey', 'Bearer'), 'GET', '/users/me')).status).toBe(401);
  });

  it('makes a collection', async () => {
    const made = await call(ada, 'POST', '/collections', { label: 'Letters', description: 'of the 1890s' });
    expect(made).toMatchObject({ status: 201, body: { type: 'collection', ver: 1, properties: { label: 'Letters' } } });
    collection = made.body;
    expect(await call(null, 'GET', `/collections/${collection.id}`)).toEqual({ status: 200, body: collection });
  });

  it('makes folders in it, one in the other', async () => {
    const outer = await call(ada, 'POST', '/folders', { label: 'Box 1', collection: collection.id });
    expect(outer).toMatchObject({ status: 201, body: { type: 'folder', properties: { label: 'Box 1' } } });
    const made = await call(ada, 'POST', '/folders', { label: 'May', parent: outer.body.id });
    expect(made).toMatchObject({ status: 201, body: { properties: { label: 'May' } } });
    inner = made.body;
    expect(inner.relationships).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ predicate: 'in', peer: outer.body.id, peer_type: 'folder' }),
        expect.objectContaining({ predicate: 'collection', peer: collection.id }),
      ]),
    );
    folder = (await call(null, 'GET', `/folders/${outer.body.id}`)).body;
    expect(folder.relationships).toEqual(
      expect.arrayContaining([expect.objectContaining({ predicate: 'contains', peer: inner.id })]),
    );
  });

  it('uploads a file and reads it back', async () => {
    const description = {
      key: randomUUID(),
      filename: 'letter.bin',
      content_type: 'application/x-scan',
      size: bytes.length,
    };
    const made = await call(ada, 'POST', '/files', { ...description, collection: collection.id });
    expect(made).toMatchObject({
      status: 201,
      body: { type: 'file', properties: { ...description, uploaded: false } },
    });
    const path = `/files/${made.body.id}`;
    const put = await call(ada, 'POST', `${path}/content`, bytes, 'application/x-scan');
    expect(put).toMatchObject({ status: 200, body: { ver: 2, properties: { uploaded: true, size: bytes.length } } });
    file = put.body;
    expect(file.properties.cid).toMatch(/^bafkrei/);
    const answer = await fetch(`${node.url}${path}/content`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-scan']);
    expect(answer.headers.get('content-disposition')).toContain('letter.bin');
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await call(ada, 'POST', `${path}/content`, bytes, 'application/x-scan')).status).toBe(409);
  });

  it('puts the file into a folder, and finds everything there', async () => {
    const put = await call(ada, 'POST', `/folders/${inner.id}/children`, {
      expect_tip: inner.cid,
      child_id: file.id,
      expect_child_tip: file.cid,
    });
    expect(put).toMatchObject({ status: 200, body: { folder: { id: inner.id }, child: { id: file.id } } });
    inner = put.body.folder;
    const { body } = await call(null, 'GET', `/entities/${folder.id}/tree`);
    expect(body).toMatchObject({
      root: { id: folder.id, children: [{ label: 'May', children: [{ label: 'letter.bin', type: 'file' }] }] },
      total_nodes: 3,
    });
    const listed = await call(null, 'GET', `/collections/${collection.id}/entities`);
    expect(listed.body.entities.map((entity: Json) => entity.pi).sort()).toEqual([folder.id, inner.id, file.id].sort());
    expect(listed.body.pagination).toEqual({ offset: 0, limit: 1000, count: 3, has_more: false });
  });

  it('is told when it comes too late, and tries again', async () => {
    const change = { properties: { year: 1890 } };
    const late = await call(ada, 'PUT', `/entities/${file.id}`, { expect_tip: file.cid, ...change });
    const { cid } = (await call(null, 'GET', `/entities/${file.id}/tip`)).body;
    expect(late).toEqual({
      status: 409,
      body: { error: 'Conflict: entity was modified', details: { expected: file.cid, actual: cid }, status: 409 },
    });
    const again = await call(ada, 'PUT', `/entities/${file.id}`, { expect_tip: late.body.details.actual, ...change });
    expect(again).toMatchObject({ status: 200, body: { prev_cid: cid, properties: { year: 1890, uploaded: true } } });
    file = again.body;
  });

  it('lets somebody in, and sees the door close when the role changes', async () => {
    const write = async () => {
      const { body } = await call(null, 'GET', `/folders/${folder.id}/`);
      return call(bob, 'PUT', `/folders/${folder.id}`, { expect_tip: body.cid, description: randomUUID() });
    };
    expect(await write()).toEqual({ status: 403, body: { error: 'Action not allowed: folder:update' } });
    const member = { user_id: bobId, role: 'editor' };
    expect((await call(ada, 'POST', `/collections/${collection.id}/members`, member)).status).toBe(201);
    expect((await write()).status).toBe(200);
    const role = `/collections/${collection.id}/roles/editor`;
    expect((await call(bob, 'PUT', role, { actions: ['*:update'] })).status).toBe(403);
    expect((await call(ada, 'PUT', role, { actions: ['*:view', 'file:update'] })).status).toBe(200);
    expect(await write()).toEqual({ status: 403, body: { error: 'Action not allowed: folder:update' } });
    const allowed = await call(bob, 'GET', `/entities/${file.id}/permissions`);
    expect(allowed.body).toMatchObject({ resolution: { method: 'collection', role: 'editor' } });
    expect(allowed.body.allowed_actions).toContain('file:update');
    expect(allowed.body.allowed_actions).not.toContain('entity:update');
  });

  it('deletes, restores, and reads what happened', async () => {
    const gone = await call(ada, 'DELETE', `/entities/${file.id}`, { expect_tip: file.cid, reason: 'a test' });
    expect(gone).toMatchObject({ status: 200, body: { id: file.id, prev_cid: file.cid } });
    expect((await call(null, 'GET', `/files/${file.id}`)).status).toBe(404);
    const back = await call(ada, 'POST', `/entities/${file.id}/restore`, { expect_tip: gone.body.cid });
    expect(back).toMatchObject({ status: 200, body: { restored_from_ver: file.ver, properties: file.properties } });
    const history = await call(null, 'GET', `/versions/${file.id}`);
    expect(history.body.versions.map((version: Json) => version.ver)).toEqual([6, 5, 4, 3, 2, 1]);
    const diff = await call(null, 'GET', `/entities/${file.id}/diff?from=${file.cid}`);
    expect(diff.body.changes.properties).toEqual({ added: {}, removed: {}, changed: {} });
    const { events } = (await call(null, 'GET', '/events?limit=2')).body;
    expect(events.map((event: Json) => event.cid)).toEqual([back.body.cid, gone.body.cid]);
  });

  it('takes its key back', async () => {
    expect((await call(bob, 'DELETE', `/users/me/keys/${bob.slice(7, 19)}`)).status).toBe(204);
    expect((await call(bob, 'GET', '/users/me')).status).toBe(401);
  });
});
