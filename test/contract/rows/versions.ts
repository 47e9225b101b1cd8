import { expect } from 'vitest';
import { invalid, notFound, nowhere, update } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { noId, otherNetwork, placed, unknown, unknownCid } from './common.ts';

const list = (id: string) => `/versions/${id}`;

export const versionRows: Row[] = [
  {
    route: 'GET /versions/{id}',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 400 403 404',
    cases: [
      {
        name: 'lists newest first',
        status: 200,
        call: async (s) => {
          const first = await placed(s, { note: 'one' });
          return { path: `${list(first.id)}?limit=1`, known: [first, await update(s.node, s.owner, first, {})] };
        },
        also: ({ body }, { known }, s) => {
          const [first, second] = known as { id: string; cid: string; ts: number }[];
          expect(body).toEqual({
            entity_id: first?.id,
            versions: [
              {
                ver: 2,
                cid: second?.cid,
                ts: new Date(second?.ts ?? 0).toISOString(),
                edited_by: { user_id: s.owner.id, method: 'manual' },
              },
            ],
            has_more: true,
            next_cursor: first?.cid,
          });
        },
      },
      {
        name: 'a limit of 11',
        status: 400,
        call: () => ({ path: `${list(nowhere)}?limit=11` }),
        body: invalid(['limit'], 'must be at most 10'),
      },
      {
        name: 'a start that is no version of it',
        status: 400,
        call: async (s) => ({ path: `${list((await placed(s)).id)}?from=${(await placed(s)).cid}` }),
        body: invalid(['from'], 'is a version of another entity'),
      },
      {
        name: 'a start that is not here',
        status: 404,
        call: async (s) => ({ path: `${list((await placed(s)).id)}?from=${unknownCid}` }),
        body: { ...notFound, details: { from: unknownCid } },
      },
      noId(list),
      otherNetwork(list),
      unknown(list),
    ],
  },
  {
    route: 'GET /versions/manifest/{cid}',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'shows a version as it was hashed',
        status: 200,
        call: async (s) => {
          const first = await placed(s, { properties: { a: 1 } });
          const second = await update(s.node, s.owner, first, { note: 'two' });
          return { path: `/versions/manifest/${second.cid}`, known: [first, second] };
        },
        also: ({ body }, { known }, s) => {
          const [first, second] = known as { id: string; cid: string; ts: number; created_at: string }[];
          expect(body).toEqual({
            cid: second?.cid,
            manifest: {
              schema: 'arke/eidos@v1',
              id: first?.id,
              type: 'document',
              created_at: first?.created_at,
              ver: 2,
              ts: new Date(second?.ts ?? 0).toISOString(),
              prev: { '/': first?.cid },
              properties: { a: 1 },
              relationships: [{ predicate: 'collection', peer: s.collection.id, peer_type: 'collection' }],
              edited_by: { user_id: s.owner.id, method: 'manual' },
              note: 'two',
            },
          });
        },
      },
      {
        name: 'an unknown CID',
        status: 404,
        call: () => ({ path: `/versions/manifest/${unknownCid}` }),
        body: notFound,
      },
      { name: 'no CID', status: 404, call: () => ({ path: '/versions/manifest/none' }), body: notFound },
    ],
  },
];
