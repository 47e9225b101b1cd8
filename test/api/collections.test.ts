import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOn } from '../../src/server/model/ids.ts';
import { type Json, type PeopledNode, type Person, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  on = await startPeopledNode();
  ada = await on.person('Ada');
  bob = await on.person('Bob');
});
afterAll(() => on[Symbol.asyncDispose]());

const defaults = {
  owner: ['*:view', '*:update', '*:create', 'collection:update', 'collection:manage'],
  editor: ['*:view', '*:update', '*:create'],
  viewer: ['*:view'],
  public: ['*:view'],
};
const nowhere = '01J0000000000000000000000B';

async function create(body: Json = {}, who = ada): Promise<Json> {
  const answer = await on.ask(who, 'POST', '/collections', { label: 'a collection', ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const issuesOf = (answer: { body: Json }): unknown[] => answer.body.details.issues.map((i: Json) => i.path);

describe('POST /collections', () => {
  it('makes a collection whose creator is its owner', async () => {
    const body = {
      label: 'Letters',
      description: 'All of them',
      display_image_url: 'https://example.org/a.png',
      note: 'first',
      properties: { _year: 1890, label: 'lost' },
    };
    const made = await create(body);
    const at = new Date(on.clock.ms).toISOString();
    expect(made).toEqual({
      id: expect.any(String),
      cid: expect.any(String),
      type: 'collection',
      properties: {
        label: 'Letters',
        description: 'All of them',
        display_image_url: 'https://example.org/a.png',
        _year: 1890,
        roles: defaults,
      },
      relationships: [
        { predicate: 'owner', peer: ada.id, peer_type: 'user', properties: { granted_at: at, granted_by: ada.id } },
      ],
      roles: defaults,
      ver: 1,
      created_at: at,
      ts: on.clock.ms,
      edited_by: { user_id: ada.id, method: 'manual' },
    });
    const read = await on.ask(null, 'GET', `/collections/${made.id}`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(made);
  });

  it('merges roles with the defaults, or replaces them; public stays readable', async () => {
    const merged = await create({ roles: { editor: ['*:view'], helper: ['entity:create'] } });
    expect(merged.roles).toEqual({ ...defaults, editor: ['*:view'], helper: ['entity:create'] });
    const alone = await create({ use_roles_default: false, roles: { owner: ['*:view', 'collection:manage'] } });
    expect(alone.roles).toEqual({ owner: ['*:view', 'collection:manage'], public: ['*:view'] });
    const open = await create({ roles: { public: ['*:create'] } });
    expect(open.roles.public).toEqual(['*:create', '*:view']);
    const ownerless = await create({ use_roles_default: false, roles: { reader: ['file:view'] } });
    expect(ownerless.roles).toEqual({
      owner: defaults.owner,
      reader: ['file:view'],
      public: ['*:view'],
    });
    const unset = await create({ use_roles_default: null });
    expect(unset.roles).toEqual(defaults);
  });

  it('takes the roles among the properties where there are none beside them', async () => {
    const roles = { public: ['*:create'], helper: ['entity:create'] };
    const made = await create({ properties: { a: 1, roles } });
    expect(made.roles).toEqual({ ...defaults, ...roles, public: ['*:create', '*:view'] });
    expect(made.properties).toMatchObject({ a: 1, roles: made.roles });
    const both = await create({ properties: { roles }, roles: {} });
    expect(both.roles).toEqual(defaults);
  });

  it('keeps what else is related, and makes an expiring claim of ownership the lasting one', async () => {
    const expired = { predicate: 'owner', peer: ada.id, properties: { expires_at: '2020-01-01T00:00:00.000Z' } };
    const made = await create({ relationships: [{ predicate: 'depicts', peer: bob.id }, expired] });
    expect(made.relationships.map((r: Json) => [r.predicate, r.peer])).toEqual([
      ['depicts', bob.id],
      ['owner', ada.id],
    ]);
    expect(made.relationships[1].properties).not.toHaveProperty('expires_at');
  });

  it('takes an id once, and answers a replay with what it made', async () => {
    const id = '01J1000000000000000000000A';
    const body = { id, label: 'mine', roles: { helper: ['*:view'] } };
    const made = await create(body);
    on.clock.ms += 5000;
    const replay = await on.ask(ada, 'POST', '/collections', body);
    expect(replay.status).toBe(200);
    expect(replay.body).toEqual(made);
    for (const other of [
      await on.ask(ada, 'POST', '/collections', { ...body, label: 'other' }),
      await on.ask(bob, 'POST', '/collections', body),
    ]) {
      expect(other.status).toBe(400);
      expect(issuesOf(other)).toEqual([['id']]);
    }
  });

  it('answers a replay also of a request that took a while', async () => {
    let now = on.clock.ms;
    // Later each time that anybody looks.
    Object.defineProperty(on.clock, 'ms', { configurable: true, get: () => now++ });
    const body = { id: '01J1000000000000000000000B', label: 'mine' };
    const made = await create(body);
    const replay = await on.ask(ada, 'POST', '/collections', body);
    Object.defineProperty(on.clock, 'ms', { value: now, writable: true });
    expect(replay.status, replay.text).toBe(200);
    expect(replay.body).toEqual(made);
  });

  it.each<[Json, unknown[]]>([
    [{ label: '' }, ['label']],
    [{ label: 'x'.repeat(201) }, ['label']],
    [{ label: 1 }, ['label']],
    [{ description: 'x'.repeat(2001) }, ['description']],
    [{ display_image_url: 'no url' }, ['display_image_url']],
    [{ roles: { helper: [] } }, ['roles', 'helper']],
    [{ roles: { helper: ['collection:*'] } }, ['roles', 'helper', 0]],
    [{ roles: { helper: ['entity:fly'] } }, ['roles', 'helper', 0]],
    [{ roles: { root: ['*:view'] } }, ['roles', 'root']],
    [{ roles: { 'x\ud800': ['*:view'] } }, ['roles', 'x\ud800']],
    [{ roles: { ['x'.repeat(51)]: ['*:view'] } }, ['roles', 'x'.repeat(51)]],
    [{ properties: { roles: 'none' } }, ['properties', 'roles']],
    [{ properties: { roles: null } }, ['properties', 'roles']],
    [{ properties: { roles: { public: 5 } } }, ['properties', 'roles', 'public']],
    [{ properties: { roles: { helper: ['entity:fly'] } } }, ['properties', 'roles', 'helper', 0]],
    [{ id: 'mine' }, ['id']],
    [{ id: idOn('test', nowhere) }, ['id']],
    [{ relationships: [{ predicate: 'about', peer: nowhere }] }, ['relationships', 0, 'peer']],
    [{ relationships: [{ predicate: 'Bad one', peer: nowhere }] }, ['relationships', 0, 'predicate']],
  ])('refuses %j', async (body, path) => {
    const answer = await on.ask(ada, 'POST', '/collections', { label: 'l', ...body });
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toContainEqual(path);
  });

  it('is for users, and for service accounts', async () => {
    expect((await on.ask(null, 'POST', '/collections', { label: 'x' })).status).toBe(401);
    expect((await on.ask(await on.jwt({ sub: 'nobody' }), 'POST', '/collections', { label: 'x' })).status).toBe(403);
    const agent = `ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`;
    const refused = await on.ask(agent, 'POST', '/collections', { label: 'x' });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatch(/^Only users can/);
    const service = `ApiKey ${on.serviceKey()}`;
    const behalf = await on.ask(service, 'POST', '/collections', { label: 'x' }, { onBehalfOf: ada.id });
    expect(behalf.status).toBe(201);
    expect(behalf.body.relationships[0].peer).toBe(ada.id);
    expect(behalf.body.edited_by).toMatchObject({ method: 'system', on_behalf_of: ada.id });
    const system = await on.ask(service, 'POST', '/collections', { label: 'x' });
    expect(system.status).toBe(201);
    const robot = await on.ask(await on.jwt({ sub: 'robot', role: 'service' }), 'POST', '/collections', { label: 'x' });
    expect(robot.status).toBe(201);
  });

  it('works on the test network alike, apart from main', async () => {
    const made = await on.ask(ada, 'POST', '/collections', { label: 'test' }, { network: 'test' });
    expect(made.status).toBe(201);
    expect(made.body.id).toMatch(/^II/);
    expect(made.body.relationships[0].peer).toBe(idOn('test', ada.id));
    const path = `/collections/${made.body.id}`;
    expect((await on.ask(null, 'GET', path, undefined, { network: 'test' })).status).toBe(200);
    expect((await on.ask(null, 'GET', path)).status).toBe(400);
    const member = { user_id: bob.id, role: 'viewer' };
    const wrong = await on.ask(ada, 'POST', `${path}/members`, member, { network: 'test' });
    expect(issuesOf(wrong)).toEqual([['user_id']]);
  });
});

describe('GET and PUT /collections/{id}', () => {
  it('another type is a 404, and so is a deleted collection', async () => {
    const note = (await on.ask(ada, 'POST', '/entities', { type: 'note' })).body;
    expect((await on.ask(null, 'GET', `/collections/${note.id}`)).status).toBe(404);
    const put = await on.ask(ada, 'PUT', `/collections/${note.id}`, { expect_tip: note.cid, label: 'x' });
    expect(put.status).toBe(404);
    const made = await create();
    const grave = await on.ask(ada, 'DELETE', `/entities/${made.id}`, { expect_tip: made.cid });
    expect(grave.status).toBe(200);
    for (const path of ['', '/members', '/entities']) {
      const gone = await on.ask(null, 'GET', `/collections/${made.id}${path}`);
      expect(gone.status).toBe(404);
      expect(gone.body.details).toMatchObject({ deleted: true, tip: grave.body.cid, ver: 2 });
    }
    const role = { role: 'helper', actions: ['*:view'] };
    expect(issuesOf(await on.ask(ada, 'POST', `/collections/${made.id}/roles`, role))).toEqual([['id']]);
  });

  it('changes what the body names', async () => {
    const made = await create({ description: 'old' });
    const put = await on.ask(ada, 'PUT', `/collections/${made.id}`, {
      expect_tip: made.cid,
      label: 'new',
      display_image_url: 'https://example.org/',
      properties_remove: ['description'],
      properties: { _a: 1 },
      relationships_add: [{ predicate: 'about', peer: bob.id }],
    });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ ver: 2, prev_cid: made.cid, roles: defaults });
    expect(put.body.properties).toEqual({
      label: 'new',
      display_image_url: 'https://example.org/',
      _a: 1,
      roles: defaults,
    });
    const stale = await on.ask(ada, 'PUT', `/collections/${made.id}`, { expect_tip: made.cid, label: 'x' });
    expect(stale.status).toBe(409);
    expect(stale.body.details).toEqual({ expected: made.cid, actual: put.body.cid });
  });

  it('checks in order: 401, body, 404, 403, tip, meaning', async () => {
    const { id, cid } = await create();
    const path = `/collections/${id}`;
    const peer = { relationships_add: [{ predicate: 'about', peer: nowhere }] };
    expect((await on.ask(null, 'PUT', path, { expect_tip: 'x', label: 'y' })).status).toBe(401);
    expect((await on.ask(bob, 'PUT', path, { expect_tip: 'x', label: '' })).status).toBe(400);
    const url = { expect_tip: 'x', display_image_url: 'no' };
    expect(issuesOf(await on.ask(bob, 'PUT', `/collections/${nowhere}`, url))).toEqual([['display_image_url']]);
    expect((await on.ask(bob, 'PUT', `/collections/${nowhere}`, { expect_tip: 'x', ...peer })).status).toBe(404);
    expect((await on.ask(bob, 'PUT', path, { expect_tip: 'x', ...peer })).status).toBe(403);
    expect((await on.ask(ada, 'PUT', path, { expect_tip: 'x', ...peer })).status).toBe(409);
    const missing = await on.ask(ada, 'PUT', path, { expect_tip: cid, ...peer });
    expect(issuesOf(missing)).toEqual([['relationships_add', 0, 'peer']]);
    const unchecked = await on.ask(ada, 'PUT', `${path}?validate_relationships=false`, { expect_tip: cid, ...peer });
    expect(unchecked.status).toBe(200);
  });
});

describe('PUT /collections/{id}/root', () => {
  it('names one entity of the collection', async () => {
    const { id, cid } = await create();
    const inside = async () => (await on.ask(ada, 'POST', '/entities', { type: 'document', collection: id })).body.id;
    const [first, second] = [await inside(), await inside()];
    const put = await on.ask(ada, 'PUT', `/collections/${id}/root`, { expect_tip: cid, entity_id: first });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ id, ver: 2, prev_cid: cid, root_entity_id: first, type: 'collection' });
    const again = await on.ask(ada, 'PUT', `/collections/${id}/root`, { expect_tip: put.body.cid, entity_id: second });
    expect(again.body.root_entity_id).toBe(second);
    const roots = again.body.relationships.filter((r: Json) => r.predicate === 'root');
    expect(roots).toEqual([{ predicate: 'root', peer: second, peer_type: 'document' }]);
    expect((await on.ask(null, 'GET', `/collections/${id}`)).body.root_entity_id).toBe(second);
  });

  it('refuses in order', async () => {
    const { id, cid } = await create();
    const outside = (await on.ask(ada, 'POST', '/entities', { type: 'document' })).body.id;
    const put = (who: Person | null, body: Json, collection = id) =>
      on.ask(who, 'PUT', `/collections/${collection}/root`, body);
    expect((await put(null, { expect_tip: 'x', entity_id: outside })).status).toBe(401);
    expect(issuesOf(await put(bob, { entity_id: outside }))).toEqual([['expect_tip']]);
    expect(issuesOf(await put(bob, { expect_tip: 'x', entity_id: idOn('test', outside) }))).toEqual([['entity_id']]);
    expect((await put(bob, { expect_tip: 'x', entity_id: outside }, nowhere)).status).toBe(404);
    expect((await put(bob, { expect_tip: 'x', entity_id: outside })).status).toBe(403);
    expect((await put(ada, { expect_tip: 'x', entity_id: outside })).status).toBe(409);
    for (const entity_id of [outside, nowhere]) {
      expect(issuesOf(await put(ada, { expect_tip: cid, entity_id }))).toEqual([['entity_id']]);
    }
  });
});
