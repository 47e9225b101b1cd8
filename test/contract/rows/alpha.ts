import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { invalid, ok, unauthorized } from '../../helpers/entities.ts';
import type { Call, Case, Row, Scene } from '../row.ts';
import { alphaSecret } from '../scene.ts';

const headers = { 'X-Alpha-Secret': alphaSecret };
const path = '/alpha/invite';
const address = (s: Scene) => `Guest-${s.newId()}@Example.org`;
const of = (call: (s: Scene) => Partial<Call>) => (s: Scene) => ({ path, headers, as: s.anonymous, ...call(s) });
const invited = async (s: Scene, email = address(s)): Promise<string> => {
  ok(await ask(s.node, s.anonymous, `POST ${path}`, { email }, headers));
  return email;
};
const shut = (route: string, call: Partial<Call> & { path: string }): Case[] => [
  ...[undefined, 'let people out', `${alphaSecret}!`, ''].map((secret) => ({
    name: `the secret ${JSON.stringify(secret)}`,
    status: 401,
    call: (s: Scene) => ({
      ...call,
      as: s.operator,
      headers: (secret === undefined ? {} : { 'X-Alpha-Secret': secret }) as Record<string, string>,
    }),
    body: unauthorized,
  })),
  {
    name: 'too many wrong secrets',
    status: 429,
    call: async (s: Scene) => {
      const wrong = { 'X-Alpha-Secret': 'a guess' };
      while ((await ask(s.node, s.anonymous, route, call.body, wrong)).status === 401);
      return { ...call, as: s.anonymous, headers };
    },
    body: { error: 'Too many wrong secrets came from your address. Wait for 15 seconds.' },
    also: (_answer, _call, s) => {
      s.clock.ms += 300_000;
    },
  },
];
const noAddress: Case[] = ['nobody', 'a@b', 'a b@c.de', '@c.de', 'a@-c.de', `${'x'.repeat(65)}@c.de`].map((email) => ({
  name: `the address ${email}`,
  status: 400,
  call: of(() => ({ body: { email } })),
  body: invalid(['email'], 'must be an e-mail address'),
}));

export const alphaRows: Row[] = [
  {
    route: 'POST /alpha/invite',
    auth: 'secret',
    action: null,
    wire: '201 401 409',
    cases: [
      {
        name: 'invites',
        status: 201,
        call: of((s) => ({ body: { email: address(s) } })),
        also: ({ body }, call, s) =>
          expect(body).toEqual({
            invite: {
              id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
              email: (call.body as { email: string }).email.toLowerCase(),
              invited_by: 'admin',
              status: 'pending',
              created_at: new Date(s.clock.ms).toISOString(),
              accepted_at: null,
            },
          }),
      },
      {
        name: 'an address that is invited, in other letters',
        status: 409,
        call: async (s) => ({ path, headers, as: s.anonymous, body: { email: (await invited(s)).toUpperCase() } }),
        body: (call) => ({
          error: 'There is an invite for this address already',
          details: { email: (call.body as { email: string }).email.toLowerCase(), status: 'pending' },
        }),
      },
      ...noAddress,
      {
        name: 'nobody as the one who invites',
        status: 400,
        call: of((s) => ({ body: { email: address(s), invited_by: '' } })),
        body: invalid(['invited_by'], 'must have at least 1 character'),
      },
      ...shut(`POST ${path}`, { path, body: {} }),
    ],
  },
  {
    route: 'GET /alpha/invites',
    auth: 'secret',
    action: null,
    wire: '200 401',
    cases: [
      {
        name: 'lists newest first',
        status: 200,
        call: async (s) => {
          s.clock.ms += 1000;
          return { path: '/alpha/invites', headers, as: s.anonymous, known: await invited(s) };
        },
        also: ({ body }, { known }) => {
          const { invites, count } = body as { invites: { email: string }[]; count: number };
          expect([invites[0]?.email, count]).toEqual([(known as string).toLowerCase(), invites.length]);
        },
      },
      ...['limit=0', 'limit=10001', 'offset=-1', 'limit=x'].map(
        (query): Case => ({
          name: query,
          status: 400,
          call: of(() => ({ path: `/alpha/invites?${query}` })),
          body: invalid([query.split('=')[0] ?? ''], expect.any(String)),
        }),
      ),
      ...shut('GET /alpha/invites', { path: '/alpha/invites' }),
    ],
  },
  {
    route: 'DELETE /alpha/invite/{email}',
    auth: 'secret',
    action: null,
    wire: '200 401',
    cases: [
      {
        name: 'revokes',
        status: 200,
        call: async (s) => {
          const email = await invited(s);
          return { path: `${path}/${encodeURIComponent(email)}`, headers, as: s.anonymous, known: email };
        },
        body: ({ known }) => ({ revoked: true, email: (known as string).toLowerCase() }),
      },
      {
        name: 'an address without an invite',
        status: 200,
        call: (s) => ({ path: `${path}/nobody@example.org`, headers, as: s.anonymous }),
        body: { revoked: false, email: 'nobody@example.org' },
      },
      {
        name: 'no address',
        status: 400,
        call: (s) => ({ path: `${path}/nobody`, headers, as: s.anonymous }),
        body: invalid(['email'], 'must be an e-mail address'),
      },
      ...shut(`DELETE ${path}/nobody@example.org`, { path: `${path}/nobody@example.org` }),
    ],
  },
];
