import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, type PeopledNode, type Person, type Reply, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
let ada: Person;
let bob: Person;
let eve: Person;
beforeAll(async () => {
  on = await startPeopledNode();
  ada = await on.person('Ada');
  bob = await on.person('Bob');
  eve = await on.person('Eve');
});
afterAll(() => on[Symbol.asyncDispose]());

const nowhere = '01J0000000000000000000000B';
const create = async (body: Json = {}): Promise<Json> =>
  (await on.ask(ada, 'POST', '/collections', { label: 'a collection', ...body })).body;
const issuesOf = (answer: Reply): unknown[] => answer.body.details.issues.map((i: Json) => i.path);
const members = async (id: string, query = ''): Promise<Json> =>
  (await on.ask(null, 'GET', `/collections/${id}/members${query}`)).body;
const enrol = (id: string, user: Person, role: string, expires_in?: number, who = ada): Promise<Reply> =>
  on.ask(who, 'POST', `/collections/${id}/members`, { user_id: user.id, role, expires_in });

const refusal = (message: string, path: string[]) => ({ issues: [{ path, message }] });
const lastOwner = (...path: string[]) => refusal('the last owner of a collection cannot be removed', path);
const lastManager = (...path: string[]) =>
  refusal(
    'nobody could manage the collection any more: a member without an end needs a role with collection:manage',
    path,
  );

describe('roles of a collection', () => {
  it('are added, replaced and removed', async () => {
    const { id, cid, roles } = await create();
    const added = await on.ask(ada, 'POST', `/collections/${id}/roles`, { role: 'Helper!', actions: ['*:view'] });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      id,
      cid: expect.any(String),
      prev_cid: cid,
      ver: 2,
      roles: { ...roles, 'Helper!': ['*:view'] },
    });
    const path = `/collections/${id}/roles/${encodeURIComponent('Helper!')}`;
    const put = await on.ask(ada, 'PUT', path, { actions: ['*:create'] });
    expect(put).toMatchObject({ status: 200, body: { ver: 3, prev_cid: added.body.cid } });
    expect(put.body.roles['Helper!']).toEqual(['*:create']);
    expect((await enrol(id, bob, 'Helper!')).status).toBe(201);
    const removed = await on.ask(ada, 'DELETE', path);
    expect(removed).toMatchObject({ status: 200, body: { ver: 5, roles } });
    const now = await on.ask(null, 'GET', `/collections/${id}`);
    expect(now.body.relationships.map((r: Json) => r.predicate)).toEqual(['owner']);
    expect(
      (await on.ask(ada, 'POST', `/collections/${id}/roles`, { role: 'Helper!', actions: ['*:view'] })).status,
    ).toBe(201);
  });

  it('a replaced role may be left as it is', async () => {
    const { id } = await create();
    const put = await on.ask(ada, 'PUT', `/collections/${id}/roles/viewer`, { actions: ['*:view'] });
    expect(put).toMatchObject({ status: 200, body: { ver: 2 } });
  });

  it('public keeps *:view and stays; the owner stays', async () => {
    const { id } = await create();
    const put = await on.ask(ada, 'PUT', `/collections/${id}/roles/public`, { actions: ['*:create'] });
    expect(put.body.roles.public).toEqual(['*:create', '*:view']);
    expect((await on.ask(ada, 'DELETE', `/collections/${id}/roles/public`)).status).toBe(400);
    expect((await on.ask(ada, 'DELETE', `/collections/${id}/roles/owner`)).status).toBe(400);
    expect((await members(id)).members).toHaveLength(1);
  });

  it('refuse in order: 401, body, 404, 403, meaning', async () => {
    const { id } = await create();
    const post = (who: Person | string | null, body: Json, collection = id) =>
      on.ask(who, 'POST', `/collections/${collection}/roles`, body);
    const good = { role: 'helper', actions: ['*:view'] };
    expect((await post(null, good)).status).toBe(401);
    expect(issuesOf(await post(bob, { role: 'helper', actions: ['collection:*'] }))).toEqual([['actions', 0]]);
    expect(issuesOf(await post(bob, { role: 'helper', actions: [] }))).toEqual([['actions']]);
    expect(issuesOf(await post(bob, { role: 'root', actions: ['*:view'] }))).toEqual([['role']]);
    expect(issuesOf(await post(bob, { role: 'x'.repeat(51), actions: ['*:view'] }))).toEqual([['role']]);
    expect((await post(bob, good, nowhere)).status).toBe(404);
    expect((await post(bob, { ...good, role: 'viewer' })).status).toBe(403);
    expect(issuesOf(await post(ada, { ...good, role: 'viewer' }))).toEqual([['role']]);
    const agent = await post(`ApiKey ${on.agentKey('01J0000000000000000000000A', ada)}`, good);
    expect(agent.status).toBe(403);
    expect(agent.body.error).toMatch(/^Only users can/);
    const path = `/collections/${id}/roles/nobody`;
    expect((await on.ask(ada, 'PUT', path, { actions: ['*:view'] })).status).toBe(404);
    expect((await on.ask(bob, 'PUT', path, { actions: ['*:view'] })).status).toBe(403);
    expect((await on.ask(ada, 'DELETE', path)).status).toBe(404);
    expect((await on.ask(null, 'DELETE', path)).status).toBe(401);
    expect((await on.ask(ada, 'PUT', `/collections/${ada.id}/roles/viewer`, { actions: ['*:view'] })).status).toBe(404);
    expect(
      (await on.ask(ada, 'POST', `/collections/${id}/roles`, { role: '__proto__', actions: ['*:view'] })).status,
    ).toBe(201);
    const own = (await on.ask(ada, 'GET', `/collections/${id}`)).text;
    expect(own).toContain('"__proto__":["*:view"]');
  });

  it('never conflict, however many are written at once', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 2 === 0
          ? on.ask(ada, 'POST', `/collections/${id}/roles`, { role: `role ${i}`, actions: ['*:view'] })
          : enrol(id, [bob, eve][i % 4 === 1 ? 0 : 1] as Person, 'viewer', 60 * i),
      ),
    );
    expect(answers.map((a) => a.status)).toEqual(Array(12).fill(201));
    expect(answers.map((a) => a.body.ver).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 2),
    );
  });
});

describe('members of a collection', () => {
  it('are added, listed and removed', async () => {
    const { id, cid } = await create();
    const added = await enrol(id, bob, 'editor', 60);
    const facts = {
      expires_at: new Date(on.clock.ms + 60_000).toISOString(),
      granted_at: new Date(on.clock.ms).toISOString(),
      granted_by: ada.id,
    };
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      id,
      cid: expect.any(String),
      prev_cid: cid,
      ver: 2,
      member_added: { user_id: bob.id, role: 'editor', ...facts },
    });
    const { expires_at: _, ...lasting } = facts;
    expect(await members(id)).toEqual({
      collection_id: id,
      members: [
        { userId: ada.id, role: 'owner', userLabel: 'Ada', ...lasting, is_expired: false },
        { userId: bob.id, role: 'editor', userLabel: 'Bob', ...facts, is_expired: false },
      ],
      groups: [],
      wildcards: [],
    });
    const removed = await on.ask(ada, 'DELETE', `/collections/${id}/members/${bob.id}?role=editor`);
    expect(removed.status).toBe(200);
    expect(removed.body).toEqual({
      id,
      cid: expect.any(String),
      prev_cid: added.body.cid,
      ver: 3,
      member_removed: { user_id: bob.id, role: 'editor' },
    });
    expect((await members(id)).members).toHaveLength(1);
  });

  it('expire: nothing is given any more, and only include_expired lists them', async () => {
    const { id } = await create();
    await enrol(id, bob, 'editor', 60);
    const write = () => on.ask(bob, 'POST', '/entities', { type: 'note', collection: id });
    expect((await write()).status).toBe(201);
    on.clock.ms += 60_000;
    expect((await write()).status).toBe(403);
    expect((await members(id)).members).toHaveLength(1);
    const all = (await members(id, '?include_expired=true')).members;
    expect(all[1]).toMatchObject({ userId: bob.id, is_expired: true });

    const lasting = await enrol(id, bob, 'editor');
    expect(lasting.body.member_added).not.toHaveProperty('expires_at');
    expect((await write()).status).toBe(201);
    const over = await enrol(id, bob, 'editor', 0);
    expect(over.body.member_added.expires_at).toBe(new Date(on.clock.ms).toISOString());
    expect((await write()).status).toBe(403);
  });

  it('groups and wildcards are listed apart', async () => {
    const relationships = [
      { predicate: 'viewer', peer: '*' },
      { predicate: 'editor', peer: bob.id, peer_type: 'group', peer_label: 'Friends' },
    ];
    const { id } = await create({ relationships });
    const list = await members(id);
    expect(list.wildcards).toEqual([{ role: 'viewer' }]);
    expect(list.groups).toEqual([{ groupId: bob.id, role: 'editor', groupLabel: 'Bob' }]);
  });

  it('the last owner stays, by whatever door', async () => {
    const { id, cid } = await create();
    const own = `/collections/${id}/members/${ada.id}?role=owner`;
    expect(issuesOf(await on.ask(ada, 'DELETE', own))).toEqual([['userId']]);
    expect(issuesOf(await on.ask(ada, 'DELETE', `/collections/${id}/roles/owner`))).toEqual([['role']]);
    expect(issuesOf(await enrol(id, ada, 'owner', 60))).toEqual([['expires_in']]);
    const relationships_remove = [{ predicate: 'owner' }];
    for (const path of ['entities', 'collections']) {
      const put = await on.ask(ada, 'PUT', `/${path}/${id}`, { expect_tip: cid, relationships_remove });
      expect(issuesOf(put)).toEqual([['relationships_remove']]);
      const soon = { predicate: 'owner', peer: ada.id, properties: { expires_at: '2030-01-01T00:00:00.000Z' } };
      const until = { expect_tip: cid, relationships_add: [soon] };
      expect(issuesOf(await on.ask(ada, 'PUT', `/${path}/${id}`, until))).toEqual([['relationships_add']]);
    }
    expect((await enrol(id, bob, 'owner')).status).toBe(201);
    expect((await on.ask(bob, 'DELETE', own)).status).toBe(200);
    expect((await members(id)).members.map((m: Json) => m.userId)).toEqual([bob.id]);
    expect((await enrol(id, eve, 'viewer')).status).toBe(403);
  });

  it('a processor is no owner who is left: it may not manage, whatever its role', async () => {
    const { id } = await create();
    const body = {
      ...{ label: 'worker', endpoint: 'https://example.org/', actions_required: ['*:view'], collection: id },
      ...{ accepts: { types: ['*'], cardinality: 'one' }, produces: { types: ['*'], cardinality: 'one' } },
    };
    const klados = (await on.ask(ada, 'POST', '/kladoi', body)).body.id;
    expect((await enrol(id, { id: klados, key: '' }, 'owner')).status).toBe(201);
    const gone = await on.ask(ada, 'DELETE', `/collections/${id}/members/${ada.id}?role=owner`);
    expect([gone.status, gone.body.details]).toEqual([400, lastOwner('userId')]);
    const { cid } = (await on.ask(null, 'GET', `/collections/${id}`)).body;
    const relationships_remove = [{ predicate: 'owner', peer: ada.id }];
    const put = await on.ask(ada, 'PUT', `/entities/${id}`, { expect_tip: cid, relationships_remove });
    expect([put.status, put.body.details]).toEqual([400, lastOwner('relationships_remove')]);
    expect((await enrol(id, bob, 'owner')).status).toBe(201);
    expect((await on.ask(ada, 'DELETE', `/collections/${id}/members/${ada.id}?role=owner`)).status).toBe(200);
  });

  it('what is no person is no owner who is left', async () => {
    const { id, cid } = await create();
    const { id: chair } = (await on.ask(ada, 'POST', '/entities', { type: 'chair', properties: {}, collection: id }))
      .body;
    const body = {
      expect_tip: cid,
      relationships_remove: [{ predicate: 'owner', peer: ada.id }],
      relationships_add: [{ predicate: 'owner', peer: chair, peer_type: 'chair' }],
    };
    const put = await on.ask(ada, 'PUT', `/entities/${id}`, body);
    expect([put.status, put.body.details]).toEqual([400, lastOwner('relationships_remove')]);
  });

  it('who owns it stays its owner, whatever type was said of them', async () => {
    const { id, cid } = await create();
    const said = { predicate: 'owner', peer: ada.id, peer_type: 'person' };
    const body = { expect_tip: cid, relationships_remove: [{ predicate: 'owner' }], relationships_add: [said] };
    // As it stands in what came from elsewhere, or from before.
    const put = await on.ask(ada, 'PUT', `/entities/${id}`, body);
    expect(put.status).toBe(200);
    const gone = await on.ask(ada, 'DELETE', `/collections/${id}/members/${ada.id}?role=owner`);
    expect([gone.status, gone.body.details]).toEqual([400, lastOwner('userId')]);
    const label = await on.ask(ada, 'PUT', `/entities/${id}`, {
      expect_tip: put.body.cid,
      properties: { label: 'Renamed' },
    });
    expect(label.status).toBe(200);
  });

  it('somebody may manage it, whatever the roles are changed to', async () => {
    const { id, cid } = await create();
    const reading = { actions: ['*:view', '*:update', '*:create'] };
    const put = () => on.ask(ada, 'PUT', `/collections/${id}/roles/owner`, reading);
    const refused = await put();
    expect([refused.status, refused.body.details]).toEqual([400, lastManager('actions')]);
    const body = { expect_tip: cid, properties: { roles: { owner: ['*:view'] } } };
    const generic = await on.ask(ada, 'PUT', `/entities/${id}`, body);
    expect([generic.status, generic.body.details]).toEqual([400, lastManager('properties', 'roles')]);
    // Others may do it by another role, for good.
    const managing = { role: 'steward', actions: ['collection:manage'] };
    expect((await on.ask(ada, 'POST', `/collections/${id}/roles`, managing)).status).toBe(201);
    expect((await enrol(id, bob, 'steward', 60)).status).toBe(201);
    expect((await put()).status).toBe(400);
    expect((await enrol(id, bob, 'steward')).status).toBe(201);
    expect((await put()).status).toBe(200);
    const last = await on.ask(bob, 'DELETE', `/collections/${id}/members/${bob.id}?role=steward`);
    expect([last.status, last.body.details]).toEqual([400, lastManager('userId')]);
    expect((await on.ask(bob, 'DELETE', `/collections/${id}/roles/steward`)).status).toBe(400);
    expect((await on.ask(bob, 'PUT', `/collections/${id}/roles/viewer`, { actions: ['*:view'] })).status).toBe(200);
  });

  it('refuse in order', async () => {
    const { id } = await create();
    const note = (await on.ask(ada, 'POST', '/entities', { type: 'note' })).body.id;
    const post = (who: Person | null, body: Json, collection = id) =>
      on.ask(who, 'POST', `/collections/${collection}/members`, { user_id: bob.id, role: 'viewer', ...body });
    expect((await post(null, {})).status).toBe(401);
    expect(issuesOf(await post(eve, { user_id: 'x' }))).toEqual([['user_id']]);
    expect(issuesOf(await post(eve, { expires_in: -1 }))).toEqual([['expires_in']]);
    expect(issuesOf(await post(eve, { expires_in: 1e15 }))).toEqual([['expires_in']]);
    expect(issuesOf(await post(eve, { role: '' }))).toEqual([['role']]);
    expect((await post(eve, {}, nowhere)).status).toBe(404);
    expect((await post(eve, {}, note)).status).toBe(404);
    expect((await post(eve, { role: 'nobody' })).status).toBe(403);
    expect(issuesOf(await post(ada, { role: 'nobody', user_id: nowhere }))).toEqual([['role'], ['user_id']]);
    expect(issuesOf(await post(ada, { user_id: note }))).toEqual([['user_id']]);
    const member = `/collections/${id}/members/${bob.id}`;
    expect(issuesOf(await on.ask(ada, 'DELETE', member))).toEqual([['role']]);
    expect(issuesOf(await on.ask(ada, 'DELETE', `${member}?role=`))).toEqual([['role']]);
    expect((await on.ask(null, 'DELETE', `${member}?role=viewer`)).status).toBe(401);
    expect((await on.ask(eve, 'DELETE', `${member}?role=viewer`)).status).toBe(403);
    expect((await on.ask(ada, 'DELETE', `${member}?role=viewer`)).status).toBe(404);
    expect((await on.ask(null, 'GET', `/collections/${nowhere}/members`)).status).toBe(404);
    expect((await on.ask(null, 'GET', `/collections/${id}/members?include_expired=yes`)).status).toBe(400);
  });

  it("are managed on behalf of a user with that user's role", async () => {
    const { id } = await create();
    const service = `ApiKey ${on.serviceKey()}`;
    const body = { user_id: eve.id, role: 'viewer' };
    const path = `/collections/${id}/members`;
    expect((await on.ask(service, 'POST', path, body, { onBehalfOf: bob.id })).status).toBe(403);
    const added = await on.ask(service, 'POST', path, body, { onBehalfOf: ada.id });
    expect(added.body.member_added.granted_by).toBe(ada.id);
    const removed = await on.ask(service, 'DELETE', `${path}/${eve.id}?role=viewer`);
    expect(removed.status).toBe(200);
  });
});

describe('generic writes', () => {
  it('change roles and members only for who may manage them', async () => {
    const { id } = await create({ roles: { clerk: ['*:view', 'collection:update'] } });
    await enrol(id, bob, 'clerk');
    await enrol(id, eve, 'editor');
    const { cid } = (await on.ask(null, 'GET', `/collections/${id}`)).body;
    const grab = [
      { properties: { roles: { public: ['*:view', '*:update'] } } },
      { properties: { roles: { clerk: ['collection:manage'] } } },
      { properties_remove: { roles: ['viewer'] } },
      { properties_remove: ['roles'] },
      { relationships_add: [{ predicate: 'owner', peer: bob.id, peer_type: 'user' }] },
      { relationships_remove: [{ predicate: 'owner' }] },
      { relationships_add: [{ predicate: 'editor', peer: '*' }] },
    ];
    for (const change of grab)
      for (const who of [bob, eve])
        for (const path of ['entities', 'collections']) {
          const answer = await on.ask(who, 'PUT', `/${path}/${id}`, { expect_tip: cid, ...change });
          expect(answer.status, `${path} ${JSON.stringify(change)}`).toBe(403);
        }
    const owner = { source_id: id, target_id: eve.id, source_predicate: 'owner', expect_source_tip: cid };
    expect((await on.ask(eve, 'POST', '/relationships', owner)).status).toBe(403);
    expect((await on.ask(null, 'GET', `/collections/${id}`)).body.cid).toBe(cid);
    expect((await on.ask(bob, 'PUT', `/collections/${id}`, { expect_tip: cid, label: 'fine' })).status).toBe(200);
  });

  it('cannot leave a collection without its public role, or with roles that are none', async () => {
    const { id, cid } = await create();
    for (const change of [
      { properties_remove: ['roles'] },
      { properties_remove: { roles: ['public'] } },
      { properties: { roles: { public: ['*:create'] } } },
      { properties: { roles: { helper: ['collection:*'] } } },
      { properties: { roles: 'none' } },
    ]) {
      const answer = await on.ask(ada, 'PUT', `/entities/${id}`, { expect_tip: cid, ...change });
      expect(answer.status, JSON.stringify(change)).toBe(400);
    }
  });
});
