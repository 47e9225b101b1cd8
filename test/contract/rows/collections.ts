import { expect } from 'vitest';
import { processor } from '../../helpers/callers.ts';
import { collection, create, type Entity, invalid, notFound, nowhere, onTest, remove } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, denied, gone, idMessage, noId, otherNetwork, placed, stale, unknown } from './common.ts';

const one = (id: string) => `/collections/${id}`;
const root = (id: string) => `/collections/${id}/root`;
const entities = (id: string) => `/collections/${id}/entities`;
/** A collection that a case may change. */
export const fresh = (s: Scene): Promise<Entity> => collection(s.node, s.owner);

export const notACollection = (path: (id: string) => string, body?: object): Case => ({
  name: 'an entity that is no collection',
  status: 404,
  call: async (s) => ({ path: path((await placed(s)).id), body }),
  body: notFound,
});

export const goneCollection = (path: (id: string) => string): Case => ({
  ...gone(path),
  call: async (s) => {
    const grave = await remove(s.node, s.owner, await fresh(s));
    return { path: path(grave.id), known: grave };
  },
});

const isDeleted = (path: (id: string) => string, body: object = {}): Case => ({
  name: 'a deleted collection',
  status: 400,
  call: async (s) => {
    const grave = await remove(s.node, s.owner, await fresh(s));
    return { path: path(grave.id), body: { expect_tip: grave.cid, ...body } };
  },
  body: invalid(['id'], 'the entity is deleted'),
});

export const collectionRows: Row[] = [
  {
    route: 'POST /collections',
    auth: 'required',
    action: 'collection:create',
    wire: '201 400 401 403',
    cases: [
      {
        name: 'creates; the creator owns it',
        status: 201,
        call: () => ({
          path: '/collections',
          body: { label: 'l', description: 'd', roles: { reader: ['file:view'] } },
        }),
        body: (_call, s) => ({
          type: 'collection',
          ver: 1,
          properties: { label: 'l', description: 'd' },
          relationships: [{ predicate: 'owner', peer: s.owner.id, peer_type: 'user' }],
          roles: { public: ['*:view'], reader: ['file:view'], viewer: ['*:view'] },
        }),
      },
      {
        name: 'answers an exact replay with what it made',
        status: 200,
        call: async (s) => {
          const body = { label: 'l', id: s.newId() };
          return { path: '/collections', body, known: await collection(s.node, s.owner, body) };
        },
        body: ({ known }) => known as object,
      },
      bad('no label', '/collections', {}, [['label'], 'is required']),
      bad('a long label', '/collections', { label: 'x'.repeat(201) }, [['label'], 'must have at most 200 characters']),
      bad('a long description', '/collections', { label: 'l', description: 'x'.repeat(2001) }, [
        ['description'],
        'must have at most 2000 characters',
      ]),
      bad('an image that is no URI', '/collections', { label: 'l', display_image_url: 'image' }, [
        ['display_image_url'],
        'must be a URI',
      ]),
      bad('an id of the other network', '/collections', { label: 'l', id: onTest }, [
        ['id'],
        'is not an id of the main network',
      ]),
      bad('a role with collection:*', '/collections', { label: 'l', roles: { all: ['collection:*'] } }, [
        ['roles', 'all', 0],
        '`collection:*` is not allowed',
      ]),
      {
        name: 'an id that exists',
        status: 400,
        call: (s) => ({ path: '/collections', body: { label: 'other', id: s.collection.id } }),
        body: (_call, s) => invalid(['id'], `there is an entity ${s.collection.id} already`),
      },
      {
        name: 'a processor',
        status: 403,
        call: (s) => ({ path: '/collections', body: { label: 'l' }, as: processor(s.node, s.newId(), s.owner) }),
        body: { error: 'Only users can create collections' },
      },
    ],
  },
  {
    route: 'GET /collections/{id}',
    auth: 'optional',
    action: 'collection:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          return { path: one(known.id), known };
        },
        body: ({ known }) => known as object,
      },
      noId(one),
      otherNetwork(one),
      unknown(one),
      notACollection(one),
      goneCollection(one),
    ],
  },
  {
    route: 'PUT /collections/{id}',
    auth: 'required',
    action: 'collection:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'updates',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          return { path: one(known.id), body: { expect_tip: known.cid, label: 'new', note: 'n' }, known };
        },
        body: ({ known }) => ({ ver: 2, prev_cid: (known as Entity).cid, properties: { label: 'new' } }),
      },
      bad('no expect_tip', one(nowhere), { label: 'l' }, [['expect_tip'], 'is required']),
      bad('an empty label', one(nowhere), { expect_tip: 'x', label: '' }, [
        ['label'],
        'must have at least 1 character',
      ]),
      noId(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      unknown(one, { expect_tip: 'x' }),
      notACollection(one, { expect_tip: 'x' }),
      denied(
        'collection:update',
        one,
        () => ({ label: 'l' }),
        (s) => s.editor,
        async (s) => s.collection,
      ),
      stale(one, { label: 'l' }, fresh),
      isDeleted(one, { label: 'l' }),
    ],
  },
  {
    route: 'PUT /collections/{id}/root',
    auth: 'required',
    action: 'collection:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'sets the root',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          const { id } = await create(s.node, s.owner, { collection: known.id });
          return { path: root(known.id), body: { expect_tip: known.cid, entity_id: id }, known };
        },
        body: ({ known, body }) => ({
          prev_cid: (known as Entity).cid,
          root_entity_id: (body as { entity_id: string }).entity_id,
        }),
      },
      bad('no entity', root(nowhere), { expect_tip: 'x' }, [['entity_id'], 'is required']),
      bad('an entity that is no id', root(nowhere), { expect_tip: 'x', entity_id: 'e' }, [['entity_id'], idMessage]),
      bad('an entity of the other network', root(nowhere), { expect_tip: 'x', entity_id: onTest }, [
        ['entity_id'],
        'is not an id of the main network',
      ]),
      noId(root, { expect_tip: 'x', entity_id: nowhere }),
      otherNetwork(root, { expect_tip: 'x', entity_id: nowhere }),
      unknown(root, { expect_tip: 'x', entity_id: nowhere }),
      notACollection(root, { expect_tip: 'x', entity_id: nowhere }),
      denied(
        'collection:update',
        root,
        () => ({ entity_id: nowhere }),
        (s) => s.editor,
        async (s) => s.collection,
      ),
      stale(root, { entity_id: nowhere }, fresh),
      isDeleted(root, { entity_id: nowhere }),
      {
        name: 'an entity outside',
        status: 400,
        call: async (s) => {
          const { id, cid } = await fresh(s);
          return { path: root(id), body: { expect_tip: cid, entity_id: (await placed(s)).id } };
        },
        body: invalid(['entity_id'], 'must have a `collection` relationship to the collection'),
      },
    ],
  },
  {
    route: 'GET /collections/{id}/entities',
    auth: 'optional',
    action: 'collection:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'lists newest first, a page at a time',
        status: 200,
        call: async (s) => {
          const known = await fresh(s);
          const make = (type: string) => {
            s.clock.ms += 1000;
            return create(s.node, s.owner, { type, collection: known.id });
          };
          const all = [await make('a'), await make('b'), await make('a')];
          return { path: `${entities(known.id)}?type=a&limit=1`, known: [known, all[2]] };
        },
        also: ({ body }, { known }) => {
          const [inside, newest] = known as [Entity, Entity];
          expect(body).toEqual({
            collection_id: inside.id,
            entities: [
              {
                pi: newest.id,
                id: newest.id,
                type: 'a',
                label: '',
                created_at: newest.created_at,
                updated_at: newest.created_at,
              },
            ],
            pagination: { offset: 0, limit: 1, count: 1, has_more: true },
          });
        },
      },
      {
        name: 'with expansion at most 100',
        status: 200,
        call: (s) => ({ path: `${entities(s.collection.id)}?expand=preview&limit=10000` }),
        body: { pagination: { limit: 100 } },
      },
      {
        name: 'with whole entities',
        status: 200,
        call: async (s) => {
          s.clock.ms += 1000;
          const known = await placed(s);
          return { path: `${entities(s.collection.id)}?expand=full&limit=1`, known };
        },
        body: ({ known }) => ({ entities: [{ entity: known }] }),
      },
      {
        name: 'a limit of 10001',
        status: 400,
        call: (s) => ({ path: `${entities(s.collection.id)}?limit=10001` }),
        body: invalid(['limit'], 'must be at most 10000'),
      },
      {
        name: 'an unknown expansion',
        status: 400,
        call: (s) => ({ path: `${entities(s.collection.id)}?expand=all` }),
        body: invalid(['expand'], 'must be "preview", or must be "full"'),
      },
      noId(entities),
      otherNetwork(entities),
      unknown(entities),
      notACollection(entities),
      goneCollection(entities),
    ],
  },
];
