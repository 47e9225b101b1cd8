import { expect } from 'vitest';
import { invalid, onTest } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { gone, noId, otherNetwork, placed, unknown } from './common.ts';

const collectionOf = (id: string) => `/entities/${id}/collection`;
const tree = (id: string) => `/entities/${id}/tree`;

export const treeRows: Row[] = [
  {
    route: 'GET /entities/{id}/collection',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'names the collection',
        status: 200,
        call: async (s) => ({ path: collectionOf((await placed(s)).id) }),
        also: ({ body }, _call, s) => expect(body).toEqual({ collection_id: s.collection.id }),
      },
      noId(collectionOf),
      otherNetwork(collectionOf),
      unknown(collectionOf),
      gone(collectionOf),
    ],
  },
  {
    route: 'GET /entities/{id}/tree',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'shows what an entity leads to',
        status: 200,
        call: async (s) => {
          const child = await placed(s, { properties: { label: 'c' } });
          const root = await placed(s, { relationships: [{ predicate: 'contains', peer: child.id }] });
          return { path: `${tree(root.id)}?depth=1&predicates=contains`, known: [root.id, child.id] };
        },
        also: ({ body }, { known }) => {
          const [root, child] = known as string[];
          expect(body).toEqual({
            root: {
              ...{ id: root, pi: root, label: '', type: 'document', depth: 0 },
              children: [{ id: child, pi: child, label: 'c', type: 'document', depth: 1, children: [] }],
            },
            total_nodes: 2,
            truncated: false,
          });
        },
      },
      {
        name: 'a depth of 5',
        status: 400,
        call: (s) => ({ path: `${tree(s.collection.id)}?depth=5` }),
        body: invalid(['depth'], 'must be at most 4'),
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: (s) => ({ path: `${tree(s.collection.id)}?limit=1001` }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
      {
        name: 'a collection of the other network',
        status: 400,
        call: (s) => ({ path: `${tree(s.collection.id)}?collection=${onTest}` }),
        body: invalid(['collection'], 'is not an id of the main network'),
      },
      noId(tree),
      otherNetwork(tree),
      unknown(tree),
      gone(tree),
    ],
  },
];
