import { expect } from 'vitest';
import { invalid, notFound, nowhere, remove, update } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { gone, noId, otherNetwork, placed, unknown, unknownCid } from './common.ts';

const below = (name: string) => (id: string) => `/entities/${id}/${name}`;
const tip = below('tip');
const preview = below('preview');
const diff = below('diff');
const permissions = below('permissions');

export const entityReadRows: Row[] = [
  {
    route: 'GET /entities/{id}/preview',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'shows the short form',
        status: 200,
        call: async (s) => {
          const known = await placed(s, { properties: { label: 'L', description: 'd'.repeat(201), text: 't' } });
          return { path: preview(known.id), known };
        },
        also: ({ body }, { known }, s) => {
          const { id, created_at } = known as { id: string; created_at: string };
          expect(body).toEqual({
            id,
            type: 'document',
            label: 'L',
            collection_id: s.collection.id,
            collection_pi: s.collection.id,
            description_preview: `${'d'.repeat(200)}...`,
            text_preview: 't',
            created_at,
            updated_at: created_at,
          });
        },
      },
      noId(preview),
      otherNetwork(preview),
      unknown(preview),
      gone(preview),
    ],
  },
  {
    route: 'GET /entities/{id}/tip',
    auth: 'none',
    action: 'entity:tip',
    wire: '200 404',
    cases: [
      {
        name: 'names the newest version',
        status: 200,
        call: async (s) => {
          const { id, cid } = await placed(s);
          return { path: tip(id), known: { id, cid } };
        },
        also: ({ body }, { known }) => expect(body).toEqual(known),
      },
      {
        name: 'answers for a deleted entity',
        status: 200,
        call: async (s) => {
          const { id, cid } = await remove(s.node, s.owner, await placed(s));
          return { path: tip(id), known: { id, cid } };
        },
        also: ({ body }, { known }) => expect(body).toEqual(known),
      },
      noId(tip),
      otherNetwork(tip),
      unknown(tip),
    ],
  },
  {
    route: 'GET /entities/{id}/permissions',
    auth: 'required',
    action: 'entity:view',
    wire: '200 401 403 404',
    cases: [
      {
        name: 'lists what the caller may do',
        status: 200,
        call: async (s) => ({ path: permissions((await placed(s)).id), as: s.editor }),
        also: ({ body }, { path }, s) => {
          expect(body).toEqual({
            entity_id: path.split('/')[2],
            entity_type: 'document',
            allowed_actions: ['create', 'delete', 'restore', 'tip', 'update', 'view'].map((verb) => `entity:${verb}`),
            resolution: { method: 'collection', collection_id: s.collection.id, role: 'editor' },
          });
        },
      },
      noId(permissions),
      otherNetwork(permissions),
      unknown(permissions),
      gone(permissions),
    ],
  },
  {
    route: 'GET /entities/{id}/diff',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 400 403 404',
    cases: [
      {
        name: 'compares the tip with the version before',
        status: 200,
        call: async (s) => {
          const first = await placed(s, { properties: { a: 1, b: 1 } });
          const second = await update(s.node, s.owner, first, { properties: { b: 2 } });
          return { path: diff(first.id), known: [first.cid, second.cid] };
        },
        body: ({ known }) => ({
          from: { cid: (known as string[])[0], ver: 1 },
          to: { cid: (known as string[])[1], ver: 2 },
          format: 'semantic',
          changes: { properties: { added: {}, removed: {}, changed: { b: { from: 1, to: 2 } } } },
        }),
      },
      {
        name: 'compares as a patch',
        status: 200,
        call: async (s) => {
          const first = await placed(s, { properties: { b: 1 } });
          await update(s.node, s.owner, first, { properties: { b: 2 } });
          return { path: `${diff(first.id)}?format=patch` };
        },
        body: { format: 'patch', patch: [{ op: 'replace', path: '/properties/b', value: 2 }] },
      },
      {
        name: 'an unknown format',
        status: 400,
        call: () => ({ path: `${diff(nowhere)}?format=xml` }),
        body: invalid(['format'], 'must be "semantic", or must be "patch"'),
      },
      {
        name: 'a version that is no CID',
        status: 400,
        call: async (s) => ({ path: `${diff((await placed(s)).id)}?to=none` }),
        body: invalid(['to'], 'is no CID'),
      },
      {
        name: 'a version of another entity',
        status: 400,
        call: async (s) => ({ path: `${diff((await placed(s)).id)}?from=${(await placed(s)).cid}` }),
        body: invalid(['from'], 'is a version of another entity'),
      },
      {
        name: 'an unknown version',
        status: 404,
        call: async (s) => ({ path: `${diff((await placed(s)).id)}?to=${unknownCid}` }),
        body: { ...notFound, details: { to: unknownCid } },
      },
      noId(diff),
      otherNetwork(diff),
      unknown(diff),
      gone(diff),
    ],
  },
];
