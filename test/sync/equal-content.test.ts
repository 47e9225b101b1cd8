import { describe, expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import { section, segmentHead } from '../../src/server/blocks/segment-car.ts';
import { findRemote, type Remote } from '../../src/server/store/remotes/remotes.ts';
import { chain, findVersion, type Version } from '../../src/server/store/versions.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, nowhere, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import {
  addRemote,
  chainOf,
  conflictsOf,
  keyOf,
  type Pair,
  read,
  remoteOf,
  startCurated,
  startPair,
  sync,
  tipsOf,
} from './nodes.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

// Both sides say the same by other versions, and only one of them syncs: still they come to the same one.

/** A collection that both have, and an entity made on each side by its id. */
async function startTwins(plain = false): Promise<Pair & { place: Entity; id: string }> {
  const pair = await startPair({ plain });
  const place = await collection(pair.origin, pair.curator, { label: 'Works' });
  await sync(pair.mirror, pair.here);
  const said = { collection: place.id, properties: { n: 1 } };
  const { id, type } = await create(pair.origin, pair.curator, said);
  ok(await ask(pair.mirror, pair.here, 'POST /entities', { id, type, ...said }));
  return { ...pair, place, id };
}

const say = async (node: TestNode, who: Person, id: string, ...values: number[]): Promise<Entity> => {
  let entity = await read(node, who, id);
  for (const n of values) entity = await update(node, who, entity, { properties: { n } });
  return entity;
};
const quiet = { merged: 0, conflicts: 0, refused: 0, created: 0, updated: 0, troubles: 0 };

async function expectSettled(pair: Pair, id: string, cid: string): Promise<void> {
  const { origin, mirror, here } = pair;
  const tips = [await tipsOf(origin), await tipsOf(mirror)];
  expect(tips.map((it) => it[id])).toEqual([cid, cid]);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, entities: expect.any(Number) });
  expect((await tipsOf(mirror))[id]).toBe(cid);
  expect(await conflictsOf(mirror, here)).toEqual([]);
}

describe('beside a node', () => {
  test('the one with the higher number stays, also where it is ours: the other side takes it', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, id } = pair;
    const ours = await say(mirror, here, id, 2, 3, 7);
    const theirs = await say(origin, curator, id, 7);
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectSettled(pair, id, ours.cid);
    expect(await chainOf(origin, id)).toEqual(await chainOf(mirror, id));
    // What gave way stays readable.
    expect((await ask(origin, curator, `GET /versions/manifest/${theirs.cid}`)).status).toBe(200);
  });

  test('and where it is theirs', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, id } = pair;
    await say(mirror, here, id, 7);
    const theirs = await say(origin, curator, id, 2, 3, 7);
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectSettled(pair, id, theirs.cid);
  });

  test('also of deletions, and above a version that both have', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, place } = pair;
    const work = await create(origin, curator, { collection: place.id, properties: { n: 0 } });
    await sync(mirror, here);
    const ours = await remove(mirror, here, await say(mirror, here, work.id, 1, 2));
    await remove(origin, curator, await read(origin, curator, work.id));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, deleted: 0 });
    await expectSettled(pair, work.id, ours.cid);
  });

  test('where it may not bring ours, it takes theirs', async () => {
    await using pair = await startTwins();
    const { origin, mirror, here, place, curator, id } = pair;
    await say(mirror, here, id, 2, 3, 7);
    const theirs = await say(origin, curator, id, 7);
    const owner = await user(origin, 'owner');
    await enrol(origin, curator, place.id, owner, 'owner');
    ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectSettled(pair, id, theirs.cid);
  });

  test('what was edited over its version, and back, goes out as it is', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, place } = pair;
    const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    const ours = await say(mirror, here, work.id, 2, 1);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 0 });
    await expectSettled(pair, work.id, ours.cid);
    expect(await chainOf(origin, work.id)).toHaveLength(3);
  });

  test('what was deleted and brought back goes out as it is, also of who may do nothing else there', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const owner = await user(origin, 'owner');
    const place = await collection(origin, owner, { roles: { sweeper: ['entity:delete'] } });
    await enrol(origin, owner, place.id, curator, 'sweeper');
    const work = await create(origin, owner, { collection: place.id });
    await sync(mirror, here);
    const { cid: expect_tip } = await remove(mirror, here, work);
    const ours = ok<Entity>(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip }));
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectSettled(pair, work.id, ours.cid);
  });

  test('and stays here where it may not be brought, with the words of the other side', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, place } = pair;
    const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
    const owner = await user(origin, 'owner');
    await enrol(origin, curator, place.id, owner, 'owner');
    await sync(mirror, here);
    const ours = await say(mirror, here, work.id, 2, 1);
    ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, refused: 1 });
    expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);
    const [refusal] = (await remoteOf(mirror, here)).refusals.filter(({ id }) => id === work.id);
    expect(refusal).toMatchObject({ status: 403, words: expect.stringMatching(/./) });
  });

  test('also where the other side has taken that version from a third one, which brings the edit between', async () => {
    await using pair = await startCurated();
    await using hub = await startNode();
    await using proxy = await startProxy(hub.url, { stranger: true });
    const { origin, mirror, curator, here, there, work } = pair;
    const key = keyOf(await user(hub, 'hub curator'));
    const turn = async (direction: string) =>
      ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction }));
    for (const [node, who] of [
      [origin, there],
      [mirror, here],
    ] as const)
      await addRemote(node, who, { name: 'hub', url: proxy.url, key });
    // The hub makes a version of its own, and both take it, the mirror without having seen it at the origin.
    await sync(origin, there, 'hub');
    await sync(mirror, here, 'hub');
    expect((await tipsOf(mirror))[work.id]).toBe((await tipsOf(origin))[work.id]);
    const label = async (text: string) =>
      update(mirror, here, await read(mirror, here, work.id), { properties: { label: text } });
    await label('Two');
    await sync(mirror, here, 'hub');
    const ours = await label('One');
    await turn('pull');
    await sync(mirror, here);
    await sync(origin, there, 'hub');
    expect(await read(origin, curator, work.id)).toMatchObject({ properties: { label: 'Two' } });
    await sync(mirror, here);
    expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);
    await turn('both');
    await sync(mirror, here);
    expect((await tipsOf(origin))[work.id]).toBe(ours.cid);
  });

  test('what somebody there has undone is merged, also where a third one makes the node go back to a version of before', async () => {
    await using pair = await startCurated();
    await using hub = await startNode();
    await using proxy = await startProxy(hub.url, { stranger: true });
    const { origin, mirror, curator, here, there, work } = pair;
    await addRemote(origin, there, { name: 'hub', url: proxy.url, key: keyOf(await user(hub, 'hub curator')) });
    await sync(origin, there, 'hub');
    await sync(mirror, here);
    const before = (await tipsOf(hub))[work.id];
    expect((await tipsOf(mirror))[work.id]).toBe(before);
    const change = async (node: TestNode, who: Person, properties: object) =>
      update(node, who, await read(node, who, work.id), { properties });
    await change(mirror, here, { label: 'Two' });
    await sync(mirror, here);
    await change(origin, curator, { label: 'One' });
    await sync(origin, there, 'hub');
    expect((await tipsOf(origin))[work.id]).toBe(before);
    await change(mirror, here, { size: { w: 3, h: 3 } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, merged: 1 });
    for (const [node, who] of [
      [mirror, here],
      [origin, curator],
    ] as const)
      expect((await read(node, who, work.id)).properties).toMatchObject({ label: 'One', size: { w: 3, h: 3 } });
  });

  test('two that sync with each other agree, too', async () => {
    await using pair = await startTwins();
    const { origin, mirror, curator, here, there, id } = pair;
    const key = keyOf(await user(mirror, 'visitor'));
    await addRemote(origin, there, { url: mirror.url, key });
    const ours = await say(mirror, here, id, 2, 3, 7);
    await say(origin, curator, id, 7);
    await Promise.all([sync(mirror, here), sync(origin, there)]);
    for (const [node, who] of [
      [origin, there],
      [mirror, here],
      [origin, there],
    ] as const)
      await sync(node, who);
    await expectSettled(pair, id, ours.cid);
  });
});

test.each([
  ['another key', false],
  ['a remote less', true],
])('a version that nodes hand round is left at that until there is %s', async (_name, isRemoval) => {
  await using pair = await startTwins();
  const { origin, mirror, curator, here, id } = pair;
  const ours = await say(mirror, here, id, 2, 3, 7);
  const theirs = await say(origin, curator, id, 7);
  const store = await mirror.ctx.networks.get('main');
  const there = (await origin.ctx.networks.get('main')).read((db) =>
    chain(db, theirs.cid, 10).map(({ cid, bytes }) => ({ cid, bytes })),
  );
  await addRemote(mirror, here, { name: 'other', url: origin.url, collections: [nowhere] });
  // As after some rounds in a circle that the other one was a part of.
  const tipRow = { kind: 'remote_tip' as const, id, event: null, blocks: [] as Block[], mirrored: false };
  const known = { ...tipRow, remote: 'origin', theirs: theirs.cid, twin: ours.cid, apart: 'returned' as const };
  const rows = [
    { ...known, blocks: there.toReversed() },
    { ...tipRow, remote: 'other', theirs: theirs.cid, twin: null },
  ];
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: Date.now() }]);
  const { pending: before } = await remoteOf(mirror, here);
  if (isRemoval) ok(await ask(mirror, here, 'DELETE /node/remotes/other'));
  else ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator) }));
  expect([before, (await remoteOf(mirror, here)).pending]).toEqual([0, 1]);
  expect(await sync(mirror, here)).toMatchObject(quiet);
  await expectSettled(pair, id, ours.cid);
});

test('beside a plain remote its version stands', async () => {
  await using pair = await startTwins(true);
  const { origin, mirror, curator, here, id } = pair;
  await say(mirror, here, id, 2, 3, 7);
  const theirs = await say(origin, curator, id, 7);
  expect(await sync(mirror, here)).toMatchObject(quiet);
  await expectSettled(pair, id, theirs.cid);
});

test.each([
  ['a node', false],
  ['another plain remote', true],
])(
  'a plain remote and %s that know nothing of each other each keep their version, and there is rest',
  async (_name, plain) => {
    await using hub = await startNode();
    await using other = await startNode();
    await using node = await startNode();
    await using proxy = await startProxy(hub.url, { stranger: true });
    await using beside = await startProxy(other.url, { plain, stranger: plain });
    const here = operator(node);
    await addRemote(node, here, { name: 'hub', url: proxy.url, key: keyOf(await user(hub, 'hub curator')) });
    const place = await collection(node, here, { label: 'Works' });
    const works: Entity[] = [];
    for (let n = 0; n < 6; n++) works.push(await create(node, here, { collection: place.id, properties: { n } }));
    await sync(node, here, 'hub');
    const key = keyOf(plain ? await user(other, 'other curator') : operator(other));
    await addRemote(node, here, { name: 'other', url: beside.url, key, collections: [place.id] });
    const both = async () => [await sync(node, here, 'other'), await sync(node, here, 'hub')];
    await both();
    // Which of two versions a node keeps is by chance; of six, both ways come.
    for (const { id } of works) await say(node, here, id, 100);
    // Edited, and back.
    await say(node, here, works[0]?.id ?? '', 101, 100);
    for (let round = 0; round < 3; round++) await both();
    const store = await node.ctx.networks.get('main');
    const lastMove = () => store.read((db) => db.get('SELECT max(id) AS id FROM moves'));
    const before = lastMove();
    for (const report of [...(await both()), ...(await both())]) expect(report).toMatchObject(quiet);
    expect(lastMove()).toEqual(before);
    for (const remote of ['hub', 'other']) {
      const { changes } = ok<{ changes: { type: string }[] }>(
        await ask(node, here, `GET /node/remotes/${remote}/pending`),
      );
      // The collection belongs to the hub's user there.
      expect(changes.filter(({ type }) => type !== 'collection')).toEqual([]);
    }
    // It goes on from there on all sides.
    const [first] = works as [Entity];
    await say(node, here, first.id, 7);
    for (let round = 0; round < 3; round++) await both();
    for (const each of [node, hub, other])
      expect((await read(each, operator(each), first.id)).properties).toEqual({ n: 7 });
    // With one of them gone there is nobody else to keep to.
    ok(await ask(node, here, 'DELETE /node/remotes/hub'));
    for (let round = 0; round < 2; round++) await sync(node, here, 'other');
    const [mine, theirs] = [await tipsOf(node), await tipsOf(other)];
    expect(works.map(({ id }) => mine[id])).toEqual(works.map(({ id }) => theirs[id]));
  },
);

test('what is edited back while a request may have arrived is asked for, though the tip is what another remote has', async () => {
  await using opened = new AsyncDisposableStack();
  const node = opened.use(await startNode());
  const here = operator(node);
  const servers = { hub: opened.use(await startNode()), depot: opened.use(await startNode()) };
  const names = ['hub', 'depot'] as const;
  const proxies = new Map<string, FaultyRemote>();
  const place = await collection(node, here, { label: 'Works' });
  const work = await create(node, here, { collection: place.id, properties: { n: 1 } });
  for (const name of names) {
    const proxy = opened.use(await startProxy(servers[name].url, { stranger: true }));
    proxies.set(name, proxy);
    const key = keyOf(await user(servers[name], `${name} curator`));
    const remote = { name, url: proxy.url, key, direction: 'push', collections: [place.id] };
    await addRemote(node, here, remote);
    await sync(node, here, name);
  }
  for (const name of names) await sync(node, here, name);
  const { cid } = await read(node, here, work.id);
  const isHeld = async (name: (typeof names)[number]) => (await tipsOf(servers[name]))[work.id] === cid;
  const [holder, apart] = (await isHeld('hub')) ? (['hub', 'depot'] as const) : (['depot', 'hub'] as const);
  expect([await isHeld(holder), await isHeld(apart)]).toEqual([true, false]);
  const waiting = async () => {
    const { changes } = ok<{ changes: { id: string }[] }>(await ask(node, here, `GET /node/remotes/${apart}/pending`));
    return changes.some(({ id }) => id === work.id);
  };
  expect(await waiting()).toBe(false);
  // Nobody is left at a version of its own for the sake of one that turns out to be a node.
  const store = await node.ctx.networks.get('main');
  for (const instance of ['a node', null]) {
    const row = { ...(store.read((db) => findRemote(db, holder)) as Remote), kind: 'remote', remote: holder } as const;
    await store.submit([{ changes: [], preconditions: [], rows: [{ ...row, instance }], origin: 'local', time: 0 }]);
    expect(await waiting()).toBe(instance !== null);
  }

  const proxy = proxies.get(apart) as FaultyRemote;
  proxy.fault = ({ method, path }) => (path.endsWith('/tip') ? { status: 302 } : method === 'PUT' ? 'lose' : undefined);
  await say(node, here, work.id, 2);
  await ask(node, here, `POST /node/remotes/${apart}/sync`);
  expect((await read(servers[apart], operator(servers[apart]), work.id)).properties).toEqual({ n: 2 });
  await say(node, here, work.id, 1);
  await sync(node, here, holder);
  expect((await read(node, here, work.id)).cid).toBe(cid);
  expect(await waiting()).toBe(true);
  proxy.fault = () => undefined;
  await sync(node, here, apart);
  expect((await read(servers[apart], operator(servers[apart]), work.id)).properties).toEqual({ n: 1 });
  expect(await waiting()).toBe(false);
});

test('what came from a remote that is removed does not go to another one by itself', async () => {
  await using pair = await startCurated();
  const { mirror, here, work } = pair;
  await using other = await startNode();
  await addRemote(mirror, here, { name: 'other', url: other.url, key: keyOf(operator(other)) });
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  expect(await sync(mirror, here, 'other')).toMatchObject({ ...quiet });
  expect(await tipsOf(other)).toEqual({});
  ok(await ask(mirror, here, 'PUT /node/remotes/other/key', { key: keyOf(operator(other)), direction: 'both' }));
  for (const types of [['nothing'], []]) ok(await ask(mirror, here, 'PUT /node/remotes/other', { types }));
  expect(await sync(mirror, here, 'other')).toMatchObject({ ...quiet });
  expect(await tipsOf(other)).toEqual({});
  // Once it is edited here it is this node's.
  await say(mirror, here, work.id, 2);
  await sync(mirror, here, 'other');
  expect(Object.keys(await tipsOf(other))).toEqual([work.id]);
});

test('all that is here goes to a remote that is added where another one was removed before', async () => {
  await using pair = await startCurated();
  const { mirror, here } = pair;
  await using other = await startNode();
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  await addRemote(mirror, here, { name: 'other', url: other.url, key: keyOf(operator(other)) });
  expect(await sync(mirror, here, 'other')).toMatchObject({ stopped: null, refused: 0 });
  expect(await tipsOf(other)).toEqual(await tipsOf(mirror));
});

test('what a remote has forgotten goes there again, and to no other one', async () => {
  await using pair = await startCurated();
  const { mirror, here, work } = pair;
  await using other = await startNode();
  await addRemote(mirror, here, { name: 'other', url: other.url, key: keyOf(operator(other)) });
  const store = await mirror.ctx.networks.get('main');
  const forgotten = { kind: 'remote_forgot', remote: 'origin', id: work.id } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [forgotten], origin: 'remote:origin', time: 0 }]);
  const waiting = async (name: string) => (await remoteOf(mirror, here, name)).pending;
  expect([await waiting('origin'), await waiting('other')]).toEqual([1, 0]);
  await say(mirror, here, work.id, 5);
  expect(await sync(mirror, here, 'other')).toMatchObject({ ...quiet });
  expect(await tipsOf(other)).toEqual({});
  await sync(mirror, here);
  expect([await waiting('origin'), await waiting('other')]).toEqual([0, 0]);
});

test('what a node said before its chain was replaced is no answer to what was edited since', async () => {
  await using opened = new AsyncDisposableStack();
  const start = async () => opened.use(await startNode());
  const [museum, one, two] = [await start(), await start(), await start()];
  const [there, here, away] = [operator(museum), operator(one), operator(two)];
  const place = await collection(museum, there, { label: 'Works' });
  const { id } = await create(museum, there, { collection: place.id, properties: { n: 1 } });
  for (const [node, who] of [
    [one, here],
    [two, away],
  ] as const) {
    await addRemote(node, who, { url: museum.url, key: keyOf(there) });
    await sync(node, who);
  }
  await say(museum, there, id, 2);
  await sync(one, here);
  const { cid } = await say(two, away, id, 7, 1, 2);
  await sync(two, away);
  expect((await tipsOf(museum))[id]).toBe(cid);
  // Both change it now: here back to what that chain had said below, there to something else.
  await say(one, here, id, 1);
  await say(museum, there, id, 3);
  expect(await sync(one, here)).toMatchObject({ conflicts: 1 });
  expect((await read(one, here, id)).properties).toEqual({ n: 1 });
});

test('two nodes, one of which syncs with the other, and each with a plain remote of its own, come to rest', async () => {
  await using opened = new AsyncDisposableStack();
  const start = async () => opened.use(await startNode());
  const [inner, outer, hub, depot] = [await start(), await start(), await start(), await start()];
  const stranger = async (node: TestNode, name: string) => ({
    ...{ name, url: opened.use(await startProxy(node.url, { stranger: true })).url },
    key: keyOf(await user(node, `${name} curator`)),
  });
  const [here, there] = [operator(inner), operator(outer)];
  await addRemote(inner, here, await stranger(hub, 'hub'));
  const place = await collection(inner, here, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 6; n++) works.push(await create(inner, here, { collection: place.id, properties: { n } }));
  await sync(inner, here, 'hub');
  await addRemote(inner, here, { name: 'outer', url: outer.url, key: keyOf(there), collections: [place.id] });
  await sync(inner, here, 'outer');
  await addRemote(outer, there, { ...(await stranger(depot, 'depot')), collections: [place.id] });
  const round = async () => [
    await sync(inner, here, 'outer'),
    await sync(inner, here, 'hub'),
    await sync(inner, here, 'outer'),
    await sync(outer, there, 'depot'),
  ];
  for (let n = 0; n < 4; n++) await round();
  const stores = [await inner.ctx.networks.get('main'), await outer.ctx.networks.get('main')];
  const lastMoves = () => stores.map((store) => store.read((db) => db.get('SELECT max(id) AS id FROM moves')));
  const before = lastMoves();
  for (const report of [...(await round()), ...(await round())]) expect(report).toMatchObject(quiet);
  expect(lastMoves()).toEqual(before);
  const [first] = works as [Entity];
  await say(outer, there, first.id, 7);
  for (let n = 0; n < 3; n++) await round();
  await say(inner, here, first.id, 8);
  for (let n = 0; n < 3; n++) await round();
  for (const each of [inner, outer, hub, depot])
    expect((await read(each, operator(each), first.id)).properties).toEqual({ n: 8 });
});

test("two nodes that take nobody else's versions each keep their own, and there is rest", async () => {
  await using opened = new AsyncDisposableStack();
  const start = async () => opened.use(await startNode());
  const [node, museum, archive] = [await start(), await start(), await start()];
  const here = operator(node);
  const place = await collection(museum, operator(museum), { label: 'Works' });
  // Editors, who manage no collection, so that versions by others are not taken from them.
  for (const [name, remote] of [
    ['museum', museum],
    ['archive', archive],
  ] as const) {
    const editor = await user(remote, `${name} editor`);
    if (remote === archive) {
      const { id, type, properties } = place;
      ok(await ask(archive, operator(archive), 'POST /collections', { id, type, ...properties }));
    }
    await enrol(remote, operator(remote), place.id, editor, 'editor');
    await addRemote(node, here, { name, url: remote.url, key: keyOf(editor), collections: [place.id] });
  }
  const both = async () => [await sync(node, here, 'museum'), await sync(node, here, 'archive')];
  const works: Entity[] = [];
  for (let n = 0; n < 4; n++)
    works.push(await create(museum, operator(museum), { collection: place.id, properties: { n } }));
  for (let round = 0; round < 3; round++) await both();
  const store = await node.ctx.networks.get('main');
  const lastMove = () => store.read((db) => db.get('SELECT max(id) AS id FROM moves'));
  const expectRest = async () => {
    const before = lastMove();
    for (const report of [...(await both()), ...(await both())]) expect(report).toMatchObject(quiet);
    expect(lastMove()).toEqual(before);
    for (const name of ['museum', 'archive']) {
      const pending = await ask(node, here, `GET /node/remotes/${name}/pending`);
      const { changes } = ok<{ changes: { type: string }[] }>(pending);
      // The collection has another owner on each side.
      expect(changes.filter(({ type }) => type !== 'collection')).toEqual([]);
    }
  };
  await expectRest();
  // It goes on from there on all sides, whoever edits.
  const [first] = works as [Entity];
  for (const [n, editor] of [node, museum, archive].entries()) {
    await say(editor, operator(editor), first.id, 100 + n);
    for (let round = 0; round < 3; round++) await both();
    for (const each of [node, museum, archive])
      expect((await read(each, operator(each), first.id)).properties).toEqual({ n: 100 + n });
    await expectRest();
  }
  // With one of them gone there is nobody else to keep to.
  ok(await ask(node, here, 'DELETE /node/remotes/museum'));
  for (let round = 0; round < 2; round++) await sync(node, here, 'archive');
  const [mine, theirs] = [await tipsOf(node), await tipsOf(archive)];
  expect(works.map(({ id }) => mine[id])).toEqual(works.map(({ id }) => theirs[id]));
});

describe('a push that is to take the place of a tip', () => {
  const instance = '00000000-0000-4000-8000-000000000000';
  const post = async (node: TestNode, who: Person, item: object, blocks: Block[]) => {
    const head = segmentHead({ archeion: 'push', version: 1, instance, items: [item] });
    const body = Buffer.concat([head, ...blocks.flatMap(({ cid, bytes }) => section(cidBytes(cid), bytes))]);
    const headers = { ...who.headers, 'Content-Type': 'application/vnd.ipld.car; version=1' };
    const answer = await node.fetch('/node/sync/push', { method: 'POST', headers, body });
    return ok<{ results: { success: boolean; error?: string }[] }>(answer).results[0];
  };

  test.each([
    ['says something else', { properties: { n: 8 } }, 'does not take the place'],
    ['has a lower number', { ver: 1, prev: null }, 'does not take the place'],
    ['has a number that does not follow', { ver: 5 }, 'must be 2, one more than the version before'],
    [
      'is by somebody else',
      { edited_by: { user_id: '01J00000000000000000000000', method: 'manual' as const } },
      'others',
    ],
  ])('and %s is refused, and nothing moves', async (_name, change, words) => {
    await using pair = await startPair();
    const { origin, curator } = pair;
    const place = await collection(origin, await user(origin, 'owner'), { label: 'Works' });
    const owner = await user(origin, 'owner');
    await enrol(origin, owner, place.id, curator, 'editor');
    const first = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
    const tip = await say(origin, curator, first.id, 7);
    const store = await origin.ctx.networks.get('main');
    const { manifest } = store.read((db) => findVersion(db, tip.cid)) as Version;
    const second = { ...manifest, ts: '2020-01-01T00:00:00.000Z', ...change };
    const block = encodeManifest(second);
    const base = second.prev;
    const item = { id: first.id, expect: tip.cid, base, tip: block.cid };
    const result = await post(origin, curator, item, [block]);
    expect(result).toMatchObject({ success: false });
    expect(JSON.stringify(result)).toContain(words);
    expect((await read(origin, curator, first.id)).cid).toBe(tip.cid);
  });

  test('and begins at a version that is not here is refused', async () => {
    await using pair = await startPair();
    const { origin, curator } = pair;
    const first = await create(origin, curator, { properties: { n: 1 } });
    const other = await create(origin, curator, { properties: { n: 1 } });
    const store = await origin.ctx.networks.get('main');
    const { manifest } = store.read((db) => findVersion(db, first.cid)) as Version;
    const block = encodeManifest({ ...manifest, ver: 2, prev: other.cid });
    const item = { id: first.id, expect: first.cid, base: other.cid, tip: block.cid };
    const result = await post(origin, curator, item, [block]);
    expect(JSON.stringify(result)).toContain('is no version of it that is here');
    expect((await read(origin, curator, first.id)).cid).toBe(first.cid);
  });
});
