import { expect } from 'vitest';
import { invalid, notFound, nowhere, onTest } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { fresh, goneCollection, notACollection } from './collections.ts';
import { idMessage, noId, otherNetwork, placed, unknown } from './common.ts';

const lookUp = (id: string) => `/collections/${id}/entities/lookup?label=a`;
const search = (id: string) => `/collections/${id}/entities/search?q=a`;

/** What finds collections, and entities in them. */
export const findRows: Row[] = [
  {
    route: 'GET /collections/catalog',
    auth: 'none',
    action: 'catalog:list',
    wire: '200',
    cases: [
      {
        name: 'lists every collection',
        status: 200,
        call: async (s) => ({ path: '/collections/catalog?limit=1000', known: await fresh(s) }),
        also: ({ body }, { known }, s) => {
          const { data, pagination } = body as { data: { id: string }[]; pagination: object };
          const { id, created_at: updated_at } = known as { id: string; created_at: string };
          expect(data).toContainEqual({ id, updated_at });
          expect(data.map((one) => one.id)).toContain(s.collection.id);
          expect(pagination).toEqual({ total: data.length, limit: 1000, offset: 0, has_more: false });
        },
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: () => ({ path: '/collections/catalog?limit=1001' }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
    ],
  },
  {
    route: 'GET /collections/{id}/entities/lookup',
    auth: 'optional',
    action: 'collection:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'finds a label and a type',
        status: 200,
        call: async (s) => {
          const known = await placed(s, { type: 'letter', properties: { label: 'To Ada' } });
          return { path: `/collections/${s.collection.id}/entities/lookup?label=TO%20ADA&type=Letter`, known };
        },
        also: ({ body }, { known }, s) => {
          const { id, created_at } = known as { id: string; created_at: string };
          const found = { id, type: 'letter', label: 'To Ada', created_at, updated_at: created_at };
          expect(body).toEqual({ collection_id: s.collection.id, entities: [found], count: 1 });
        },
      },
      {
        name: 'neither label nor type',
        status: 400,
        call: (s) => ({ path: `/collections/${s.collection.id}/entities/lookup` }),
        body: invalid(['label'], 'is required where no `type` is given'),
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: (s) => ({ path: `${lookUp(s.collection.id)}&limit=1001` }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
      noId(lookUp),
      otherNetwork(lookUp),
      unknown(lookUp),
      notACollection(lookUp),
      goneCollection(lookUp),
    ],
  },
  {
    route: 'GET /collections/{id}/entities/search',
    auth: 'optional',
    action: 'collection:view',
    wire: '200 403 404 503',
    cases: [
      {
        name: 'finds a part of a label',
        status: 200,
        call: async (s) => {
          const known = await placed(s, { properties: { label: 'The difference engine' } });
          return { path: `/collections/${s.collection.id}/entities/search?q=FERENCE`, known };
        },
        also: ({ body }, { known }, s) => {
          const { id, created_at } = known as { id: string; created_at: string };
          const facts = { type: 'document', label: 'The difference engine', created_at, updated_at: created_at };
          expect(body).toEqual({
            collection_id: s.collection.id,
            query: 'FERENCE',
            entities: expect.arrayContaining([{ id, ...facts }]),
            count: (body as { entities: unknown[] }).entities.length,
          });
        },
      },
      {
        name: 'finds what is similar',
        status: 200,
        call: async (s) => {
          const { id } = await placed(s, { properties: { label: 'An analytical engine' } });
          return { path: `/collections/${s.collection.id}/entities/search?similar_to=${id}`, known: id };
        },
        also: ({ body }, { known }, s) => {
          const { entities, count, ...rest } = body as { entities: { id: string }[]; count: number };
          expect(rest).toEqual({ collection_id: s.collection.id, similar_to: known });
          expect(entities.map(({ id }) => id)).not.toContain(known);
          expect(count).toBe(entities.length);
        },
      },
      {
        name: 'something similar to what is not here',
        status: 404,
        call: (s) => ({ path: `/collections/${s.collection.id}/entities/search?similar_to=${nowhere}` }),
        body: notFound,
      },
      ...['', '?q=a&similar_to=01J00000000000000000000000'].map((query) => ({
        name: `neither or both: ${query}`,
        status: 400,
        call: (s: { collection: { id: string } }) => ({
          path: `/collections/${s.collection.id}/entities/search${query}`,
        }),
        body: invalid(['q'], 'give either `q` or `similar_to`'),
      })),
      {
        name: 'an empty part',
        status: 400,
        call: (s) => ({ path: `/collections/${s.collection.id}/entities/search?q=` }),
        body: invalid(['q'], 'must have at least 1 character'),
      },
      {
        name: 'something similar to what is no entity',
        status: 400,
        call: (s) => ({ path: `/collections/${s.collection.id}/entities/search?similar_to=x` }),
        body: invalid(['similar_to'], idMessage),
      },
      {
        name: 'something similar on the other network',
        status: 400,
        call: (s) => ({ path: `/collections/${s.collection.id}/entities/search?similar_to=${onTest}` }),
        body: invalid(['similar_to'], 'is not an id of the main network'),
      },
      noId(search),
      otherNetwork(search),
      unknown(search),
      notACollection(search),
      goneCollection(search),
    ],
  },
  {
    route: 'GET /users/my/collections',
    auth: 'required',
    action: 'user:view',
    wire: '200 401',
    cases: [
      {
        name: "lists the caller's roles",
        status: 200,
        call: (s) => ({ path: '/users/my/collections', as: s.editor }),
        also: ({ body }, _call, s) =>
          expect(body).toEqual({
            collections: [
              {
                collection_id: s.collection.id,
                roles: ['editor'],
                label: 'a collection',
                granted_at: new Date(Date.UTC(2026, 0, 1)).toISOString(),
              },
            ],
            pagination: { offset: 0, limit: 100, count: 1, has_more: false, total: 1 },
          }),
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: () => ({ path: '/users/my/collections?limit=1001' }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
    ],
  },
];
