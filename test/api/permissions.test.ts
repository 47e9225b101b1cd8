import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOn } from '../../src/server/model/ids.ts';
import { type PeopledNode, type Person, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
let ada: Person;
let bob: Person;
let collection: string;
let inside: string;
beforeAll(async () => {
  on = await startPeopledNode();
  ada = await on.person('Ada');
  bob = await on.person('Bob');
  collection = (await on.ask(ada, 'POST', '/collections', { label: 'c' })).body.id;
  inside = (await on.ask(ada, 'POST', '/entities', { type: 'file', collection })).body.id;
});
afterAll(() => on[Symbol.asyncDispose]());

const of = (who: Person | string | null, id: string) => on.ask(who, 'GET', `/entities/${id}/permissions`);

describe('GET /permissions', () => {
  it('answers everybody with every action, what implies what, and the default roles', async () => {
    const answer = await on.ask(null, 'GET', '/permissions');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual([
      'actions',
      'verbs',
      'types',
      'implications',
      'type_hierarchy',
      'wildcards',
      'restrictions',
      'default_roles',
    ]);
    expect(answer.body.actions).toEqual(
      expect.arrayContaining(['entity:create', 'collection:manage', 'user:credentials']),
    );
    expect(answer.body.default_roles).toEqual({
      owner: ['*:view', '*:update', '*:create', 'collection:update', 'collection:manage'],
      editor: ['*:view', '*:update', '*:create'],
      viewer: ['*:view'],
      public: ['*:view'],
    });
  });
});

describe('GET /entities/{id}/permissions', () => {
  it('resolves by the collection and names the role', async () => {
    const owner = await of(ada, inside);
    expect(owner.status).toBe(200);
    expect(owner.body).toEqual({
      entity_id: inside,
      entity_type: 'file',
      allowed_actions: expect.arrayContaining(['entity:delete', 'file:reupload', 'file:download']),
      resolution: { method: 'collection', collection_id: collection, role: 'owner' },
    });
    expect(owner.body.allowed_actions.filter((a: string) => !/^(entity|file):/.test(a))).toEqual([]);
    const other = await of(bob, inside);
    expect(other.body.resolution).toEqual({ method: 'collection', collection_id: collection, role: 'public' });
    expect(other.body.allowed_actions).toEqual(['entity:tip', 'entity:view', 'file:download', 'file:view']);
  });

  it('resolves a collection by itself', async () => {
    const answer = await of(ada, collection);
    expect(answer.body.resolution).toEqual({ method: 'collection', collection_id: collection, role: 'owner' });
    expect(answer.body.allowed_actions).toEqual(expect.arrayContaining(['collection:manage', 'entity:create']));
  });

  it('resolves a user by itself, and an entity in no collection as open', async () => {
    expect((await of(ada, ada.id)).body).toMatchObject({
      entity_type: 'user',
      resolution: { method: 'self' },
      allowed_actions: expect.arrayContaining(['user:credentials', 'user:update']),
    });
    expect((await of(bob, ada.id)).body.allowed_actions).toEqual(['entity:tip', 'entity:view', 'user:view']);
    const open = (await on.ask(ada, 'POST', '/entities', { type: 'note' })).body.id;
    const answer = (await of(bob, open)).body;
    expect(answer.resolution).toEqual({ method: 'open_season' });
    expect(answer.allowed_actions).toContain('entity:update');
    const agent = `ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`;
    expect((await of(agent, open)).body.allowed_actions).not.toContain('entity:update');
  });

  it('says what a role gives only while it lasts', async () => {
    const body = { user_id: bob.id, role: 'editor', expires_in: 10 };
    await on.ask(ada, 'POST', `/collections/${collection}/members`, body);
    expect((await of(bob, inside)).body.resolution.role).toBe('editor');
    on.clock.ms += 10_000;
    expect((await of(bob, inside)).body.resolution.role).toBe('public');
  });

  it('answers for the user that a service account acts for', async () => {
    const answer = await on.ask(`ApiKey ${on.serviceKey()}`, 'GET', `/entities/${inside}/permissions`, undefined, {
      onBehalfOf: bob.id,
    });
    expect(answer.body.resolution.role).toBe('public');
    expect(answer.body.allowed_actions).not.toContain('entity:update');
  });

  it('needs credentials and an entity that is not deleted', async () => {
    expect((await of(null, inside)).status).toBe(401);
    expect((await of(await on.jwt({ sub: 'stranger' }), inside)).status).toBe(403);
    expect((await of(ada, '01J0000000000000000000000B')).status).toBe(404);
    expect((await of(ada, idOn('test', inside))).status).toBe(400);
    const gone = (await on.ask(ada, 'POST', '/entities', { type: 'note' })).body;
    const grave = await on.ask(ada, 'DELETE', `/entities/${gone.id}`, { expect_tip: gone.cid });
    expect(grave.status).toBe(200);
    const answer = await of(ada, gone.id);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual((await on.ask(ada, 'GET', `/entities/${gone.id}`)).body);
    expect(answer.body.details).toMatchObject({ deleted: true, tip: grave.body.cid });
  });
});
