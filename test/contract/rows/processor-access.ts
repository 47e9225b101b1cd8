import { expect } from 'vitest';
import { ask, processor } from '../../helpers/callers.ts';
import { invalid, lacking, nowhere, ok, remove } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { noId, otherNetwork, type Path, unknown } from './common.ts';
import { type Kind, made, notThat, one } from './processors.ts';

interface Key {
  id: string;
  key: string;
  prefix: string;
  created_at: string;
  expires_at: string;
}

/** A new processor of the owner, and a key of it. */
async function keyed(kind: Kind, s: Scene): Promise<{ id: string; key: Key }> {
  const { id } = await made(kind, s);
  return { id, key: ok<Key>(await ask(s.node, s.owner, `POST ${kind.path}/${id}/keys`, { label: 'l' })) };
}

const as = (id: string, { key }: Key) => ({ id, headers: { Authorization: `ApiKey ${key}` } });

/** What every endpoint below a processor refuses. */
function refusals(kind: Kind, path: Path, body?: object): Case[] {
  const own = (s: Scene) => made(kind, s);
  return [
    noId(path, body),
    otherNetwork(path, body),
    unknown(path, body),
    notThat(kind, path, body),
    {
      name: `somebody without ${kind.type}:manage`,
      status: 403,
      call: async (s) => ({ path: path((await own(s)).id), body, as: s.editor }),
      body: { error: `Action not allowed: ${kind.type}:manage` },
    },
    {
      name: 'a processor itself',
      status: 403,
      call: async (s) => {
        const { id } = await own(s);
        return { path: path(id), body, as: processor(s.node, id, s.owner, kind.type === 'agent' ? 'agent' : 'klados') };
      },
      body: { error: `Only users can do ${kind.type}:manage` },
    },
  ];
}

const ofDeleted = (kind: Kind, path: Path, body?: object): Case => ({
  name: 'of a deleted one',
  status: 400,
  call: async (s) => {
    const grave = await remove(s.node, s.owner, await made(kind, s));
    return { path: path(grave.id), body };
  },
  body: invalid(['id'], 'the entity is deleted'),
});

/** Keys and verification of agents and kladoi. */
export function accessRows(kind: Kind): Row[] {
  const { path, type } = kind;
  const keys = one(kind, '/keys');
  const verify = one(kind, '/verify');
  const action = `${type}:manage`;
  return [
    {
      route: `GET ${path}/{id}/keys`,
      auth: 'required',
      action,
      wire: '200 401 403 404',
      cases: [
        {
          name: 'lists without secrets',
          status: 200,
          call: async (s) => {
            const known = await keyed(kind, s);
            return { path: keys(known.id), known };
          },
          body: ({ known }) => {
            const { key: _, ...shown } = (known as { key: Key }).key;
            return { keys: [{ ...shown, last_used_at: null }] };
          },
          also: ({ text }, { known }) => expect(text).not.toContain((known as { key: Key }).key.key),
        },
        ...refusals(kind, keys),
      ],
    },
    {
      route: `POST ${path}/{id}/keys`,
      auth: 'required',
      action,
      wire: '201 400 401 403 404',
      cases: [
        {
          name: 'makes a key of the processor for a year',
          status: 201,
          call: async (s) => {
            const known = await made(kind, s);
            return { path: keys(known.id), body: { label: 'l' }, known };
          },
          body: { label: 'l' },
          also: async ({ body }, { known }, s) => {
            const [key, { id }] = [body as Key, known as { id: string }];
            expect(key.key).toMatch(/^ak_[0-9a-f]{64}$/);
            expect(key.key.slice(0, 12)).toBe(key.prefix);
            expect(Date.parse(key.expires_at) - s.clock.ms).toBe(365 * 86_400_000);
            expect(ok(await ask(s.node, as(id, key), 'GET /auth/whoami'))).toMatchObject({
              type: 'agent',
              processor_type: type,
              id,
              owner_id: s.owner.id,
              key_prefix: key.prefix,
            });
          },
        },
        {
          name: 'a day too many',
          status: 400,
          call: () => ({ path: keys(nowhere), body: { expires_in_days: 366 } }),
          body: invalid(['expires_in_days'], 'must be at most 365'),
        },
        {
          name: 'a long label',
          status: 400,
          call: () => ({ path: keys(nowhere), body: { label: 'x'.repeat(101) } }),
          body: invalid(['label'], 'must have at most 100 characters'),
        },
        ...refusals(kind, keys, {}),
        ofDeleted(kind, keys, {}),
      ],
    },
    {
      route: `DELETE ${path}/{id}/keys/{prefix}`,
      auth: 'required',
      action,
      wire: '204 401 403 404',
      cases: [
        {
          name: 'revokes at once',
          status: 204,
          call: async (s) => {
            const known = await keyed(kind, s);
            ok(await ask(s.node, as(known.id, known.key), 'GET /auth/whoami'));
            return { path: `${keys(known.id)}/${known.key.prefix}`, known };
          },
          also: async ({ text }, { known }, s) => {
            expect(text).toBe('');
            const { id, key } = known as { id: string; key: Key };
            expect((await ask(s.node, as(id, key), 'GET /auth/whoami')).status).toBe(401);
          },
        },
        {
          name: 'a prefix of no key',
          status: 404,
          call: async (s) => ({ path: `${keys((await made(kind, s)).id)}/ak_0` }),
          body: lacking('There is no API key with that prefix'),
        },
        {
          name: 'a prefix of 3',
          status: 400,
          call: () => ({ path: `${keys(nowhere)}/ak_` }),
          body: invalid(['prefix'], 'must have at least 4 characters'),
        },
        {
          name: 'a prefix of 13',
          status: 400,
          call: () => ({ path: `${keys(nowhere)}/ak_0123456789` }),
          body: invalid(['prefix'], 'must have at most 12 characters'),
        },
        ...refusals(kind, one(kind, '/keys/ak_0')),
      ],
    },
    {
      route: `POST ${path}/{id}/verify`,
      auth: 'required',
      action,
      wire: '200 400 401 403 404',
      cases: [
        {
          name: 'gives a token, the same for an hour',
          status: 200,
          call: async (s) => {
            const { id } = await made(kind, s);
            const known = ok<object>(await ask(s.node, s.owner, `POST ${verify(id)}`, {}));
            return { path: verify(id), body: { confirm: false }, known: { id, known } };
          },
          body: ({ known }) => (known as { known: object }).known,
          also: ({ body }, { known }, s) => {
            const { id } = known as { id: string };
            const { verification_token, endpoint, instructions, expires_at, ...rest } = body as Record<string, string>;
            expect(verification_token).toMatch(/^vt_[0-9a-f]{64}$/);
            expect(endpoint).toBe(`https://${type}.test`);
            expect(instructions).toContain(`${endpoint}/.well-known/arke-verification`);
            expect(instructions).toContain(`{"verification_token":"${verification_token}","${type}_id":"${id}"}`);
            expect(Date.parse(expires_at ?? '') - s.clock.ms).toBe(3_600_000);
            expect(rest).toEqual({ [`${type}_id`]: id });
          },
        },
        {
          name: 'asks nobody without a token',
          status: 200,
          call: async (s) => ({ path: verify((await made(kind, s)).id), body: { confirm: true } }),
          body: { verified: false, error: 'no_token' },
        },
        {
          name: 'says what came of asking',
          status: 200,
          call: async (s) => {
            const { id } = await made(kind, s, { endpoint: 'http://127.0.0.1:9' });
            ok(await ask(s.node, s.owner, `POST ${verify(id)}`, {}));
            return { path: verify(id), body: { confirm: true } };
          },
          body: { verified: false, error: 'fetch_failed' },
        },
        {
          name: 'a confirmation that is none',
          status: 400,
          call: () => ({ path: verify(nowhere), body: { confirm: 'yes' } }),
          body: invalid(['confirm'], 'must be true or false'),
        },
        ...refusals(kind, verify, {}),
        ofDeleted(kind, verify, {}),
      ],
    },
  ];
}
