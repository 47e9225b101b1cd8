import { expect } from 'vitest';
import { type Entity, invalid, notFound, nowhere, onTest, remove } from '../../helpers/entities.ts';
import { folder } from '../../helpers/folders.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, denied, gone, noId, otherNetwork, placed, stale, unknown } from './common.ts';

const one = (id: string) => `/folders/${id}`;
/** A folder that a case may change. */
export const fresh = (s: Scene, body: object = {}): Promise<Entity> =>
  folder(s.node, s.owner, { collection: s.collection.id, ...body });

export const notAFolder = (path: (id: string) => string, body?: object): Case => ({
  name: 'an entity that is no folder',
  status: 404,
  call: async (s) => ({ path: path((await placed(s)).id), body }),
  body: notFound,
});

const goneFolder = (path: (id: string) => string): Case => ({
  ...gone(path),
  call: async (s) => {
    const grave = await remove(s.node, s.owner, await fresh(s));
    return { path: path(grave.id), known: grave };
  },
});

const profile = { description: 'd', rich_description: '# d', metadata: { a: { b: 1 } } };

export const folderRows: Row[] = [
  {
    route: 'POST /folders',
    auth: 'required',
    action: 'folder:create',
    wire: '201 400 401',
    cases: [
      {
        name: 'creates',
        status: 201,
        call: (s) => ({
          path: '/folders',
          body: { label: 'l', ...profile, properties: { shelf: 3 }, collection: s.collection.id, note: 'n' },
        }),
        body: (_call, s) => ({
          type: 'folder',
          ver: 1,
          properties: { label: 'l', ...profile, shelf: 3 },
          relationships: [{ predicate: 'collection', peer: s.collection.id, peer_type: 'collection' }],
        }),
      },
      {
        name: 'creates in a parent, which contains it then',
        status: 201,
        call: async (s) => {
          const parent = await fresh(s);
          return { path: '/folders', body: { label: 'l', parent: parent.id }, known: parent };
        },
        also: async ({ body }, { known }, s) => {
          const [{ id, relationships }, parent] = [body as Entity, known as Entity];
          expect(relationships).toEqual([
            { predicate: 'collection', peer: s.collection.id, peer_type: 'collection' },
            { predicate: 'in', peer: parent.id, peer_type: 'folder', peer_label: 'a folder' },
          ]);
          const { body: holder } = await s.node.fetch(one(parent.id));
          expect((holder as Entity).relationships.at(-1)).toEqual({
            ...{ predicate: 'contains', peer: id, peer_type: 'folder', peer_label: 'l' },
          });
        },
      },
      bad('no label', '/folders', {}, [['label'], 'is required']),
      bad('an empty label', '/folders', { label: '' }, [['label'], 'must have at least 1 character']),
      bad('metadata that is no object', '/folders', { label: 'l', metadata: [] }, [['metadata'], 'must be an object']),
      bad('a parent that is not there', '/folders', { label: 'l', parent: nowhere }, [
        ['parent'],
        `there is no folder or collection ${nowhere}`,
      ]),
      bad('a parent on the other network', '/folders', { label: 'l', parent: onTest }, [
        ['parent'],
        'is not an id of the main network',
      ]),
      bad('a collection that is not there', '/folders', { label: 'l', collection: nowhere }, [
        ['collection'],
        `there is no collection ${nowhere}`,
      ]),
      {
        name: 'a parent that is a document',
        status: 400,
        call: async (s) => ({ path: '/folders', body: { label: 'l', parent: (await placed(s)).id } }),
        body: ({ body }) => {
          const { parent } = body as { parent: string };
          return invalid(['parent'], `there is no folder or collection ${parent}`);
        },
      },
      {
        name: 'somebody without folder:create',
        status: 403,
        call: (s) => ({ path: '/folders', body: { label: 'l', collection: s.collection.id }, as: s.viewer }),
        body: { error: 'Action not allowed: folder:create' },
      },
      {
        name: 'somebody without folder:update on the parent',
        status: 403,
        call: async (s) => ({ path: '/folders', body: { label: 'l', parent: (await fresh(s)).id }, as: s.viewer }),
        body: { error: 'Action not allowed: folder:update' },
      },
    ],
  },
  {
    route: 'GET /folders/{id}',
    auth: 'optional',
    action: 'folder:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: async (s) => {
          const made = await fresh(s);
          return { path: one(made.id), known: made };
        },
        body: ({ known }) => known as object,
      },
      noId(one),
      otherNetwork(one),
      unknown(one),
      notAFolder(one),
      goneFolder(one),
    ],
  },
  {
    route: 'PUT /folders/{id}',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'merges properties and metadata',
        status: 200,
        call: async (s) => {
          const made = await fresh(s, profile);
          const change = { label: 'new', metadata: { a: { c: 2 } }, properties: { shelf: 4 } };
          return { path: one(made.id), body: { expect_tip: made.cid, ...change }, known: made };
        },
        body: ({ known }) => ({
          ver: 2,
          prev_cid: (known as Entity).cid,
          properties: { label: 'new', ...profile, metadata: { a: { b: 1, c: 2 } }, shelf: 4 },
        }),
      },
      {
        name: 'the label is taken away',
        status: 400,
        call: async (s) => {
          const { id, cid } = await fresh(s);
          return { path: one(id), body: { expect_tip: cid, properties_remove: ['label'] } };
        },
        body: invalid(['properties', 'label'], 'a folder has a label: text that is not empty'),
      },
      {
        name: 'an empty label',
        status: 400,
        call: async (s) => {
          const { id, cid } = await fresh(s);
          return { path: one(id), body: { expect_tip: cid, label: '' } };
        },
        body: invalid(['label'], 'must have at least 1 character'),
      },
      {
        name: 'a deleted folder',
        status: 400,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await fresh(s));
          return { path: one(grave.id), body: { expect_tip: grave.cid } };
        },
        body: invalid(['id'], 'the entity is deleted'),
      },
      denied(
        'folder:update',
        one,
        () => ({}),
        (s) => s.viewer,
        fresh,
      ),
      unknown(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      notAFolder(one, { expect_tip: 'x' }),
      stale(one, {}, fresh),
    ],
  },
];
