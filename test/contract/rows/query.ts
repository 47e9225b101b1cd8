import { expect } from 'vitest';
import { invalid, nowhere } from '../../helpers/entities.ts';
import type { Case, Row } from '../row.ts';
import { bad, placed } from './common.ts';

const broken = (name: string, path: string, message: string, position: number): Case => {
  const { error, details } = invalid(['path'], `${message} at position ${position}`);
  return {
    name,
    status: 400,
    call: () => ({ path: '/query', body: { path } }),
    body: { error, details: { ...details, position } },
  };
};

export const queryRows: Row[] = [
  {
    route: 'POST /query',
    auth: 'required',
    action: 'query:execute',
    wire: '200 400',
    cases: [
      {
        name: 'finds what an entity leads to',
        status: 200,
        call: async (s) => {
          const known = await placed(s, { properties: { label: 'Sea' } });
          return { path: '/query', body: { path: `@${known.id} -[collection]-> type:collection` }, known };
        },
        also: ({ body }, { known }, s) => {
          const { id, created_at } = known as { id: string; created_at: string };
          const home = { collection_id: s.collection.id, collection_pi: s.collection.id };
          const preview_data = { id, type: 'document', label: 'Sea', ...home, created_at, updated_at: created_at };
          expect(body).toEqual({
            results: [
              {
                entity: {
                  ...{ id: s.collection.id, pi: s.collection.id, type: 'collection', label: 'a collection' },
                  ...{ collection_id: null, collection_pi: null },
                  preview_data: expect.objectContaining({ id: s.collection.id, label: 'a collection' }),
                },
                path: [
                  { entity: id, type: 'document', label: 'Sea', preview_data },
                  { edge: 'collection', direction: 'outgoing' },
                ],
                score: 1,
              },
            ],
            metadata: {
              query: `@${id} -[collection]-> type:collection`,
              ...{ hops: 1, k: 25, k_explore: 75, total_candidates_explored: 2 },
              execution_time_ms: expect.any(Number),
            },
          });
        },
      },
      {
        name: 'says why it found nothing',
        status: 200,
        call: () => ({ path: '/query', body: { path: `@${nowhere}`, k: 2, k_explore: 9 } }),
        body: {
          results: [],
          metadata: {
            query: `@${nowhere}`,
            ...{ hops: 0, k: 2, k_explore: 9, total_candidates_explored: 0 },
            error: 'no_entry_point',
            reason: 'No matching entities found for entry point',
          },
        },
      },
      broken('a query that cannot be read', 'person', 'entry point expected', 0),
      broken('a query that ends too early', '"a" -[', 'relation term expected', 6),
      bad('no query', '/query', {}, [['path'], 'is required']),
      bad('101 results', '/query', { path: '"a"', k: 101 }, [['k'], 'must be at most 100']),
      bad('a beam of 301', '/query', { path: '"a"', k_explore: 301 }, [['k_explore'], 'must be at most 300']),
      bad('another expansion', '/query', { path: '"a"', expand: 'all' }, [
        ['expand'],
        'must be "none", or must be "preview", or must be "full"',
      ]),
      bad('a filter by a property without underscore', '/query', { path: '"a"', filter: { year: 1 } }, [
        ['filter', 'year'],
        'only type, created_at, updated_at and properties that begin with _ can be filtered',
      ]),
    ],
  },
];
