import { expect } from 'vitest';
import { conflict, create, invalid, nowhere, onTest, remove } from '../../helpers/entities.ts';
import type { Row, Scene } from '../row.ts';
import { bad, denied, noId, otherNetwork, placed, unknown } from './common.ts';

const cascade = (id: string) => `/entities/${id}/cascade`;
const scope = { collection_id: nowhere, cascade_predicates: ['*'] };
const scoped = (s: Scene) => ({ collection_id: s.collection.id, cascade_predicates: ['*'] });

export const batchRows: Row[] = [
  {
    route: 'POST /entities/batch',
    auth: 'required',
    action: 'entity:create',
    wire: '201 207 400 401 403',
    cases: [
      {
        name: 'creates all',
        status: 201,
        call: (s) => ({
          path: '/entities/batch',
          body: { entities: [{ type: 'a' }, { type: 'b' }], default_collection: s.collection.id },
        }),
        body: {
          results: [
            { success: true, index: 0, type: 'a', ver: 1 },
            { success: true, index: 1, type: 'b', ver: 1 },
          ],
          summary: { total: 2, succeeded: 2, failed: 0 },
        },
      },
      {
        name: 'says which items failed, and why',
        status: 207,
        call: async (s) => {
          const there = await placed(s);
          const entities = [
            { type: 'a' },
            { type: '' },
            { type: 'a', collection: s.collection.id },
            { type: 'a', id: there.id },
            5,
            null,
            { type: 5 },
            {},
            { type: 'x'.repeat(101) },
          ];
          return { path: '/entities/batch', body: { entities }, as: s.stranger, known: there.cid };
        },
        also: ({ body }, { known }) => {
          const { error, details } = conflict('', known as string);
          expect(body).toEqual({
            results: [
              { success: true, index: 0, type: 'a', ver: 1, id: expect.any(String), cid: expect.any(String) },
              {
                success: false,
                index: 1,
                code: 'VALIDATION_ERROR',
                ...invalid(['type'], 'must have at least 1 character'),
              },
              { success: false, index: 2, code: 'FORBIDDEN', error: 'Action not allowed: entity:create' },
              { success: false, index: 3, code: 'CONFLICT', error, details },
              { success: false, index: 4, code: 'VALIDATION_ERROR', ...invalid([], 'must be an object') },
              { success: false, index: 5, code: 'VALIDATION_ERROR', ...invalid([], 'must be an object') },
              { success: false, index: 6, code: 'VALIDATION_ERROR', ...invalid(['type'], 'must be a string') },
              { success: false, index: 7, code: 'VALIDATION_ERROR', ...invalid(['type'], 'is required') },
              {
                success: false,
                index: 8,
                code: 'VALIDATION_ERROR',
                ...invalid(['type'], 'must have at most 100 characters'),
              },
            ],
            summary: { total: 9, succeeded: 1, failed: 8 },
          });
        },
      },
      bad('no items', '/entities/batch', { entities: [] }, [['entities'], 'must have at least 1 item']),
      bad('too many items', '/entities/batch', { entities: Array(101).fill({ type: 'x' }) }, [
        ['entities'],
        'must have at most 100 items',
      ]),
    ],
  },
  {
    route: 'POST /entities/batch-get',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 400',
    cases: [
      {
        name: 'reads what is there',
        status: 200,
        call: async (s) => {
          const [known, dead] = [await placed(s), await remove(s.node, s.owner, await placed(s))];
          return { path: '/entities/batch-get', body: { ids: [nowhere, known.id, dead.id] }, known: [known, dead.id] };
        },
        also: ({ body }, { known }) => {
          const [live, dead] = known as [object, string];
          expect(body).toEqual({ entities: [live], not_found: [nowhere, dead] });
        },
      },
      bad('no ids', '/entities/batch-get', { ids: [] }, [['ids'], 'must have at least 1 item']),
      bad('too many ids', '/entities/batch-get', { ids: Array(101).fill(nowhere) }, [
        ['ids'],
        'must have at most 100 items',
      ]),
      bad('an id of the other network', '/entities/batch-get', { ids: [nowhere, onTest] }, [
        ['ids', 1],
        'is not an id of the main network',
      ]),
    ],
  },
  {
    route: 'DELETE /entities/{id}/cascade',
    auth: 'required',
    action: 'entity:delete',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'deletes the entity and what it leads to',
        status: 200,
        call: async (s) => {
          const [leaf, other] = [await placed(s), await create(s.node, s.owner)];
          const relationships = [leaf, other].map(({ id }) => ({ predicate: 'has_part', peer: id }));
          const root = await placed(s, { relationships });
          return { path: cascade(root.id), body: { expect_tip: root.cid, ...scoped(s) }, known: { leaf, other, root } };
        },
        also: ({ body }, { known }) => {
          const { leaf, other, root } = known as { [name: string]: { id: string; cid: string } };
          expect(body).toEqual({
            root: {
              id: root?.id,
              cid: expect.any(String),
              deleted_at: expect.any(String),
              ver: 2,
              prev_cid: root?.cid,
            },
            deleted: [{ id: leaf?.id, cid: expect.any(String), type: 'document', depth: 1 }],
            skipped: [{ id: other?.id, type: 'document', reason: 'not_in_collection' }],
            summary: { total_traversed: 3, total_deleted: 1, total_skipped: 1, max_depth_reached: 1 },
          });
        },
      },
      bad('no collection', cascade(nowhere), { expect_tip: 'x', cascade_predicates: ['*'] }, [
        ['collection_id'],
        'is required',
      ]),
      bad('no predicates', cascade(nowhere), { expect_tip: 'x', ...scope, cascade_predicates: [] }, [
        ['cascade_predicates'],
        'must have at least 1 item',
      ]),
      bad('an empty predicate', cascade(nowhere), { expect_tip: 'x', ...scope, cascade_predicates: ['p', ''] }, [
        ['cascade_predicates', 1],
        'must have at least 1 character',
      ]),
      bad('a depth of 21', cascade(nowhere), { expect_tip: 'x', ...scope, max_depth: 21 }, [
        ['max_depth'],
        'must be at most 20',
      ]),
      noId(cascade, { expect_tip: 'x', ...scope }),
      otherNetwork(cascade, { expect_tip: 'x', ...scope }),
      unknown(cascade, { expect_tip: 'x', ...scope }),
      denied('entity:delete', cascade, scoped),
      {
        name: 'a stale tip',
        status: 409,
        call: async (s) => {
          const entity = await placed(s);
          return { path: cascade(entity.id), body: { expect_tip: 'stale', ...scoped(s) }, known: entity.cid };
        },
        body: ({ known }) => conflict('stale', known as string),
      },
      {
        name: 'a root outside the collection',
        status: 400,
        call: async (s) => {
          const entity = await create(s.node, s.owner);
          return { path: cascade(entity.id), body: { expect_tip: entity.cid, ...scoped(s) } };
        },
        body: invalid(['collection_id'], 'the entity does not lie in this collection'),
      },
    ],
  },
];
