import { describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { bytesOf, clock, expectBytes, holding, isContent, type Scene, startScene } from './contents.ts';
import { addRemote, lines, read, remoteOf, sync, tipsOf } from './nodes.ts';
import type { Call, Fault } from './proxy.ts';

// Remotes that keep to the interface, and show by one endpoint what another one does not show yet.

/** A mirror of one collection, at a remote that is no node. */
async function startFiltered(): Promise<Scene> {
  const scene = await startScene({}, { stranger: true });
  const { mirror, here, place } = scene;
  ok(await ask(mirror, here, 'PUT /node/remotes/origin', { collections: [place.id] }));
  return scene;
}

/** What batch-get shows of one entity: an earlier version, or null for none. */
const showing =
  ({ id }: Entity, shown: Entity | null) =>
  (body: unknown): unknown => {
    const { entities, ...rest } = body as { entities: Entity[] };
    return { ...rest, entities: entities.flatMap((it) => (it.id !== id ? [it] : shown === null ? [] : [shown])) };
  };

const isBatch = ({ path }: Call) => path === '/entities/batch-get';
const isTipOf = ({ path }: Call, { id }: Entity) => path === `/entities/${id}/tip`;
/** What still shows an entity as it was before: its current version, and its tip. */
const showsBefore = (call: Call, before: Entity): Fault => {
  if (isBatch(call)) return { change: showing(before, before) };
  return isTipOf(call, before) ? { status: 200, body: { id: before.id, cid: before.cid } } : undefined;
};
const isManifest = ({ path }: Call, { cid }: Entity) => path === `/versions/manifest/${cid}`;

describe('under a filter', () => {
  const late: [string, (call: Call, fresh: Entity) => Fault][] = [
    ['is shown after its event', (call, fresh) => (isManifest(call, fresh) ? { status: 404 } : undefined)],
    [
      'is damaged on the way',
      (call, fresh) => (isManifest(call, fresh) ? { bytes: (body) => body.subarray(0, 50) } : undefined),
    ],
    [
      'is another one on the way',
      (call, fresh) =>
        isManifest(call, fresh)
          ? { change: (body) => ({ ...(body as object), manifest: { id: fresh.id, type: 'forged' } }) }
          : undefined,
    ],
  ];
  test.each(late)('what %s is asked for again', async (_how, fault) => {
    await using scene = await startFiltered();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const fresh = await create(origin, curator, { collection: place.id });
    proxy.fault = (call) =>
      isBatch(call) ? { change: showing(fresh, null) } : isTipOf(call, fresh) ? { status: 404 } : fault(call, fresh);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: fresh.id }]);
    proxy.fault = () => undefined;
    clock.time += 61_000;
    await sync(mirror, here);
    expect((await tipsOf(mirror))[fresh.id]).toBe(fresh.cid);
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  });

  test('what could not be read leaves no trace once it can and is none of what is wanted', async () => {
    await using scene = await startFiltered();
    const { origin, mirror, proxy, curator, here } = scene;
    const other = await collection(origin, curator, { label: 'Other' });
    await sync(mirror, here);
    const outside = await create(origin, curator, { collection: other.id });
    const secret = await create(origin, curator, { collection: other.id });
    proxy.fault = (call) => {
      if (isBatch(call)) return { change: (body) => showing(secret, null)(showing(outside, null)(body)) };
      if (isManifest(call, secret)) return { status: 403 };
      return isManifest(call, outside) ? { status: 404 } : undefined;
    };
    await sync(mirror, here);
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: outside.id, trouble: 'missing' }]);
    proxy.fault = () => undefined;
    clock.time += 61_000;
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
    expect(await tipsOf(mirror)).not.toHaveProperty(outside.id);
  });

  const behind: [string, (call: Call, before: Entity) => Fault][] = [
    ['a current version', (call, before) => (isBatch(call) ? { change: showing(before, before) } : undefined)],
    [
      'a tip',
      (call, before) => {
        if (isBatch(call)) return { change: showing(before, null) };
        return isTipOf(call, before) ? { status: 200, body: { id: before.id, cid: before.cid } } : undefined;
      },
    ],
  ];
  test.each(behind)('%s of a moment before keeps nothing out of its collection', async (_what, fault) => {
    await using scene = await startFiltered();
    const { origin, mirror, proxy, curator, here, place } = scene;
    const other = await collection(origin, curator, { label: 'Other' });
    const [work, second] = [
      await create(origin, curator, { collection: other.id }),
      await create(origin, curator, { collection: other.id }),
    ];
    await sync(mirror, here);
    const moved = await update(origin, curator, work, {
      relationships_add: [{ predicate: 'collection', peer: place.id }],
    });
    await update(origin, curator, second, { properties: { n: 2 } });
    proxy.fault = (call) => fault(call, work);
    await sync(mirror, here);
    expect((await tipsOf(mirror))[work.id]).toBe(moved.cid);
    expect(await tipsOf(mirror)).not.toHaveProperty(second.id);
  });

  test('an earlier version that lay in the collection brings nothing that has left it', async () => {
    await using scene = await startFiltered();
    const { origin, mirror, proxy, curator, here, place } = scene;
    const away = { relationships_remove: [{ predicate: 'collection', peer: place.id }] };
    const left = await create(origin, curator, { collection: place.id });
    const gone = await create(origin, curator, { collection: place.id });
    const closed = await create(origin, curator, { collection: place.id });
    const now = await update(origin, curator, left, away);
    await remove(origin, curator, gone);
    const hidden = await update(origin, curator, closed, away);
    for (let n = 0; n < 3; n++) await create(origin, curator, { collection: place.id });
    // Pages so short that each event has one of its own: of an entity the older ones come by themselves.
    proxy.fault = (call) => {
      const cursor = new URL(call.path, origin.url).searchParams.get('cursor');
      if (call.path.startsWith('/events'))
        return {
          change: (body) => {
            const { events } = body as { events: { id: number }[] };
            return { events: events.slice(0, 1), has_more: events.length > 1, cursor: events[0]?.id ?? cursor };
          },
        };
      if (isBatch(call)) return { change: showing(closed, null) };
      return isManifest(call, hidden) ? { status: 403 } : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    const tips = await tipsOf(mirror);
    for (const { id } of [left, gone, closed]) expect(tips).not.toHaveProperty(id);
    expect(Object.keys(tips)).toHaveLength(4);
    // What keeps an entity away is read once.
    const asked = proxy.calls.filter((call) => isManifest(call, left) || isManifest(call, gone));
    expect(asked).toEqual([]);
    expect(now.ver).toBe(2);
  });
});

describe('a remote that asks who it is', () => {
  const all = ({ path }: Call) => !path.startsWith('/events');
  test.each([
    ['whatever it is asked for', all],
    ['for versions', (call: Call) => all(call) && !isBatch(call)],
  ])('%s: a key that counts no more ends the run, and nothing is missed', async (_for, asks) => {
    await using scene = await startScene({}, { stranger: true });
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const fresh = await create(origin, curator, { collection: place.id });
    const another = await create(origin, curator, { collection: place.id });
    proxy.fault = (call) => {
      if (asks(call)) return { status: 401, body: { error: 'Unauthorized: no such key' } };
      return isBatch(call) ? { change: (body) => showing(another, null)(showing(fresh, null)(body)) } : undefined;
    };
    const { text } = await ask(mirror, here, 'POST /node/remotes/origin/sync');
    expect(lines(text).at(-1)).toMatchObject({ error: expect.stringContaining('Unauthorized: no such key') });
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(fresh.ver).toBe(1);
  });

  test('without a key, what is not for everybody holds back nothing else', async () => {
    await using scene = await startScene({}, { stranger: true });
    const { origin, mirror, proxy, curator, here, place } = scene;
    const secret = await create(origin, curator, { collection: place.id });
    await addRemote(mirror, here, { name: 'anonymous', url: proxy.url });
    proxy.fault = (call) => {
      if (isBatch(call)) return { change: showing(secret, null) };
      return isManifest(call, secret) || isTipOf(call, secret) ? { status: 401 } : undefined;
    };
    expect(await sync(mirror, here, 'anonymous')).toMatchObject({ troubles: 1 });
    const { [secret.id]: _, ...others } = await tipsOf(origin);
    expect(await tipsOf(mirror)).toEqual(others);
    const { unreadable } = await remoteOf(mirror, here, 'anonymous');
    expect(unreadable).toMatchObject([{ id: secret.id, trouble: 'forbidden' }]);
  });
});

test.each([
  ['alone', 0],
  ['with others', 2],
])('F9: events of one entity in another order than its versions, %s, leave nothing out', async (_how, others) => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here);
  const second = await update(origin, curator, work, { properties: { n: 2 } });
  const third = await update(origin, curator, second, { properties: { n: 3 } });
  for (let n = 0; n < others; n++) await create(origin, curator, { collection: place.id });
  const swapped = new Map([
    [second.cid, third.cid],
    [third.cid, second.cid],
  ]);
  proxy.fault = ({ path }) =>
    path.startsWith('/events')
      ? {
          change: (body) => {
            const { events, ...rest } = body as { events: { cid: string }[] };
            return { ...rest, events: events.map((it) => ({ ...it, cid: swapped.get(it.cid) ?? it.cid })) };
          },
        }
      : undefined;
  expect(await sync(mirror, here)).toMatchObject({ troubles: 0, conflicts: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(['an edit', 'a deletion'])('F9: %s there over what was pushed, named before it, arrives', async (what) => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here);
  let pushed: string | undefined;
  let later: string | undefined;
  // The one that was pushed has the next id from the beginning, and what comes after it the one before.
  const shown = (event: Named): Named => {
    if (event.entity_id === work.id && event.cid !== work.cid) pushed ??= event.cid;
    if (later === undefined) return event.cid === pushed ? { ...event, id: event.id + 1 } : event;
    return { ...event, cid: event.cid === later ? (pushed ?? '') : event.cid === pushed ? later : event.cid };
  };
  proxy.fault = ({ path }) =>
    path.startsWith('/events')
      ? { change: (body) => ({ ...(body as object), events: (body as { events: Named[] }).events.map(shown) }) }
      : undefined;
  await update(mirror, here, work, { properties: { n: 2 } });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1 });
  const second = await read(origin, curator, work.id);
  const made =
    what === 'an edit'
      ? await update(origin, curator, second, { properties: { n: 3 } })
      : await remove(origin, curator, second);
  later = made.cid;
  expect(await sync(mirror, here)).toMatchObject({ troubles: 0, conflicts: 0, stopped: null });
  expect(pushed).toBe(second.cid);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

interface Named {
  id: number;
  entity_id: string;
  cid: string;
}

test('F10: a version that cannot be read is waited for while the tip is still the one before, but not for ever', async () => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here);
  const second = await update(origin, curator, work, { properties: { n: 2 } });
  proxy.fault = (call) => (isManifest(call, second) ? { status: 404 } : showsBefore(call, work));
  expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
  for (const minutes of [2, 5]) {
    clock.time += minutes * 60_000;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: work.id, trouble: 'missing' }]);
  }
  // Ever less often.
  proxy.calls.length = 0;
  clock.time += 5 * 60_000;
  await sync(mirror, here);
  expect(proxy.calls.filter(isBatch)).toEqual([]);
  proxy.fault = () => undefined;
  clock.time += 15 * 60_000;
  await sync(mirror, here);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  // One that never comes is given up.
  const lost = await update(origin, curator, second, { properties: { n: 3 } });
  proxy.fault = (call) => {
    if (isManifest(call, lost)) return { status: 404 };
    if (isBatch(call)) return { change: showing(second, second) };
    return undefined;
  };
  await sync(mirror, here);
  for (let tries = 0; tries < 8; tries++) {
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { missing: 1 } });
    clock.time += 2 * 24 * 3_600_000;
    await sync(mirror, here);
  }
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  expect((await read(mirror, here, work.id)).cid).toBe(second.cid);
});

test('F10: a version at which a remote fails is waited for, too, while the tip is still the one before', async () => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here);
  const second = await update(origin, curator, work, { properties: { n: 2 } });
  let isDown = true;
  proxy.fault = (call) => (isDown && isManifest(call, second) ? { status: 500 } : showsBefore(call, work));
  expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
  isDown = false;
  clock.time += 2 * 60_000;
  await sync(mirror, here);
  expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: work.id, trouble: 'failing' }]);
  proxy.fault = () => undefined;
  clock.time += 5 * 60_000;
  await sync(mirror, here);
  expect((await read(mirror, here, work.id)).cid).toBe(second.cid);
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
});

test.each([
  ['shown before', true],
  ['not shown before', false],
])('F12: what was not shown comes when its collection, %s, lets the user in', async (_how, isShown) => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here } = scene;
  const there = operator(origin);
  const closed = await collection(origin, there, { label: 'Closed' });
  const secret = await create(origin, there, { collection: closed.id });
  const away = await create(origin, there, {});
  let isIn = false;
  proxy.fault = (call) => {
    const hidden = [away, ...(isIn ? [] : [secret, ...(isShown ? [] : [closed])])];
    if (isBatch(call)) return { change: (body) => hidden.reduce((left, one) => showing(one, null)(left), body) };
    return hidden.some((one) => isManifest(call, one) || isTipOf(call, one)) ? { status: 403 } : undefined;
  };
  await sync(mirror, here);
  expect((await remoteOf(mirror, here)).troubles).toEqual({ forbidden: isShown ? 2 : 3 });
  await enrol(origin, there, closed.id, curator, 'viewer');
  isIn = true;
  await sync(mirror, here);
  expect((await tipsOf(mirror))[secret.id]).toBe(secret.cid);
  // What is still not shown is asked for once.
  expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: away.id, trouble: 'forbidden' }]);
  proxy.calls.length = 0;
  clock.time += 24 * 3_600_000;
  await sync(mirror, here);
  expect(proxy.calls.filter((call) => isTipOf(call, away))).toEqual([]);
});

test.each([
  ['no filter', []],
  ['a filter of types', ['document', 'group']],
])('F12: so it does when a group that it names lets the user in, under %s', async (_filter, types) => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const there = operator(origin);
  const closed = await collection(origin, there, { label: 'Closed' });
  const secret = await create(origin, there, { collection: closed.id });
  const crew = await create(origin, curator, { type: 'group', collection: place.id });
  await enrol(origin, there, closed.id, { id: crew.id, headers: {} }, 'viewer');
  ok(await ask(mirror, here, 'PUT /node/remotes/origin', { types }));
  let isIn = false;
  proxy.fault = (call) => {
    if (isIn) return undefined;
    if (call.path.startsWith(`/collections/${closed.id}/entities`)) return { status: 403 };
    if (isBatch(call)) return { change: showing(secret, null) };
    return isManifest(call, secret) || isTipOf(call, secret) ? { status: 403 } : undefined;
  };
  await sync(mirror, here);
  await sync(mirror, here);
  expect(Object.keys(await tipsOf(mirror))).not.toContain(secret.id);
  await update(origin, curator, crew, { relationships_add: [{ predicate: 'member', peer: curator.id }] });
  isIn = true;
  await sync(mirror, here);
  expect((await tipsOf(mirror))[secret.id]).toBe(secret.cid);
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
});

test.each([
  ['shown before', 'of collections', true],
  ['not shown before', 'of collections', false],
  ['shown before', 'of types', true],
  ['not shown before', 'of types', false],
])(
  'F12: what was not shown comes when its collection, %s, lets the user in under a filter %s',
  async (_how, filter, isShown) => {
    await using scene = await startScene({}, { stranger: true });
    const { origin, mirror, proxy, curator, here } = scene;
    const there = operator(origin);
    const closed = await collection(origin, there, { label: 'Closed' });
    const secret = await create(origin, there, { collection: closed.id });
    ok(
      await ask(
        mirror,
        here,
        'PUT /node/remotes/origin',
        filter === 'of types' ? { types: ['document'] } : { collections: [closed.id] },
      ),
    );
    let isIn = false;
    const isListing = ({ path }: Call) => path.startsWith(`/collections/${closed.id}/entities`);
    proxy.fault = (call) => {
      const hidden = isIn ? [] : [secret, ...(isShown ? [] : [closed])];
      if (hidden.length > 0 && isListing(call)) return { status: 403 };
      if (isBatch(call)) return { change: (body) => hidden.reduce((left, one) => showing(one, null)(left), body) };
      return hidden.some((one) => isManifest(call, one) || isTipOf(call, one)) ? { status: 403 } : undefined;
    };
    await sync(mirror, here);
    await sync(mirror, here);
    expect((await remoteOf(mirror, here)).troubles).toEqual(isShown || filter === 'of types' ? {} : { forbidden: 1 });
    await enrol(origin, there, closed.id, curator, 'viewer');
    isIn = true;
    await sync(mirror, here);
    expect((await tipsOf(mirror))[secret.id]).toBe(secret.cid);
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
    // It is read once, and not by every run.
    proxy.calls.length = 0;
    await sync(mirror, here);
    expect(proxy.calls.filter(isListing)).toEqual([]);
  },
);

test('F5: what could not be had while the clock was ahead is asked for once it is right', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, curator, here, place } = scene;
  await sync(mirror, here);
  const work = await create(origin, curator, { collection: place.id });
  const bytes = bytesOf(5000);
  const pictured = await holding(origin, curator, bytes, { collection: place.id });
  proxy.fault = (call) => {
    if (isContent(call)) return { status: 404 };
    return isBatch(call) ? { change: showing(work, null) } : isManifest(call, work) ? { status: 404 } : undefined;
  };
  const ahead = 400 * 24 * 3_600_000;
  clock.time += ahead;
  await sync(mirror, here);
  clock.time -= ahead;
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { missing: 1 }, contents: { missing: 1 } });
  proxy.fault = () => undefined;
  await sync(mirror, here);
  expect((await tipsOf(mirror))[work.id]).toBe(work.cid);
  await expectBytes(mirror, here, `/entities/${pictured.id}/content`, bytes);
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {}, contents: {} });
});
