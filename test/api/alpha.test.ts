import { expect, it } from 'vitest';
import { ask, jwtOf, jwtSecret, type Person } from '../helpers/callers.ts';
import { ok, unauthorized } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

const secret = 'what only the host knows';
const headers = { 'X-Alpha-Secret': secret };
const nobody: Person = { id: '', headers };
const start = new Date('2026-01-01T00:00:00.000Z');
const now = () => start.getTime();
const open = (env: Record<string, string> = {}) =>
  startNode({ now, env: { ARCHEION_JWT_SECRET: jwtSecret, ARCHEION_ALPHA_SECRET: secret, ...env } });
const closed = () => open({ ARCHEION_ALPHA_REQUIRED: 'true' });

interface Invite {
  email: string;
  status: string;
  accepted_at: string | null;
  invited_by: string;
}

const invite = (node: TestNode, email: string, body: object = {}) =>
  ask(node, nobody, 'POST /alpha/invite', { email, ...body });
const revoke = async (node: TestNode, email: string) =>
  ok<{ revoked: boolean }>(await ask(node, nobody, `DELETE /alpha/invite/${email}`)).revoked;
const list = async (node: TestNode) => ok<{ invites: Invite[] }>(await ask(node, nobody, 'GET /alpha/invites')).invites;
/** The JWT of `<name>@idp.test`. */
const register = async (node: TestNode, name: string, claims: object = {}) =>
  ask(node, await jwtOf(name, now(), { ...claims }), 'POST /auth/register');
const only = 'This node takes new users by invitation only';

it('an invite is accepted when its address registers, whatever the case', async () => {
  await using node = await open();
  ok(await invite(node, 'Ada@IDP.test', { invited_by: 'Bea' }));
  expect((await register(node, 'ada')).status).toBe(201);
  expect(await list(node)).toMatchObject([
    { email: 'ada@idp.test', status: 'accepted', accepted_at: start.toISOString(), invited_by: 'Bea' },
  ]);
  expect((await invite(node, 'ada@idp.test')).status).toBe(409);
  expect(await revoke(node, 'ada@idp.test')).toBe(false);
});

it('nobody needs an invite unless the node says so', async () => {
  await using node = await open();
  expect((await register(node, 'ada')).status).toBe(201);
  expect(await list(node)).toEqual([]);
  // Whoever is registered already accepts a later invite by registering again.
  ok(await invite(node, 'ada@idp.test'));
  expect((await register(node, 'ada')).status).toBe(200);
  expect(await list(node)).toMatchObject([{ status: 'accepted' }]);
});

it('where it does, others wait, until they are invited', async () => {
  await using node = await closed();
  for (let time = 0; time < 2; time++) {
    const refused = await register(node, 'ada');
    expect([refused.status, refused.body]).toEqual([403, { error: `${only}. Your address is on the waiting list.` }]);
  }
  expect(await list(node)).toMatchObject([{ email: 'ada@idp.test', status: 'waitlisted', invited_by: 'registration' }]);
  expect((await ask(node, await jwtOf('ada', now()), 'GET /users/me')).status).toBe(403);
  ok(await invite(node, 'ada@idp.test'));
  expect(await list(node)).toMatchObject([{ status: 'pending', invited_by: 'admin' }]);
  expect((await register(node, 'ada')).status).toBe(201);
  expect((await register(node, 'ada')).status).toBe(200);
});

it('a revoked invite lets nobody in, and can be given again', async () => {
  await using node = await closed();
  ok(await invite(node, 'ada@idp.test'));
  expect([await revoke(node, 'ADA@idp.test'), await revoke(node, 'ada@idp.test')]).toEqual([true, false]);
  expect((await register(node, 'ada')).body).toEqual({ error: `${only}. Ask whoever runs it to invite you.` });
  expect(await list(node)).toMatchObject([{ status: 'revoked' }]);
  ok(await invite(node, 'ada@idp.test'));
  expect((await register(node, 'ada')).status).toBe(201);
});

it('an invite is for one account, and for an address that its provider has verified', async () => {
  await using node = await closed();
  ok(await invite(node, 'ada@idp.test'));
  const unverified = await register(node, 'eve', { email: 'ada@idp.test', email_verified: false });
  const none = `${only}, and your token names no e-mail address that is verified.`;
  expect([unverified.status, unverified.body]).toEqual([403, { error: none }]);
  expect((await register(node, 'ada')).status).toBe(201);
  expect((await register(node, 'eve', { email: 'ada@idp.test' })).status).toBe(403);
});

it('without the secret in its settings a node has no invites', async () => {
  await using node = await startNode();
  const answer = await ask(node, nobody, 'GET /alpha/invites');
  const error = 'Unauthorized: set ARCHEION_ALPHA_SECRET on this node to use invites';
  expect([answer.status, answer.body]).toEqual([401, { error }]);
});

it('the secret is in no log and no answer', async () => {
  await using node = await open();
  ok(await invite(node, 'ada@idp.test'));
  const refused = await node.fetch('/alpha/invites', { headers: { 'X-Alpha-Secret': `${secret}!` } });
  expect([refused.status, refused.body]).toEqual([401, unauthorized]);
  expect(`${node.logged.join('\n')}${refused.text}`).not.toContain(secret);
});
