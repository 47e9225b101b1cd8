import { expect, test } from 'vitest';
import { operator, user } from '../helpers/callers.ts';
import { collection, create, type Entity, remove, update } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { addRemote, keyOf, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { type Proxied, startProxied } from './proxied.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

// Feeds that do not tell everything at once, or in the order in which it came to be.

interface Event {
  id: number;
  entity_id: string;
  cid: string;
}

interface Page {
  events: Event[];
  has_more: boolean;
  cursor: number;
}

const startScene = ({ plain = true } = {}): Promise<Proxied> => startProxied({ works: 5, proxy: { plain } });

/** Where a page of the feed was asked from, null for the newest; undefined for what asks for something else. */
function askedFrom(path: string): number | null | undefined {
  if (!path.startsWith('/events?')) return undefined;
  const cursor = new URLSearchParams(path.slice('/events?'.length)).get('cursor');
  return cursor === null ? null : Number(cursor);
}

test('F3: what an interrupted first walk had not come to, and has left the feed since, is looked for', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, here } = scene;
  proxy.fault = ({ path }) => {
    const from = askedFrom(path);
    if (typeof from === 'number') return { status: 302 };
    return from === null
      ? { change: (body) => ({ ...(body as Page), events: (body as Page).events.slice(0, 3), has_more: true }) }
      : undefined;
  };
  await expect(sync(mirror, here)).rejects.toThrow();
  await expect.poll(async () => (await remoteOf(mirror, here)).seen).toHaveLength(1);
  const floor = (await remoteOf(mirror, here)).seen[0]?.first as number;
  proxy.fault = ({ path }) =>
    askedFrom(path) === undefined
      ? undefined
      : {
          change: (body) => {
            const events = (body as Page).events.filter(({ id }) => id > floor);
            return { events, has_more: false, cursor: events.at(-1)?.id ?? 0 };
          },
        };
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: true, stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect((await remoteOf(mirror, here)).lost).toEqual([
    { first: 1, last: floor - 1, swept: true, uncatalogued: false },
  ]);
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: false, stopped: null });
});

/** Pages of `limit` events that are cut before those that are not `own` are left out of them. */
function cutting(limit: number, own: (event: Event) => boolean): FaultyRemote['fault'] {
  return ({ path }) =>
    askedFrom(path) === undefined
      ? undefined
      : {
          change: (body) => {
            const { events, has_more } = body as Page;
            const page = events.slice(0, limit);
            const cursor = page.at(-1)?.id ?? 0;
            return { events: page.filter(own), has_more: has_more || events.length > limit, cursor };
          },
        };
}

test('F8: pages of another network alone are passed over, at the head and between', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const [first, , third, fourth, last] = works;
  const hidden = new Set([third?.id, fourth?.id, last?.id]);
  proxy.fault = cutting(2, ({ entity_id }) => !hidden.has(entity_id));
  expect(await sync(mirror, here)).toMatchObject({ swept: false, stopped: null });
  expect((await tipsOf(mirror))[first?.id ?? '']).toBe(first?.cid);
  const { seen } = await remoteOf(mirror, here);
  expect(seen).toHaveLength(1);
  expect(await sync(mirror, here)).toMatchObject({ events: 0, swept: false, stopped: null });
  // What is sent there notes where its feed is (F6), by questions for one event.
  const edited = await update(mirror, here, await read(mirror, here, first?.id ?? ''), { properties: { n: 'here' } });
  for (let n = 0; n < 3; n++) hidden.add((await create(origin, curator, { collection: place.id })).id);
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, stopped: null });
  for (let n = 0; n < 3; n++) hidden.add((await create(origin, curator, { collection: place.id })).id);
  expect(await sync(mirror, here)).toMatchObject({ updated: 0, swept: false, stopped: null });
  expect((await read(origin, curator, first?.id ?? '')).properties).toEqual(edited.properties);
});

test('F8: an empty page with others after it that does not say where they begin is no page', async () => {
  await using scene = await startScene();
  const { mirror, proxy, here } = scene;
  for (const cursor of [undefined, null, 0, 'x', 100_000]) {
    proxy.fault = ({ path }) => {
      const from = askedFrom(path);
      if (from === undefined) return undefined;
      // The first one is good, and the second one leads back.
      return {
        change: () => ({ events: [], has_more: true, cursor: from === null && cursor === 100_000 ? 50 : cursor }),
      };
    };
    await expect(sync(mirror, here)).rejects.toThrow('something else than a page of the feed');
  }
});

test('F11: an event of a plain remote that is shown after newer ones arrives, also after the run that looked broke off', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const late = await create(origin, curator, { collection: place.id, properties: { n: 'late' } });
  const fresh = await create(origin, curator, { collection: place.id });
  const hiding = ({ path }: { path: string }) =>
    askedFrom(path) === undefined
      ? undefined
      : {
          change: (body: unknown) => {
            const { events, ...others } = body as Page;
            return { ...others, events: events.filter(({ entity_id }) => entity_id !== late.id) };
          },
        };
  proxy.fault = hiding;
  await sync(mirror, here);
  const arrived = await tipsOf(mirror);
  expect(arrived[fresh.id]).toBe(fresh.cid);
  expect(arrived[late.id]).toBeUndefined();
  // What was on the page before is not looked at again.
  await update(origin, curator, works[0] as Entity, { properties: { n: 'x' } });
  expect(await sync(mirror, here)).toMatchObject({ events: 1, entities: 1 });

  proxy.fault = ({ path }) =>
    askedFrom(path) === undefined && path !== '/.well-known/archeion' ? { status: 302 } : undefined;
  await expect(sync(mirror, here)).rejects.toThrow('elsewhere');
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ events: 0, entities: 1, swept: false, stopped: null });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  proxy.calls.length = 0;
  expect(await sync(mirror, here)).toMatchObject({ events: 0, entities: 0 });
  expect(proxy.calls.filter(({ path }) => path.startsWith('/entities') || path.startsWith('/versions'))).toEqual([]);
});

test('F11: so does one that is shown only after a restart, and of a deletion', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const origin = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url));
  const curator = await user(origin, 'curator');
  const place = await collection(origin, curator, { label: 'Works' });
  const work = await create(origin, curator, { collection: place.id });
  const before = await startNode({ data: folder.path });
  const here = operator(before);
  await addRemote(before, here, { url: proxy.url, key: keyOf(curator) });
  await sync(before, here);
  const { cid } = await remove(origin, curator, work);
  await create(origin, curator, { collection: place.id });
  proxy.fault = ({ path }) =>
    askedFrom(path) === undefined
      ? undefined
      : {
          change: (body) => ({ ...(body as Page), events: (body as Page).events.filter((event) => event.cid !== cid) }),
        };
  await sync(before, here);
  await before[Symbol.asyncDispose]();
  proxy.fault = () => undefined;
  const mirror = opened.use(await startNode({ data: folder.path }));
  expect((await tipsOf(mirror))[work.id]).toBe(work.cid);
  expect(await sync(mirror, here)).toMatchObject({ events: 0, entities: 1, deleted: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});
