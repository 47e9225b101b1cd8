import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, it, vi } from 'vitest';
import { GuessLimit } from '../../src/server/resources/alpha/guess-limit.ts';
import { ask, jwtOf, jwtSecret, type Person } from '../helpers/callers.ts';
import { ok, unauthorized } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

const secret = 'what only the host knows';
const headers = { 'X-Alpha-Secret': secret };
const nobody: Person = { id: '', headers };
const start = new Date('2026-01-01T00:00:00.000Z');
let later = 0;
const now = () => start.getTime() + later;
beforeEach(() => {
  later = 0;
});
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
});

it('one that was accepted is given again once it is revoked, to whoever has the address as another account by now', async () => {
  await using node = await closed();
  ok(await invite(node, 'ada@idp.test'));
  expect((await register(node, 'ada')).status).toBe(201);
  const [anew, claims] = ['ada-anew', { email: 'ada@idp.test' }];
  expect((await register(node, anew, claims)).status).toBe(403);
  const refused = await invite(node, 'ada@idp.test');
  expect([refused.status, refused.body]).toEqual([
    409,
    {
      error:
        'There is an invite for this address already, which was accepted; to let another account with it register, revoke it and invite the address again',
      details: { email: 'ada@idp.test', status: 'accepted' },
    },
  ]);
  expect([await revoke(node, 'ada@idp.test'), await revoke(node, 'ada@idp.test')]).toEqual([true, false]);
  expect((await register(node, anew, claims)).status).toBe(403);
  // Who has registered with it stays registered.
  expect((await ask(node, await jwtOf('ada', now()), 'GET /users/me')).status).toBe(200);
  expect((await register(node, 'ada')).status).toBe(200);
  ok(await invite(node, 'ada@idp.test'));
  expect((await register(node, 'ada')).status).toBe(200);
  expect(await list(node)).toMatchObject([{ status: 'pending', accepted_at: null }]);
  expect((await register(node, anew, claims)).status).toBe(201);
  expect(await list(node)).toMatchObject([{ status: 'accepted', accepted_at: start.toISOString() }]);
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
  const none = `${only}, and your token names no e-mail address that is verified.`;
  // Some providers write the claim as text.
  for (const email_verified of [false, 'false', 'no', 0, null]) {
    const unverified = await register(node, 'eve', { email: 'ada@idp.test', email_verified });
    expect([unverified.status, unverified.body]).toEqual([403, { error: none }]);
  }
  expect((await register(node, 'ada', { email_verified: 'true' })).status).toBe(201);
  expect((await register(node, 'eve', { email: 'ada@idp.test' })).status).toBe(403);
});

it('nobody is told to ask for an invite of an address that cannot be invited', async () => {
  await using node = await closed();
  const refused = await register(node, 'zoe', { email: 'zoë@idp.test' });
  expect(refused.body).toEqual({ error: expect.stringMatching(/cannot be invited: .* without accents\.$/) });
  expect((await invite(node, 'zoë@idp.test')).status).toBe(400);
});

it('without the secret in its settings a node has no invites', async () => {
  await using node = await startNode();
  const answer = await ask(node, nobody, 'GET /alpha/invites');
  const error = 'Unauthorized: set ARCHEION_ALPHA_SECRET on this node to use invites';
  expect([answer.status, answer.body]).toEqual([401, { error }]);
});

it('are listed a page at a time', async () => {
  await using node = await open();
  for (const name of ['a', 'b', 'c']) {
    later += 1000;
    ok(await invite(node, `${name}@idp.test`));
  }
  const page = async (query: string) => {
    const body = ok<{ invites: Invite[] }>(await ask(node, nobody, `GET /alpha/invites?${query}`));
    return { ...body, invites: body.invites.map(({ email }) => email[0]).join('') };
  };
  expect(await page('limit=2')).toEqual({ invites: 'cb', count: 2, total: 3, has_more: true });
  expect(await page('limit=2&offset=2')).toEqual({ invites: 'a', count: 1, total: 3, has_more: false });
  expect(await page('offset=3')).toEqual({ invites: '', count: 0, total: 3, has_more: false });
});

it('are all listed where no page is asked for, however many wait', async () => {
  await using node = await open();
  ok(await invite(node, 'ada@idp.test'));
  const db = new Database(join(node.data, 'identity.db'));
  try {
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO invite (id, email, invited_by, status, created_at)
        SELECT 'id ' || i, 'stranger' || i || '@idp.test', 'registration', 'waitlisted', ${now() + 1} FROM n`);
  } finally {
    db.close();
  }
  const all = ok<{ invites: Invite[]; count: number }>(await ask(node, nobody, 'GET /alpha/invites'));
  expect(all).toMatchObject({ count: 10_001, total: 10_001, has_more: false });
  expect(all.invites.at(-1)).toMatchObject({ email: 'ada@idp.test', status: 'pending' });
  const rest = ok<{ count: number }>(await ask(node, nobody, 'GET /alpha/invites?offset=1'));
  expect(rest).toMatchObject({ count: 10_000, has_more: false });
  expect((await ask(node, nobody, 'GET /alpha/invites?limit=10001')).status).toBe(400);
  // One that is invited again while they are read, so that it stands before what was read by then.
  const { identity } = node.ctx;
  identity.revokeInvite('ada@idp.test');
  later += 1000;
  const { invitesAfter } = identity;
  const reads = vi.spyOn(identity, 'invitesAfter').mockImplementation((...args) => {
    identity.invite('ada@idp.test', 'admin');
    return invitesAfter.apply(identity, args);
  });
  const moved = ok<{ invites: Invite[]; count: number }>(await ask(node, nobody, 'GET /alpha/invites'));
  expect(moved).toMatchObject({ count: 10_001, invites: { 0: { email: 'ada@idp.test' } } });
  expect(moved.invites[0]).toMatchObject({ status: 'pending' });
  // A few at a time, so that nobody waits for all of them.
  expect(Math.max(...reads.mock.results.map(({ value }) => (value as Invite[]).length))).toBe(500);
});

it('whoever guesses the secret is told to wait, also with the right one', async () => {
  await using node = await open();
  const shown = (value: string) => node.fetch('/alpha/invites', { headers: { 'X-Alpha-Secret': value } });
  // Whoever shows none has guessed nothing.
  for (let time = 0; time < 40; time++)
    expect((await ask(node, { id: '', headers: {} }, 'GET /alpha/invites')).status).toBe(401);
  for (let time = 0; time < 20; time++) expect((await shown(`guess ${time}`)).status).toBe(401);
  for (const value of ['another guess', secret]) {
    const refused = await shown(value);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '15']);
    expect(refused.body).toEqual({ error: 'Too many wrong secrets came from your address. Wait for 15 seconds.' });
  }
  later = 14_999;
  expect((await shown(secret)).status).toBe(429);
  later = 15_000;
  expect((await shown(secret)).status).toBe(200);
  expect([(await shown('one more')).status, (await shown(secret)).status]).toEqual([401, 429]);
  later = 3_600_000;
  for (let time = 0; time < 20; time++) expect((await shown(`guess ${time}`)).status).toBe(401);
});

it('each address has guesses of its own, an IPv6 network counts as one, and few are remembered', () => {
  const limit = new GuessLimit(() => 0);
  const spend = (address: string) => {
    for (let time = 0; time < 20; time++) limit.note(address);
  };
  spend('2001:db8:0:1::1');
  spend('198.51.100.7');
  const waits = (...addresses: string[]) => addresses.map((address) => limit.waitOf(address));
  expect(waits('2001:db8::1:0:0:0:2', '198.51.100.7')).toEqual([15, 15]);
  expect(waits('2001:db8:0:2::1', '::1', '198.51.100.8', '::ffff:198.51.100.9')).toEqual([0, 0, 0, 0]);
  for (let n = 0; n < 10_000; n++) limit.note(`10.0.${n >> 8}.${n & 255}`);
  expect(waits('198.51.100.7')).toEqual([0]);
});

it('the secret is in no log and no answer', async () => {
  await using node = await open();
  ok(await invite(node, 'ada@idp.test'));
  const refused = await node.fetch('/alpha/invites', { headers: { 'X-Alpha-Secret': `${secret}!` } });
  expect([refused.status, refused.body]).toEqual([401, unauthorized]);
  expect(`${node.logged.join('\n')}${refused.text}`).not.toContain(secret);
});
