import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movesAfter } from '../../src/server/store/events.ts';
import { ask, type Person, processor, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, read, remove, update } from '../helpers/entities.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let clock: { ms: number };
let ada: Person;
let bob: Person;
let eve: Person;
/** Where groups lie; of ada alone. */
let office: Entity;
beforeAll(async () => {
  clock = { ms: Date.UTC(2026, 0, 1) };
  node = await startNode({ now: () => clock.ms });
  [ada, bob, eve] = [await user(node, 'ada'), await user(node, 'bob'), await user(node, 'eve')];
  office = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

const member = ({ id }: Person, properties: object = {}) => ({ predicate: 'member', peer: id, properties });
const group = (who: Person, relationships: object[], body: object = { collection: office.id }) =>
  create(node, who, { type: 'group', properties: { label: 'Crew' }, relationships, ...body });
const as = ({ id }: { id: string }): Person => ({ id, headers: {} });
/** A collection of ada in which a group holds a role. */
async function home(crew: Entity, role = 'editor'): Promise<Entity> {
  const made = await collection(node, ada);
  await enrol(node, ada, made.id, as(crew), role);
  return made;
}
const adds = (who: Person, place: Entity): Promise<Answer> =>
  ask(node, who, 'POST /entities', { type: 'document', collection: place.id });
const added = async (who: Person, place: Entity) => (await adds(who, place)).status;
const rights = async (who: Person, id: string) =>
  ok<{ allowed_actions: string[]; resolution: { role: string } }>(
    await ask(node, who, `GET /entities/${id}/permissions`),
  );

describe('a group in a collection', () => {
  it('gives its members the role, until they leave', async () => {
    const crew = await group(ada, [member(bob)]);
    const place = await home(crew);
    expect([await added(bob, place), await added(eve, place)]).toEqual([201, 403]);
    expect(await rights(bob, place.id)).toMatchObject({ resolution: { role: 'editor' } });
    expect((await rights(eve, place.id)).resolution.role).toBe('public');
    const without = await update(node, ada, crew, { relationships_remove: [{ predicate: 'member', peer: bob.id }] });
    expect(await added(bob, place)).toBe(403);
    const again = await update(node, ada, without, { relationships_add: [member(bob)] });
    expect(await added(bob, place)).toBe(201);
    await remove(node, ada, again);
    expect(await added(bob, place)).toBe(403);
    expect((await rights(bob, place.id)).resolution.role).toBe('public');
  });

  it('ends with the time of its member, and with its own', async () => {
    const hour = new Date(clock.ms + 3_600_000).toISOString();
    const place = await home(await group(ada, [member(bob, { expires_at: hour }), member(eve)]));
    const passing = await collection(node, ada);
    await enrol(node, ada, passing.id, as(await group(ada, [member(eve)])), 'editor', 3600);
    expect([await added(bob, place), await added(eve, passing)]).toEqual([201, 201]);
    clock.ms += 3_600_000;
    expect([await added(bob, place), await added(eve, place), await added(eve, passing)]).toEqual([403, 201, 403]);
  });

  it('counts a processor among its members', async () => {
    const klados = await create(node, ada, { type: 'klados', collection: office.id });
    const key = processor(node, klados.id, ada);
    const place = await home(await group(ada, [member(key)]), 'owner');
    expect(await added(key, place)).toBe(201);
    const roles = await ask(node, key, `PUT /collections/${place.id}/roles/viewer`, { actions: ['*:view'] });
    expect([roles.status, roles.body]).toEqual([403, { error: 'Only users can do collection:manage' }]);
  });

  it('is listed, and so are its collections for its members', async () => {
    const [crew, carl] = [await group(ada, []), await user(node, 'carl')];
    const place = await home(crew);
    await enrol(node, ada, place.id, carl, 'editor');
    await update(node, ada, crew, { relationships_add: [member(carl), member(bob)] });
    const list = ok<{ groups: object[] }>(await ask(node, carl, `GET /collections/${place.id}/members`));
    expect(list.groups).toEqual([{ groupId: crew.id, role: 'editor', groupLabel: 'Crew' }]);
    const of = async ({ id }: Person) =>
      ok<{ collections: { id: string; predicate: string }[] }>(
        await ask(node, ada, `GET /users/${id}/collections`),
      ).collections.filter((one) => one.id === place.id);
    for (const person of [carl, bob]) expect(await of(person)).toMatchObject([{ predicate: 'editor' }]);
    expect(await of(eve)).toEqual([]);
    ok(await ask(node, ada, `DELETE /collections/${place.id}/members/${crew.id}?role=editor`));
    expect([await of(bob), await added(bob, place)]).toEqual([[], 403]);
  });
});

describe('nobody gets a role by', () => {
  it('joining a group without the right to change it', async () => {
    const crew = await group(ada, [member(bob)]);
    const place = await home(crew);
    for (const who of [eve, bob]) {
      const joined = await ask(node, who, `PUT /entities/${crew.id}`, {
        expect_tip: crew.cid,
        relationships_add: [member(eve)],
      });
      expect([joined.status, joined.body]).toEqual([403, { error: 'Action not allowed: entity:update' }]);
    }
    expect(await added(eve, place)).toBe(403);
  });

  it('a group in open season, which is not taken in', async () => {
    const open = await group(eve, [member(eve)], {});
    const place = await collection(node, ada);
    const refused = await ask(node, ada, `POST /collections/${place.id}/members`, { user_id: open.id, role: 'owner' });
    const message = 'this group lies in no collection, so anybody could join it: put it into one first';
    expect([refused.status, refused.body]).toEqual([400, invalid(['user_id'], message)]);
    // Written as a relationship, it gives nothing.
    await update(node, ada, place, { relationships_add: [{ predicate: 'owner', peer: open.id, peer_type: 'group' }] });
    expect(await added(eve, place)).toBe(403);
    // Nor does a group that has left its collection.
    const crew = await group(ada, [member(eve)]);
    const other = await home(crew);
    expect(await added(eve, other)).toBe(201);
    await update(node, ada, crew, { relationships_remove: [{ predicate: 'collection' }] });
    expect(await added(eve, other)).toBe(403);
  });

  it('an entity that only calls itself a group', async () => {
    const fake = await create(node, ada, { collection: office.id, relationships: [member(eve)] });
    const place = await collection(node, ada);
    await update(node, ada, place, { relationships_add: [{ predicate: 'owner', peer: fake.id, peer_type: 'group' }] });
    expect(await added(eve, place)).toBe(403);
  });

  it('a group of everyone, or of groups', async () => {
    const inner = await group(ada, [member(eve)]);
    const crew = await group(ada, [member(as(inner))]);
    const place = await home(crew);
    const all = await ask(node, ada, `PUT /entities/${crew.id}`, {
      expect_tip: crew.cid,
      relationships_add: [{ predicate: 'member', peer: '*' }],
    });
    expect(all.status).toBe(400);
    expect(await added(eve, place)).toBe(403);
  });

  it('adding groups or everyone without collection:manage', async () => {
    const crew = await group(ada, [member(bob)]);
    const place = await home(crew);
    const now = await read(node, ada, place.id);
    for (const peer of ['*', crew.id]) {
      const relationships_add = [{ predicate: 'owner', peer, peer_type: 'group' }];
      const refused = await ask(node, bob, `PUT /collections/${place.id}`, { expect_tip: now.cid, relationships_add });
      expect([refused.status, refused.body]).toEqual([403, { error: 'Action not allowed: collection:manage' }]);
    }
  });
});

it('what holds for everyone holds for whoever is registered', async () => {
  const place = await collection(node, ada);
  const open = await update(node, ada, place, { relationships_add: [{ predicate: 'editor', peer: '*' }] });
  const anonymous = { id: '', headers: {} };
  expect([await added(eve, place), await added(anonymous, place)]).toEqual([201, 401]);
  expect((await rights(eve, place.id)).resolution.role).toBe('editor');
  const held = async () =>
    ok<{ collections: { id: string }[] }>(await ask(node, ada, `GET /users/${eve.id}/collections?predicate=editor`))
      .collections.map(({ id }) => id)
      .includes(place.id);
  expect(await held()).toBe(true);
  await update(node, ada, open, { relationships_remove: [{ predicate: 'editor', peer: '*' }] });
  expect([await held(), await added(eve, place)]).toEqual([false, 403]);
});

it('what a member of a group writes while it leaves is in no version after that', async () => {
  const crew = await group(ada, [member(bob)]);
  const place = await home(crew);
  const cids: string[] = [];
  const lane = async (): Promise<void> => {
    for (;;) {
      const answer = await adds(bob, place);
      if (answer.status === 403) return;
      cids.push(ok<Entity>(answer).cid);
    }
  };
  const lanes = Promise.all(Array.from({ length: 16 }, lane));
  while (cids.length < 50) await new Promise(setImmediate);
  const left = await update(node, ada, crew, { relationships_remove: [{ predicate: 'member' }] });
  await lanes;
  const store = await node.ctx.networks.get('main');
  const order: string[] = [];
  for (let after = 0, more = true; more; ) {
    const page = store.read((db) => movesAfter(db, after, 1000));
    for (const { id, cid } of page.moves) {
      after = id;
      order.push(cid);
    }
    more = page.more;
  }
  const end = order.indexOf(left.cid);
  expect(end).toBeGreaterThan(0);
  expect(cids.filter((cid) => order.indexOf(cid) > end)).toEqual([]);
});
