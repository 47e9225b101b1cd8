import { expect } from 'vitest';
import { ask, processor } from '../../helpers/callers.ts';
import { type Entity, enrol, invalid, lacking, nowhere, ok, onTest } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { fresh, goneCollection, notACollection } from './collections.ts';
import { bad, idMessage, noId, otherNetwork, unknown } from './common.ts';

const roles = (id: string) => `/collections/${id}/roles`;
const role = (name: string) => (id: string) => `${roles(id)}/${name}`;
const members = (id: string) => `/collections/${id}/members`;
const member = (who: string, held: string) => (id: string) => `${members(id)}/${who}?role=${held}`;

/** What every change of roles and members refuses. */
function refusals(path: (id: string) => string, body?: object): Case[] {
  return [
    noId(path, body),
    otherNetwork(path, body),
    unknown(path, body),
    notACollection(path, body),
    {
      name: 'somebody without collection:manage',
      status: 403,
      call: (s) => ({ path: path(s.collection.id), body, as: s.editor }),
      body: { error: 'Action not allowed: collection:manage' },
    },
    {
      name: 'a processor',
      status: 403,
      call: (s) => ({ path: path(s.collection.id), body, as: processor(s.node, s.newId(), s.owner) }),
      body: { error: expect.stringMatching(/^Only users can /) },
    },
  ];
}

const version = ({ known }: { known?: unknown }, ver: number) => {
  const { id, cid } = known as Entity;
  return { id, prev_cid: cid, ver };
};

async function withRole(s: Scene): Promise<Entity> {
  const { id } = await fresh(s);
  return ok(await ask(s.node, s.owner, `POST ${roles(id)}`, { role: 'reader', actions: ['file:view'] }));
}

export const memberRows: Row[] = [
  {
    route: 'POST /collections/{id}/roles',
    auth: 'required',
    action: 'collection:manage',
    wire: '201 400 401 403 404',
    cases: [
      {
        name: 'adds a role',
        status: 201,
        call: async (s) => {
          const known = await fresh(s);
          return { path: roles(known.id), body: { role: 'reader', actions: ['file:*'] }, known };
        },
        body: (call) => ({ ...version(call, 2), roles: { reader: ['file:*'], public: ['*:view'] } }),
      },
      bad('no actions', roles(nowhere), { role: 'reader', actions: [] }, [['actions'], 'must have at least 1 item']),
      bad('an action that is none', roles(nowhere), { role: 'reader', actions: ['file:fly'] }, [
        ['actions', 0],
        'is no action',
      ]),
      bad('a long name', roles(nowhere), { role: 'x'.repeat(51), actions: ['file:view'] }, [
        ['role'],
        'must have at most 50 characters',
      ]),
      bad('a reserved name', roles(nowhere), { role: 'contains', actions: ['file:view'] }, [
        ['role'],
        "`contains` can't be the name of a role",
      ]),
      {
        name: 'a role that is there',
        status: 400,
        call: async (s) => ({ path: roles((await fresh(s)).id), body: { role: 'editor', actions: ['file:view'] } }),
        body: invalid(['role'], 'there is a role editor already'),
      },
      ...refusals(roles, { role: 'reader', actions: ['file:view'] }),
    ],
  },
  {
    route: 'PUT /collections/{id}/roles/{role}',
    auth: 'required',
    action: 'collection:manage',
    wire: '200 400 401 403 404',
    cases: [
      {
        name: 'replaces the actions',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          return { path: role('viewer')(known.id), body: { actions: ['file:view'] }, known };
        },
        body: (call) => ({ ...version(call, 2), roles: { viewer: ['file:view'] } }),
      },
      {
        name: 'keeps *:view in public',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          return { path: role('public')(known.id), body: { actions: ['file:create'] }, known };
        },
        body: { roles: { public: ['file:create', '*:view'] } },
      },
      bad('no actions', role('viewer')(nowhere), {}, [['actions'], 'is required']),
      {
        name: 'an unknown role',
        status: 404,
        call: (s) => ({ path: role('reader')(s.collection.id), body: { actions: ['file:view'] } }),
        body: lacking('There is no such role'),
      },
      ...refusals(role('viewer'), { actions: ['file:view'] }),
    ],
  },
  {
    route: 'DELETE /collections/{id}/roles/{role}',
    auth: 'required',
    action: 'collection:manage',
    wire: '200 401 403 404',
    cases: [
      {
        name: 'removes a role',
        status: 200,
        call: async (s) => {
          const known = await withRole(s);
          return { path: role('reader')(known.id), known };
        },
        body: (call) => version(call, 3),
        also: ({ body }) => expect(body).not.toHaveProperty('roles.reader'),
      },
      {
        name: 'public',
        status: 400,
        call: (s) => ({ path: role('public')(s.collection.id) }),
        body: invalid(['role'], 'the public role must stay'),
      },
      {
        name: 'an unknown role',
        status: 404,
        call: (s) => ({ path: role('reader')(s.collection.id) }),
        body: lacking('There is no such role'),
      },
      ...refusals(role('viewer')),
    ],
  },
  {
    route: 'GET /collections/{id}/members',
    auth: 'optional',
    action: 'collection:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'lists who holds what',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          await enrol(s.node, s.owner, known.id, s.viewer, 'viewer', 60);
          return { path: members(known.id), known };
        },
        also: ({ body }, { known }, s) => {
          const granted = { granted_at: new Date(s.clock.ms).toISOString(), granted_by: s.owner.id, is_expired: false };
          expect(body).toEqual({
            collection_id: (known as Entity).id,
            members: [
              { userId: s.owner.id, role: 'owner', userLabel: 'owner', ...granted },
              {
                userId: s.viewer.id,
                role: 'viewer',
                userLabel: 'viewer',
                expires_at: new Date(s.clock.ms + 60_000).toISOString(),
                ...granted,
              },
            ],
            groups: [],
            wildcards: [],
          });
        },
      },
      {
        name: 'an answer that is neither true nor false',
        status: 400,
        call: (s) => ({ path: `${members(s.collection.id)}?include_expired=yes` }),
        body: invalid(['include_expired'], 'must be "true", or must be "false"'),
      },
      noId(members),
      otherNetwork(members),
      unknown(members),
      notACollection(members),
      goneCollection(members),
    ],
  },
  {
    route: 'POST /collections/{id}/members',
    auth: 'required',
    action: 'collection:manage',
    wire: '201 400 401 403 404',
    cases: [
      {
        name: 'adds a member for a minute',
        status: 201,
        call: async (s) => {
          const known = await fresh(s);
          return { path: members(known.id), body: { user_id: s.stranger.id, role: 'editor', expires_in: 60 }, known };
        },
        body: (call, s) => ({
          ...version(call, 2),
          member_added: {
            user_id: s.stranger.id,
            role: 'editor',
            expires_at: new Date(s.clock.ms + 60_000).toISOString(),
            granted_at: new Date(s.clock.ms).toISOString(),
            granted_by: s.owner.id,
          },
        }),
      },
      bad('no role', members(nowhere), { user_id: nowhere }, [['role'], 'is required']),
      bad('a user that is no id', members(nowhere), { user_id: 'u', role: 'editor' }, [['user_id'], idMessage]),
      bad('a user of the other network', members(nowhere), { user_id: onTest, role: 'editor' }, [
        ['user_id'],
        'is not an id of the main network',
      ]),
      {
        name: 'an unknown role',
        status: 400,
        call: (s) => ({ path: members(s.collection.id), body: { user_id: s.stranger.id, role: 'reader' } }),
        body: invalid(['role'], 'there is no role reader'),
      },
      {
        name: 'an unknown user',
        status: 400,
        call: (s) => ({ path: members(s.collection.id), body: { user_id: nowhere, role: 'viewer' } }),
        body: invalid(['user_id'], `there is no user ${nowhere}`),
      },
      ...refusals(members, { user_id: nowhere, role: 'viewer' }),
    ],
  },
  {
    route: 'DELETE /collections/{id}/members/{userId}',
    auth: 'required',
    action: 'collection:manage',
    wire: '200 400 401 403 404',
    cases: [
      {
        name: 'removes a member',
        status: 200,
        call: async (s) => {
          const { id } = await fresh(s);
          const known = await enrol(s.node, s.owner, id, s.viewer, 'viewer');
          return { path: member(s.viewer.id, 'viewer')(id), known };
        },
        body: (call, s) => ({ ...version(call, 3), member_removed: { user_id: s.viewer.id, role: 'viewer' } }),
      },
      {
        name: 'no role',
        status: 400,
        call: (s) => ({ path: `${members(s.collection.id)}/${s.viewer.id}` }),
        body: invalid(['role'], 'is required'),
      },
      {
        name: 'the last owner',
        status: 400,
        call: (s) => ({ path: member(s.owner.id, 'owner')(s.collection.id) }),
        body: invalid(['userId'], 'the last owner of a collection cannot be removed'),
      },
      {
        name: 'nobody with that role',
        status: 404,
        call: (s) => ({ path: member(s.viewer.id, 'editor')(s.collection.id) }),
        body: lacking('There is no member with that role'),
      },
      ...refusals(member(nowhere, 'viewer')),
    ],
  },
];
