import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { derivedId } from '../../src/server/model/ids.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { addRemote, keyOf, lines, type Pair, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';
import { startProxy } from './proxy.ts';

// A remote at which nothing was changed for so long that its feed is empty.

const ways = [
  ['blocks', false],
  ['the plain interface', true],
] as const;
const month = 31 * 24 * 3600 * 1000;

/** A pair on both of which a month goes by when `rest` is called, and nothing happens meanwhile. */
async function startResting(plain: boolean): Promise<Pair & { rest: () => Promise<void> }> {
  let later = 0;
  const now = () => Date.now() + later;
  const pair = await startPair({ plain, origin: { now }, mirror: { now } });
  const rest = async () => {
    later += month;
    await pair.origin.ctx.events.prune();
  };
  return { ...pair, rest };
}

test.each(ways)('F7: what has rested for a month is mirrored whole, once, by %s', async (_name, plain) => {
  await using pair = await startResting(plain);
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  for (let n = 0; n < 3; n++) await create(origin, curator, { collection: place.id, properties: { n } });
  await pair.rest();
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true, stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: false, stopped: null });
  // Nothing lies between what was compared and the first event that it shows again.
  const looked = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true')).text).at(-1);
  expect(looked).toMatchObject({ preview: { first: null, compares_all: false } });
  await create(origin, curator, { collection: place.id });
  expect(await sync(mirror, here)).toMatchObject({ events: 1, entities: 1, swept: false, lost: null });
  expect(await remoteOf(mirror, here)).toMatchObject({ lost: [], lag: { events: 0 } });
});

test('what is known of a remote is looked for beside the event loop: that may be little among all that others have', async () => {
  await using pair = await startResting(true);
  const { origin, mirror, curator, here } = pair;
  await create(origin, curator, { collection: (await collection(origin, curator, { label: 'Works' })).id });
  const store = await mirror.ctx.networks.get('main');
  const readLong = vi.spyOn(store, 'readLong');
  const asked = async () => {
    readLong.mockClear();
    await sync(mirror, here);
    return readLong.mock.calls.map(([name]) => name);
  };
  expect(await asked()).toContain('lastKnown');
  await create(origin, curator);
  await pair.rest();
  expect(await asked()).toContain('knownPage');
});

test.each(ways)(
  'F7: what was changed while nobody synced, and has rested since, arrives by %s',
  async (_name, plain) => {
    await using pair = await startResting(plain);
    const { origin, mirror, curator, here, there } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    const changed = await update(origin, curator, work, { properties: { n: 2 } });
    const fresh = await create(origin, curator, { collection: place.id });
    await pair.rest();
    const looked = async () =>
      lines((await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true')).text).at(-1);
    expect(await looked()).toMatchObject({ preview: { events: 0, reset: null, compares_all: true } });
    expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true, stopped: null });
    expect(await looked()).toMatchObject({ preview: { events: 0, reset: null, compares_all: false } });
    expect((await read(mirror, here, work.id)).cid).toBe(changed.cid);
    expect((await read(mirror, here, fresh.id)).cid).toBe(fresh.cid);
    await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 3 } });
    expect(await sync(mirror, here)).toMatchObject({ swept: false, updated: 1, stopped: null });
    expect((await read(origin, there, work.id)).properties).toEqual({ n: 3 });
  },
);

test('F7: what lies in no collection comes from a node all the same, also of many', async () => {
  await using pair = await startResting(false);
  const { origin, mirror, curator, here, there } = pair;
  const loose: Entity[] = [];
  for (let at = 0; at < 1100; at += 100) {
    const entities = Array.from({ length: 100 }, (_, n) => ({ type: 'note', properties: { n: at + n } }));
    loose.push(...ok<{ results: Entity[] }>(await ask(origin, curator, 'POST /entities/batch', { entities })).results);
  }
  await remove(origin, curator, loose.pop() as Entity);
  await pair.rest();
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true, stopped: null });
  const arrived = await tipsOf(mirror);
  for (const { id, cid } of loose) expect(arrived[id]).toBe(cid);
  const first = ok<{ ids: string[]; next: string }>(await ask(origin, there, 'GET /node/sync/entities'));
  expect(first.next).toBe(first.ids.at(-1));
  const second = ok<{ ids: string[] }>(await ask(origin, there, `GET /node/sync/entities?after=${first.next}`));
  expect(second).toMatchObject({ next: null });
  const users = new Set([...first.ids, ...second.ids].filter((id) => !loose.some((it) => it.id === id)));
  expect(users.size).toBe(2);
  for (const wrong of ['x', derivedId('test', 'another', 'network')])
    expect((await ask(origin, there, `GET /node/sync/entities?after=${wrong}`)).status).toBe(400);
});

test.each(['/node/sync/entities', '/node/'])(
  'F7: a node whose proxy hides %s is compared as any other remote',
  async (hidden) => {
    let later = 0;
    const now = () => Date.now() + later;
    await using opened = new AsyncDisposableStack();
    const hub = opened.use(await startNode({ now }));
    const mirror = opened.use(await startNode({ now }));
    const proxy = opened.use(await startProxy(hub.url, { plain: false }));
    const [there, here] = [operator(hub), operator(mirror)];
    const place = await collection(hub, there, { label: 'Works' });
    const work = await create(hub, there, { collection: place.id });
    later += month;
    await hub.ctx.events.prune();
    proxy.fault = ({ path }) => (path.startsWith(hidden) ? { status: 404 } : undefined);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
    expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true });
    expect((await tipsOf(mirror))[work.id]).toBe(work.cid);

    // So it is where the feed was not read for a month, and what was edited here goes out.
    const gone = await remove(hub, there, await create(hub, there, { collection: place.id }));
    await update(hub, there, work, { properties: { n: 1 } });
    const made = await create(mirror, here, { collection: place.id });
    later += month;
    await hub.ctx.events.prune();
    expect(await sync(mirror, here)).toMatchObject({ swept: true, created: 1 });
    expect((await read(mirror, here, work.id)).properties).toEqual({ n: 1 });
    expect((await ask(mirror, here, `GET /entities/${gone.id}`)).status).toBe(404);
    expect((await read(hub, there, made.id)).type).toBe('document');
  },
);

test('F7: what a wider scope brings comes also where its feed is empty', async () => {
  await using pair = await startResting(false);
  const { origin, mirror, curator, here } = pair;
  const places = [await collection(origin, curator, { label: 'A' }), await collection(origin, curator, { label: 'B' })];
  const works: Entity[] = [];
  for (const place of places) works.push(await create(origin, curator, { collection: place.id }));
  const scope = (collections: string[]) => ask(mirror, here, 'PUT /node/remotes/origin', { collections });
  ok(await scope(places.slice(0, 1).map(({ id }) => id)));
  await sync(mirror, here);
  await pair.rest();
  await sync(mirror, here);
  expect((await ask(mirror, here, `GET /entities/${works[1]?.id}`)).status).toBe(404);
  ok(await scope([]));
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('F7: what another key shows comes also where its feed is empty', async () => {
  let later = 0;
  const now = () => Date.now() + later;
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startNode({ now }));
  const mirror = opened.use(await startNode({ now }));
  const proxy = opened.use(await startProxy(hub.url));
  const [there, here] = [operator(hub), operator(mirror)];
  const place = await collection(hub, there, { label: 'Works' });
  const work = await create(hub, there, { collection: place.id });
  later += month;
  await hub.ctx.events.prune();
  // A service that lists to nobody what is not public.
  proxy.fault = ({ path, headers }) =>
    headers.authorization === undefined && path.startsWith('/collections/catalog')
      ? { change: (body) => ({ ...(body as object), data: [] }) }
      : undefined;
  await addRemote(mirror, here, { url: proxy.url });
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true });
  expect((await tipsOf(mirror))[work.id]).toBeUndefined();
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(there), direction: 'pull' }));
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true });
  expect((await tipsOf(mirror))[work.id]).toBe(work.cid);
});

test.each(['push', 'both'])(
  'F7: a plain remote that lost everything, and has an empty feed, is left alone until somebody agrees (%s)',
  async (direction) => {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await temporaryFolder());
    const [data, empty] = [join(folder.path, 'hub'), join(folder.path, 'empty')];
    // What is there from the beginning, the operator alone, has left the feed.
    const fresh = await startNode({ data, now: () => Date.now() - month });
    const [there, port] = [operator(fresh), new URL(fresh.url).port];
    await fresh[Symbol.asyncDispose]();
    await cp(data, empty, { recursive: true });
    const hub = await startNode({ data, env: { ARCHEION_PORT: port } });
    const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
    const mirror = opened.use(await startNode());
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), direction });
    const place = await collection(mirror, here, { label: 'Works' });
    const work = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ created: 2 });
    await sync(mirror, here);
    await hub[Symbol.asyncDispose]();
    const emptied = opened.use(await startNode({ data: empty, env: { ARCHEION_PORT: port } }));
    const edited = await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 2 } });

    const looked = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    expect(lines(looked.text).at(-1)).toMatchObject({ preview: { reset: expect.stringContaining('shows no event') } });
    expect((await sync(mirror, here)).stopped).toContain('is not what it was: it shows no event');
    expect(await tipsOf(emptied)).toEqual({});
    const agreed = await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
    expect(lines(agreed.text).at(-1)).toMatchObject({ done: { created: 2, stopped: null, conflicts: 0 } });
    expect((await read(emptied, there, work.id)).properties).toEqual(edited.properties);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0 });
    expect(await sync(mirror, here)).toMatchObject({ created: 0, updated: 0, stopped: null });
  },
);

/** A mirror by the plain interface of a hub with an entity in each of two collections, that is then replaced by an empty one. */
async function startLosing() {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const now = () => Date.now() + later;
  const folder = opened.use(await temporaryFolder());
  const [data, empty] = [join(folder.path, 'hub'), join(folder.path, 'empty')];
  const fresh = await startNode({ data, now: () => Date.now() - month });
  const [there, port] = [operator(fresh), new URL(fresh.url).port];
  await fresh[Symbol.asyncDispose]();
  await cp(data, empty, { recursive: true });
  const hub = await startNode({ data, now, env: { ARCHEION_PORT: port } });
  const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
  const mirror = opened.use(await startNode({ now }));
  const places = [await collection(hub, there, { label: 'A' }), await collection(hub, there, { label: 'B' })] as const;
  const works = [
    await create(hub, there, { collection: places[0].id }),
    await create(hub, there, { collection: places[1].id }),
  ] as const;
  const rest = async () => {
    later += month;
    await hub.ctx.events.prune();
  };
  const lose = async () => {
    await hub[Symbol.asyncDispose]();
    all.use(await startNode({ data: empty, now, env: { ARCHEION_PORT: port } }));
  };
  const here = operator(mirror);
  const all = opened.move();
  return {
    hub,
    mirror,
    here,
    there,
    proxy,
    places,
    works,
    rest,
    lose,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('F7: a remote that lost everything is noticed by another version where no event of it was seen', async () => {
  await using scene = await startLosing();
  const { mirror, here, there, proxy, works } = scene;
  await scene.rest();
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
  expect(await sync(mirror, here)).toMatchObject({ swept: true, entities: 4 });
  await update(mirror, here, await read(mirror, here, works[0].id), { properties: { n: 2 } });
  await scene.lose();
  expect((await sync(mirror, here)).stopped).toContain('it shows no event any more');
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0 });
});

test('F7: and where its newest event was of what is not wanted here', async () => {
  await using scene = await startLosing();
  const { mirror, here, there, proxy, works, places } = scene;
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), collections: [places[0].id] });
  expect(await sync(mirror, here)).toMatchObject({ entities: 2 });
  await update(mirror, here, await read(mirror, here, works[0].id), { properties: { n: 2 } });
  await scene.lose();
  expect((await sync(mirror, here)).stopped).toContain('it shows no event any more');
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0 });
});

test.each([403, 500])('F7: a remote that answers %i to that question is no such one', async (status) => {
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startNode());
  const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
  const mirror = opened.use(await startNode({ wait: async () => undefined }));
  const here = operator(mirror);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(operator(hub)), direction: 'push' });
  const place = await collection(mirror, here, { label: 'Works' });
  const other = await collection(mirror, here, { label: 'Others' });
  await sync(mirror, here);
  const noEvents = { change: () => ({ events: [], has_more: false, cursor: 0 }) };
  const asked = new Set<string>();
  proxy.fault = ({ path }) => {
    if (path.startsWith('/events')) return noEvents;
    if (!path.endsWith('/tip')) return undefined;
    asked.add(path);
    return { status, body: { error: 'No' } };
  };
  await update(mirror, here, await read(mirror, here, place.id), { properties: { label: 'Changed' } });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, stopped: null });
  expect([`/entities/${place.id}/tip`, `/entities/${other.id}/tip`].filter((path) => asked.has(path))).toHaveLength(1);
});

test('F7: what a remote was set back to and is not known here comes also where its new feed does not name it', async () => {
  await using scene = await startLosing();
  const { mirror, here, there, proxy, works } = scene;
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
  await sync(mirror, here);
  const unseen = await create(scene.hub, there, { collection: scene.places[1].id });
  const event = { id: 1, pi: works[0].id, cid: works[0].cid, ts: new Date().toISOString() };
  const begunAnew = { change: () => ({ events: [event], has_more: false, cursor: 1 }) };
  proxy.fault = ({ path }) => (path.startsWith('/events') ? begunAnew : undefined);
  expect((await sync(mirror, here)).stopped).toContain('its newest event is 1');
  const agreed = await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
  expect(lines(agreed.text).at(-1)).toMatchObject({ done: { swept: true, stopped: null } });
  expect((await tipsOf(mirror))[unseen.id]).toBe(unseen.cid);
});
