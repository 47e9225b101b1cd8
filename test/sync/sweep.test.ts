import { cp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SyncReportView } from '../../src/server/resources/node/remotes/wire.ts';
import { findRemote, type Remote } from '../../src/server/store/remotes/remotes.ts';
import { idPages, type NoIds } from '../../src/server/sync/id-pages.ts';
import { RemoteClient } from '../../src/server/sync/remote.ts';
import { readListing } from '../../src/server/sync/wire.ts';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, ok, onTest, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { bytesOf, cidOf, expectBytes, holding } from './contents.ts';
import { addRemote, keyOf, lines, type Pair, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';
import { type Proxied, startProxied } from './proxied.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

const ways = [
  ['blocks', false],
  ['the plain interface', true],
] as const;
const month = 31 * 24 * 3600 * 1000;
/** What a proxy shows in place of what it does not reach. */
const page = { headers: { 'Content-Type': 'text/html' }, body: '<h1>Not here</h1>' };

/** A pair whose origin's feed forgets everything so far when `forget` is called, as after 30 days. */
async function startForgetful(plain = false): Promise<Pair & { forget: () => Promise<void> }> {
  let later = 0;
  const pair = await startPair({ plain, origin: { now: () => Date.now() + later } });
  const forget = async () => {
    later += month;
    await pair.origin.ctx.events.prune();
  };
  return { ...pair, forget };
}

async function agree({ mirror, here }: Pick<Pair, 'mirror' | 'here'>): Promise<SyncReportView> {
  const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
  return (lines(answer.text).at(-1) as { done: SyncReportView }).done;
}

test.each(ways)('W1: what left the feed before it was ever seen comes by the listings, by %s', async (_name, plain) => {
  await using pair = await startForgetful(plain);
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Old works' });
  const works: Entity[] = [];
  for (let n = 0; n < 130; n++)
    works.push(await create(origin, curator, { collection: place.id, properties: { label: `work ${n}` } }));
  await update(origin, curator, works[0] as Entity, { properties: { label: 'changed' } });
  await pair.forget();
  const fresh = await create(origin, curator, { collection: place.id });
  expect(await sync(mirror, here)).toMatchObject({ swept: true, stopped: null });
  const [there, got] = [await tipsOf(origin), await tipsOf(mirror)];
  for (const { id } of [place, fresh, ...works]) expect(got[id]).toBe(there[id]);
  expect((await remoteOf(mirror, here)).lost).not.toEqual([]);
  expect(await sync(mirror, here)).toMatchObject({ swept: false, events: 0, entities: 0 });
});

test.each(ways)(
  'W2: after a month away everything is compared, by %s: changes, deletions and new ones arrive',
  async (_name, plain) => {
    await using pair = await startForgetful(plain);
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const [kept, changed, deleted] = [
      await create(origin, curator, { collection: place.id }),
      await create(origin, curator, { collection: place.id }),
      await create(origin, curator, { collection: place.id }),
    ];
    await sync(mirror, here);
    const ours = await update(mirror, here, kept, { properties: { label: 'made offline' } });
    await update(origin, curator, changed, { properties: { label: 'changed' } });
    await remove(origin, curator, deleted);
    const fresh = await create(origin, curator, { collection: place.id });
    await pair.forget();
    await create(origin, curator, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ swept: true, lost: { last: expect.any(Number) }, updated: 1 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await read(mirror, here, fresh.id)).cid).toBe(fresh.cid);
    expect((await read(origin, curator, kept.id)).properties).toEqual(ours.properties);
    expect((await ask(mirror, here, `GET /entities/${deleted.id}`)).status).toBe(404);
  },
);

test.each(ways)('W2: deletions that it finds wait until somebody agrees to so many, by %s', async (_name, plain) => {
  await using pair = await startForgetful(plain);
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 55; n++) works.push(await create(origin, curator, { collection: place.id }));
  await sync(mirror, here);
  for (const work of works) await remove(origin, curator, work);
  await pair.forget();
  await create(origin, curator, { collection: place.id });
  const stopped = { stopped: expect.stringContaining('has deleted 55 of ') };
  expect(await sync(mirror, here)).toMatchObject(stopped);
  expect(await sync(mirror, here)).toMatchObject(stopped);
  expect(await agree(pair)).toMatchObject({ stopped: null, swept: true });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, swept: false });
});

test('W2: deletions that it finds are made in the next run where the remote breaks off meanwhile', async () => {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const origin = opened.use(await startNode({ now: () => Date.now() + later }));
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url));
  const [there, here] = [operator(origin), operator(mirror)];
  await addRemote(mirror, here, { url: proxy.url });
  const place = await collection(origin, there, { label: 'Works' });
  const work = await create(origin, there, { collection: place.id });
  await sync(mirror, here);
  const { cid } = await remove(origin, there, work);
  later += month;
  await origin.ctx.events.prune();
  await create(origin, there, { collection: place.id });
  // It is read once to know it for a deletion, and once more to make it.
  let reads = 0;
  proxy.fault = ({ path }) => (path === `/versions/manifest/${cid}` && ++reads > 1 ? 'cut' : undefined);
  expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, swept: true });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('W6: listings that give the same page again and again come to an end, also in a first look', async () => {
  await using pair = await startForgetful();
  const { origin, mirror, curator, here, forget } = pair;
  await using proxy = await startProxy(origin.url);
  const place = await collection(origin, curator, { label: 'Works' });
  const work = await create(origin, curator, { collection: place.id });
  await forget();
  await create(origin, curator, { collection: place.id });
  proxy.fault = ({ path }) => {
    if (!/^\/collections\/(catalog|[^/]+\/entities)\?/.test(path)) return undefined;
    const url = new URL(path, proxy.url);
    const isFirst = url.searchParams.get('offset') === '0';
    if (!isFirst) return { status: 200, body: kept.get(url.pathname) };
    const more = (body: unknown) => {
      const endless = { ...(body as object), pagination: { has_more: true } };
      kept.set(url.pathname, endless);
      return endless;
    };
    return { change: more };
  };
  const kept = new Map<string, unknown>();
  await addRemote(mirror, here, { name: 'endless', url: proxy.url, key: keyOf(curator) });
  const look = await ask(mirror, here, 'POST /node/remotes/endless/sync?dry_run=true');
  expect(lines(look.text).at(-1)).toHaveProperty('preview.first.entities', 3);
  expect(await sync(mirror, here, 'endless')).toMatchObject({ swept: true, stopped: null });
  expect((await read(mirror, here, work.id)).cid).toBe(work.cid);
  expect(proxy.calls.filter(({ path }) => path.startsWith('/collections/')).length).toBeLessThan(20);
});

test.each(ways)('W7: a collection that cannot be listed holds back nothing else, by %s', async (_name, plain) => {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const origin = opened.use(await startNode({ now: () => Date.now() + later }));
  const mirror = opened.use(await startNode({ wait: (ms, signal) => delay(ms / 20, undefined, { signal }) }));
  const proxy = opened.use(await startProxy(origin.url, { plain }));
  const [there, here] = [operator(origin), operator(mirror)];
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
  const makePlace = async (label: string) => {
    const place = await collection(origin, there, { label });
    return { place, work: await create(origin, there, { collection: place.id }) };
  };
  const made = [await makePlace('one'), await makePlace('two'), await makePlace('three')] as const;
  later += month;
  await origin.ctx.events.prune();
  await create(origin, there, { collection: made[0].place.id });
  const edited = await create(mirror, here, { properties: { label: 'made here' } });

  const [{ place: broken, work: missing }, ...others] = made;
  const listings = [`/collections/${broken.id}/`, '/node/sync/entities'];
  proxy.fault = ({ path }) => (listings.some((it) => path.startsWith(it)) ? { status: 500 } : undefined);
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(`collection ${broken.id}`);
  for (const { work } of others) expect((await read(mirror, here, work.id)).cid).toBe(work.cid);
  expect((await ask(origin, there, `GET /entities/${edited.id}`)).status).toBe(200);
  expect((await ask(mirror, here, `GET /entities/${missing.id}`)).status).toBe(404);

  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: false });
  expect((await read(mirror, here, missing.id)).cid).toBe(missing.cid);
  expect(await sync(mirror, here)).toMatchObject({ swept: false });
});

/** A plain remote with a collection of three works, the feed of which has forgotten all that. */
function startRested(): Promise<Proxied> {
  let later = 0;
  return startProxied({
    works: 3,
    proxy: { stranger: true },
    origin: { now: () => Date.now() + later },
    mirror: { wait: (ms, signal) => delay(ms / 20, undefined, { signal }) },
    prepare: async ({ origin, curator, place }) => {
      later += month;
      await origin.ctx.events.prune();
      await create(origin, curator, { collection: place.id });
    },
  });
}

/** What a collection lists, said in another way. */
const relisted =
  (change: (body: { entities: unknown[] }) => unknown): FaultyRemote['fault'] =>
  ({ path }) =>
    /^\/collections\/[^/]+\/entities/.test(path)
      ? { change: (body) => change(body as { entities: unknown[] }) }
      : undefined;

test.each([
  ['no pagination', {}],
  ['another pagination', { pagination: { total: 4 } }],
])('W1: a listing with %s is read to its end', async (_name, rest) => {
  await using scene = await startRested();
  const { origin, mirror, proxy, here } = scene;
  proxy.fault = relisted(({ entities }) => ({ entities, ...rest }));
  expect(await sync(mirror, here)).toMatchObject({ swept: true, stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('W1: of a remote without a catalog come the collections of the user of the key, and the words say what is not known', async () => {
  await using scene = await startRested();
  const { origin, mirror, proxy, curator, here, place } = scene;
  await collection(origin, curator, { label: 'New' });
  proxy.fault = ({ path }) => {
    if (path.startsWith('/collections/catalog')) return { status: 404 };
    const [, list] = /^\/(users|collections)\/[^/]+\/(collections|entities)/.exec(path) ?? [];
    // With `pi` alone, as interface.md allows.
    return list === 'users' ? { change: renamed } : undefined;
  };
  const renamed = (body: unknown) => {
    const { collections, ...rest } = body as { collections: { id: string }[] };
    return { ...rest, collections: collections.map(({ id, ...it }) => ({ ...it, pi: id })) };
  };
  expect(await sync(mirror, here)).toMatchObject({ swept: true, uncatalogued: true, stopped: null });
  expect((await read(mirror, here, place.id)).cid).toBe(place.cid);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ swept: false, uncatalogued: false });
  expect((await remoteOf(mirror, here)).words.join(' ')).toMatch(
    /what is known was compared instead\. The remote does not list its collections: /,
  );
  expect(proxy.calls.filter(({ path }) => path.startsWith('/collections/catalog'))).toHaveLength(1);
});

/**
 * A mirror of a collection that two remotes have: `origin`, a node, from which it came first, and `other`, which is plain, read
 * without a key, and has no catalog.
 */
async function startShared() {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const origin = opened.use(await startNode());
  const other = opened.use(await startNode({ now: () => Date.now() + later }));
  const mirror = opened.use(await startNode());
  const [curator, away, here] = [await user(origin, 'curator'), operator(other), operator(mirror)];
  const place = await collection(origin, curator, { label: 'Works' });
  for (const [node, who] of [
    [other, away],
    [mirror, here],
  ] as const) {
    await addRemote(node, who, { url: origin.url, key: keyOf(curator) });
    await sync(node, who);
  }
  const proxy = opened.use(await startProxy(other.url, { stranger: true }));
  proxy.fault = ({ path }) => (path.startsWith('/collections/catalog') ? { status: 404 } : undefined);
  await addRemote(mirror, here, { name: 'other', url: proxy.url });
  await sync(mirror, here, 'other');
  /** The feed of `other` forgets everything so far. */
  const forget = async () => {
    later += month;
    await other.ctx.events.prune();
  };
  const all = opened.move();
  return { other, mirror, away, here, place, forget, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('W1: of a remote without a catalog come the collections that it is known to have, also where they came from another one', async () => {
  await using scene = await startShared();
  const { other, mirror, away, here, place, forget } = scene;
  const rested = await create(other, away, { collection: place.id });
  await forget();
  const fresh = await create(other, away, {});
  expect(await sync(mirror, here, 'other')).toMatchObject({ swept: true, uncatalogued: true, stopped: null });
  expect((await read(mirror, here, fresh.id)).cid).toBe(fresh.cid);
  expect((await read(mirror, here, rested.id)).cid).toBe(rested.cid);
});

test('a collection of two remotes is mirrored from the other one once that from which it came is removed', async () => {
  await using scene = await startShared();
  const { mirror, here, place } = scene;
  const write = () => ask(mirror, here, 'POST /entities', { type: 'document', collection: place.id });
  ok(await write());
  const remove = (name: string) => ask(mirror, here, `DELETE /node/remotes/${name}`);
  expect((await remove('origin')).status).toBe(204);
  const refused = await write();
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('mirrored from \\"other\\"');
  expect((await remove('other')).status).toBe(204);
  ok(await write());
});

test('W7: a listing of the collections of the key that fails holds back nothing else', async () => {
  await using scene = await startRested();
  const { origin, mirror, proxy, curator, here } = scene;
  proxy.fault = ({ path }) => {
    if (path.startsWith('/collections/catalog')) return { status: 404 };
    return /^\/users\/[^/]+\/collections/.test(path) ? { status: 500 } : undefined;
  };
  const failed = await ask(mirror, here, 'POST /node/remotes/origin/sync');
  expect(lines(failed.text).at(-1)).toMatchObject({ error: expect.stringContaining('collections of user') });
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [{ collection: null }] });
  const hidden = await collection(origin, curator, { label: 'Of the key' });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: false });
  expect((await read(mirror, here, hidden.id)).cid).toBe(hidden.cid);
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [] });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('W7: a listing that is not understood is named, and asked for again by the next run', async () => {
  await using scene = await startRested();
  const { origin, mirror, proxy, here, place } = scene;
  proxy.fault = relisted(({ entities }) => ({ items: entities }));
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(`answers what is no listing (to the listing of collection ${place.id})`);
  expect((await read(mirror, here, place.id)).cid).toBe(place.cid);
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: false });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

const isFirst = (path: string) => path.includes('offset=0');

test.each<[string, (path: string) => ReturnType<FaultyRemote['fault']>]>([
  ["a proxy's 403", () => ({ status: 403, ...page })],
  ["a proxy's 404", () => ({ status: 404, ...page })],
  ["the remote's 400", () => ({ status: 400, body: { error: 'Not valid' } })],
  [
    '403 to its second page',
    (path) =>
      isFirst(path)
        ? {
            change: (body) => {
              const { entities } = body as { entities: unknown[] };
              return { entities: entities.slice(0, 1), pagination: { has_more: true } };
            },
          }
        : { status: 403, body: { error: 'Forbidden' } },
  ],
])('W7: a listing that is answered with %s was not read: it is named, and asked for again', async (_name, answer) => {
  await using scene = await startRested();
  const { origin, mirror, proxy, here, place } = scene;
  proxy.fault = ({ path }) => (path.startsWith(`/collections/${place.id}/entities`) ? answer(path) : undefined);
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1);
  expect(last).toMatchObject({ error: expect.stringContaining(`(to the listing of collection ${place.id})`) });
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [{ collection: place.id }] });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: false });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [] });
});

test('W7: a collection that the remote itself says it does not show is no listing that failed', async () => {
  await using scene = await startRested();
  const { mirror, proxy, here, place, works } = scene;
  proxy.fault = ({ path }) =>
    path.startsWith(`/collections/${place.id}/entities`) ? { status: 403, body: { error: 'Forbidden' } } : undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: true, stopped: null });
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [] });
  expect((await tipsOf(mirror))[works[0]?.id ?? '']).toBeUndefined();
});

test.each([403, 404, 200])(
  "W7: a listing of the collections of the key that is answered with a proxy's %s was not read",
  async (status) => {
    await using scene = await startRested();
    const { origin, mirror, proxy, here } = scene;
    proxy.fault = ({ path }) => {
      if (path.startsWith('/collections/catalog')) return { status: 404 };
      return /^\/users\/[^/]+\/collections/.test(path) ? { status, ...page } : undefined;
    };
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1);
    expect(last).toMatchObject({ error: expect.stringContaining('collections of user') });
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [] });
  },
);

const numbered = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => ({ id: `01${String(from + n).padStart(24, '0')}` }));

/** What comes of a remote's listing, page by page, and how often it was asked. */
async function pagesOf(answer: (offset: number, limit: number) => object, allowance = { left: 1_000_000 }) {
  let asked = 0;
  const server = createServer(({ url = '' }, response) => {
    asked++;
    const query = new URL(url, 'http://remote').searchParams;
    response.end(JSON.stringify(answer(Number(query.get('offset')), Number(query.get('limit')))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using client = await RemoteClient.open({
    url,
    secret: null,
    network: 'main',
    service: 'arke',
    random: () => 0,
  });
  const pages: (string[] | NoIds)[] = [];
  for await (const ids of idPages(client, { path: '/collections/x/entities', read: readListing }, allowance))
    pages.push(ids);
  await new Promise((resolve) => server.close(resolve));
  return { asked, ids: new Set(pages.flat()).size, left: allowance.left };
}

test('W6: a listing that goes on for ever is gone through as far as is allowed', async () => {
  const endless = (offset: number) => ({
    entities: numbered(offset, offset + 500),
    pagination: { has_more: true },
  });
  expect(await pagesOf(endless, { left: 2000 })).toEqual({ asked: 4, ids: 2000, left: 0 });
});

/** So much of 3,000 entities is in a page, of what it leaves out `isShown` says; `says` whether there is more. */
const listing =
  (atOnce: number, isShown: (n: number) => boolean, says: (more: boolean) => object) => (offset: number) => {
    const to = Math.min(offset + atOnce, 3000);
    const entities = numbered(offset, to).filter(({ id }) => isShown(Number(id.slice(2))));
    return { entities, ...says(to < 3000) };
  };
const all = () => true;
const told = (has_more: boolean) => ({ pagination: { has_more } });

test.each([
  ['fewer at once than it was asked for', listing(100, all, told), 3000, 30],
  ['fewer at once, and not whether there is more', listing(100, all, () => ({})), 3000, 31],
  ['an empty page', listing(1000, (n) => n < 1000 || n >= 2000, told), 2000, 3],
  ['an empty page among short ones', listing(100, (n) => n < 1000 || n >= 1100, told), 2900, 30],
  ['an empty page first', listing(1000, (n) => n >= 1000, told), 2000, 3],
  ['less than it has gone through', listing(1000, (n) => n < 2 || n % 7 === 1, told), 430, 21],
])('W6: a listing that gives %s is read to its end', async (_name, answer, ids, atMost) => {
  const pages = await pagesOf(answer);
  expect(pages.ids).toBe(ids);
  expect(pages.asked).toBeLessThanOrEqual(atMost);
});

test.each([
  ['an empty page', () => []],
  ['the same page', () => numbered(0, 40)],
])('W6: a listing that goes on with %s for ever comes to an end', async (_name, entities) => {
  const { asked } = await pagesOf(() => ({ entities: entities(), ...told(true) }));
  expect(asked).toBeLessThanOrEqual(3);
});

test('W5: a node tells its tips, and what differs comes as blocks', async () => {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const origin = opened.use(await startNode({ now: () => Date.now() + later }));
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url, { plain: false }));
  const [there, here] = [operator(origin), operator(mirror)];
  await addRemote(mirror, here, { url: proxy.url });
  const place = await collection(origin, there, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 210; n++) works.push(await create(origin, there, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  await update(origin, there, works[0] as Entity, { properties: { n: 'changed' } });
  later += month;
  await origin.ctx.events.prune();
  await create(origin, there, { collection: place.id });
  proxy.calls.length = 0;
  expect(await sync(mirror, here)).toMatchObject({ swept: true, entities: 2, troubles: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  const asked = (start: string) => proxy.calls.filter(({ path }) => path.startsWith(start)).length;
  expect([asked('/node/sync/tips'), asked('/entities'), asked('/versions')]).toEqual([2, 0, 0]);

  const told = await ask(origin, { id: '', headers: {} }, 'POST /node/sync/tips', {
    ids: [place.id, nowhere, onTest, place.id],
  });
  expect(ok(told)).toEqual({ tips: [{ id: place.id, cid: place.cid }] });
  expect((await ask(origin, there, 'POST /node/sync/tips', { ids: [] })).status).toBe(400);
});

/**
 * A mirror of an origin that is then set back to what it was before some of its edits.
 * @param plain it is mirrored as a remote that is no node
 */
async function startSetBack({ plain = false } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const [data, backup] = [join(folder.path, 'origin'), join(folder.path, 'backup')];
  const origin = await startNode({ data });
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url, { stranger: true }));
  const [there, here] = [operator(origin), operator(mirror)];
  const key = there.headers.Authorization?.slice(7);
  const port = new URL(origin.url).port;
  const { url } = plain ? proxy : origin;
  ok(await ask(mirror, here, 'POST /node/remotes', { name: 'origin', url, key }));
  const place = await collection(origin, there, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 4; n++) works.push(await create(origin, there, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  await origin[Symbol.asyncDispose]();
  await cp(data, backup, { recursive: true });

  const again = await startNode({ data, env: { ARCHEION_PORT: port } });
  const forgotten = await create(again, there, { collection: place.id, properties: { n: 'forgotten' } });
  const changed = await update(again, there, works[0] as Entity, { properties: { n: 'changed' } });
  await sync(mirror, here);
  await again[Symbol.asyncDispose]();
  const back: TestNode = opened.use(await startNode({ data: backup, env: { ARCHEION_PORT: port } }));
  const all = opened.move();
  return {
    mirror,
    proxy,
    here,
    there,
    back,
    place,
    works,
    forgotten,
    changed,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('W3: a remote that was set back is left alone until somebody agrees; then what it forgot is brought back', async () => {
  await using scene = await startSetBack();
  const { mirror, here, there, back, forgotten, changed, works } = scene;
  const before = await tipsOf(mirror);
  const other = await update(back, there, works[1] as Entity, { properties: { n: 'after' } });
  await create(back, there, { collection: scene.place.id });
  expect((await sync(mirror, here)).stopped).toContain('--accept-large-change');
  expect(await tipsOf(mirror)).toEqual(before);

  expect(await agree(scene)).toMatchObject({ stopped: null, swept: true, conflicts: 0 });
  expect((await read(back, there, forgotten.id)).properties).toEqual({ n: 'forgotten' });
  expect((await read(back, there, changed.id)).properties).toEqual({ n: 'changed' });
  expect((await read(mirror, here, other.id)).properties).toEqual({ n: 'after' });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(back));
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, events: expect.any(Number), updated: 0, created: 0 });
});

test('F4: a plain remote that was set back is known for it where the ids of its events have gone on beyond what was seen', async () => {
  await using scene = await startSetBack({ plain: true });
  const { mirror, proxy, here, there, back, forgotten, changed, works } = scene;
  const before = await tipsOf(mirror);
  const { events } = ok<{ events: { id: number }[] }>(await ask(back, there, 'GET /events?limit=1'));
  const head = events[0]?.id ?? 0;
  // Another network has taken the ids between.
  const shared = ({ id, ...event }: { id: number }) => ({ ...event, id: id > head ? id + 100 : id });
  const change = (body: unknown) => ({
    ...(body as object),
    events: (body as { events: { id: number }[] }).events.map(shared),
  });
  proxy.fault = ({ path }) => (path.startsWith('/events?') ? { change } : undefined);
  const other = await update(back, there, works[1] as Entity, { properties: { n: 'after' } });
  const { stopped } = await sync(mirror, here);
  expect(stopped).toMatch(/event \d+ has been seen, and is gone\..*--accept-large-change/);
  expect(await tipsOf(mirror)).toEqual(before);

  expect(await agree(scene)).toMatchObject({ stopped: null, swept: true, conflicts: 0 });
  expect((await read(back, there, forgotten.id)).properties).toEqual({ n: 'forgotten' });
  expect((await read(back, there, changed.id)).properties).toEqual({ n: 'changed' });
  expect((await read(mirror, here, other.id)).properties).toEqual({ n: 'after' });
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, updated: 0, created: 0 });
});

test('W4: a remote that is another node is synced with once somebody agrees', async () => {
  await using pair = await startPair({ keyed: false });
  const { origin, mirror, curator, here } = pair;
  const kept = await create(origin, curator, { properties: { label: 'kept' } });
  await sync(mirror, here);
  const { port } = new URL(origin.url);
  await origin[Symbol.asyncDispose]();
  await using other = await startNode({ env: { ARCHEION_PORT: port } });
  // It lies in no collection, so that only the feed tells of it.
  const fresh = await create(other, operator(other), {});
  expect((await sync(mirror, here)).stopped).toContain('another node');
  expect(await agree(pair)).toMatchObject({ swept: true, stopped: null });
  expect((await read(mirror, here, fresh.id)).cid).toBe(fresh.cid);
  expect((await read(mirror, here, kept.id)).cid).toBe(kept.cid);
});

test.each([404, 403, 200])(
  "W4: a proxy's page (%s) in place of a node's card makes no other node of it",
  async (status) => {
    await using scene = await startProxied({
      proxy: { plain: false },
      mirror: { wait: (ms, signal) => delay(ms / 20, undefined, { signal }) },
    });
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const work = await create(origin, curator, { collection: place.id });
    proxy.fault = ({ path }) => (path === '/.well-known/archeion' ? { status, ...page } : undefined);
    const words = `answered ${status} to the question which node it is, and does not say why`;
    for (const query of ['', '?accept_large_change=true', '?dry_run=true'])
      expect((await ask(mirror, here, `POST /node/remotes/origin/sync${query}`)).text).toContain(words);
    const rekeyed = await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator) });
    expect(rekeyed.status).toBe(502);
    expect(rekeyed.text).toContain(words);
    proxy.fault = () => undefined;
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, entities: 1 });
    expect((await read(mirror, here, work.id)).cid).toBe(work.cid);
    expect(proxy.calls.map(({ path }) => path)).toContain('/node/sync/blocks');
  },
);

test('B1: a pull that would delete very much stops, deletes nothing, and goes on when somebody agrees', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 60; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  for (const work of works.slice(0, 55)) await remove(origin, curator, work);
  const changed = await update(origin, curator, works[58] as Entity, { properties: { n: 'changed' } });

  expect((await sync(mirror, here)).stopped).toMatch(/has deleted 55 of 6\d entities.*--accept-large-change/);
  for (const { id } of works.slice(0, 55)) expect((await ask(mirror, here, `GET /entities/${id}`)).status).toBe(200);
  expect((await read(mirror, here, changed.id)).cid).toBe(changed.cid);
  expect((await sync(mirror, here)).stopped).toContain('has deleted 55');
  const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
  const { preview } = JSON.parse(answer.text) as { preview: { deletions: { id: string }[] } };
  expect(preview).toMatchObject({ looked_at_all: true, push: [] });
  expect(preview.deletions.map(({ id }) => id).toSorted()).toEqual(
    works
      .slice(0, 55)
      .map(({ id }) => id)
      .toSorted(),
  );

  expect(await agree(pair)).toMatchObject({ stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, events: 0 });
});

test.each(ways)(
  'B1: deletions that only a push meets, as where a remote is added again, wait until somebody agrees too, by %s',
  async (_name, plain) => {
    await using pair = await startForgetful(plain);
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const works: Entity[] = [];
    for (let n = 0; n < 55; n++) works.push(await create(origin, curator, { collection: place.id }));
    await sync(mirror, here);
    const { url } = ok<{ url: string }>(await ask(mirror, here, 'GET /node/remotes/origin'));
    await ask(mirror, here, 'DELETE /node/remotes/origin');
    for (const work of works) await remove(origin, curator, work);
    await pair.forget();
    const fresh = await create(mirror, here);
    await addRemote(mirror, here, { url, key: keyOf(curator) });
    const live = async () => {
      const answers = await Promise.all(works.map(({ id }) => ask(mirror, here, `GET /entities/${id}`)));
      return answers.filter(({ status }) => status === 200).length;
    };
    const stopped = { stopped: expect.stringMatching(/ has deleted 55 of \d{2} entities\. They are still here\./) };
    expect(await sync(mirror, here)).toMatchObject({ ...stopped, created: 1 });
    expect(await sync(mirror, here)).toMatchObject(stopped);
    expect(await live()).toBe(55);
    expect(await agree(pair)).toMatchObject({ stopped: null, entities: 55 });
    expect(await live()).toBe(0);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await read(origin, curator, fresh.id)).cid).toBe((await read(mirror, here, fresh.id)).cid);
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, entities: 0 });
  },
);

test('B1: what share needs somebody is set', async () => {
  await using pair = await startPair({ mirror: { env: { ARCHEION_SYNC_BRAKE: '95' } } });
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 60; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  for (const work of works.slice(0, 55)) await remove(origin, curator, work);
  expect(await sync(mirror, here)).toMatchObject({ stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('B2: a push that would change very much stops, sends nothing, and goes on when somebody agrees', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 60; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  for (const work of works.slice(0, 55)) await update(mirror, here, work, { properties: { n: 'x' } });
  const before = await tipsOf(origin);
  expect((await sync(mirror, here)).stopped).toMatch(/55 of 6\d entities.*would be changed there/);
  expect(await tipsOf(origin)).toEqual(before);
  expect(await agree(pair)).toMatchObject({ stopped: null, updated: 55 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('B2: what waits for a decision or was refused is not sent, and counts for nothing', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 60; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  await sync(mirror, here);
  const [last, ...others] = works as [Entity, ...Entity[]];
  for (const work of others) {
    await update(mirror, here, work, { properties: { n: 'ours' } });
    await update(origin, curator, work, { properties: { n: 'theirs' } });
  }
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, conflicts: 59 });
  await update(mirror, here, last, { properties: { n: 'ours' } });
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, updated: 1 });
  expect((await read(origin, curator, last.id)).properties).toEqual({ n: 'ours' });
});

/** Makes a node expect another instance than the one that is there; gives what it knows of the remote. */
async function expectAnotherInstance(mirror: TestNode): Promise<() => Remote> {
  const store = await mirror.ctx.networks.get('main');
  const remote = () => store.read((db) => findRemote(db, 'origin')) as Remote;
  const row = { ...remote(), kind: 'remote', remote: 'origin', instance: 'before' } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
  return remote;
}

test('W3: a remote that is only pushed to and has lost everything has all of it again once somebody agrees', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const [data, empty] = [join(folder.path, 'origin'), join(folder.path, 'empty')];
  const fresh = await startNode({ data });
  const { port } = new URL(fresh.url);
  const key = keyOf(operator(fresh));
  await fresh[Symbol.asyncDispose]();
  await cp(data, empty, { recursive: true });
  const origin = await startNode({ data, env: { ARCHEION_PORT: port } });
  const mirror = opened.use(await startNode());
  const here = operator(mirror);
  await addRemote(mirror, here, { url: origin.url, key, direction: 'push' });
  const place = await collection(mirror, here, { label: 'Works' });
  for (let n = 0; n < 3; n++) await create(mirror, here, { collection: place.id, properties: { n } });
  expect(await sync(mirror, here)).toMatchObject({ created: 4 });
  await origin[Symbol.asyncDispose]();
  const other = opened.use(await startNode({ data: empty, env: { ARCHEION_PORT: port } }));
  // As when it was restored, which gives it another instance id.
  const remote = await expectAnotherInstance(mirror);

  const looked = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
  expect(lines(looked.text).at(-1)).toMatchObject({ preview: { reset: 'it is another node than before' } });
  expect((await sync(mirror, here)).stopped).toContain('another node');
  expect(await tipsOf(other)).toEqual({});
  expect(await agree({ mirror, here })).toMatchObject({ swept: true, stopped: null, created: 4 });
  expect(remote().instance).not.toBe('before');
  expect(await tipsOf(other)).toEqual(await tipsOf(mirror));
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0 });
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, created: 0, updated: 0 });
});

test.each(['push', 'both'])(
  'W3: what cannot be read while a remote that was set back is compared goes there again later, direction %s',
  async (direction) => {
    await using opened = new AsyncDisposableStack();
    let time = Date.now();
    const folder = opened.use(await temporaryFolder());
    const [data, empty] = [join(folder.path, 'origin'), join(folder.path, 'empty')];
    const fresh = await startNode({ data });
    const { port } = new URL(fresh.url);
    const key = keyOf(operator(fresh));
    await fresh[Symbol.asyncDispose]();
    await cp(data, empty, { recursive: true });
    const origin = await startNode({ data, env: { ARCHEION_PORT: port } });
    const mirror = opened.use(
      await startNode({ now: () => time, wait: (ms, signal) => delay(ms / 20, undefined, { signal }) }),
    );
    const here = operator(mirror);
    const proxy = opened.use(await startProxy(origin.url));
    await addRemote(mirror, here, { url: proxy.url, key, direction });
    const place = await collection(mirror, here, { label: 'Works' });
    const [unread, removed, third] = [
      await create(mirror, here, { collection: place.id, properties: { n: 1 } }),
      await create(mirror, here, { collection: place.id, properties: { n: 2 } }),
      await create(mirror, here, { collection: place.id, properties: { n: 3 } }),
    ];
    expect(await sync(mirror, here)).toMatchObject({ created: 4 });
    await origin[Symbol.asyncDispose]();
    const other = opened.use(await startNode({ data: empty, env: { ARCHEION_PORT: port } }));
    await expectAnotherInstance(mirror);

    const failing = new Set([unread.id, removed.id, third.id]);
    proxy.fault = ({ path }) =>
      [...failing].some((id) => path === `/entities/${id}/tip`) ? { status: 500 } : undefined;
    expect(await agree({ mirror, here })).toMatchObject({ swept: true, stopped: null, created: 1, troubles: 3 });
    await remove(mirror, here, await read(mirror, here, removed.id));
    await update(mirror, here, await read(mirror, here, unread.id), { properties: { n: 'edited' } });
    expect(await sync(mirror, here)).toMatchObject({ created: 0, updated: 0 });

    proxy.fault = () => undefined;
    time += 3_600_000;
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, created: 2, deleted: 0 });
    expect((await read(other, operator(other), unread.id)).properties).toEqual({ n: 'edited' });
    expect((await read(other, operator(other), third.id)).properties).toEqual({ n: 3 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, troubles: {} });
    expect((await tipsOf(other))[removed.id]).toBeUndefined();
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, created: 0, updated: 0 });
  },
);

test.each(['with another key', 'after a while'])(
  'W3: what a remote that is only pushed to did not show is asked for again %s',
  async (when) => {
    await using opened = new AsyncDisposableStack();
    let time = Date.now();
    const origin = opened.use(await startNode());
    const mirror = opened.use(await startNode({ now: () => time }));
    const proxy = opened.use(await startProxy(origin.url));
    const [here, there] = [operator(mirror), operator(origin)];
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), direction: 'push' });
    const place = await collection(mirror, here, { label: 'Works' });
    const work = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    await update(origin, there, await read(origin, there, work.id), { properties: { m: 2 } });
    await expectAnotherInstance(mirror);
    proxy.fault = ({ path }) => {
      if (path === '/entities/batch-get') return { status: 404 };
      return path.startsWith('/versions/manifest/') ? { status: 403, body: { error: 'Not shown' } } : undefined;
    };
    expect(await agree({ mirror, here })).toMatchObject({ swept: true, troubles: 1 });
    await update(mirror, here, await read(mirror, here, work.id), { properties: { k: 3 } });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ updated: 0, merged: 0 });
    if (when === 'after a while') time += 3_600_000;
    else ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(there), direction: 'push' }));
    expect(await sync(mirror, here)).toMatchObject({ merged: 1 });
    expect((await read(origin, there, work.id)).properties).toEqual({ n: 1, m: 2, k: 3 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, troubles: {} });
  },
);

test.each([
  ['push', 'is shorter than it was', 0],
  ['push', 'has another event where the newest was', 8],
  ['both', 'is as long as when it was read', 0],
  ['both', 'has another event where the newest was', 8],
])(
  'W3: a plain remote that was set back after a push is noticed (%s) where its feed %s',
  async (direction, _name, edits) => {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await temporaryFolder());
    const [data, backup] = [join(folder.path, 'hub'), join(folder.path, 'backup')];
    const hub = await startNode({ data });
    const [there, port] = [operator(hub), new URL(hub.url).port];
    const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
    let time = Date.now();
    const mirror = opened.use(
      await startNode({ now: () => time, wait: (ms, signal) => delay(ms / 20, undefined, { signal }) }),
    );
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), direction });
    const place = await collection(mirror, here, { label: 'Works' });
    const said = { collection: place.id, properties: { n: 1 } };
    const [kept, changed, removed] = [
      await create(mirror, here, said),
      await create(mirror, here, said),
      await create(mirror, here, said),
    ];
    expect(await sync(mirror, here)).toMatchObject({ created: 4 });
    await hub[Symbol.asyncDispose]();
    await cp(data, backup, { recursive: true });
    const again = await startNode({ data, env: { ARCHEION_PORT: port } });
    await update(mirror, here, await read(mirror, here, changed.id), { properties: { n: 2 } });
    const fresh = await create(mirror, here, said);
    expect(await sync(mirror, here)).toMatchObject({ created: 1, updated: 1 });
    await remove(mirror, here, await read(mirror, here, removed.id));
    expect(await sync(mirror, here)).toMatchObject({ deleted: 1, stopped: null });
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ stopped: null });
    // All that it costs while nothing was lost, and nothing is sent.
    if (direction === 'push') expect(proxy.calls.map(({ path }) => path)).toEqual(['/events?limit=1&network=main']);
    await again[Symbol.asyncDispose]();
    const back = opened.use(await startNode({ data: backup, env: { ARCHEION_PORT: port } }));
    let other = await read(back, there, kept.id);
    for (let n = 0; n < edits; n++) other = await update(back, there, other, { properties: { after: n } });

    // What cannot be looked at holds nothing back, and takes nothing for seen; a pull needs the feed in any case.
    await update(mirror, here, await read(mirror, here, place.id), {
      properties: { label: 'Sent before it was looked' },
    });
    proxy.fault = ({ path }) => (path.startsWith('/events') ? { status: 404 } : undefined);
    if (direction === 'push') expect(await sync(mirror, here)).toMatchObject({ updated: 1, stopped: null });
    proxy.fault = () => undefined;
    const looked = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    expect(lines(looked.text).at(-1)).toMatchObject({ preview: { reset: expect.stringMatching(/event/) } });
    expect((await sync(mirror, here)).stopped).toContain('is not what it was');
    expect((await read(back, there, changed.id)).properties).toEqual({ n: 1 });
    proxy.calls.length = 0;
    // What is not compared to its end is begun again, and nothing is sent before.
    await update(mirror, here, await read(mirror, here, fresh.id), { properties: { n: 3 } });
    proxy.fault = ({ path }) => (path.startsWith('/entities/') ? { status: 401 } : undefined);
    const cut = await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
    expect(lines(cut.text).at(-1)).toMatchObject({ error: expect.stringContaining('does not tell tips') });
    expect(proxy.calls.filter(({ method, path }) => method !== 'GET' && path !== '/entities/batch-get')).toEqual([]);
    proxy.fault = () => undefined;
    expect((await sync(mirror, here)).stopped).toContain('is not what it was');
    // One that cannot be read meanwhile goes there when it can.
    proxy.fault = ({ path }) => (path === `/entities/${fresh.id}/tip` ? { status: 500 } : undefined);
    expect(await agree({ mirror, here })).toMatchObject({ stopped: null, swept: true, conflicts: 0, created: 0 });
    proxy.fault = () => undefined;
    time += 3_600_000;
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, created: 1 });
    expect((await read(back, there, changed.id)).properties).toEqual({ n: 2 });
    expect((await read(back, there, fresh.id)).properties).toEqual({ n: 3 });
    expect((await ask(back, there, `GET /entities/${removed.id}`)).status).toBe(404);
    expect((await read(back, there, kept.id)).cid).toBe(other.cid);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0, troubles: {} });
    expect(await sync(mirror, here)).toMatchObject({ stopped: null, created: 0, updated: 0, deleted: 0 });
  },
);

test('W3: a remote that is only pushed to and shows no feed, or fails at it, is pushed to', async () => {
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startNode());
  const mirror = opened.use(await startNode({ wait: (ms, signal) => delay(ms / 20, undefined, { signal }) }));
  const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
  const [here, there] = [operator(mirror), operator(hub)];
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), direction: 'push' });
  for (const status of [0, 404, 500, 403, 0]) {
    proxy.fault = ({ path }) => (status > 0 && path.startsWith('/events') ? { status } : undefined);
    await collection(mirror, here, { label: `Made at ${status}` });
    expect(await sync(mirror, here)).toMatchObject({ created: 1, stopped: null });
  }
});

test('W3: a remote that was pulled from and is only pushed to by now is known by the newest that was seen there', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const [data, backup] = [join(folder.path, 'hub'), join(folder.path, 'backup')];
  const hub = await startNode({ data });
  const [there, port] = [operator(hub), new URL(hub.url).port];
  const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
  const mirror = opened.use(await startNode());
  const here = operator(mirror);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
  const place = await collection(mirror, here, { label: 'Works' });
  await sync(mirror, here);
  await hub[Symbol.asyncDispose]();
  await cp(data, backup, { recursive: true });
  const again = await startNode({ data, env: { ARCHEION_PORT: port } });
  await create(again, there, { collection: place.id });
  // What came since the last push.
  expect(await sync(mirror, here)).toMatchObject({ created: 0, updated: 0 });
  await again[Symbol.asyncDispose]();
  opened.use(await startNode({ data: backup, env: { ARCHEION_PORT: port } }));
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(there), direction: 'push' }));
  expect((await sync(mirror, here)).stopped).toContain('is not what it was: its newest event is');
});

test('W3: where each of many waits for the one before, the feed is not looked at after each', async () => {
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startNode());
  const proxy = opened.use(await startProxy(hub.url, { stranger: true }));
  const mirror = opened.use(await startNode());
  const here = operator(mirror);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(operator(hub)), direction: 'push' });
  const place = await collection(mirror, here, { label: 'Works' });
  let before = await create(mirror, here, { collection: place.id });
  for (let n = 0; n < 6; n++)
    before = await create(mirror, here, {
      collection: place.id,
      relationships: [{ predicate: 'follows', peer: before.id }],
    });
  expect(await sync(mirror, here)).toMatchObject({ created: 8 });
  // Before something is sent, and after all was.
  expect(proxy.calls.filter(({ path }) => path.startsWith('/events'))).toHaveLength(2);
});

test('W3: a remote that is only pushed to brings nothing that it was not asked for', async () => {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url));
  const [here, there] = [operator(mirror), operator(origin)];
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there), direction: 'push' });
  await collection(mirror, here, { label: 'Works' });
  await collection(mirror, here, { label: 'More works' });
  expect(await sync(mirror, here)).toMatchObject({ created: 2 });
  const before = await tipsOf(mirror);
  const unasked = await collection(origin, there, { label: 'Slipped in' });
  const { body: view } = await ask(origin, there, `GET /entities/${unasked.id}`);
  let added = 0;
  proxy.fault = ({ path }) => {
    if (path !== '/entities/batch-get') return undefined;
    return {
      change: (body) => {
        const answer = body as { entities: unknown[] };
        added++;
        return { ...answer, entities: [...answer.entities, view] };
      },
    };
  };
  await expectAnotherInstance(mirror);
  expect(await agree({ mirror, here })).toMatchObject({ swept: true, stopped: null });
  expect(added).toBeGreaterThan(0);
  expect(await tipsOf(mirror)).toEqual(before);
});

test('W3: what a remote has no bytes of, after it was restored without them, goes there again', async () => {
  await using opened = new AsyncDisposableStack();
  const data = opened.use(await temporaryFolder()).path;
  const museum = await startNode({ data });
  const there = operator(museum);
  const { port } = new URL(museum.url);
  const mirror = opened.use(await startNode());
  const here = operator(mirror);
  await addRemote(mirror, here, { url: museum.url, key: keyOf(there) });
  const place = await collection(mirror, here, { label: 'Works' });
  const [kept, lost] = [bytesOf(1000), bytesOf(2000, 2)];
  await holding(mirror, here, kept, { collection: place.id });
  const work = await holding(mirror, here, lost, { collection: place.id });
  expect(await sync(mirror, here)).toMatchObject({ sent: { files: 2 } });
  await museum[Symbol.asyncDispose]();
  const cid = cidOf(lost);
  await rm(join(data, 'main', 'files', cid.slice(-2), cid));
  const restored = opened.use(await startNode({ data, env: { ARCHEION_PORT: port } }));
  await expectAnotherInstance(mirror);

  expect((await sync(mirror, here)).stopped).toContain('another node');
  expect(await agree({ mirror, here })).toMatchObject({ swept: true, stopped: null, sent: { files: 1, bytes: 2000 } });
  await expectBytes(restored, there, `/entities/${work.id}/content`, lost);
  expect(await sync(mirror, here)).toMatchObject({ sent: { files: 0, bytes: 0 } });
});

test('W3: nobody is taken for the other node before all of it was compared', async () => {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url, { plain: false }));
  const here = operator(mirror);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(operator(origin)) });
  await create(origin, operator(origin), {});
  await sync(mirror, here);
  const card = (instance: string) => (body: unknown) => ({ ...(body as object), instance });
  const other = '00000000-0000-4000-8000-000000000000';
  const isCard = (path: string) => path === '/.well-known/archeion';
  proxy.fault = ({ path }) => (isCard(path) ? { change: card(other) } : { status: 401 });
  await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
  proxy.fault = ({ path }) => (isCard(path) ? { change: card(other) } : undefined);
  expect((await sync(mirror, here)).stopped).toContain('another node');
  expect(await agree({ mirror, here })).toMatchObject({ swept: true, stopped: null });
  expect(await sync(mirror, here)).toMatchObject({ stopped: null });
});

test('W3: what was removed stays so when one of two plain remotes is set back, whichever version is kept here', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const [data, backup] = [join(folder.path, 'hub'), join(folder.path, 'backup')];
  const hub = await startNode({ data });
  const [node, other] = [opened.use(await startNode()), opened.use(await startNode())];
  const [here, there] = [operator(node), operator(hub)];
  const port = new URL(hub.url).port;
  const proxies = [hub, other].map((it) => startProxy(it.url, { stranger: true }));
  const [toHub, toOther] = (await Promise.all(proxies)) as [FaultyRemote, FaultyRemote];
  opened.use(toHub);
  opened.use(toOther);
  await addRemote(node, here, { name: 'hub', url: toHub.url, key: keyOf(there) });
  const place = await collection(node, here, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 6; n++)
    works.push(await create(node, here, { collection: place.id, properties: { n, extra: 'to be removed' } }));
  await sync(node, here, 'hub');
  const key = keyOf(await user(other, 'other curator'));
  await addRemote(node, here, { name: 'other', url: toOther.url, key, collections: [place.id] });
  const both = async () => [await sync(node, here, 'hub'), await sync(node, here, 'other')];
  await both();
  await hub[Symbol.asyncDispose]();
  await cp(data, backup, { recursive: true });
  const again = await startNode({ data, env: { ARCHEION_PORT: port } });
  for (const { id } of works)
    await update(node, here, await read(node, here, id), {
      properties: { n: 'changed' },
      properties_remove: ['extra'],
    });
  for (let round = 0; round < 3; round++) await both();
  const kept = await tipsOf(node);
  const theirs = await tipsOf(again);
  expect(works.some(({ id }) => kept[id] !== theirs[id])).toBe(true);
  await again[Symbol.asyncDispose]();
  const back = opened.use(await startNode({ data: backup, env: { ARCHEION_PORT: port } }));

  await ask(node, here, 'POST /node/remotes/hub/sync?accept_large_change=true');
  for (let round = 0; round < 2; round++) await both();
  for (const each of [node, other, back])
    for (const { id } of works) {
      const { properties } = await read(each, operator(each), id);
      expect(properties).toEqual({ n: 'changed' });
    }
  expect(ok<{ conflicts: unknown[] }>(await ask(node, here, 'GET /node/conflicts')).conflicts).toEqual([]);
});
