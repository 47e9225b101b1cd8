import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { create, type Entity, nowhere, onTest, read, remove } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, idMessage, noId, otherNetwork, placed, unknown } from './common.ts';

const path = '/updates/additive';
const queue = (id: string) => `/updates/queue/${id}`;
const one = (change: object) => ({ updates: [{ entity_id: nowhere, ...change }] });

interface View {
  queued: { entity_id: string; queue_id: number }[];
  failed: { entity_id: string; error: string }[];
  summary: object;
}

/** Updates of a fresh entity that each cannot be applied, with why. */
const unfit = async (s: Scene): Promise<[object, string][]> => {
  const [entity, grave] = [await placed(s), await remove(s.node, s.owner, await placed(s))];
  const adds = (r: object) => ({ entity_id: entity.id, relationships_add: [r] });
  return [
    [{ entity_id: nowhere }, 'Entity not found'],
    [{ entity_id: onTest }, 'entity_id is not an id of the main network'],
    [{ entity_id: grave.id, properties: { a: 1 } }, 'entity_id the entity is deleted'],
    [adds({ predicate: 'has', peer: nowhere }), `relationships_add.0.peer there is no entity ${nowhere}`],
    [
      adds({ predicate: 'Has', peer: entity.id }),
      'relationships_add.0.predicate must begin with a small letter and have only such, digits and `_`',
    ],
    [
      { entity_id: s.collection.id, properties: { roles: { odd: 5 } } },
      'properties.roles.odd must be a list of at least one action',
    ],
  ];
};

const refusals: Case[] = [
  bad('no updates', path, { updates: [] }, [['updates'], 'must have at least 1 item']),
  bad('too many updates', path, { updates: Array(1001).fill({ entity_id: nowhere }) }, [
    ['updates'],
    'must have at most 1000 items',
  ]),
  bad('an id that is none', path, one({ entity_id: 'x' }), [['updates', 0, 'entity_id'], idMessage]),
  bad('a long note', path, one({ note: 'x'.repeat(501) }), [
    ['updates', 0, 'note'],
    'must have at most 500 characters',
  ]),
  bad('a number that cannot be kept', path, one({ properties: { n: 2 ** 53 } }), [
    ['updates', 0, 'properties', 'n'],
    'is beyond 2^53-1 and cannot be stored exactly',
  ]),
  bad('a peer that is no id', path, one({ relationships_add: [{ predicate: 'has', peer: 'x' }] }), [
    ['updates', 0, 'relationships_add', 0, 'peer'],
    'must be an entity id',
  ]),
  bad('a removal', path, one({ relationships_add: [{ predicate: 'has', peer: nowhere, properties_remove: ['a'] }] }), [
    ['updates', 0, 'relationships_add', 0, 'properties_remove'],
    'an additive update removes nothing; use PUT /entities/{id}',
  ]),
  bad('the removal of a property', path, one({ properties_remove: ['a'] }), [
    ['updates', 0, 'properties_remove'],
    'an additive update removes nothing; use PUT /entities/{id}',
  ]),
  bad('the removal of a relationship', path, one({ relationships_remove: [{ predicate: 'has' }] }), [
    ['updates', 0, 'relationships_remove'],
    'an additive update removes nothing; use PUT /entities/{id}',
  ]),
];

export const updateRows: Row[] = [
  {
    route: 'POST /updates/additive',
    auth: 'required',
    action: 'entity:update',
    wire: '202 400 401 403',
    cases: [
      {
        name: 'adds',
        status: 202,
        call: async (s) => {
          const [entity, peer] = [await placed(s, { properties: { a: { x: 1 } } }), await placed(s)];
          const updates = [
            { entity_id: entity.id, properties: { a: { y: 2 } }, note: 'why' },
            { entity_id: entity.id, relationships_add: [{ predicate: 'has', peer: peer.id, unknown: 1 }] },
          ];
          return { path, body: { updates }, known: entity };
        },
        also: async ({ body }, { known }, s) => {
          const entity = known as Entity;
          const { queued, failed, summary } = body as View;
          expect(queued.map((q) => q.entity_id)).toEqual([entity.id, entity.id]);
          expect(new Set(queued.map((q) => q.queue_id)).size).toBe(2);
          expect([failed, summary]).toEqual([[], { total: 2, queued: 2, failed: 0 }]);
          await s.node.ctx.additive.idle();
          const now = await read(s.node, s.owner, entity.id);
          expect(now).toMatchObject({
            ver: 2,
            prev_cid: entity.cid,
            properties: { a: { x: 1, y: 2 } },
            edited_by: { user_id: s.owner.id, method: 'manual' },
          });
          expect(now.relationships.slice(1)).toEqual([
            { predicate: 'has', peer: expect.any(String), peer_type: 'document' },
          ]);
        },
      },
      {
        name: 'says what cannot be applied',
        status: 202,
        call: async (s) => {
          const known = await unfit(s);
          const body = { updates: known.map(([update]) => update) };
          return { path: `${path}?validate_relationships=true`, body, known };
        },
        body: ({ known }) => ({
          queued: [],
          failed: (known as [object, string][]).map(([, error]) => ({ error })),
          summary: { queued: 0 },
        }),
      },
      {
        name: 'one entity that the caller may not update',
        status: 403,
        call: async (s) => {
          const [own, foreign] = [await create(s.node, s.viewer), await placed(s)];
          const updates = [own, foreign].map(({ id }) => ({ entity_id: id, properties: { a: 1 } }));
          return { path, body: { updates }, as: s.viewer, known: foreign.id };
        },
        body: ({ known }) => ({ error: 'Action not allowed: entity:update', details: { entity_id: known } }),
      },
      ...refusals,
    ],
  },
  {
    route: 'GET /updates/queue/{id}',
    auth: 'required',
    action: 'entity:view',
    wire: '200 401',
    cases: [
      {
        name: 'what was applied',
        status: 200,
        call: async (s) => {
          const entity = await placed(s);
          const relationships_add = [{ predicate: 'like', peer: entity.id }];
          const update = { entity_id: entity.id, properties: { a: 1, b: 2 }, relationships_add, note: 'n' };
          const { body } = await ask(s.node, s.owner, `POST ${path}`, { updates: [update] });
          await s.node.ctx.additive.idle();
          return { path: queue(entity.id), known: { id: entity.id, ...(body as View).queued[0] } };
        },
        body: ({ known }, s) => {
          const { id, queue_id } = known as { id: string; queue_id: number };
          return {
            entity_id: id,
            counts: { pending: 0, processing: 0, failed: 0 },
            items: [
              {
                id: queue_id,
                actor_id: s.owner.id,
                status: 'completed',
                relationships_count: 1,
                relationships_summary: [{ predicate: 'like', peer: id }],
                properties_keys: ['a', 'b'],
                note: 'n',
                error: null,
                attempts: 1,
                queued_at: new Date(s.clock.ms).toISOString(),
              },
            ],
          };
        },
      },
      noId(queue),
      otherNetwork(queue),
      unknown(queue),
    ],
  },
];
