import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOn } from '../../src/server/model/ids.ts';
import { issuer, type PeopledNode, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
beforeAll(async () => {
  on = await startPeopledNode();
});
afterAll(() => on[Symbol.asyncDispose]());

describe('POST /auth/register', () => {
  it('makes the user once, from the claims', async () => {
    const jwt = await on.jwt({ sub: 'ada', email: 'ada@example.org', user_metadata: { name: 'Ada' } });
    const first = await on.ask(jwt, 'POST', '/auth/register');
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      created: true,
      user: { id: expect.any(String), cid: expect.any(String), properties: { label: 'Ada', name: 'Ada' }, ver: 1 },
    });
    const again = await on.ask(jwt, 'POST', '/auth/register');
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ created: false, user: first.body.user });
    const user = await on.ask(null, 'GET', `/users/${first.body.user.id}`);
    expect(user.body).toMatchObject({ type: 'user', ver: 1, cid: first.body.user.cid });
    expect(user.body.edited_by).toEqual({ user_id: first.body.user.id, method: 'manual' });
  });

  it('is repeatable after a crash between the account and its user', async () => {
    const made = on.node.ctx.identity.registerAccount({ issuer, subject: 'cut', email: null, name: 'Cut' }).account;
    const jwt = await on.jwt({ sub: 'cut', name: 'Cut' });
    expect((await on.ask(null, 'GET', `/users/${made.id}`)).status).toBe(404);
    const answer = await on.ask(jwt, 'POST', '/auth/register');
    expect(answer).toMatchObject({ status: 201, body: { created: true, user: { id: made.id, ver: 1 } } });
  });

  it('makes one user of many requests at once', async () => {
    const jwt = await on.jwt({ sub: 'many', name: 'Many' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => on.ask(jwt, 'POST', '/auth/register')));
    expect(answers.map((a) => a.status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map((a) => a.body.user.cid)).size).toBe(1);
  });

  it('makes a user on the network of the request', async () => {
    const jwt = await on.jwt({ sub: 'both', name: 'Both' });
    const test = await on.ask(jwt, 'POST', '/auth/register', undefined, { network: 'test' });
    expect(test.status).toBe(201);
    const main = await on.ask(jwt, 'POST', '/auth/register');
    expect(main.status).toBe(201);
    expect(test.body.user.id).toBe(idOn('test', main.body.user.id));
  });

  it('names a user without a name by the email, and without that User', async () => {
    const email = await on.ask(await on.jwt({ sub: 'e', email: 'eve@example.org' }), 'POST', '/auth/register');
    expect(email.body.user.properties).toEqual({ label: 'eve', name: 'eve' });
    const none = await on.ask(await on.jwt({ sub: 'n' }), 'POST', '/auth/register');
    expect(none.body.user.properties).toEqual({ label: 'User', name: 'User' });
  });

  it('takes nothing but the JWT of a user', async () => {
    const refused = { status: 401, body: { error: 'Unauthorized: Missing or invalid authentication token' } };
    expect(await on.ask(null, 'POST', '/auth/register')).toMatchObject(refused);
    expect(await on.ask(on.operator, 'POST', '/auth/register')).toMatchObject(refused);
    expect(await on.ask(`Bearer ${on.operator.key}`, 'POST', '/auth/register')).toMatchObject(refused);
    const service = await on.jwt({ sub: 'robot', role: 'service' });
    expect((await on.ask(service, 'POST', '/auth/register')).status).toBe(403);
  });
});

describe('GET /auth/whoami', () => {
  it('tells of a JWT what its claims say, under both spellings', async () => {
    const jwt = await on.jwt({ sub: 'who', email: 'who@example.org', name: 'Who' });
    expect(await on.ask(jwt, 'GET', '/auth/whoami')).toMatchObject({
      status: 403,
      body: { error: 'User is not registered. Call POST /auth/register first.' },
    });
    const { id } = (await on.ask(jwt, 'POST', '/auth/register')).body.user;
    const answer = await on.ask(jwt, 'GET', '/auth/whoami');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      type: 'user',
      id,
      auth_method: 'jwt',
      email: 'who@example.org',
      name: 'Who',
      idp_user_id: 'who',
      supabase_user_id: 'who',
    });
    const test = await on.ask(jwt, 'GET', '/auth/whoami', undefined, { network: 'test' });
    expect(test.body.id).toBe(idOn('test', id));
  });

  it('tells of a key its prefix and expiry, and nothing of an identity provider', async () => {
    const { id } = await on.person('key holder');
    const made = on.node.ctx.identity.createKey({ kind: 'user', account: id, expiresIn: 60 });
    const answer = await on.ask(`ApiKey ${made.key}`, 'GET', '/auth/whoami');
    expect(answer.body).toEqual({
      type: 'user',
      id,
      auth_method: 'api_key',
      key_prefix: made.prefix,
      key_expires_at: new Date(on.clock.ms + 60_000).toISOString(),
    });
    const operator = await on.ask(on.operator, 'GET', '/auth/whoami');
    expect(operator.body).toEqual({
      type: 'user',
      id: on.operator.id,
      auth_method: 'api_key',
      key_prefix: on.operator.key.slice(0, 12),
    });
  });

  it('tells of an agent its owner', async () => {
    const owner = await on.person('owner of an agent');
    const agent = '01J0000000000000000000000A';
    const answer = await on.ask(`ApiKey ${on.agentKey(agent, owner)}`, 'GET', '/auth/whoami');
    expect(answer.body).toEqual({
      type: 'agent',
      processor_type: 'agent',
      id: agent,
      auth_method: 'api_key',
      owner_id: owner.id,
      key_prefix: expect.stringMatching(/^ak_.{9}$/),
      key_expires_at: new Date(on.clock.ms + 3_600_000).toISOString(),
    });
  });

  it('tells of a service account for whom it acts', async () => {
    const ada = await on.person('acted for');
    const answer = await on.ask(`ApiKey ${on.serviceKey()}`, 'GET', '/auth/whoami', undefined, { onBehalfOf: ada.id });
    expect(answer).toMatchObject({ status: 200, body: { type: 'user', service: true, on_behalf_of: ada.id } });
  });

  it('is 401 without credentials', async () => {
    expect((await on.ask(null, 'GET', '/auth/whoami')).status).toBe(401);
  });
});
