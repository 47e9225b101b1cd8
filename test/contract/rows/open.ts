import { expect } from 'vitest';
import { actions, defaultRoles } from '../../../src/server/model/actions.ts';
import { ask } from '../../helpers/callers.ts';
import { invalid } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { placed } from './common.ts';

/** What needs no credentials. */
export const openRows: Row[] = [
  {
    route: 'GET /events',
    auth: 'none',
    action: 'events:list',
    wire: '200',
    cases: [
      {
        name: 'lists newest first',
        status: 200,
        call: async (s) => {
          const [older, newer] = [await placed(s), await placed(s)];
          return { path: '/events?limit=2', known: [newer, older] };
        },
        also: ({ body }, { known }, s) => {
          const ts = new Date(s.clock.ms).toISOString();
          const lines = (known as { id: string; cid: string }[]).map(({ id, cid }) => ({
            id: expect.any(Number),
            pi: id,
            entity_id: id,
            cid,
            ts,
          }));
          const { events } = body as { events: { id: number }[] };
          expect(body).toEqual({ events: lines, has_more: true, cursor: events[1]?.id });
          expect(events[0]?.id).toBeGreaterThan(events[1]?.id ?? 0);
        },
      },
      {
        name: 'an empty page',
        status: 200,
        call: () => ({ path: '/events?cursor=1' }),
        also: ({ body }) => expect(body).toEqual({ events: [], has_more: false, cursor: 0 }),
      },
      {
        name: 'the other network by its query',
        status: 200,
        call: () => ({ path: '/events?network=test' }),
        body: { has_more: false },
      },
      {
        name: 'a cursor of 0',
        status: 400,
        call: () => ({ path: '/events?cursor=0' }),
        body: invalid(['cursor'], 'must be at least 1'),
      },
      {
        name: 'lists oldest first after an event',
        status: 200,
        call: async (s) => {
          const { body } = await ask(s.node, s.owner, 'GET /events?limit=1');
          const since = (body as { cursor: number }).cursor;
          await placed(s);
          await placed(s);
          return { path: `/events?since=${since}&limit=1`, known: since };
        },
        also: ({ body }, { known }) => {
          const next = (known as number) + 1;
          expect(body).toMatchObject({ events: [{ id: next }], has_more: true, cursor: next });
        },
      },
      {
        name: 'from the beginning by the cursor of an empty page',
        status: 200,
        call: () => ({ path: '/events?since=0&limit=1' }),
        also: ({ body }) => expect(body).toMatchObject({ events: [{ id: 1 }], has_more: true, cursor: 1 }),
      },
      {
        name: 'a since of -1',
        status: 400,
        call: () => ({ path: '/events?since=-1' }),
        body: invalid(['since'], 'must be at least 0'),
      },
      {
        name: 'an until of 0',
        status: 400,
        call: () => ({ path: '/events?until=0' }),
        body: invalid(['until'], 'must be at least 1'),
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: () => ({ path: '/events?limit=1001' }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
      {
        name: 'an unknown network',
        status: 400,
        call: () => ({ path: '/events?network=all' }),
        body: invalid(['network'], 'must be "main", or must be "test"'),
      },
    ],
  },
  {
    route: 'GET /permissions',
    auth: 'none',
    action: 'permissions:read',
    wire: '200',
    cases: [
      {
        name: 'describes actions and roles',
        status: 200,
        call: () => ({ path: '/permissions' }),
        body: { actions, default_roles: defaultRoles, type_hierarchy: { base_type: 'entity' } },
      },
    ],
  },
  {
    route: 'GET /health',
    auth: 'none',
    action: null,
    wire: '200',
    cases: [{ name: 'answers', status: 200, call: () => ({ path: '/health' }), body: { status: 'ok' } }],
  },
  {
    route: 'GET /.well-known/archeion',
    auth: 'none',
    action: null,
    wire: '200',
    cases: [
      {
        name: 'names the node',
        status: 200,
        call: () => ({ path: '/.well-known/archeion' }),
        also: ({ body }, _call, s) => expect(body).toMatchObject({ instance: s.node.ctx.instance }),
      },
    ],
  },
  {
    route: 'GET /openapi.json',
    auth: 'none',
    action: null,
    wire: '200',
    cases: [
      { name: 'is the document', status: 200, call: () => ({ path: '/openapi.json' }), body: { openapi: '3.0.0' } },
    ],
  },
  {
    route: 'GET /ops-reference',
    auth: 'none',
    action: null,
    wire: '200',
    cases: [
      {
        name: 'is a text',
        status: 200,
        call: () => ({ path: '/ops-reference' }),
        also: ({ headers, text }) => {
          expect(headers['content-type']).toBe('text/plain; charset=utf-8');
          expect(text).toContain('\nPOST /entities [key] ');
        },
      },
    ],
  },
];
