import { expect } from 'vitest';
import { ask, processor } from '../../helpers/callers.ts';
import { create, invalid, lacking, notFound, nowhere, ok, read } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, denied, noId, otherNetwork, stale, unknown } from './common.ts';

const one = (id: string) => `/users/${id}`;
const collections = (id: string) => `/users/${id}/collections`;
const owner = (s: Scene) => read(s.node, s.owner, s.owner.id);

const notAUser = (path: (id: string) => string, body?: object): Case => ({
  name: 'an entity that is no user',
  status: 404,
  call: async (s) => ({ path: path((await create(s.node, s.owner)).id), body }),
  body: notFound,
});

const onlyUsers = (method: 'keys', path: string, body?: object): Case => ({
  name: `a processor's ${method}`,
  status: 403,
  call: (s) => ({ path, body, as: processor(s.node, s.newId(), s.owner) }),
  body: { error: 'Only users can manage API keys' },
});

export const userRows: Row[] = [
  {
    route: 'GET /users/me',
    auth: 'required',
    action: 'user:view',
    wire: '200 401',
    cases: [
      {
        name: 'is the caller',
        status: 200,
        call: () => ({ path: '/users/me' }),
        body: (_call, s) => ({ id: s.owner.id, type: 'user', properties: { label: 'owner', name: 'owner' } }),
      },
    ],
  },
  {
    route: 'GET /users/{id}',
    auth: 'optional',
    action: 'user:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: (s) => ({ path: one(s.viewer.id) }),
        body: (_call, s) => ({ id: s.viewer.id, type: 'user' }),
      },
      noId(one),
      otherNetwork(one),
      unknown(one),
      notAUser(one),
    ],
  },
  {
    route: 'PUT /users/{id}',
    auth: 'required',
    action: 'user:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'updates the caller',
        status: 200,
        call: async (s) => {
          const known = await owner(s);
          return { path: one(known.id), body: { expect_tip: known.cid, label: 'owner', note: 'n' }, known };
        },
        body: ({ known }) => ({ prev_cid: (known as { cid: string }).cid, properties: { label: 'owner' } }),
      },
      bad('no expect_tip', one(nowhere), {}, [['expect_tip'], 'is required']),
      bad('an empty label', one(nowhere), { expect_tip: 'x', label: '' }, [
        ['label'],
        'must have at least 1 character',
      ]),
      noId(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      unknown(one, { expect_tip: 'x' }),
      notAUser(one, { expect_tip: 'x' }),
      denied('user:update', one, undefined, (s) => s.stranger, owner),
      stale(one, {}, owner),
    ],
  },
  {
    route: 'GET /users/me/keys',
    auth: 'required',
    action: 'user:credentials',
    wire: '200 401',
    cases: [
      {
        name: 'lists without secrets',
        status: 200,
        call: () => ({ path: '/users/me/keys' }),
        body: { keys: [{ label: null, expires_at: null }] },
        also: ({ text }, _call, s) => expect(text).not.toContain(s.owner.headers.Authorization?.slice(7)),
      },
      onlyUsers('keys', '/users/me/keys'),
    ],
  },
  {
    route: 'POST /users/me/keys',
    auth: 'required',
    action: 'user:credentials',
    wire: '201 401',
    cases: [
      {
        name: 'makes a key for 90 days',
        status: 201,
        call: () => ({ path: '/users/me/keys', body: { label: 'l' } }),
        also: async ({ body }, _call, s) => {
          const { key, key_prefix, expires_at } = body as { key: string; key_prefix: string; expires_at: string };
          expect(key).toMatch(/^uk_[0-9a-f]{32}$/);
          expect(key.startsWith(key_prefix)).toBe(true);
          expect(Date.parse(expires_at) - s.clock.ms).toBe(90 * 24 * 3600 * 1000);
          const who = { id: s.owner.id, headers: { Authorization: `ApiKey ${key}` } };
          expect(ok(await ask(s.node, who, 'GET /users/me'))).toMatchObject({ id: s.owner.id });
          ok(await ask(s.node, s.owner, `DELETE /users/me/keys/${key_prefix}`));
        },
      },
      bad('a long label', '/users/me/keys', { label: 'x'.repeat(101) }, [
        ['label'],
        'must have at most 100 characters',
      ]),
      bad('an expiry beyond a year', '/users/me/keys', { expires_in: 31536001 }, [
        ['expires_in'],
        'must be at most 31536000',
      ]),
      bad('a negative expiry', '/users/me/keys', { expires_in: -1 }, [['expires_in'], 'must be at least 0']),
      onlyUsers('keys', '/users/me/keys', {}),
    ],
  },
  {
    route: 'DELETE /users/me/keys/{prefix}',
    auth: 'required',
    action: 'user:credentials',
    wire: '204 401 404',
    cases: [
      {
        name: 'revokes at once',
        status: 204,
        call: async (s) => {
          const made = await ask(s.node, s.owner, 'POST /users/me/keys', {});
          const known = ok<{ key: string; key_prefix: string }>(made);
          return { path: `/users/me/keys/${known.key_prefix}`, known };
        },
        also: async ({ text, headers }, { known }, s) => {
          expect(text).toBe('');
          expect(headers).not.toHaveProperty('content-type');
          const { key } = known as { key: string };
          const revoked = { id: s.owner.id, headers: { Authorization: `ApiKey ${key}` } };
          expect((await ask(s.node, revoked, 'GET /users/me')).status).toBe(401);
        },
      },
      {
        name: 'a prefix of 3',
        status: 400,
        call: () => ({ path: '/users/me/keys/uk_' }),
        body: invalid(['prefix'], 'must have at least 4 characters'),
      },
      {
        name: 'a prefix of 13',
        status: 400,
        call: () => ({ path: '/users/me/keys/uk_0123456789' }),
        body: invalid(['prefix'], 'must have at most 12 characters'),
      },
      {
        name: 'a prefix of no key',
        status: 404,
        call: () => ({ path: '/users/me/keys/zz_0' }),
        body: lacking('There is no API key with that prefix'),
      },
      onlyUsers('keys', '/users/me/keys/uk_0'),
    ],
  },
  {
    route: 'GET /users/{id}/collections',
    auth: 'optional',
    action: 'user:view',
    wire: '200 401 403 404',
    cases: [
      {
        name: 'lists where a role is held',
        status: 200,
        call: (s) => ({ path: `${collections(s.editor.id)}?predicate=editor&limit=5` }),
        also: ({ body }, _call, s) =>
          expect(body).toEqual({
            user_id: s.editor.id,
            collections: [
              {
                id: s.collection.id,
                pi: s.collection.id,
                label: 'a collection',
                predicate: 'editor',
                created_at: s.collection.created_at,
              },
            ],
            pagination: { offset: 0, limit: 5, count: 1, has_more: false },
          }),
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: (s) => ({ path: `${collections(s.owner.id)}?limit=1001` }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
      noId(collections),
      otherNetwork(collections),
      unknown(collections),
      notAUser(collections),
    ],
  },
];
