import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findRemote, type Remote } from '../../src/server/store/remotes/remotes.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf, lines, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { type Call, startProxy } from './proxy.ts';

// What is compared entity by entity, at a plain remote that fails at some of it.

const month = 31 * 24 * 3600 * 1000;

async function startScene() {
  await using opened = new AsyncDisposableStack();
  let later = 0;
  const origin = opened.use(await startNode({ now: () => Date.now() + later }));
  let waited = 0;
  const wait = (ms: number, signal: AbortSignal | undefined) => delay(ms / 20, undefined, { signal });
  const mirror = opened.use(await startNode({ wait, now: () => Date.now() + waited }));
  const proxy = opened.use(await startProxy(origin.url));
  const [there, here] = [operator(origin), operator(mirror)];
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
  /** The feed forgets everything so far. */
  const forget = async () => {
    later += month;
    await origin.ctx.events.prune();
  };
  const errorOf = async () =>
    (lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error?: string }).error;
  /** A run that nobody asked for, so much later; what it asked for, and in which words it failed. */
  const runLater = async (ms = 0) => {
    waited += ms;
    const from = proxy.calls.length;
    const run = mirror.ctx.sync.run('main', 'origin', undefined, { unasked: true });
    const words = await run.then(
      () => null,
      (error: Error) => error.message,
    );
    return { words, asked: proxy.calls.slice(from).map(({ path }) => path.replace(/\?.*/, '')) };
  };
  const all = opened.move();
  return {
    origin,
    mirror,
    proxy,
    there,
    here,
    forget,
    errorOf,
    runLater,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function createMany(node: TestNode, who: Person, place: Entity, count: number): Promise<Entity[]> {
  const made: Entity[] = [];
  for (let at = 0; at < count; at += 100) {
    const entities = Array.from({ length: Math.min(100, count - at) }, (_, n) => ({
      ...{ type: 'work', collection: place.id, properties: { n: at + n } },
    }));
    const answer = ok<{ results: Entity[] }>(await ask(node, who, 'POST /entities/batch', { entities }));
    made.push(...answer.results);
  }
  return made;
}

/** Leaves entities out of batches, and fails where one of them is asked for. */
function failingAt(bad: Set<string>) {
  return ({ path }: Call) => {
    if (path === '/entities/batch-get')
      return {
        change: (body: unknown) => ({
          entities: (body as { entities: Entity[] }).entities.filter(({ id }) => !bad.has(id)),
          not_found: [...bad],
        }),
      };
    return [...bad].some((id) => path.startsWith(`/entities/${id}`)) ? { status: 500 } : undefined;
  };
}

test('some of which it fails at in every batch is compared to its end', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here, forget } = scene;
  const place = await collection(origin, there, { label: 'Works' });
  const works = await createMany(origin, there, place, 300);
  await sync(mirror, here);
  await create(origin, there, { collection: place.id });
  await forget();
  await create(origin, there, { collection: place.id });
  proxy.fault = failingAt(new Set(works.filter((_, n) => n % 5 === 0).map(({ id }) => id)));
  expect(await sync(mirror, here)).toMatchObject({ swept: true, stopped: null });
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { failing: 60 } });
});

test('and at all of one collection: the others arrive, and what was made here goes there', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here, forget, errorOf } = scene;
  const bad = await createMany(origin, there, await collection(origin, there, { label: 'Broken' }), 110);
  const good = await createMany(origin, there, await collection(origin, there, { label: 'Sound' }), 20);
  await forget();
  await collection(origin, there, { label: 'New' });
  const own = await create(mirror, here, { properties: { label: 'made here' } });
  proxy.fault = failingAt(new Set(bad.map(({ id }) => id)));
  expect(await errorOf()).toContain('no more was tried');
  expect((await read(origin, there, own.id)).cid).toBe((await read(mirror, here, own.id)).cid);
  // What it failed at waits for its time, so that each run comes further.
  for (let n = 0; n < 3; n++) await errorOf();
  expect((await remoteOf(mirror, here)).lost).toMatchObject([{ swept: true }]);
  const arrived = await tipsOf(mirror);
  for (const { id, cid } of good) expect(arrived[id]).toBe(cid);
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { failing: 110 } });
});

test('and that was reset: with each agreement the comparison comes further, and nothing is sent before its end', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here } = scene;
  const place = await collection(origin, there, { label: 'Broken' });
  const bad = await createMany(origin, there, place, 110);
  await sync(mirror, here);
  const own = await create(mirror, here, { properties: { label: 'made here' } });
  proxy.fault = failingAt(new Set(bad.map(({ id }) => id)));
  const store = await mirror.ctx.networks.get('main');
  const remote = store.read((db) => findRemote(db, 'origin')) as Remote;
  const row = { ...remote, kind: 'remote', remote: 'origin', instance: 'before' } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
  const agreed = async () =>
    lines((await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true')).text).at(-1);
  expect(await agreed()).toMatchObject({ error: expect.stringContaining('no more was tried') });
  expect((await tipsOf(origin))[own.id]).toBeUndefined();
  await agreed();
  // The feed, which is walked after that, names versions that are here.
  expect(await agreed()).toMatchObject({ done: { swept: true, created: 1 } });
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {}, pending: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('and that was reset is compared all the same where it never lists one of its collections', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here, forget, errorOf } = scene;
  const closed = await collection(origin, there, { label: 'Never listed' });
  await createMany(origin, there, closed, 3);
  await sync(mirror, here);
  const unseen = await create(origin, there, { collection: closed.id });
  await forget();
  const own = await create(mirror, here, { properties: { label: 'made here' } });
  proxy.fault = ({ path }) => (path.startsWith(`/collections/${closed.id}/entities`) ? { status: 500 } : undefined);
  const store = await mirror.ctx.networks.get('main');
  const remote = () => store.read((db) => findRemote(db, 'origin')) as Remote;
  const row = { ...remote(), kind: 'remote', remote: 'origin', instance: 'before' } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
  const agreed = await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
  expect(lines(agreed.text).at(-1)).toMatchObject({ error: expect.stringContaining('(to the listing of collection') });
  expect(remote().instance).not.toBe('before');
  expect((await tipsOf(origin))[own.id]).toBeDefined();
  // It is listed once that can be, and until then each run says so.
  expect(await errorOf()).toContain('(to the listing of collection');
  proxy.fault = () => undefined;
  expect(await errorOf()).toBeUndefined();
  expect((await tipsOf(mirror))[unseen.id]).toBe(unseen.cid);
});

test('W7: a listing that fails is asked for ever less often, and nothing else is compared again for its sake', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here, forget, errorOf, runLater } = scene;
  const closed = await collection(origin, there, { label: 'Never listed' });
  await sync(mirror, here);
  const unseen = await create(origin, there, { collection: closed.id });
  await forget();
  await collection(origin, there, { label: 'New' });
  const listing = `/collections/${closed.id}/entities`;
  proxy.fault = ({ path }) => (path.startsWith(listing) ? { status: 500 } : undefined);
  expect(await errorOf()).toContain('(to the listing of collection');
  expect(await remoteOf(mirror, here)).toMatchObject({
    last_run: { fault: 'other' },
    unlisted: [{ collection: closed.id }],
    words: expect.arrayContaining([expect.stringContaining('What 1 collection holds could not be listed')]),
  });
  const minute = 60_000;
  const runs: Awaited<ReturnType<typeof runLater>>[] = [];
  for (const ms of [0, minute, minute, 4 * minute]) runs.push(await runLater(ms));
  for (const { asked, words } of runs) {
    expect(words).toContain('(to the listing of collection');
    expect(asked.filter((path) => /catalog|batch-get|\/tip/.test(path))).toEqual([]);
  }
  expect(runs.map(({ asked }) => asked.includes(listing))).toEqual([false, true, false, true]);
  const direct = (direction: string) =>
    ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(there), direction });
  ok(await direct('push'));
  expect((await runLater()).words).toBeNull();
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [] });
  ok(await direct('both'));
  proxy.fault = () => undefined;
  expect((await runLater(15 * minute)).words).not.toBeNull();
  expect((await runLater(minute)).words).toBeNull();
  expect((await read(mirror, here, unseen.id)).cid).toBe(unseen.cid);
  expect(await remoteOf(mirror, here)).toMatchObject({ unlisted: [], last_run: { error: null } });
  // What was noted while the clock was ahead is asked for once it is right.
  await create(origin, there, { collection: closed.id });
  await forget();
  await collection(origin, there, { label: 'Newer' });
  proxy.fault = ({ path }) => (path.startsWith(listing) ? { status: 500 } : undefined);
  const ahead = 400 * 24 * 60 * minute;
  expect((await runLater(ahead)).words).toContain('(to the listing of collection');
  proxy.fault = () => undefined;
  expect(await runLater(-ahead)).toMatchObject({ words: null, asked: expect.arrayContaining([listing]) });
});

test('and that was reset is taken for the other node once all was compared, also where its news cannot be read', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here } = scene;
  const place = await collection(origin, there, { label: 'Broken' });
  const bad = await createMany(origin, there, place, 110);
  await sync(mirror, here);
  for (const { id } of bad) await update(origin, there, await read(origin, there, id), { properties: { news: true } });
  const own = await create(mirror, here, { properties: { label: 'made here' } });
  const fails = failingAt(new Set(bad.map(({ id }) => id)));
  proxy.fault = (call) => (call.path.startsWith('/versions/') ? { status: 500 } : fails(call));
  const store = await mirror.ctx.networks.get('main');
  const remote = () => store.read((db) => findRemote(db, 'origin')) as Remote;
  const row = { ...remote(), kind: 'remote', remote: 'origin', instance: 'before' } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
  for (let n = 0; n < 4 && remote().instance === 'before'; n++)
    await ask(mirror, here, 'POST /node/remotes/origin/sync?accept_large_change=true');
  expect(remote().instance).not.toBe('before');
  await scene.errorOf();
  expect((await tipsOf(origin))[own.id]).toBeDefined();
});

test('and that takes the key no more is not taken for compared', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, there, here, forget, errorOf } = scene;
  const place = await collection(origin, there, { label: 'Works' });
  await createMany(origin, there, place, 60);
  await sync(mirror, here);
  await create(origin, there, { collection: place.id });
  await forget();
  await create(origin, there, { collection: place.id });
  proxy.fault = ({ path }) =>
    /^\/entities\/(batch-get|.*\/tip)/.test(path) ? { status: 401, body: { error: 'API key revoked' } } : undefined;
  expect(await errorOf()).toContain('does not tell tips: API key revoked');
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ swept: true });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});
