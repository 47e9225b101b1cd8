import { expect, test } from 'vitest';
import { contentHash } from '../../src/server/store/content-hash.ts';
import { findRemote, hasPending } from '../../src/server/store/remotes/remotes.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { allPending } from '../../src/server/sync/push-pending.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf, remoteOf, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

// Two remotes know the operator by users of theirs: what the version of the one calls its owner is the user of its key to the other one.

/** A node beside two that may be its remotes, behind proxies; `stranger`: that these are nodes is hidden. */
async function startBeside({ stranger = false } = {}) {
  await using opened = new AsyncDisposableStack();
  const mirror = opened.use(await startNode());
  const [one, another] = [opened.use(await startNode()), opened.use(await startNode())];
  const first = opened.use(await startProxy(one.url, { plain: false, stranger }));
  const second = opened.use(await startProxy(another.url, { plain: false, stranger }));
  const here = operator(mirror);
  const [ada, ben] = [await user(one, 'ada'), await user(another, 'ben')];
  const remotes = {
    first: { name: 'first', url: first.url, key: keyOf(ada) },
    second: { name: 'second', url: second.url, key: keyOf(ben) },
  };
  const round = async (...names: string[]) => {
    for (const name of names)
      expect(await sync(mirror, here, name)).toMatchObject({ refused: 0, conflicts: 0, stopped: null });
  };
  const sides = [
    [one, ada],
    [another, ben],
  ] as const;
  const all = opened.move();
  const scene = { mirror, one, another, here, ada, ben, remotes, round, sides };
  return { ...scene, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test.each([
  ['services', true],
  ['nodes', false],
])('a collection goes to two %s, each of which keeps the user of its key as the owner', async (_, stranger) => {
  await using scene = await startBeside({ stranger });
  const { mirror, one, another, here, ada, ben, remotes, sides } = scene;
  const { id } = await collection(mirror, here, { label: 'Works' });
  const work = await create(mirror, here, { collection: id });
  const collections = [id];
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections });
  const round = () => scene.round('first', 'second');
  const owners = ({ relationships }: Entity) => relationships.filter((r) => r.predicate === 'owner').map((r) => r.peer);
  const edit = async (node: typeof one, who: typeof ada, body: object) =>
    ok(await ask(node, who, `PUT /collections/${id}`, { expect_tip: (await read(node, who, id)).cid, ...body }));
  await round();

  // A merge takes it from nobody either.
  await edit(one, ada, { description: 'by Ada' });
  await edit(another, ben, { label: 'by Ben' });
  for (let rounds = 0; rounds < 3; rounds++) await round();
  for (const name of ['first', 'second'])
    expect(await remoteOf(mirror, here, name)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  for (const [node, who] of sides) {
    const there = await read(node, who, id);
    expect(there.properties).toMatchObject({ label: 'by Ben', description: 'by Ada' });
    expect(owners(there)).toEqual([who.id]);
  }
  await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 1 } });
  await round();
  expect(await read(another, ben, work.id)).toMatchObject({ properties: { n: 1 } });

  // Nor is it a conflict with one of which nothing is known any more.
  for (const remote of Object.values(remotes)) {
    ok(await ask(mirror, here, `DELETE /node/remotes/${remote.name}`));
    await addRemote(mirror, here, { ...remote, collections });
    await scene.round(remote.name);
  }
  await round();
});

test('what is made here in a collection of one remote is not sent to another one, and waits for the one', async () => {
  await using mirror = await startNode();
  await using one = await startNode();
  await using another = await startNode();
  await using second = await startProxy(another.url, { stranger: true });
  const here = operator(mirror);
  const [ada, ben] = [await user(one, 'ada'), operator(another)];
  const { id } = await collection(one, ada);
  await addRemote(mirror, here, { name: 'first', url: one.url, key: keyOf(ada), types: ['document'] });
  await addRemote(mirror, here, { name: 'second', url: second.url, key: keyOf(ben) });
  await sync(mirror, here, 'first');
  const work = await create(mirror, here, { collection: id });
  const store = await mirror.ctx.networks.get('main');
  // Nor does it begin a run with the other one where that is watched.
  const wakes = (name: string) => store.read((db) => hasPending(db, findRemote(db, name)!.key, 0));
  expect(['first', 'second'].map(wakes)).toEqual([true, false]);
  expect(await remoteOf(mirror, here, 'second')).toMatchObject({ pending: 0 });
  expect((await ask(mirror, here, 'GET /node/remotes/second/pending')).body).toMatchObject({ changes: [] });
  second.calls.length = 0;
  expect(await sync(mirror, here, 'second')).toMatchObject({ created: 0, refused: 0 });
  expect(second.calls.filter(({ path }) => /^\/entities(\?|$)/.test(path))).toEqual([]);
  expect(await sync(mirror, here, 'first')).toMatchObject({ created: 1, refused: 0 });
  expect((await read(one, ada, work.id)).type).toBe('document');
  expect(await remoteOf(mirror, here, 'second')).toMatchObject({ pending: 0, refused: 0 });

  // What the one does not get waits for nothing, nor does what it gets with the collection that it has forgotten.
  await create(mirror, here, { type: 'artwork', collection: id });
  expect(await sync(mirror, here, 'second')).toMatchObject({ created: 1, refused: 0 });
  // Once the other one has the collection, too, its version names its user alone, who is the operator here all the same.
  ok(await ask(mirror, here, 'PUT /node/remotes/second', { collections: [id] }));
  expect(await sync(mirror, here, 'second')).toMatchObject({ created: 2, refused: 0 });
  const more = await create(mirror, here, { collection: id });
  const rows = [id, work.id].map((forgotten) => ({ kind: 'remote_forgot', remote: 'first', id: forgotten }) as const);
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'remote:first', time: 0 }]);
  const remote = store.read((db) => findRemote(db, 'first')!);
  expect((await allPending({ store, remote })).map((row) => row.id)).toEqual([id, work.id, more.id]);
});

test.each([
  ['nodes', 'pull', false],
  ['services', 'pull', true],
  ['services', 'both', true],
] as const)(
  'what one of two %s changes once the other has it goes there, too, and is no conflict (%s)',
  async (_, direction, stranger) => {
    await using scene = await startBeside({ stranger });
    const { mirror, one, another, here, ada, ben, remotes } = scene;
    const { id } = await collection(one, ada, { label: 'Works' });
    const [kept, work] = [await create(one, ada, { collection: id }), await create(one, ada, { collection: id })];
    const collections = [id];
    await addRemote(mirror, here, { ...remotes.first, direction });
    await sync(mirror, here, 'first');
    await addRemote(mirror, here, { ...remotes.second, collections });
    const round = async () => {
      for (const name of ['first', 'second', 'first'])
        expect(await sync(mirror, here, name)).toMatchObject({ refused: 0, conflicts: 0, merged: 0, stopped: null });
    };
    await sync(mirror, here, 'second');

    const { cid } = await remove(one, ada, work);
    await round();
    expect((await ask(another, ben, `GET /entities/${work.id}`)).status).toBe(404);
    ok(await ask(one, ada, `POST /entities/${work.id}/restore`, { expect_tip: cid }));
    await update(one, ada, kept, { properties: { n: 1 } });
    const place = await read(one, ada, id);
    ok(await ask(one, ada, `PUT /collections/${id}`, { expect_tip: place.cid, description: 'by Ada' }));
    await round();
    expect((await ask(another, ben, `GET /entities/${work.id}`)).status).toBe(200);

    // Nor where a request may be under way that was to put the other one's version in the place of its own.
    if (direction === 'both') {
      const restored = await update(one, ada, await read(one, ada, work.id), { properties: { n: 2 } });
      for (const name of ['first', 'second']) await sync(mirror, here, name);
      const store = await mirror.ctx.networks.get('main');
      const tip = (await read(mirror, here, work.id)).cid;
      const content = store.read((db) => contentHash(findVersion(db, tip)!.manifest));
      const open = { kind: 'push_intent', remote: 'first', id: work.id, tip, expect: restored.cid, content } as const;
      await store.submit([{ changes: [], preconditions: [], rows: [open], origin: 'remote:first', time: 0 }]);
      await remove(one, ada, await read(one, ada, work.id));
      await round();
      expect((await ask(another, ben, `GET /entities/${work.id}`)).status).toBe(404);
    }
    expect(await read(another, ben, kept.id)).toMatchObject({ properties: { n: 1 } });
    expect(await read(another, ben, id)).toMatchObject({ properties: { description: 'by Ada' } });
    for (const name of ['first', 'second'])
      expect(await remoteOf(mirror, here, name)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  },
);

test('what is made in a collection of one remote that another one has, too, goes to both, whichever is synced first', async () => {
  await using scene = await startBeside();
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const { id } = await collection(one, ada);
  await addRemote(mirror, here, remotes.first);
  await sync(mirror, here, 'first');
  await addRemote(mirror, here, { ...remotes.second, collections: [id] });
  await sync(mirror, here, 'second');
  const made = [await create(mirror, here, { collection: id }), await create(another, ben, { collection: id })];
  await scene.round('second', 'first', 'second');
  for (const work of made) expect((await read(one, ada, work.id)).type).toBe('document');
  for (const name of ['first', 'second'])
    expect(await remoteOf(mirror, here, name)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
});

test('a collection that went to two nodes and is deleted here is restored at both, by the user of each key', async () => {
  await using scene = await startBeside();
  const { mirror, here, remotes, sides } = scene;
  const { id } = await collection(mirror, here, { label: 'Works' });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [id] });
  const round = () => scene.round('first', 'second', 'first', 'second');
  await round();
  await remove(mirror, here, await read(mirror, here, id));
  await round();
  const tip = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
  ok(await ask(mirror, here, `POST /entities/${id}/restore`, { expect_tip: tip.cid }));
  await round();
  for (const [node, who] of sides)
    expect((await read(node, who, id)).relationships.map((r) => [r.predicate, r.peer])).toEqual([['owner', who.id]]);
});

/** Two services have it, each by a version of its own; the operator is the viewer of it at both, too. */
async function startViewed() {
  const scene = await startBeside({ stranger: true });
  const { mirror, one, here, ada, remotes } = scene;
  const { id } = await collection(mirror, here, { label: 'Works' });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [id] });
  const round = () => scene.round('first', 'second', 'first', 'second');
  await round();
  await enrol(one, ada, id, ada, 'viewer');
  await round();
  const restore = async () => {
    const tip = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
    ok(await ask(mirror, here, `POST /entities/${id}/restore`, { expect_tip: tip.cid }));
    await round();
  };
  return { ...scene, id, restore };
}

test('a collection that was edited and deleted here before either of two services heard of it is restored as it was here', async () => {
  await using scene = await startViewed();
  const { mirror, here, sides, id } = scene;
  const { cid } = await read(mirror, here, id);
  ok(await ask(mirror, here, `PUT /collections/${id}`, { expect_tip: cid, description: 'here' }));
  await remove(mirror, here, await read(mirror, here, id));
  // Its tombstone lies over its own version, and the one here over the second one's.
  await scene.round('first');
  await scene.restore();
  expect(await read(mirror, here, id)).toMatchObject({ properties: { description: 'here' } });
  for (const [node, who] of sides) {
    const { properties, relationships } = await read(node, who, id);
    expect(properties.description).toBe('here');
    expect(new Set(relationships.map(({ peer }) => peer))).toEqual(new Set([who.id]));
  }
});

test('a role that one of two services took from somebody before both sides deleted the collection is not back with it', async () => {
  await using scene = await startViewed();
  const { mirror, one, here, ada, sides, id } = scene;
  ok(await ask(one, ada, `DELETE /collections/${id}/members/${ada.id}?role=viewer`));
  await remove(one, ada, await read(one, ada, id));
  await remove(mirror, here, await read(mirror, here, id));
  await scene.round('first');
  await scene.restore();
  for (const [node, who] of sides)
    expect((await read(node, who, id)).relationships).toMatchObject([{ predicate: 'owner', peer: who.id }]);
});

test.each([
  ['services', true],
  ['nodes', false],
])('a collection that one remote deletes while another one gets it is deleted there, too: %s', async (_, stranger) => {
  await using scene = await startBeside({ stranger });
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const place = await collection(one, ada, { label: 'Works' });
  await addRemote(mirror, here, remotes.first);
  await addRemote(mirror, here, { ...remotes.second, collections: [place.id] });
  await sync(mirror, here, 'first');
  await remove(one, ada, place);
  await scene.round('second', 'first', 'second');
  expect((await ask(another, ben, `GET /entities/${place.id}`)).status).toBe(404);
});

test.each([
  ['services', true],
  ['nodes', false],
])('a role that was taken stays taken where another remote changes the collection: %s', async (_, stranger) => {
  await using scene = await startBeside({ stranger });
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const { id } = await collection(one, ada, { label: 'Works' });
  for (const remote of [remotes.first, remotes.second]) await addRemote(mirror, here, { ...remote, collections: [id] });
  const round = () => scene.round('second', 'first', 'second', 'first');
  const rolesAt = async (node: TestNode, who: Person) => {
    const { relationships } = await read(node, who, id);
    return relationships.map(({ predicate, peer }) => ({ predicate, peer }));
  };
  const take = async (node: TestNode, who: Person, role: string) => {
    const found = (await rolesAt(node, who)).find(({ predicate }) => predicate === role);
    ok(await ask(node, who, `DELETE /collections/${id}/members/${found?.peer}?role=${role}`));
  };
  const describe = async (node: TestNode, who: Person) => {
    const { cid } = await read(node, who, id);
    ok(await ask(node, who, `PUT /collections/${id}`, { expect_tip: cid, description: cid }));
  };
  await round();
  await enrol(one, ada, id, ada, 'viewer');
  await enrol(one, ada, id, ada, 'editor');
  await round();
  await take(mirror, here, 'viewer');
  await describe(one, ada);
  await round();
  await take(one, ada, 'editor');
  await describe(mirror, here);
  await round();
  expect(await rolesAt(one, ada)).toEqual([{ predicate: 'owner', peer: ada.id }]);
  expect(await rolesAt(another, ben)).toEqual([{ predicate: 'owner', peer: ben.id }]);
});

test.each([
  ['services', true],
  ['nodes', false],
])('a remote that is added again beside another one goes on from what it had: %s', async (_, stranger) => {
  await using scene = await startBeside({ stranger });
  const { mirror, one, another, here, ada, ben, remotes, sides } = scene;
  const { id } = await collection(mirror, here, { label: 'Works' });
  const make = () => create(mirror, here, { collection: id });
  const [edited, gone, revived] = [await make(), await make(), await make()];
  const add = (name: keyof typeof remotes) => addRemote(mirror, here, { ...remotes[name], collections: [id] });
  await add('first');
  await add('second');
  const round = () => scene.round('first', 'second', 'first', 'second');
  await round();
  const { cid } = await remove(one, ada, await read(one, ada, revived.id));
  await sync(mirror, here, 'first');
  for (const name of ['first', 'second'] as const) {
    ok(await ask(mirror, here, `DELETE /node/remotes/${name}`));
    await update(mirror, here, await read(mirror, here, edited.id), { properties: { [name]: 'here' } });
    await update(one, ada, await read(one, ada, edited.id), { properties: { one: name } });
    await update(another, ben, await read(another, ben, edited.id), { properties: { another: name } });
    const place = await read(mirror, here, id);
    ok(await ask(mirror, here, `PUT /collections/${id}`, { expect_tip: place.cid, description: name }));
    if (name === 'second') await remove(mirror, here, await read(mirror, here, gone.id));
    await add(name);
    await round();
    if (name === 'first') ok(await ask(one, ada, `POST /entities/${revived.id}/restore`, { expect_tip: cid }));
  }
  for (const [node, who] of sides) {
    const said = { first: 'here', second: 'here', one: 'second', another: 'second' };
    expect(await read(node, who, edited.id)).toMatchObject({ properties: said });
    expect(await read(node, who, id)).toMatchObject({ properties: { description: 'second' } });
    expect((await ask(node, who, `GET /entities/${gone.id}`)).status).toBe(404);
    expect((await ask(node, who, `GET /entities/${revived.id}`)).status).toBe(200);
  }
});

test('what one service had when it was deleted there is not put in the place of what another one has', async () => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const { id: place } = await collection(mirror, here, { label: 'Works' });
  const { id } = await create(mirror, here, { collection: place, properties: { n: 1 } });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [place] });
  await scene.round('first', 'second');
  await update(another, ben, await read(another, ben, id), { properties: { n: 2 } });
  await scene.round('second');
  await remove(one, ada, await read(one, ada, id));
  await remove(mirror, here, await read(mirror, here, id));
  await scene.round('first', 'second');
  const { cid } = ok<{ cid: string }>(await ask(another, ben, `GET /entities/${id}/tip`));
  ok(await ask(another, ben, `POST /entities/${id}/restore`, { expect_tip: cid }));
  expect(await read(another, ben, id)).toMatchObject({ properties: { n: 2 } });
});

test('what was restored at one service is not deleted where another one, added again meanwhile, had deleted it', async () => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const { id: place } = await collection(mirror, here, { label: 'Works' });
  const { id } = await create(mirror, here, { collection: place });
  const add = (name: keyof typeof remotes) => addRemote(mirror, here, { ...remotes[name], collections: [place] });
  await add('first');
  await add('second');
  await scene.round('first', 'second');
  await remove(one, ada, await read(one, ada, id));
  const { cid } = await remove(another, ben, await read(another, ben, id));
  ok(await ask(mirror, here, 'DELETE /node/remotes/first'));
  await scene.round('second');
  ok(await ask(another, ben, `POST /entities/${id}/restore`, { expect_tip: cid }));
  await scene.round('second');
  await add('first');
  expect(await sync(mirror, here, 'first')).toMatchObject({ conflicts: 1 });
  expect((await ask(mirror, here, `GET /entities/${id}`)).status).toBe(200);
});

test('what was moved here once one service had it, and another one not yet, comes back where it lay', async () => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, here, ada, remotes } = scene;
  const collections = [(await collection(mirror, here)).id, (await collection(mirror, here)).id] as const;
  const [place, other] = collections;
  const { id } = await create(mirror, here, { collection: place, properties: { n: 1 } });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections });
  await scene.round('first');
  const edited = await update(mirror, here, await read(mirror, here, id), {
    properties: { n: 2 },
    relationships_add: [{ predicate: 'collection', peer: other }],
    relationships_remove: [{ predicate: 'collection', peer: place }],
  });
  await scene.round('second');
  await remove(mirror, here, { ...edited, cid: (await read(mirror, here, id)).cid });
  await scene.round('first');
  const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
  const back = ok<Entity>(await ask(mirror, here, `POST /entities/${id}/restore`, { expect_tip: cid }));
  expect(back.properties).toEqual({ n: 2 });
  expect(back.relationships).toMatchObject([{ predicate: 'collection', peer: other }]);
  await scene.round('first', 'second');
  expect(await read(one, ada, id)).toMatchObject({ properties: { n: 2 } });
});

test('what was edited here goes to a service before the deletion, also where another one made a version of it', async () => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, here, ada, remotes } = scene;
  const { id: place } = await collection(mirror, here);
  const { id } = await create(mirror, here, { collection: place, properties: { n: 1 } });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [place] });
  await scene.round('first');
  await update(mirror, here, await read(mirror, here, id), { properties: { n: 2 } });
  await scene.round('second');
  await remove(mirror, here, await read(mirror, here, id));
  await scene.round('first');
  const { cid } = ok<{ cid: string }>(await ask(one, ada, `GET /entities/${id}/tip`));
  const back = ok<Entity>(await ask(one, ada, `POST /entities/${id}/restore`, { expect_tip: cid }));
  expect(back.properties).toEqual({ n: 2 });
});

test('what a service had from here and removed before a deletion on both sides stays removed by a restore', async () => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, here, ada, remotes } = scene;
  const { id: place } = await collection(mirror, here);
  const { id } = await create(mirror, here, { collection: place, properties: { n: 1 } });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [place] });
  await scene.round('first', 'second');
  await update(mirror, here, await read(mirror, here, id), { properties: { wrong: true } });
  await scene.round('first', 'second');
  await remove(one, ada, await update(one, ada, await read(one, ada, id), { properties_remove: ['wrong'] }));
  await remove(mirror, here, await read(mirror, here, id));
  await scene.round('first');
  const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
  const back = ok<Entity>(await ask(mirror, here, `POST /entities/${id}/restore`, { expect_tip: cid }));
  expect(back.properties).toEqual({ n: 1 });
});

test.each([
  ['services', true],
  ['nodes', false],
])(
  'what was restored here waits for a person where one of two %s that keep their own versions has restored and deleted it again',
  async (_, stranger) => {
    await using scene = await startBeside({ stranger });
    const { mirror, here, remotes } = scene;
    const { id } = await collection(mirror, here);
    for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [id] });
    await scene.round('first', 'second');
    const turn = async (at: TestNode, who: Person, way: 'delete' | 'restore') => {
      const { cid } = ok<{ cid: string }>(await ask(at, who, `GET /entities/${id}/tip`));
      const call = way === 'delete' ? (`DELETE /entities/${id}` as const) : (`POST /entities/${id}/restore` as const);
      ok(await ask(at, who, call, { expect_tip: cid }));
    };
    await turn(mirror, here, 'delete');
    await scene.round('first', 'second', 'first', 'second', 'first');
    await turn(mirror, here, 'restore');
    for (const [node, who] of scene.sides) {
      await turn(node, who, 'restore');
      await turn(node, who, 'delete');
    }
    for (const name of ['first', 'second'])
      expect(await sync(mirror, here, name)).toMatchObject({ merged: 0, restored: 0, conflicts: 1 });
    for (const [node, who] of scene.sides) await turn(node, who, 'restore');
    await update(mirror, here, await read(mirror, here, id), { properties: { description: 'here' } });
    for (const [node, who] of scene.sides)
      await update(node, who, await read(node, who, id), { properties: { description: 'there' } });
    for (const name of ['first', 'second']) await sync(mirror, here, name);
    for (const [node, who] of scene.sides) await turn(node, who, 'delete');
    for (const name of ['first', 'second']) {
      expect(await sync(mirror, here, name)).toMatchObject({ merged: 0, restored: 0 });
      expect(await remoteOf(mirror, here, name)).toMatchObject({ conflicts: 1 });
    }
  },
);

test.each(['entity', 'collection'])('what one of two services edited and deleted comes back so: %s', async (kind) => {
  await using scene = await startBeside({ stranger: true });
  const { mirror, one, another, here, ada, ben, remotes } = scene;
  const { id: place } = await collection(mirror, here);
  const { id } = kind === 'collection' ? { id: place } : await create(mirror, here, { collection: place });
  for (const remote of Object.values(remotes)) await addRemote(mirror, here, { ...remote, collections: [place] });
  await scene.round('first', 'second');
  await remove(one, ada, await update(one, ada, await read(one, ada, id), { properties: { description: 'two' } }));
  await scene.round('first', 'second');
  const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
  ok(await ask(mirror, here, `POST /entities/${id}/restore`, { expect_tip: cid }));
  await scene.round('first', 'second');
  for (const { properties } of [await read(mirror, here, id), await read(one, ada, id), await read(another, ben, id)])
    expect(properties).toMatchObject({ description: 'two' });
});
