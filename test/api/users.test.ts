import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { idOn } from '../../src/server/model/ids.ts';
import { type PeopledNode, type Person, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  on = await startPeopledNode();
  ada = await on.person('Ada');
  bob = await on.person('Bob');
});
afterAll(() => on[Symbol.asyncDispose]());

const manifest = {
  cid: expect.any(String),
  type: 'user',
  relationships: [],
  created_at: expect.any(String),
  ts: expect.any(Number),
};

describe('GET /users/me and /users/{id}', () => {
  it('answer the user manifest', async () => {
    const me = await on.ask(ada, 'GET', '/users/me');
    expect(me.status).toBe(200);
    expect(me.body).toEqual({
      ...manifest,
      id: ada.id,
      properties: { label: 'Ada', name: 'Ada' },
      ver: 1,
      edited_by: { user_id: ada.id, method: 'manual' },
    });
    const read = await on.ask(null, 'GET', `/users/${ada.id}`);
    expect(read.status).toBe(200);
    expect(read.text).toBe(me.text);
  });

  it('the operator is there from the start, on both networks', async () => {
    const main = await on.ask(null, 'GET', `/users/${on.operator.id}`);
    expect(main.body.properties).toEqual({ label: 'Operator', name: 'Operator' });
    // Whoever asks while a network is being opened for the first time waits for that.
    const test = () => on.ask(null, 'GET', `/users/${idOn('test', on.operator.id)}`, undefined, { network: 'test' });
    for (const { body } of await Promise.all([test(), test(), test()]))
      expect(body.properties).toEqual({ label: 'Operator', name: 'Operator' });
    await on.node.ctx.users.ensureUser('main', on.node.ctx.identity.ensureOperator().account);
    expect((await on.ask(null, 'GET', `/users/${on.operator.id}`)).body.ver).toBe(1);
  });

  it('a user appears on a network with the first use of it', async () => {
    const id = idOn('test', ada.id);
    expect((await on.ask(null, 'GET', `/users/${id}`, undefined, { network: 'test' })).status).toBe(404);
    const me = await on.ask(ada, 'GET', '/users/me', undefined, { network: 'test' });
    expect(me).toMatchObject({ status: 200, body: { id, ver: 1, properties: { label: 'Ada' } } });
  });

  it.each(['', '/collections'])('and so does one who first asks for /users/{id}%s', async (rest) => {
    const cleo = await on.person(`Cleo${rest}`);
    const id = idOn('test', cleo.id);
    const asked = (who: Person | null) => on.ask(who, 'GET', `/users/${id}${rest}`, undefined, { network: 'test' });
    expect((await asked(bob)).status).toBe(404);
    expect((await asked(cleo)).status).toBe(200);
    expect((await asked(bob)).status).toBe(200);
  });

  it('are refused where they must be', async () => {
    expect((await on.ask(null, 'GET', '/users/me')).status).toBe(401);
    const agent = `ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`;
    expect(await on.ask(agent, 'GET', '/users/me')).toMatchObject({
      status: 403,
      body: { error: expect.stringMatching(/^Only users can/) },
    });
    expect((await on.ask(null, 'GET', '/users/01J0000000000000000000000B')).status).toBe(404);
    expect((await on.ask(null, 'GET', '/users/nobody')).status).toBe(400);
    expect((await on.ask(null, 'GET', `/users/${idOn('test', ada.id)}`)).status).toBe(400);
    const other = await on.ask(ada, 'POST', '/entities', { type: 'note' });
    expect((await on.ask(ada, 'GET', `/users/${other.body.id}`)).status).toBe(404);
  });

  it('on behalf of somebody, me is that user', async () => {
    const me = await on.ask(`ApiKey ${on.serviceKey()}`, 'GET', '/users/me', undefined, { onBehalfOf: bob.id });
    expect(me).toMatchObject({ status: 200, body: { id: bob.id } });
  });
});

describe('PUT /users/{id}', () => {
  it('changes the label and what else the body says', async () => {
    const cleo = await on.person('Cleo');
    const tip = (await on.ask(null, 'GET', `/entities/${cleo.id}/tip`)).body.cid;
    const body = { expect_tip: tip, label: 'Cleopatra', properties: { about: 'Queen', label: 'lost' } };
    const put = await on.ask(cleo, 'PUT', `/users/${cleo.id}`, body);
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ ver: 2, prev_cid: tip, edited_by: { user_id: cleo.id, method: 'manual' } });
    expect(put.body.properties).toEqual({ about: 'Queen', label: 'Cleopatra', name: 'Cleo' });
    const stale = await on.ask(cleo, 'PUT', `/users/${cleo.id}`, body);
    expect(stale.status).toBe(409);
    expect(stale.body).toEqual({
      error: 'Conflict: entity was modified',
      details: { expected: tip, actual: put.body.cid },
      status: 409,
    });
  });

  it('is for that user only, and 404 for what is no user', async () => {
    const tip = (await on.ask(null, 'GET', `/entities/${ada.id}/tip`)).body.cid;
    const body = { expect_tip: tip, label: 'Mallory' };
    expect((await on.ask(null, 'PUT', `/users/${ada.id}`, body)).status).toBe(401);
    expect((await on.ask(bob, 'PUT', `/users/${ada.id}`, body)).status).toBe(403);
    expect((await on.ask(bob, 'PUT', `/entities/${ada.id}`, body)).status).toBe(403);
    const agent = `ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`;
    expect(await on.ask(agent, 'PUT', `/users/${ada.id}`, body)).toMatchObject({
      status: 403,
      body: { error: expect.stringMatching(/^Only users can/) },
    });
    const note = (await on.ask(ada, 'POST', '/entities', { type: 'note' })).body;
    expect((await on.ask(ada, 'PUT', `/users/${note.id}`, { ...body, expect_tip: note.cid })).status).toBe(404);
  });

  it('says how to add more targets than it looks at: it has no parameter for that', async () => {
    const relationships_add = Array.from({ length: 501 }, (_, n) => ({
      predicate: 'knows',
      peer: `01J0000000000000000000${String(n).padStart(4, '0')}`,
    }));
    const put = await on.ask(ada, 'PUT', `/users/${ada.id}`, { expect_tip: 'x', relationships_add });
    expect(put).toMatchObject({
      status: 400,
      body: {
        details: {
          issues: [
            {
              path: ['relationships_add'],
              message: 'has more than 500 different targets; add them by several requests',
            },
          ],
        },
      },
    });
  });

  it('checks in order: 401, body, 404, 403, tip', async () => {
    const wrong = { expect_tip: 'x', label: '' };
    expect((await on.ask(bob, 'PUT', `/users/${ada.id}`, wrong)).body.details.issues[0].path).toEqual(['label']);
    const stale = { expect_tip: 'x', label: 'y' };
    expect((await on.ask(bob, 'PUT', '/users/01J0000000000000000000000B', stale)).status).toBe(404);
    expect((await on.ask(bob, 'PUT', `/users/${ada.id}`, stale)).status).toBe(403);
    expect((await on.ask(ada, 'PUT', `/users/${ada.id}`, stale)).status).toBe(409);
    expect((await on.ask(ada, 'PUT', `/users/${ada.id}`, { label: 'y' })).status).toBe(400);
    const broken = await on.ask(ada, 'PUT', `/users/${ada.id}`, '{"expect_tip":"x","label":"\\ud800"}');
    expect(broken.status).toBe(400);
  });
});

describe('users come only from registration', () => {
  it('no generic write makes or deletes one', async () => {
    const forged = await on.ask(ada, 'POST', '/entities', { type: 'user', properties: { label: 'Forged' } });
    expect(forged.status).toBe(403);
    const batch = await on.ask(ada, 'POST', '/entities/batch', { entities: [{ type: 'user' }] });
    expect(batch).toMatchObject({ status: 207, body: { results: [{ success: false, code: 'FORBIDDEN' }] } });
    const tip = (await on.ask(null, 'GET', `/entities/${ada.id}/tip`)).body.cid;
    expect((await on.ask(ada, 'DELETE', `/entities/${ada.id}`, { expect_tip: tip })).status).toBe(403);
    expect((await on.ask(on.operator, 'DELETE', `/entities/${ada.id}`, { expect_tip: tip })).status).toBe(403);
  });
});

describe('the id of a user', () => {
  it('is nothing else’s on a network that the user has not come to yet', async () => {
    const carl = await on.person('Carl');
    const id = idOn('test', carl.id);
    const taken = { issues: [{ path: ['id'], message: 'is the id of a user of this node' }] };
    for (const [path, body] of [
      ['/entities', { type: 'document', id }],
      ['/collections', { label: 'Carl', id }],
    ] as const) {
      const answer = await on.ask(ada, 'POST', path, body, { network: 'test' });
      expect(answer).toMatchObject({ status: 400, body: { details: taken } });
    }
    const batch = await on.ask(
      ada,
      'POST',
      '/entities/batch',
      { entities: [{ type: 'document', id }] },
      { network: 'test' },
    );
    expect(batch).toMatchObject({ status: 207, body: { results: [{ success: false, code: 'VALIDATION_ERROR' }] } });
    const me = await on.ask(carl, 'GET', '/users/me', undefined, { network: 'test' });
    expect(me).toMatchObject({ status: 200, body: { id, type: 'user', properties: { label: 'Carl' } } });
  });
});

describe('/users/me/keys', () => {
  it('makes, lists and revokes keys', async () => {
    const dora = await on.person('Dora');
    const made = await on.ask(dora, 'POST', '/users/me/keys', { label: 'laptop', expires_in: 60 });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      key: expect.stringMatching(/^uk_[0-9a-f]{32}$/),
      key_prefix: made.body.key.slice(0, 12),
      expires_at: new Date(on.clock.ms + 60_000).toISOString(),
    });
    const key = `ApiKey ${made.body.key}`;
    expect((await on.ask(key, 'GET', '/users/me')).body.id).toBe(dora.id);
    const listed = await on.ask(dora, 'GET', '/users/me/keys');
    expect(listed.status).toBe(200);
    expect(listed.body.keys.map((k: object) => Object.keys(k).toSorted())[0]).toEqual([
      'created_at',
      'expires_at',
      'key_prefix',
      'label',
      'last_used_at',
    ]);
    const mine = listed.body.keys.find((k: { label: string }) => k.label === 'laptop');
    expect(mine).toMatchObject({ key_prefix: made.body.key_prefix, last_used_at: new Date(on.clock.ms).toISOString() });
    expect(listed.text).not.toContain(made.body.key);

    const revoked = await on.ask(dora, 'DELETE', `/users/me/keys/${made.body.key_prefix}`);
    expect(revoked).toMatchObject({ status: 204, text: '' });
    expect((await on.ask(key, 'GET', '/users/me')).status).toBe(401);
    expect((await on.ask(dora, 'DELETE', `/users/me/keys/${made.body.key_prefix}`)).status).toBe(404);
  });

  it('a key lasts 90 days if nothing is said, and expires', async () => {
    const made = (await on.ask(ada, 'POST', '/users/me/keys', {})).body;
    expect(Date.parse(made.expires_at) - on.clock.ms).toBe(90 * 86_400_000);
    const now = (await on.ask(ada, 'POST', '/users/me/keys', { expires_in: 0 })).body;
    expect((await on.ask(`ApiKey ${now.key}`, 'GET', '/users/me')).status).toBe(401);
    const short = (await on.ask(ada, 'POST', '/users/me/keys', { expires_in: 60 })).body;
    expect((await on.ask(`ApiKey ${short.key}`, 'GET', '/users/me')).status).toBe(200);
    on.clock.ms += 60_000;
    expect((await on.ask(`ApiKey ${short.key}`, 'GET', '/users/me')).status).toBe(401);
  });

  it.each([
    [{ expires_in: -1 }, 'expires_in'],
    [{ expires_in: 31_536_001 }, 'expires_in'],
    [{ expires_in: 1.5 }, 'expires_in'],
    [{ expires_in: '60' }, 'expires_in'],
    [{ label: 'x'.repeat(101) }, 'label'],
  ])('refuses %j', async (body, name) => {
    const answer = await on.ask(ada, 'POST', '/users/me/keys', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.issues[0].path).toEqual([name]);
  });

  it('refuses a revoked key at once, whatever else the request for that says', async () => {
    for (const [query, body] of [
      ['?expand=preview', undefined],
      ['', { text: 'x'.repeat(300_000) }],
    ] as const) {
      const { key, key_prefix } = (await on.ask(ada, 'POST', '/users/me/keys', {})).body;
      const program = `ApiKey ${key}`;
      expect((await on.ask(program, 'GET', '/users/me')).status).toBe(200);
      expect((await on.ask(ada, 'DELETE', `/users/me/keys/${key_prefix}${query}`, body)).status).toBe(204);
      expect((await on.ask(program, 'GET', '/users/me')).status).toBe(401);
    }
  });

  it('refuses prefixes of the wrong length, and those that fit two keys', async () => {
    expect((await on.ask(ada, 'DELETE', '/users/me/keys/uk_')).status).toBe(400);
    expect((await on.ask(ada, 'DELETE', `/users/me/keys/${'u'.repeat(13)}`)).status).toBe(400);
    expect((await on.ask(ada, 'DELETE', '/users/me/keys/uk_zzzz')).status).toBe(404);
  });

  it('is for the user alone', async () => {
    const service = `ApiKey ${on.serviceKey()}`;
    const agent = `ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`;
    for (const [method, path] of [
      ['GET', '/users/me/keys'],
      ['POST', '/users/me/keys'],
      ['DELETE', '/users/me/keys/uk_0000'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      expect((await on.ask(null, method, path, body)).status).toBe(401);
      const only = { status: 403, body: { error: expect.stringMatching(/^Only users can/) } };
      expect(await on.ask(agent, method, path, body)).toMatchObject(only);
      expect(await on.ask(service, method, path, body, { onBehalfOf: ada.id })).toMatchObject(only);
    }
    const other = (await on.ask(bob, 'POST', '/users/me/keys', {})).body;
    expect((await on.ask(ada, 'DELETE', `/users/me/keys/${other.key_prefix}`)).status).toBe(404);
  });
});

describe('GET /users/{id}/collections', () => {
  it('lists the roles that a user holds now', async () => {
    const eve = await on.person('Eve');
    const ids: string[] = [];
    for (const label of ['one', 'two', 'three']) {
      on.clock.ms += 1000;
      ids.push((await on.ask(eve, 'POST', '/collections', { label })).body.id);
    }
    const bobs = (await on.ask(bob, 'POST', '/collections', { label: 'of Bob' })).body.id;
    await on.ask(bob, 'POST', `/collections/${bobs}/members`, { user_id: eve.id, role: 'viewer', expires_in: 60 });
    const all = await on.ask(null, 'GET', `/users/${eve.id}/collections`);
    expect(all.status).toBe(200);
    expect(all.body.pagination).toEqual({ offset: 0, limit: 100, count: 4, has_more: false });
    expect(all.body.user_id).toBe(eve.id);
    const line = { id: ids[2], pi: ids[2], label: 'three', predicate: 'owner', created_at: expect.any(String) };
    expect(all.body.collections).toContainEqual(line);
    const roles = all.body.collections.map((c: { predicate: string }) => c.predicate).toSorted();
    expect(roles).toEqual(['owner', 'owner', 'owner', 'viewer']);

    on.clock.ms += 60_000;
    const page = await on.ask(null, 'GET', `/users/${eve.id}/collections?limit=2&offset=1`);
    expect(page.body.collections.map((c: { id: string }) => c.id)).toEqual([ids[1], ids[0]]);
    expect(page.body.pagination).toEqual({ offset: 1, limit: 2, count: 2, has_more: false });
    const first = await on.ask(null, 'GET', `/users/${eve.id}/collections?limit=2`);
    expect(first.body.pagination.has_more).toBe(true);
    const editor = await on.ask(null, 'GET', `/users/${eve.id}/collections?predicate=editor`);
    expect(editor.body.collections).toEqual([]);
    const any = await on.ask(null, 'GET', `/users/${eve.id}/collections?predicate=`);
    expect(any.text).toBe((await on.ask(null, 'GET', `/users/${eve.id}/collections`)).text);
  });

  it('counts roles only, no other relationship to the user', async () => {
    const fay = await on.person('Fay');
    const relationships = [{ predicate: 'depicts', peer: fay.id, peer_type: 'user' }];
    const made = await on.ask(bob, 'POST', '/collections', { label: 'portraits', relationships });
    expect(made.status).toBe(201);
    expect((await on.ask(null, 'GET', `/users/${fay.id}/collections`)).body.collections).toEqual([]);
  });

  it('reads large collections where they hold up nobody', async () => {
    const gus = await on.person('Gus');
    const properties = { list: Array.from({ length: 20_000 }, (_, i) => ({ i, half: i / 2 })) };
    for (let n = 0; n < 16; n++) await on.ask(gus, 'POST', '/collections', { label: `large ${n}`, properties });
    const long = vi.spyOn(await on.node.ctx.networks.get('main'), 'readLong');
    const { body } = await on.ask(null, 'GET', `/users/${gus.id}/collections`);
    expect(body.collections).toHaveLength(16);
    expect(long.mock.calls.map(([name]) => name)).toContain('userCollections');
    long.mockRestore();
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1'])('refuses %s', async (query) => {
    expect((await on.ask(null, 'GET', `/users/${ada.id}/collections?${query}`)).status).toBe(400);
  });

  it('is 404 for what is no user', async () => {
    expect((await on.ask(null, 'GET', '/users/01J0000000000000000000000B/collections')).status).toBe(404);
    const made = (await on.ask(ada, 'POST', '/collections', { label: 'c' })).body.id;
    expect((await on.ask(null, 'GET', `/users/${made}/collections`)).status).toBe(404);
  });
});

describe('who writes on a network', () => {
  const there = { network: 'test' } as const;
  const label = async (id: string) =>
    (await on.ask(bob, 'GET', `/users/${id}`, undefined, there)).body.properties?.label;

  it.each([
    ['POST', '/entities', { type: 'note' }],
    ['POST', '/entities/batch', { entities: [{ type: 'note' }] }],
    ['POST', '/folders', { label: 'Papers' }],
  ])('is a user there from %s %s on', async (method, path, body) => {
    const person = await on.person(`Writer of ${path}`);
    const id = idOn('test', person.id);
    expect(await label(id)).toBeUndefined();
    const many = await Promise.all(Array.from({ length: 5 }, () => on.ask(person, method, path, body, there)));
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 201));
    expect(await label(id)).toBe(`Writer of ${path}`);
    const tip = await on.ask(bob, 'GET', `/users/${id}`, undefined, there);
    expect(tip.body).toMatchObject({ ver: 1, edited_by: { user_id: id, method: 'manual' } });
  });

  it('so is who changes what is there, or has it changed later, and can be given a role', async () => {
    const [eve, fay, gus] = [await on.person('Eve'), await on.person('Fay'), await on.person('Gus')];
    const note = (await on.ask(eve, 'POST', '/entities', { type: 'note' }, there)).body;
    const put = { expect_tip: note.cid, properties: { n: 1 } };
    expect((await on.ask(fay, 'PUT', `/entities/${note.id}`, put, there)).status).toBe(200);
    expect(await label(idOn('test', fay.id))).toBe('Fay');
    const addition = { updates: [{ entity_id: note.id, properties: { n: 2 } }] };
    expect((await on.ask(gus, 'POST', '/updates/additive', addition, there)).status).toBe(202);
    expect(await label(idOn('test', gus.id))).toBe('Gus');
    const { id } = (await on.ask(eve, 'POST', '/collections', { label: 'Shared' }, there)).body;
    const member = { user_id: idOn('test', fay.id), role: 'editor' };
    expect((await on.ask(eve, 'POST', `/collections/${id}/members`, member, there)).status).toBe(201);
  });

  it('so is a service account, by key or by token, and whom it acts for', async () => {
    const hal = await on.person('Hal');
    const behalf = { network: 'test', onBehalfOf: idOn('test', hal.id) } as const;
    const byKey = await on.ask(`ApiKey ${on.serviceKey()}`, 'POST', '/entities', { type: 'note' }, behalf);
    expect(byKey.body.edited_by).toMatchObject({ method: 'system', on_behalf_of: behalf.onBehalfOf });
    expect(await label(behalf.onBehalfOf)).toBe('Hal');
    expect(await label(byKey.body.edited_by.user_id)).toEqual(expect.any(String));
    const token = await on.jwt({ role: 'service', sub: 'crawler' });
    const byToken = await on.ask(token, 'POST', '/entities', { type: 'note' }, there);
    expect(await label(byToken.body.edited_by.user_id)).toBe('Service');
  });

  it('and who is refused is none', async () => {
    const ivy = await on.person('Ivy');
    expect((await on.ask(ivy, 'POST', '/entities', { type: '' }, there)).status).toBe(400);
    expect(await label(idOn('test', ivy.id))).toBeUndefined();
  });
});
