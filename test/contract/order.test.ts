import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  enrol,
  invalid,
  notFound,
  nowhere,
  read,
  remove,
  unauthorized,
} from '../helpers/entities.ts';
import { declare } from '../helpers/files.ts';
import { folder } from '../helpers/folders.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

// decisions.md, Order of checks: 401, body 400, 404, 403, tip 409, state 400 (deleted), meaning 400. Each endpoint is
// sent a request that is wrong in every way, and then one fault after the other is taken away.

interface Target {
  id: string;
  /** The present tip. */
  cid: string;
}

interface Endpoint {
  route: string;
  line: (id: string) => string;
  /** A body with that tip, right by itself; what it means is wrong where `meaning` is given. */
  body: (target: Target) => object;
  /** What makes the body wrong by itself. */
  broken: object;
  live: () => Promise<Target>;
  /** In the state that the endpoint refuses; none where there is no such state. */
  refused?: () => Promise<Target>;
  state?: string;
  /** The member of the request that names the entity. */
  names?: string;
  meaning?: { path: (string | number)[]; message: string | (() => string) };
  /** Somebody who may not. */
  stranger?: () => Person;
  action: string;
}

let scene: Scene & AsyncDisposable;
/** A document in no collection: no folder takes it. */
let loose: Entity;
beforeAll(async () => {
  scene = await openScene();
  loose = await create(scene.node, scene.owner);
});
afterAll(() => scene[Symbol.asyncDispose]());

const placed = () => create(scene.node, scene.owner, { collection: scene.collection.id });
const placedFile = () => declare(scene.node, scene.owner, 'page', { collection: scene.collection.id });
const grave = async (entity: Entity) => remove(scene.node, scene.owner, entity);
const ownCollection = async () => {
  const made = await collection(scene.node, scene.owner);
  await enrol(scene.node, scene.owner, made.id, scene.viewer, 'viewer');
  return read(scene.node, scene.owner, made.id);
};
const processors = [
  { path: '/agents', type: 'agent', make: agent },
  { path: '/kladoi', type: 'klados', make: klados },
  { path: '/rhizai', type: 'rhiza', make: rhiza },
];
const placedFolder = () => folder(scene.node, scene.owner, { collection: scene.collection.id });
const dangling = { relationships_add: [{ predicate: 'p', peer: nowhere }] };
const isMissing = { path: ['relationships_add', 0, 'peer'], message: `there is no entity ${nowhere}` };
const noTip = { expect_tip: '' };

/** Of a folder; the document that it names is what is wrong with its meaning. */
const folderEndpoint = (
  route: string,
  body: () => object,
  meaning: { path: (string | number)[]; message: () => string },
): Endpoint => ({
  route,
  line: (id) => route.replace('{id}', id),
  body: ({ cid }) => ({ expect_tip: cid, ...body() }),
  broken: noTip,
  live: placedFolder,
  refused: async () => grave(await placedFolder()),
  state: 'the entity is deleted',
  meaning,
  action: 'folder:update',
});
const notHeld = () => `must be a file or a folder, and ${loose.id} has the type \`document\``;

const endpoints: Endpoint[] = [
  folderEndpoint('PUT /folders/{id}', () => ({ relationships_add: [{ predicate: 'contains', peer: loose.id }] }), {
    path: ['relationships_add', 0, 'peer'],
    message: notHeld,
  }),
  folderEndpoint('POST /folders/{id}/children', () => ({ child_id: loose.id }), {
    path: ['child_id'],
    message: notHeld,
  }),
  folderEndpoint('POST /folders/{id}/children/bulk', () => ({ children: [{ id: loose.id }] }), {
    path: ['children', 0, 'id'],
    message: notHeld,
  }),
  folderEndpoint('POST /folders/{id}/parents', () => ({ parent_id: loose.id }), {
    path: ['parent_id'],
    message: () => `must be a folder or a collection, and ${loose.id} has the type \`document\``,
  }),
  {
    route: 'PUT /entities/{id}',
    line: (id) => `PUT /entities/${id}`,
    body: ({ cid }) => ({ expect_tip: cid, ...dangling }),
    broken: noTip,
    live: placed,
    refused: async () => grave(await placed()),
    state: 'the entity is deleted',
    meaning: isMissing,
    action: 'entity:update',
  },
  {
    route: 'DELETE /entities/{id}',
    line: (id) => `DELETE /entities/${id}`,
    body: ({ cid }) => ({ expect_tip: cid }),
    broken: noTip,
    live: placed,
    refused: async () => grave(await placed()),
    state: 'the entity is deleted',
    action: 'entity:delete',
  },
  {
    route: 'DELETE /entities/{id}/cascade',
    line: (id) => `DELETE /entities/${id}/cascade`,
    body: ({ cid }) => ({
      expect_tip: cid,
      collection_id: scene.collection.id,
      cascade_predicates: ['*'],
      edited_by_filter: scene.viewer.id,
    }),
    broken: noTip,
    live: placed,
    refused: async () => grave(await placed()),
    state: 'the entity is deleted',
    meaning: { path: ['edited_by_filter'], message: 'the entity itself was last edited by somebody else' },
    action: 'entity:delete',
  },
  {
    route: 'POST /entities/{id}/restore',
    line: (id) => `POST /entities/${id}/restore`,
    body: ({ cid }) => ({ expect_tip: cid }),
    broken: noTip,
    live: async () => grave(await placed()),
    refused: placed,
    state: 'the entity is not deleted',
    action: 'entity:restore',
  },
  {
    route: 'PUT /users/{id}',
    line: (id) => `PUT /users/${id}`,
    body: ({ cid }) => ({ expect_tip: cid, relationships_add: [{ predicate: 'p', peer: nowhere }] }),
    broken: noTip,
    live: () => read(scene.node, scene.owner, scene.owner.id),
    meaning: isMissing,
    action: 'user:update',
  },
  {
    route: 'PUT /collections/{id}',
    line: (id) => `PUT /collections/${id}`,
    body: ({ cid }) => ({ expect_tip: cid, label: 'l', ...dangling }),
    broken: noTip,
    live: ownCollection,
    refused: async () => grave(await ownCollection()),
    state: 'the entity is deleted',
    meaning: isMissing,
    action: 'collection:update',
  },
  ...processors.map(
    ({ path, type, make }): Endpoint => ({
      route: `PUT ${path}/{id}`,
      line: (id) => `PUT ${path}/${id}`,
      body: ({ cid }) => ({ expect_tip: cid, label: 'l', ...dangling }),
      broken: noTip,
      live: () => make(scene.node, scene.owner, scene.collection.id),
      refused: async () => grave(await make(scene.node, scene.owner, scene.collection.id)),
      state: 'the entity is deleted',
      meaning: isMissing,
      action: `${type}:update`,
    }),
  ),
  {
    route: 'PUT /collections/{id}/root',
    line: (id) => `PUT /collections/${id}/root`,
    body: ({ cid }) => ({ expect_tip: cid, entity_id: nowhere }),
    broken: noTip,
    live: ownCollection,
    refused: async () => grave(await ownCollection()),
    state: 'the entity is deleted',
    meaning: { path: ['entity_id'], message: 'must have a `collection` relationship to the collection' },
    action: 'collection:update',
  },
  {
    route: 'PUT /files/{id}',
    line: (id) => `PUT /files/${id}`,
    body: ({ cid }) => ({ expect_tip: cid, key: 'unknown' }),
    broken: noTip,
    live: placedFile,
    refused: async () => grave(await placedFile()),
    state: 'the entity is deleted',
    meaning: { path: ['key'], message: 'is the key of no earlier version of this file that has its bytes' },
    action: 'file:update',
  },
  {
    route: 'POST /files/{id}/reupload',
    line: (id) => `POST /files/${id}/reupload`,
    body: ({ cid }) => ({ expect_tip: cid, key: 'another', content_type: 'text/plain', size: 1 }),
    broken: noTip,
    live: placedFile,
    action: 'file:reupload',
  },
  {
    route: 'PATCH /entities/{id}/content',
    line: (id) => `PATCH /entities/${id}/content`,
    body: ({ cid }) => ({ old_key: 'a', new_key: 'b', expect_tip: cid }),
    broken: noTip,
    live: placed,
    refused: async () => grave(await placed()),
    state: 'the entity is deleted',
    action: 'entity:update',
  },
  ...['POST', 'DELETE'].map(
    (method): Endpoint => ({
      route: `${method} /relationships`,
      line: () => `${method} /relationships`,
      body: ({ id, cid }) => ({
        source_id: id,
        expect_source_tip: cid,
        source_predicate: 'collection',
        target_id: scene.owner.id,
      }),
      broken: { source_predicate: 'Wrong' },
      live: placed,
      refused: async () => grave(await placed()),
      state: 'the entity is deleted',
      names: 'source_id',
      action: 'entity:update',
    }),
  ),
  ...['/connect', '/connect/disconnect'].map(
    (path): Endpoint => ({
      route: `POST ${path}`,
      line: () => `POST ${path}`,
      body: ({ id, cid }) => ({ source_id: id, expect_tip: cid, target_id: scene.owner.id }),
      broken: { predicate: 'Wrong' },
      live: placed,
      refused: async () => grave(await placed()),
      state: 'the entity is deleted',
      names: 'source_id',
      action: 'entity:update',
    }),
  ),
];

/** The tip of a body, whatever it is called. */
function withTip(body: object, tip: string): object {
  const name = 'expect_tip' in body ? 'expect_tip' : 'expect_source_tip';
  return { ...body, [name]: tip };
}

describe.each(endpoints)('$route', (endpoint) => {
  const { line, body, broken, live, refused, state, names = 'id', meaning, action } = endpoint;

  async function refusal(who: Person, { id }: Target, sent: object) {
    const answer = await ask(scene.node, who, line(id), sent);
    return { status: answer.status, body: answer.body };
  }

  it('answers the first fault of many', async () => {
    const [absent, wrong] = [{ id: nowhere, cid: 'x' }, await (refused ?? live)()];
    const stale = withTip(body(wrong), 'stale');

    expect(await refusal(scene.anonymous, absent, body(absent))).toEqual({ status: 401, body: unauthorized });
    const malformed = await refusal(scene.viewer, absent, { ...body(absent), ...broken });
    expect(malformed).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: [Object.keys(broken)[0]] }] } },
    });
    expect(await refusal(scene.viewer, absent, body(absent))).toEqual({ status: 404, body: notFound });
    expect(await refusal(scene.viewer, wrong, stale)).toEqual({
      status: 403,
      body: { error: `Action not allowed: ${action}` },
    });
    expect(await refusal(scene.owner, wrong, stale)).toEqual({ status: 409, body: conflict('stale', wrong.cid) });
    if (state !== undefined)
      expect(await refusal(scene.owner, wrong, body(wrong))).toEqual({ status: 400, body: invalid([names], state) });
    if (meaning) {
      const right = await live();
      expect(await refusal(scene.owner, right, body(right))).toEqual({
        status: 400,
        body: invalid(meaning.path, typeof meaning.message === 'string' ? meaning.message : meaning.message()),
      });
    }
  });

  it('asks who it is before it reads the body', async () => {
    const absent = { id: nowhere, cid: 'x' };
    const sent = { ...body(absent), ...broken };
    expect(await refusal(scene.anonymous, absent, sent)).toEqual({ status: 401, body: unauthorized });
  });
});
