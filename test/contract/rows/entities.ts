import { expect } from 'vitest';
import { conflict, create, invalid, nowhere, onTest, remove } from '../../helpers/entities.ts';
import type { Row } from '../row.ts';
import { bad, denied, gone, idMessage, noId, otherNetwork, placed, stale, unknown } from './common.ts';

const one = (id: string) => `/entities/${id}`;
const required: [string[], string] = [['expect_tip'], 'is required'];

/** What an update, delete or restore of a missing or deleted entity says (decisions.md, G2). */
const isDeleted = invalid(['id'], 'the entity is deleted');

export const entityRows: Row[] = [
  {
    route: 'POST /entities',
    auth: 'required',
    action: 'entity:create',
    wire: '201 400 401 403 409',
    cases: [
      {
        name: 'creates',
        status: 201,
        call: (s) => ({
          path: '/entities',
          body: { type: 'document', note: 'first', properties: { a: 1 }, collection: s.collection.id },
        }),
        body: { type: 'document', ver: 1, properties: { a: 1 } },
        also: ({ body }, _call, s) => {
          expect(body).not.toHaveProperty('prev_cid');
          expect(body).not.toHaveProperty('note');
          expect(body).toMatchObject({
            edited_by: { user_id: s.owner.id, method: 'manual' },
            relationships: [{ predicate: 'collection', peer: s.collection.id, peer_type: 'collection' }],
          });
        },
      },
      {
        name: 'answers an exact replay with what it made',
        status: 200,
        call: async (s) => {
          const body = { type: 'document', id: s.newId(), properties: { a: [1, null] } };
          return { path: '/entities', body, known: await create(s.node, s.owner, body) };
        },
        body: ({ known }) => known as object,
      },
      bad('no type', '/entities', {}, [['type'], 'is required']),
      bad('a long type', '/entities', { type: 'x'.repeat(101) }, [['type'], 'must have at most 100 characters']),
      bad('a body that is a list', '/entities', [], [[], 'must be an object']),
      bad('an id that is none', '/entities', { type: 'x', id: 'i' }, [['id'], idMessage]),
      bad('an id of the other network', '/entities', { type: 'x', id: onTest }, [
        ['id'],
        'is not an id of the main network',
      ]),
      bad('an unknown collection', '/entities', { type: 'x', collection: nowhere }, [
        ['collection'],
        `there is no collection ${nowhere}`,
      ]),
      bad('an unknown target', '/entities', { type: 'x', relationships: [{ predicate: 'p', peer: nowhere }] }, [
        ['relationships', 0, 'peer'],
        `there is no entity ${nowhere}`,
      ]),
      {
        name: 'somebody without entity:create in the collection',
        status: 403,
        call: (s) => ({ path: '/entities', body: { type: 'document', collection: s.collection.id }, as: s.viewer }),
        body: { error: 'Action not allowed: entity:create' },
      },
      {
        name: 'an id that exists',
        status: 409,
        call: async (s) => {
          const { id, cid } = await placed(s);
          return { path: '/entities', body: { type: 'another', id, collection: s.collection.id }, known: cid };
        },
        body: ({ known }) => conflict('', known as string),
      },
    ],
  },
  {
    route: 'GET /entities/{id}',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: async (s) => {
          const known = await placed(s);
          return { path: one(known.id), known };
        },
        body: ({ known }) => known as object,
      },
      {
        name: 'reads with peers',
        status: 200,
        call: async (s) => ({ path: `${one((await placed(s)).id)}?expand=relationships:full` }),
        body: { relationships: [{ peer_label: 'a collection', peer_entity: { type: 'collection' } }] },
      },
      {
        name: 'an expand_limit of 501',
        status: 400,
        call: () => ({ path: `${one(nowhere)}?expand=relationships&expand_limit=501` }),
        body: invalid(['expand_limit'], 'must be at most 500'),
      },
      noId(one),
      otherNetwork(one),
      unknown(one),
      gone(one),
    ],
  },
  {
    route: 'PUT /entities/{id}',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'updates',
        status: 200,
        call: async (s) => {
          const known = await placed(s, { properties: { a: 1, b: 1 } });
          return { path: one(known.id), body: { expect_tip: known.cid, properties: { b: 2 }, note: 'n' }, known };
        },
        body: ({ known }) => ({ ver: 2, prev_cid: (known as { cid: string }).cid, properties: { a: 1, b: 2 } }),
      },
      bad('no expect_tip', one(nowhere), {}, required),
      bad('an empty expect_tip', one(nowhere), { expect_tip: '' }, [['expect_tip'], 'must have at least 1 character']),
      bad('removals that are no names', one(nowhere), { expect_tip: 'x', properties_remove: 5 }, [
        ['properties_remove'],
        'must be a list, or must be an object',
      ]),
      noId(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      unknown(one, { expect_tip: 'x' }),
      denied('entity:update', one),
      stale(one),
      {
        name: 'a deleted entity',
        status: 400,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await placed(s));
          return { path: one(grave.id), body: { expect_tip: grave.cid } };
        },
        body: isDeleted,
      },
    ],
  },
  {
    route: 'DELETE /entities/{id}',
    auth: 'required',
    action: 'entity:delete',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'deletes',
        status: 200,
        call: async (s) => {
          const known = await placed(s);
          return { path: one(known.id), body: { expect_tip: known.cid, reason: 'r', note: 'n' }, known };
        },
        body: ({ known }) => {
          const { id, cid } = known as { id: string; cid: string };
          return { id, prev_cid: cid, ver: 2 };
        },
      },
      bad('no expect_tip', one(nowhere), {}, required),
      bad('a long reason', one(nowhere), { expect_tip: 'x', reason: 'x'.repeat(501) }, [
        ['reason'],
        'must have at most 500 characters',
      ]),
      noId(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      unknown(one, { expect_tip: 'x' }),
      denied('entity:delete', one),
      stale(one),
      {
        name: 'a deleted entity',
        status: 400,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await placed(s));
          return { path: one(grave.id), body: { expect_tip: grave.cid } };
        },
        body: isDeleted,
      },
    ],
  },
  {
    route: 'POST /entities/{id}/restore',
    auth: 'required',
    action: 'entity:restore',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'restores',
        status: 200,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await placed(s, { properties: { a: 1 } }));
          return { path: `${one(grave.id)}/restore`, body: { expect_tip: grave.cid }, known: grave };
        },
        body: ({ known }) => ({
          ver: 3,
          prev_cid: (known as { cid: string }).cid,
          restored_from_ver: 1,
          properties: { a: 1 },
        }),
      },
      bad('no expect_tip', `${one(nowhere)}/restore`, {}, required),
      noId((id) => `${one(id)}/restore`, { expect_tip: 'x' }),
      otherNetwork((id) => `${one(id)}/restore`, { expect_tip: 'x' }),
      unknown((id) => `${one(id)}/restore`, { expect_tip: 'x' }),
      {
        name: 'somebody without entity:restore',
        status: 403,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await placed(s));
          return { path: `${one(grave.id)}/restore`, body: { expect_tip: grave.cid }, as: s.viewer };
        },
        body: { error: 'Action not allowed: entity:restore' },
      },
      {
        name: 'a stale tip',
        status: 409,
        call: async (s) => {
          const entity = await placed(s);
          const grave = await remove(s.node, s.owner, entity);
          return {
            path: `${one(entity.id)}/restore`,
            body: { expect_tip: entity.cid },
            known: [entity.cid, grave.cid],
          };
        },
        body: ({ known }) => conflict(...(known as [string, string])),
      },
      {
        name: 'a live entity',
        status: 400,
        call: async (s) => {
          const entity = await placed(s);
          return { path: `${one(entity.id)}/restore`, body: { expect_tip: entity.cid } };
        },
        body: invalid(['id'], 'the entity is not deleted'),
      },
    ],
  },
];
