import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actions, implies } from '../../src/server/model/actions.ts';
import type { GrantsView, NodeInvitesView, PeopleView } from '../../src/server/resources/node/people/wire.ts';
import type { PeopleSoFar } from '../../src/server/store/accounts/accounts.ts';
import { misfits } from '../contract/document.ts';
import { anonymous, ask, jwtOf, jwtSecret, on, operator, type Person, service, user } from '../helpers/callers.ts';
import { invalid, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

const clock = { ms: Date.UTC(2026, 0, 1) };
const env = {
  ARCHEION_JWT_SECRET: jwtSecret,
  ARCHEION_JWT_ISSUER: 'https://idp.test',
  ARCHEION_ALPHA_REQUIRED: 'true',
};
let node: TestNode;
let me: Person;
let ada: Person;
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms, env });
  me = operator(node);
  ada = await user(node, 'Ada');
  await user(node, 'Zoë');
  service(node);
});
afterAll(() => node[Symbol.asyncDispose]());

async function get<T>(path: string, who: Person = me, route = path.replace(/\?.*/, '')): Promise<T> {
  const answer = await ask(node, who, `GET ${path}`);
  expect(misfits(`GET ${route}`, answer.status, answer.body), answer.text).toEqual([]);
  return ok<T>(answer);
}
const names = async (query: string, who: Person = me) =>
  (await get<PeopleView>(`/node/people${query}`, who)).people.map(({ name }) => name);

describe('the people of a node', () => {
  it('are listed with the operator first, without accounts of programs', async () => {
    expect(await get<PeopleView>('/node/people')).toMatchObject({
      people: [
        { id: me.id, name: 'Operator', operator: true },
        {
          id: ada.id,
          name: 'Ada',
          email: null,
          operator: false,
          registered_at: '2026-01-01T00:00:00.000Z',
          here: true,
        },
        { name: 'Zoë' },
      ],
      has_more: false,
    });
    expect(await get<PeopleView>('/node/people?limit=1')).toMatchObject({ people: [{ id: me.id }], has_more: true });
  });

  it('are found by a part of the name or address, and by their id on either network', async () => {
    ok(await ask(node, me, 'POST /node/invites', { email: 'grace@idp.test' }));
    ok(await ask(node, await jwtOf('grace', clock.ms), 'POST /auth/register'));
    expect(await names('?q=AD')).toEqual(['Ada']);
    expect(await names(`?q=${encodeURIComponent('oë')}`)).toEqual(['Zoë']);
    expect([await names('?q=zoe'), await names(`?q=${encodeURIComponent('ÂDA')}`)]).toEqual([['Zoë'], ['Ada']]);
    expect(await names('?q=Grace%40IDP.test')).toEqual(['grace']);
    expect(await names(`?q=${ada.id}`)).toEqual(['Ada']);
    expect(await names('?q=%25')).toEqual([]);
    const there = on('test', ada);
    const { people } = ok<PeopleView>(await ask(node, on('test', me), `GET /node/people?q=${there.id}`));
    expect(people).toMatchObject([{ id: there.id, here: false }]);
    // The first request on the other network makes a user there.
    ok(await ask(node, there, 'GET /users/me'));
    expect((await ask(node, on('test', me), `GET /node/people?q=${there.id}`)).body).toMatchObject({
      people: [{ id: there.id, here: true }],
    });
  });

  it('are looked at a part at a time where there are very many, and listed as if at once', async () => {
    const db = new Database(join(node.data, 'identity.db'));
    try {
      // The later ones by id have the earlier names.
      db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
        INSERT INTO account (id, issuer, subject, name, created_at)
          SELECT printf('01Z%023d', i), 'many', i, printf('Ñandú %05d', 6000 - i), 1 FROM n`);
      const looks = vi.spyOn(node.ctx.identity, 'people');
      expect(await names(`?q=${encodeURIComponent('ñANDÚ')}&limit=2`)).toEqual(['Ñandú 00999', 'Ñandú 01000']);
      expect(looks.mock.results.map(({ value }) => (value as PeopleSoFar).next === null)).toEqual([false, false, true]);
      expect(await names('?limit=2')).toEqual(['Operator', 'Ada']);
      expect(await names('?q=zo')).toEqual(['Zoë']);
      looks.mockRestore();
    } finally {
      db.exec("DELETE FROM account WHERE issuer = 'many'");
      db.close();
    }
  });
});

describe('the grants', () => {
  it('say what each action and wildcard allows', async () => {
    const { grants, actions: all } = await get<GrantsView>('/node/grants');
    expect(all).toEqual(actions);
    const allows = Object.fromEntries(grants.map((one) => [one.grant, one.allows]));
    expect(allows['*:view']).toEqual(expect.arrayContaining(['entity:view', 'collection:view', 'file:download']));
    expect(allows['*:view']).not.toContain('entity:update');
    expect(allows['collection:*']).toBeUndefined();
    for (const { grant, allows: list } of grants) expect(list).toEqual(actions.filter((one) => implies(grant, one)));
    // Each is good for a role.
    const role = { role: 'all', actions: grants.map(({ grant }) => grant) };
    const { id } = ok(await ask(node, me, 'POST /collections', { label: 'a collection' }));
    expect((await ask(node, me, `POST /collections/${id}/roles`, role)).status).toBe(201);
  });
});

describe('the invites', () => {
  it('are made, listed with their states, and revoked by the operator', async () => {
    const email = 'Linus@Example.org';
    const made = await ask(node, me, 'POST /node/invites', { email });
    expect([made.status, misfits('POST /node/invites', 201, made.body)]).toEqual([201, []]);
    expect(made.body).toMatchObject({
      invite: { email: 'linus@example.org', invited_by: 'operator', status: 'pending' },
    });
    expect((await ask(node, me, 'POST /node/invites', { email })).status).toBe(409);
    expect((await ask(node, await jwtOf('eve', clock.ms), 'POST /auth/register')).status).toBe(403);

    const state = async () =>
      Object.fromEntries((await get<NodeInvitesView>('/node/invites')).invites.map((one) => [one.email, one.status]));
    expect(await state()).toEqual({
      'linus@example.org': 'pending',
      'eve@idp.test': 'waitlisted',
      'grace@idp.test': 'accepted',
    });
    const revoked = await ask(node, me, 'DELETE /node/invites/linus@example.org');
    expect(misfits('DELETE /node/invites/{email}', revoked.status, revoked.body)).toEqual([]);
    expect(revoked.body).toEqual({ revoked: true, email: 'linus@example.org' });
    expect(await state()).toMatchObject({ 'linus@example.org': 'revoked' });
    for (const first of [true, false])
      expect((await ask(node, me, 'DELETE /node/invites/grace@idp.test')).body).toMatchObject({ revoked: first });
    expect(await get<NodeInvitesView>('/node/invites?limit=2')).toMatchObject({
      registration: 'invited',
      count: 2,
      total: 3,
      has_more: true,
    });
  });

  it('say whether anybody can register at all', async () => {
    await using closed = await startNode();
    const { body } = await ask(closed, operator(closed), 'GET /node/invites');
    expect(body).toMatchObject({ registration: 'closed', invites: [] });
    const { ARCHEION_ALPHA_REQUIRED: _, ...free } = env;
    await using open = await startNode({ env: free });
    expect((await ask(open, operator(open), 'GET /node/invites')).body).toMatchObject({ registration: 'open' });
  });

  it('take addresses alone', async () => {
    const answer = await ask(node, me, 'POST /node/invites', { email: 'nobody' });
    expect([answer.status, answer.body]).toEqual([400, invalid(['email'], expect.stringContaining('e-mail address'))]);
  });
});

describe('people, grants and invites', () => {
  it("are the operator's alone", async () => {
    const lines = ['GET /node/people', 'GET /node/grants', 'GET /node/invites', 'DELETE /node/invites/a@example.org'];
    for (const line of lines) {
      expect((await ask(node, anonymous, line)).status, line).toBe(401);
      expect((await ask(node, ada, line)).status, line).toBe(403);
    }
    expect((await ask(node, ada, 'POST /node/invites', { email: 'a@example.org' })).status).toBe(403);
  });
});
