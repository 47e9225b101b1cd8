import { expect } from 'vitest';
import { jwtOf, processor, service } from '../../helpers/callers.ts';
import { unauthorized } from '../../helpers/entities.ts';
import type { Case, Row } from '../row.ts';

export const authRows: Row[] = [
  {
    route: 'POST /auth/register',
    auth: 'jwt-only',
    action: 'user:create',
    wire: '200 201 401 403',
    cases: [
      {
        name: 'registers',
        status: 201,
        call: async (s) => ({ path: '/auth/register', as: await jwtOf('newcomer', s.clock.ms) }),
        also: ({ body }) =>
          expect(body).toEqual({
            created: true,
            user: {
              id: expect.any(String),
              cid: expect.any(String),
              ver: 1,
              properties: { label: 'newcomer', name: 'newcomer' },
            },
          }),
      },
      {
        name: 'is repeated',
        status: 200,
        call: async (s) => ({ path: '/auth/register', as: await jwtOf('newcomer', s.clock.ms) }),
        body: { created: false, user: { ver: 1 } },
      },
      { name: 'nobody', status: 401, call: (s) => ({ path: '/auth/register', as: s.anonymous }), body: unauthorized },
      { name: 'an API key', status: 401, call: (s) => ({ path: '/auth/register', as: s.owner }), body: unauthorized },
      {
        name: 'a service account',
        status: 403,
        call: async (s) => ({ path: '/auth/register', as: await jwtOf('svc', s.clock.ms, { role: 'service' }) }),
        body: { error: 'Only users can register' },
      },
    ],
  },
  {
    route: 'GET /auth/whoami',
    auth: 'required',
    action: null,
    wire: '200 401',
    cases: [
      {
        name: 'a key of a user',
        status: 200,
        call: () => ({ path: '/auth/whoami' }),
        also: ({ body }, _call, s) =>
          expect(body).toEqual({
            type: 'user',
            id: s.owner.id,
            auth_method: 'api_key',
            key_prefix: s.owner.headers.Authorization?.slice(7, 19),
          }),
      },
      {
        name: 'a JWT',
        status: 200,
        call: async (s) => ({ path: '/auth/whoami', as: await jwtOf('owner', s.clock.ms) }),
        also: ({ body }, _call, s) =>
          expect(body).toEqual({
            type: 'user',
            id: s.owner.id,
            auth_method: 'jwt',
            email: 'owner@idp.test',
            name: 'owner',
            idp_user_id: 'owner',
            supabase_user_id: 'owner',
          }),
      },
      {
        name: 'a key of a service account',
        status: 200,
        call: (s) => ({ path: '/auth/whoami', as: service(s.node) }),
        also: ({ body }, { as }) =>
          expect(body).toEqual({
            ...{ type: 'user', service: true, id: as?.id, auth_method: 'api_key' },
            key_prefix: as?.headers.Authorization?.slice(7, 19),
          }),
      },
      ...(['agent', 'klados'] as const).map(
        (processor_type): Case => ({
          name: `a key of a processor: ${processor_type}`,
          status: 200,
          call: (s) => ({ path: '/auth/whoami', as: processor(s.node, s.newId(), s.owner, processor_type) }),
          also: ({ body }, { as }, s) =>
            expect(body).toEqual({
              type: 'agent',
              processor_type,
              id: as?.id,
              auth_method: 'api_key',
              owner_id: s.owner.id,
              key_prefix: as?.headers.Authorization?.slice(7, 19),
            }),
        }),
      ),
    ],
  },
];
