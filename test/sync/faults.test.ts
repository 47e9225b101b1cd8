import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { valueHash } from '../../src/server/blocks/encode.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { type StartOptions, startNode, type TestNode } from '../helpers/node.ts';
import { expectBytes, holding } from './contents.ts';
import { addRemote, chainOf, conflictsOf, failedSync, keyOf, lines, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { type Call, type Fault, type FaultyRemote, startProxy } from './proxy.ts';

interface Scene extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  proxy: FaultyRemote;
  curator: Person;
  here: Person;
  place: Entity;
  works: Entity[];
}

/** A mirror that reaches its origin, which has a collection with five works, only through a proxy. */
async function startScene({
  plain = true,
  now = Date.now,
  wait = (ms) => sleep(ms / 20),
  answerWindow,
}: Pick<StartOptions, 'now' | 'wait' | 'answerWindow'> & { plain?: boolean } = {}): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode({ now, wait, answerWindow }));
  const proxy = opened.use(await startProxy(origin.url, { plain }));
  const curator = await user(origin, 'curator');
  const here = operator(mirror);
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < 5; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  const all = opened.move();
  return { origin, mirror, proxy, curator, here, place, works, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** An answer of the feed or a tip as it was before `cid` came. */
function without(body: unknown, cid: string, before: string): unknown {
  const { events, cid: tip, ...others } = body as { events?: { cid: string }[]; cid?: string };
  if (events) return { ...others, events: events.filter((event) => event.cid !== cid) };
  return { ...others, cid: tip === cid ? before : tip };
}

/** Writes arrive and are not answered, and no tip is shown. */
const losing = ({ method, path }: Call): Fault => {
  if (path.endsWith('/tip')) return { status: 302 };
  return method !== 'GET' && !path.includes('batch') ? 'lose' : undefined;
};

const manifestOf = (cid: string) => (call: { path: string }) => call.path === `/versions/manifest/${cid}`;

describe('a remote that lies', () => {
  test('S1: about a manifest is found out; nothing of it is applied, everything else is', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, here, works } = scene;
    const victim = works[2] as Entity;
    proxy.fault = ({ path }) => {
      if (path === '/entities/batch-get')
        return {
          change: (body) => {
            const answer = body as { entities: Entity[] };
            for (const entity of answer.entities) if (entity.id === victim.id) entity.properties = { n: 'forged' };
            return answer;
          },
        };
      if (!manifestOf(victim.cid)({ path })) return undefined;
      return {
        change: (body) => {
          const answer = body as { manifest: Entity };
          return { ...answer, manifest: { ...answer.manifest, properties: { n: 'forged' } } };
        },
      };
    };
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    const { [victim.id]: _, ...rest } = await tipsOf(origin);
    expect(await tipsOf(mirror)).toEqual(rest);
    expect((await remoteOf(mirror, here)).unreadable).toEqual([
      { id: victim.id, trouble: 'mismatch', evidence: expect.stringContaining('forged') },
    ]);
    expect((await ask(mirror, here, `GET /entities/${victim.id}`)).status).toBe(404);

    proxy.fault = () => undefined;
    await update(origin, scene.curator, victim, { properties: { n: 3 } });
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  });

  test('S1: about an older version is found out too, and the chain is not applied', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    const victim = works[0] as Entity;
    const edited = await update(origin, curator, victim, { properties: { n: 'edited' } });
    proxy.fault = (call) =>
      manifestOf(victim.cid)(call)
        ? { change: (body) => ({ ...(body as object), manifest: { ...edited } }) }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect(await tipsOf(mirror)).not.toHaveProperty(victim.id);
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: victim.id, trouble: 'mismatch' }]);
  });

  test('S2: a version that is missing in the middle of a chain keeps the entity away', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    const victim = works[0] as Entity;
    await update(origin, curator, victim, { properties: { n: 'edited' } });
    proxy.fault = (call) => (manifestOf(victim.cid)(call) ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: victim.id, trouble: 'incomplete' }]);
    expect(await tipsOf(mirror)).not.toHaveProperty(victim.id);
  });

  test.each([
    ['ids out of order', { events: [{ id: 1, pi: 'x', cid: 'c' }], has_more: false, cursor: 0 }],
    ['something else', { hello: 'world' }],
    ['no JSON', 'nothing'],
  ])('in its feed (%s) is left alone', async (_name, body) => {
    await using scene = await startScene();
    const { mirror, proxy, here } = scene;
    proxy.fault = ({ path }) => (path.startsWith('/events') ? { status: 200, body } : undefined);
    expect(await failedSync(mirror, here)).toEqual({ status: 502, error: expect.stringContaining('/events') });
    expect(await tipsOf(mirror)).toEqual({});
  });

  const hidden: Record<string, (cid: string) => (call: Call) => Fault> = {
    'missing there': (cid) => (call) => {
      if (call.path === '/node/sync/blocks') return { bytes: () => Buffer.alloc(0) };
      return call.path === '/entities/batch-get' || manifestOf(cid)(call) ? { status: 404 } : undefined;
    },
    'with other bytes': (cid) => (call) => {
      if (call.path === '/node/sync/blocks') return { bytes: () => Buffer.alloc(0) };
      if (call.path === '/entities/batch-get') return { status: 404 };
      const forge = (body: unknown) => ({
        ...(body as object),
        manifest: { ...(body as { manifest: object }).manifest, type: 'forged' },
      });
      return manifestOf(cid)(call) ? { change: forge } : undefined;
    },
  };
  test.each(
    Object.keys(hidden).flatMap((how) =>
      [true, false].map((plain) => [how, plain ? 'plain' : 'a node', plain] as const),
    ),
  )('F5: for a while (%s, %s) is asked again when its time has come', async (how, _kind, plain) => {
    let time = Date.now();
    await using scene = await startScene({ plain, now: () => time });
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const theirs = await update(origin, curator, work, { properties: { theirs: true } });
    const ours = await update(mirror, here, work, { properties: { ours: true } });
    proxy.fault = hidden[how]?.(theirs.cid) ?? proxy.fault;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1, updated: 0 });
    const asks = () => proxy.calls.filter(manifestOf(theirs.cid)).length;
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0, updated: 0 });
    expect(asks()).toBe(0);
    time += 61_000;
    // Still the same: that is no news, and asked for less often.
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0, updated: 0 });
    expect(asks()).toBe(1);
    time += 61_000;
    await sync(mirror, here);
    expect(asks()).toBe(1);
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: work.id }]);
    expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);

    proxy.fault = () => undefined;
    time += 4 * 60_000;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0, updated: 1, merged: 1, conflicts: 0 });
    expect((await read(origin, curator, work.id)).properties).toMatchObject({ theirs: true, ours: true });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {}, pending: 0 });
  });

  test('that sends elsewhere is not followed', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, here } = scene;
    proxy.fault = ({ path }) =>
      path.startsWith('/events') ? { status: 307, headers: { Location: `${origin.url}${path}` } } : undefined;
    const error = expect.stringContaining(`sends elsewhere to ${origin.url} (307), as a network does`);
    expect(await failedSync(mirror, here)).toEqual({ status: 502, error });
  });
});

describe('a remote in trouble', () => {
  test('is asked again after 429, 500 and broken connections', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, here } = scene;
    const met = new Map<string, number>();
    proxy.fault = ({ path }) => {
      const times = (met.get(path) ?? 0) + 1;
      met.set(path, times);
      if (times === 1) return { status: 429, headers: { 'Retry-After': '0' } };
      if (times === 2) return { status: 503, headers: { 'Retry-After': '0' } };
      return times === 3 ? 'cut' : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('that shows an entity to nobody is asked once, and again when it changes', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    const secret = works[1] as Entity;
    proxy.fault = (call) => {
      if (manifestOf(secret.cid)(call)) return { status: 403 };
      if (call.path !== '/entities/batch-get') return undefined;
      return {
        change: (body) => ({
          entities: (body as { entities: Entity[] }).entities.filter((it) => it.id !== secret.id),
          not_found: [secret.id],
        }),
      };
    };
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: secret.id, trouble: 'forbidden' }]);
    proxy.calls.length = 0;
    await sync(mirror, here);
    expect(proxy.calls.filter(manifestOf(secret.cid))).toEqual([]);
    proxy.fault = () => undefined;
    await update(origin, curator, secret, { properties: { n: 'shown' } });
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('F2: that breaks off in the middle is taken up where it was; nothing is missed', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here } = scene;
    for (let i = 0; i < 8; i++) {
      const entities = Array.from({ length: 100 }, (_, n) => ({
        type: 'document',
        properties: { label: `${i} ${n}` },
      }));
      ok(await ask(origin, curator, 'POST /entities/batch', { entities }));
    }
    let batches = 0;
    proxy.fault = ({ path }) => (path === '/entities/batch-get' && ++batches > 3 ? { status: 400 } : undefined);
    // Without batches each manifest is fetched by itself, and those fail after the first hundred.
    let single = 0;
    const { fault } = proxy;
    proxy.fault = (call) => (call.path.startsWith('/versions/') && ++single > 100 ? { status: 302 } : fault(call));
    expect((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).toContain('elsewhere');
    const before = Object.keys(await tipsOf(mirror)).length;
    expect(before).toBeLessThan(Object.keys(await tipsOf(origin)).length);
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await remoteOf(mirror, here)).seen).toHaveLength(1);
  });

  test('F3: whose feed has lost events says so, and which', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const { last } = (await remoteOf(mirror, here)).seen.at(-1) as { last: number };
    for (let n = 0; n < 4; n++) await update(origin, curator, works[n] as Entity, { properties: { n: 'x' } });
    const floor = last + 2;
    proxy.fault = ({ path }) =>
      path.startsWith('/events')
        ? {
            change: (body) => {
              const { events } = body as { events: { id: number }[] };
              return { events: events.filter(({ id }) => id > floor), has_more: false, cursor: floor + 1 };
            },
          }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ lost: { first: last + 1, last: floor } });
    expect((await remoteOf(mirror, here)).lost.at(-1)).toEqual({
      first: last + 1,
      last: floor,
      swept: true,
      uncatalogued: false,
    });
    expect(await sync(mirror, here)).toMatchObject({ lost: null, stopped: null, events: 0 });
  });

  test('F4: that was reset is left alone', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const before = await tipsOf(mirror);
    await update(origin, curator, works[0] as Entity, { properties: { n: 'after' } });
    proxy.fault = ({ path }) =>
      path.startsWith('/events')
        ? {
            change: (body) => ({
              ...(body as object),
              events: (body as { events: unknown[] }).events.slice(3),
              has_more: false,
            }),
          }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ stopped: expect.stringContaining('has been seen'), entities: 0 });
    expect(await tipsOf(mirror)).toEqual(before);
  });
});

describe('P3: a push whose answer is lost', () => {
  const writes = (proxy: FaultyRemote) =>
    proxy.calls.filter(({ method, path }) => method !== 'GET' && path !== '/entities/batch-get');

  test.each([
    ['lose', 'lost after it was done'],
    ['cut', 'lost before it was done'],
  ] as const)('%s: %s; each change is made once', async (fault, _when) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    await sync(mirror, here);
    const made = await create(mirror, here, { collection: place.id, properties: { label: 'new' } });
    const collected = await collection(mirror, here, { label: 'new too' });
    const [first, second, third] = works as [Entity, Entity, Entity];
    await update(mirror, here, first, { properties: { n: 'edited' } });
    ok(await ask(mirror, here, `DELETE /entities/${second.id}`, { expect_tip: second.cid }));
    const both = await update(mirror, here, third, { properties: { a: { b: 1, c: 2 }, d: 1 } });
    proxy.calls.length = 0;
    const met = new Set<string>();
    proxy.fault = ({ method, path }) => {
      if (method === 'GET' || path.includes('batch') || met.has(path)) return undefined;
      met.add(path);
      return fault;
    };
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect(writes(proxy).length).toBe(fault === 'cut' ? 2 * met.size : met.size);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await chainOf(origin, made.id)).toHaveLength(1);
    expect(await chainOf(origin, collected.id)).toHaveLength(1);
    for (const { id } of [first, second, both]) expect(await chainOf(origin, id)).toHaveLength(2);
    expect((await read(origin, curator, first.id)).properties).toMatchObject({ n: 'edited' });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  });

  test.each([
    ['in the same run', false],
    ['after a stop of the node', true],
  ])('and that did not arrive at a node keeps its history and authors: %s', async (_name, stops) => {
    await using scene = await startScene({ plain: false });
    const { origin, mirror, proxy, here, place, works } = scene;
    await sync(mirror, here);
    const made = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
    const twice = await update(mirror, here, made, { properties: { n: 2 } });
    const [first, second] = works as [Entity, Entity];
    const edited = await update(mirror, here, first, { properties: { n: 'edited' } });
    const again = await update(mirror, here, edited, { properties: { n: 'again' } });
    const gone = await remove(mirror, here, second);
    let isCut = false;
    proxy.fault = ({ path }) => {
      if (stops && path.endsWith('/tip')) return { status: 302 };
      if (path !== '/node/sync/push' || isCut) return undefined;
      isCut = true;
      return 'cut';
    };
    const run = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1);
    expect(isCut).toBe(true);
    if (stops) {
      expect(run).toHaveProperty('error');
      proxy.fault = () => undefined;
      await sync(mirror, here);
    }
    const chain = async (id: string) => (await chainOf(origin, id)).map(([, cid]) => cid);
    expect(await chain(made.id)).toEqual([twice.cid, made.cid]);
    expect(await chain(first.id)).toEqual([again.cid, edited.cid, first.cid]);
    expect(await chain(second.id)).toEqual([gone.cid, second.cid]);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  });

  test('and on which somebody else has built meanwhile is known again in the history', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    await update(mirror, here, work, { properties: { n: 'edited' } });
    proxy.fault = ({ method }) => (method === 'PUT' ? 'lose' : undefined);
    proxy.fault = ({ method, path }) =>
      method === 'PUT' ? 'lose' : path.endsWith('/tip') ? { status: 302 } : undefined;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    const arrived = await read(origin, curator, work.id);
    expect(arrived.ver).toBe(2);
    const built = await update(origin, curator, arrived, { properties: { more: true } });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, updated: 0 });
    expect((await read(mirror, here, work.id)).cid).toBe(built.cid);
    expect(await conflictsOf(mirror, here)).toEqual([]);
  });

  test.each([
    ['a plain remote', true],
    ['a node', false],
  ])('and whose entity was brought back here meanwhile brings it back there, too: %s', async (_name, plain) => {
    await using scene = await startScene({ plain });
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const gone = await remove(mirror, here, work);
    proxy.fault = ({ method, path }) => {
      if (path.endsWith('/tip')) return { status: 302 };
      return method === 'DELETE' || path === '/node/sync/push' ? 'lose' : undefined;
    };
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    expect(await chainOf(origin, work.id)).toHaveLength(2);
    ok(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: gone.cid }));
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await chainOf(origin, work.id)).toHaveLength(3);
    expect((await read(origin, curator, work.id)).properties).toEqual(work.properties);
  });

  test.each([
    ['in the feed', (path: string) => path.startsWith('/events')],
    ['in the feed and as the tip', (path: string) => path.startsWith('/events') || path.endsWith('/tip')],
  ])('and that a node shows late (%s) is known for what it is', async (_name, isLate) => {
    await using scene = await startScene({ plain: false });
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const gone = await remove(mirror, here, work);
    proxy.fault = ({ path }) =>
      path === '/node/sync/push' ? 'lose' : path.endsWith('/tip') ? { status: 302 } : undefined;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    ok(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: gone.cid }));
    let isThere = false;
    proxy.fault = ({ path }) => {
      // It is there before anything more is taken.
      isThere ||= path === '/node/sync/push';
      return isLate(path) && !isThere ? { change: (body) => without(body, gone.cid, work.cid) } : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await chainOf(origin, work.id)).toHaveLength(3);
    expect((await read(origin, curator, work.id)).properties).toEqual(work.properties);
  });

  test.each([
    ['a plain remote', true],
    ['a node', false],
  ])('and whose event comes after that of an earlier push is not taken back by that one: %s', async (_name, plain) => {
    await using scene = await startScene({ plain });
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const work = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    const gone = await remove(mirror, here, await read(mirror, here, work.id));
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    ok(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: gone.cid }));
    const [, made = '', buried = ''] = [null, ...(await chainOf(origin, work.id)).map(([, cid]) => cid).toReversed()];
    proxy.fault = ({ path }) =>
      path.startsWith('/events') ? { change: (body) => without(body, buried, made) } : undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await read(origin, curator, work.id)).properties).toEqual({ n: 1 });
  });

  test('and whose version cannot be read for a while is waited for', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const gone = await remove(mirror, here, work);
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    ok(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: gone.cid }));
    proxy.fault = ({ path }) => (path.startsWith('/versions/manifest/') ? { status: 404 } : undefined);
    await sync(mirror, here);
    expect((await read(mirror, here, work.id)).ver).toBe(3);
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect((await read(origin, curator, work.id)).properties).toEqual(work.properties);
    expect((await read(mirror, here, work.id)).properties).toEqual(work.properties);
  });

  test('and that was to bring an entity back is no reason to refuse what points at it', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work, other] = works as [Entity, Entity];
    await remove(mirror, here, work);
    await sync(mirror, here);
    const { cid } = ok<Entity>(await ask(mirror, here, `GET /entities/${work.id}/tip`));
    ok(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: cid }));
    proxy.fault = ({ path }) => (path.endsWith('/restore') ? { status: 500 } : undefined);
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    await update(mirror, here, other, { relationships_add: [{ predicate: 'knows', peer: work.id }] });
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
    expect((await read(origin, curator, other.id)).relationships).toContainEqual(
      expect.objectContaining({ predicate: 'knows', peer: work.id }),
    );
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test.each([400, 422])(
    'and what was refused (%d) for want of an entity is tried again when that is there',
    async (invalid) => {
      await using scene = await startScene();
      const { origin, mirror, proxy, curator, here, works } = scene;
      proxy.invalid = invalid;
      await sync(mirror, here);
      const [work, other] = works as [Entity, Entity];
      await update(mirror, here, other, { relationships_add: [{ predicate: 'knows', peer: work.id }] });
      await remove(origin, curator, work);
      // It comes between what is pulled and what is pushed.
      const hidden = (await chainOf(origin, work.id))[0]?.[1] ?? '';
      proxy.fault = ({ path }) =>
        path.startsWith('/events') ? { change: (body) => without(body, hidden, '') } : undefined;
      expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
      const grave = await ask(origin, curator, `GET /entities/${work.id}/tip`);
      ok(await ask(origin, curator, `POST /entities/${work.id}/restore`, { expect_tip: ok<Entity>(grave).cid }));
      proxy.fault = () => undefined;
      await sync(mirror, here);
      expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
      expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    },
  );

  test('and that was answered, though nobody can read what it made, is no change of somebody else', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const changed = await update(mirror, here, work, { properties: { n: 'changed' } });
    proxy.fault = ({ path }) => (path.startsWith('/versions/manifest/') ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect((await read(origin, curator, work.id)).ver).toBe(2);
    await update(mirror, here, changed, { properties: work.properties });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect((await read(mirror, here, work.id)).properties).toEqual(work.properties);
    expect((await read(origin, curator, work.id)).properties).toEqual(work.properties);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('and that was answered with something else, while nothing changed there, is refused', async () => {
    await using scene = await startScene();
    const { mirror, proxy, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    await update(mirror, here, work, { properties: { n: 'changed' } });
    proxy.fault = ({ method }) => (method === 'PUT' ? { status: 200, body: { fine: true } } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ refused: 1, conflicts: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ refusals: [{ id: work.id }] });
    proxy.calls.length = 0;
    await sync(mirror, here);
    expect(proxy.calls.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  test.each([
    ['a page and 200', { status: 200, body: '<p>Soon' }],
    ['nothing and 204', { status: 204 }],
    ['a page and 400', { status: 400, body: '<p>Bad' }],
    ['a page and 451', { status: 451, body: '<p>Not here' }],
  ])('P3: and that was answered with %s, while nothing changed there, is refused by nobody', async (_what, page) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work, other] = works as [Entity, Entity];
    await update(mirror, here, work, { properties: { n: 'changed' } });
    await update(mirror, here, other, { properties: { n: 'changed, too' } });
    proxy.fault = ({ method, path }) => (method === 'PUT' && path === `/entities/${work.id}` ? page : undefined);
    const { text } = await ask(mirror, here, 'POST /node/remotes/origin/sync');
    expect(lines(text).at(-1)).toMatchObject({ error: expect.stringContaining(`while ${work.id} was being sent`) });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
    expect((await read(origin, curator, work.id)).properties).toEqual({ n: 'changed' });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test.each([
    ['PUT', false],
    ['POST', true],
  ])('P5: and to which it says by a %s that there is another tip, and tells none, is named', async (wanted, isNew) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    await sync(mirror, here);
    const properties = { n: 'ours' };
    const { id } = isNew
      ? await create(mirror, here, { collection: place.id, properties })
      : await update(mirror, here, works[0] as Entity, { properties });
    const body = { error: 'Conflict: entity was modified', details: { expected: '', actual: 'unknown' } };
    proxy.fault = ({ method, path }) =>
      method === wanted && path.startsWith('/entities') && !path.includes('batch') ? { status: 409, body } : undefined;
    for (let run = 0; run < 2; run++) {
      const { text } = await ask(mirror, here, 'POST /node/remotes/origin/sync');
      expect(lines(text).at(-1)).toMatchObject({ error: expect.stringContaining(`while ${id} was being sent`) });
    }
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect((await read(origin, curator, id)).properties).toEqual(properties);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0 });
  });

  test('and that made something new whose version cannot be read for a while, too', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const made = await create(mirror, here, { collection: place.id, properties: { n: 8 } });
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    const [, cid] = (await chainOf(origin, made.id))[0] as [number, string];
    await update(mirror, here, made, { properties: { n: 9 } });
    const hidden = [`/versions/manifest/${cid}`, `/entities/${made.id}`];
    proxy.fault = ({ path }) => (hidden.includes(path) || path === '/entities/batch-get' ? { status: 404 } : undefined);
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, unreadable: [{ id: made.id }] });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect((await read(origin, curator, made.id)).properties).toEqual({ n: 9 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, unreadable: [] });
  });

  test('and that made something which is deleted here by then, is asked for also where nothing is pulled', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction: 'push' }));
    const made = await create(mirror, here, { collection: place.id, properties: { n: 8 } });
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    proxy.fault = () => undefined;
    await remove(mirror, here, made);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1 });
    await sync(mirror, here);
    expect((await ask(origin, curator, `GET /entities/${made.id}`)).status).toBe(404);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
    // One that never came there is not brought any more.
    const never = await create(mirror, here, { collection: place.id, properties: { n: 9 } });
    proxy.fault = ({ method }) => (method === 'POST' ? 'cut' : undefined);
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    proxy.fault = () => undefined;
    await remove(mirror, here, never);
    await sync(mirror, here);
    expect((await ask(origin, curator, `GET /entities/${never.id}`)).status).toBe(404);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  });

  test('where it fails at one entity, says at which, and everything else arrives', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    await sync(mirror, here);
    const poison = await create(mirror, here, { collection: place.id, properties: { n: 'poison' } });
    const other = await create(mirror, here, { collection: place.id, properties: { n: 'other' } });
    const changed = await update(mirror, here, await read(mirror, here, works[0]?.id ?? ''), {
      properties: { n: 'new' },
    });
    proxy.fault = ({ method, body }) => (method === 'POST' && body.includes(poison.id) ? { status: 500 } : undefined);
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain(`answered 500 (while ${poison.id} was being sent). Everything else was sent`);
    expect((await read(origin, curator, other.id)).properties).toEqual({ n: 'other' });
    expect((await read(origin, curator, changed.id)).properties).toEqual({ n: 'new' });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ created: 1 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('what it refuses once it is asked again after it failed is refused, and not failed at as well', async () => {
    await using scene = await startScene();
    const { mirror, proxy, here, place } = scene;
    await sync(mirror, here);
    const refused = await create(mirror, here, { collection: place.id, properties: { n: 'refused' } });
    let looked = false;
    proxy.fault = ({ method, path, body }) => {
      looked ||= path === `/entities/${refused.id}/tip`;
      if (method !== 'POST' || !body.includes(refused.id)) return undefined;
      return looked ? { status: 400, body: { error: 'Validation failed' } } : { status: 500 };
    };
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    expect(await remoteOf(mirror, here)).toMatchObject({ refused: 1, last_run: { error: null } });
  });

  test('P5: where it fails at reading and writing one entity, everything else is sent, also deletions and files', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    await sync(mirror, here);
    const [changed, gone] = works as [Entity, Entity];
    const poison = await update(mirror, here, changed, { properties: { n: 'poison' } });
    await remove(mirror, here, gone);
    const bytes = Buffer.from('what was photographed');
    const pictured = await holding(mirror, here, bytes, { collection: place.id });
    proxy.fault = ({ method, path }) =>
      path === `/entities/${poison.id}/tip` || (method === 'PUT' && path.startsWith(`/entities/${poison.id}`))
        ? { status: 500 }
        : undefined;
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain(poison.id);
    expect((await ask(origin, curator, `GET /entities/${gone.id}`)).status).toBe(404);
    await expectBytes(origin, curator, `/entities/${pictured.id}/content`, bytes);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ updated: 1 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test.each([
    ['a plain remote', true],
    ['a node', false],
  ])('P5: that cannot give one entity gives the others, and takes what is edited here: %s', async (_name, plain) => {
    let time = Date.now();
    await using scene = await startScene({ plain, now: () => time });
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [one, two, three] = works as [Entity, Entity, Entity];
    const poison = await update(origin, curator, one, { properties: { n: 'poison' } });
    const changed = await update(origin, curator, two, { properties: { n: 'changed' } });
    const edited = await update(mirror, here, three, { properties: { n: 'edited' } });
    proxy.fault = (call) => {
      const { path, body } = call;
      const isBatch = path === '/node/sync/blocks' || path === '/entities/batch-get';
      return (isBatch && body.includes(poison.id)) || manifestOf(poison.cid)(call) ? { status: 500 } : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1, updated: 1 });
    expect((await read(mirror, here, changed.id)).cid).toBe(changed.cid);
    expect((await read(origin, curator, edited.id)).properties).toEqual({ n: 'edited' });
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: poison.id, trouble: 'failing' }]);
    proxy.fault = () => undefined;
    time += 61_000;
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {} });
  });

  test.each([
    ['gives no address for', (call: Call, id: string) => call.path === `/entities/${id}/content/upload-url`],
    ['does not take', ({ method, body }: Call) => method === 'PUT' && body === 'poison'],
  ])('P5: that %s the bytes of one file takes those of the others', async (_how, isPoison) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const poison = await holding(mirror, here, Buffer.from('poison'), { collection: place.id });
    const others: Entity[] = [];
    for (let n = 0; n < 8; n++)
      others.push(await holding(mirror, here, Buffer.from(`other ${n}`), { collection: place.id }));
    proxy.fault = (call) => (isPoison(call, poison.id) ? { status: 500 } : undefined);
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain(`(while ${poison.id} was being sent). Everything else was sent`);
    for (const [n, { id }] of others.entries())
      await expectBytes(origin, curator, `/entities/${id}/content`, Buffer.from(`other ${n}`));
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1 } });
    await expectBytes(origin, curator, `/entities/${poison.id}/content`, Buffer.from('poison'));
  });

  test('P4: what it refuses that is deleted here meanwhile counts as refused no more', async () => {
    await using scene = await startScene();
    const { mirror, proxy, here, place } = scene;
    await sync(mirror, here);
    const made = await create(mirror, here, { collection: place.id });
    const after = () => remove(mirror, here, made);
    proxy.fault = ({ method, path }) =>
      method === 'POST' && path === '/entities' ? { status: 403, after } : undefined;
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [] });
  });

  test('P5: where it fails at very many, all others arrive, whatever comes first', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    await sync(mirror, here);
    const poison = new Set<string>();
    for (let n = 0; n < 60; n++) poison.add((await create(mirror, here, { type: 'poison', collection: place.id })).id);
    const other = await create(mirror, here, { collection: place.id, properties: { n: 'other' } });
    const gone = await remove(mirror, here, await read(mirror, here, works[0]?.id ?? ''));
    proxy.fault = ({ method, body }) => (method === 'POST' && body.includes('"poison"') ? { status: 500 } : undefined);
    const run = async () => lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1);
    expect(await run()).toHaveProperty('error');
    expect(await run()).toHaveProperty('error');
    expect((await read(origin, curator, other.id)).properties).toEqual({ n: 'other' });
    expect((await ask(origin, curator, `GET /entities/${gone.id}`)).status).toBe(404);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: poison.size });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ created: poison.size });
  });

  test('P5: what it failed at before holds back nothing when it is asked again', async () => {
    let time = Date.now();
    await using scene = await startScene({ now: () => time });
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const poison = new Set<string>();
    for (let n = 0; n < 90; n++) {
      const { id, cid } = await create(origin, curator, { collection: place.id, properties: { n } });
      if (n % 2 === 0) poison.add(id).add(cid);
    }
    const hit = (text: string) => [...poison].some((one) => text.includes(one));
    proxy.fault = ({ path, body }) => (hit(path) || hit(body) ? { status: 500 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 45, stopped: null });
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { failing: 45 } });
    const work = await create(mirror, here, { properties: { n: 'made here' } });
    time += 61_000;
    expect(await sync(mirror, here)).toMatchObject({ created: 1 });
    expect((await read(origin, curator, work.id)).cid).toBe((await read(mirror, here, work.id)).cid);
    proxy.fault = () => undefined;
    for (let n = 0; n < 3; n++) {
      time += 5 * 60_000;
      await sync(mirror, here);
    }
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('P5: what it failed at and is outside of what is mirrored does not go there for that', async () => {
    let time = Date.now();
    await using scene = await startScene({ now: () => time });
    const { origin, mirror, proxy, curator, here, place } = scene;
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { types: ['work'] }));
    await sync(mirror, here);
    const { id, cid } = await create(origin, curator, { type: 'note', collection: place.id });
    await create(mirror, here, { id, type: 'note', properties: { n: 'made here' } });
    proxy.fault = ({ path, body }) =>
      [path, body].some((it) => it.includes(id) || it.includes(cid)) ? { status: 500 } : undefined;
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { failing: 1 }, pending: 0 });
    proxy.fault = () => undefined;
    time += 61_000;
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ troubles: {}, pending: 0 });
    expect((await read(origin, curator, id)).cid).toBe(cid);
    expect((await read(mirror, here, id)).properties).toEqual({ n: 'made here' });
  });

  test('P5: where it fails at writing very much, files still go there', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const bytes = Buffer.from('what was photographed');
    proxy.fault = ({ method, path }) => (method === 'POST' && path.includes('/content') ? { status: 500 } : undefined);
    const pictured = await holding(mirror, here, bytes, { collection: place.id });
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    for (let n = 0; n < 45; n++) await create(mirror, here, { collection: place.id, properties: { n } });
    const all = ({ method, path }: Call) =>
      method === 'POST' && (path === '/entities' || path.startsWith('/entities?'));
    proxy.fault = (call) => (all(call) ? { status: 500 } : undefined);
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain('no more was tried');
    await expectBytes(origin, curator, `/entities/${pictured.id}/content`, bytes);
  });

  test('P3: that fails at a write is not sent the same again without a pause', async () => {
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
    };
    await using scene = await startScene({ wait });
    const { mirror, proxy, here, works } = scene;
    await sync(mirror, here);
    await update(mirror, here, works[0] as Entity, { properties: { n: 'edited' } });
    const isWrite = ({ method }: Call) => method === 'PUT';
    proxy.fault = (call) => (isWrite(call) ? { status: 503 } : undefined);
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    const sent = proxy.calls.filter(isWrite).length;
    expect(sent).toBeGreaterThan(1);
    expect(waits).toHaveLength(sent);
    for (const ms of waits) expect(ms).toBeGreaterThanOrEqual(100);
  });

  test.each(['/events', '/node/sync/blocks'])(
    'P6: that answers %s with a byte now and then holds no run',
    async (at) => {
      await using scene = await startScene({ plain: false, answerWindow: 300 });
      const { origin, mirror, proxy, here } = scene;
      proxy.fault = ({ path }) => (path.startsWith(at) ? { trickles: 20 } : undefined);
      const { text } = await ask(mirror, here, 'POST /node/remotes/origin/sync');
      if (at === '/events') expect(text).toMatch(/answers \/events\S* with \d+ bytes in 1 seconds/);
      // What comes by blocks comes by the interface, too.
      else expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
      proxy.fault = () => undefined;
      await sync(mirror, here);
      expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    },
  );

  test('P6: that fails at everything ends the run soon', async () => {
    await using scene = await startScene();
    const { mirror, proxy, here, place } = scene;
    await sync(mirror, here);
    for (let n = 0; n < 60; n++) await create(mirror, here, { collection: place.id, properties: { n } });
    const created = () => proxy.calls.filter(({ method, path }) => method === 'POST' && path.startsWith('/entities'));
    proxy.fault = ({ method, path }) => (method !== 'GET' && !path.includes('batch') ? { status: 500 } : undefined);
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain('no more was tried');
    const ids = new Set(created().map(({ body }) => (JSON.parse(body) as Entity).id));
    expect(ids.size).toBeLessThan(60);
    // Sooner where not even its newest event is to be had any more.
    proxy.calls.length = 0;
    let isRead = false;
    proxy.fault = ({ path }) => {
      if (path.startsWith('/.well-known/') || (path.startsWith('/events') && !isRead)) {
        isRead ||= path.startsWith('/events');
        return undefined;
      }
      return { status: 500 };
    };
    const next = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(next.error).toContain('500 to /events');
  });

  test('and that was edited back since, with the key of somebody else by then, is for a person to decide', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place, works } = scene;
    const [work] = works as [Entity];
    await sync(mirror, here);
    const other = await user(origin, 'another curator');
    await enrol(origin, curator, place.id, other, 'owner');
    const edited = await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 'arrives' } });
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    proxy.fault = () => undefined;
    expect((await read(origin, curator, work.id)).properties).toEqual({ n: 'arrives' });
    await update(mirror, here, edited, { properties: work.properties });
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(other), direction: 'both' }));
    await sync(mirror, here);
    expect((await read(mirror, here, work.id)).properties).toEqual(work.properties);
    expect(await conflictsOf(mirror, here)).toMatchObject([{ id: work.id }]);
  });

  test('and that brought something back, which is deleted again here, ends as deleted', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    const [work] = works as [Entity];
    const gone = await remove(origin, curator, work);
    await sync(mirror, here);
    const back = ok<Entity>(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: gone.cid }));
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    expect(await chainOf(origin, work.id)).toHaveLength(3);
    await remove(mirror, here, back);
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await ask(origin, curator, `GET /entities/${work.id}`)).status).toBe(404);
  });

  test('and of which nobody can know what it made is no reason to undo what was edited since', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const allow = async (...actions: string[]) =>
      ok(await ask(mirror, here, `PUT /collections/${place.id}/roles/viewer`, { actions }));
    const viewers = async (node: TestNode, who: Person) =>
      (await read(node, who, place.id)).properties.roles as Record<string, string[]>;
    const before = (await viewers(origin, curator)).viewer ?? [];
    await allow('*:view', 'entity:update');
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    expect((await viewers(origin, curator)).viewer).toEqual(['*:view', 'entity:update']);
    await allow(...before);
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, merged: 0 });
    expect((await viewers(mirror, here)).viewer).toEqual(before);
    expect((await viewers(origin, curator)).viewer).toEqual(before);
  });

  test('and that gave somebody a role is known for what it is, and what was edited since goes out', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    const member = await user(origin, 'member');
    await sync(mirror, here);
    for (const label of ['Works', 'Others']) {
      await enrol(mirror, here, place.id, member, label === 'Works' ? 'viewer' : 'editor', 3600);
      proxy.fault = losing;
      expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
      const { cid } = await read(mirror, here, place.id);
      if (label === 'Others') ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label }));
      proxy.fault = () => undefined;
      expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
      expect((await read(origin, curator, place.id)).properties.label).toBe(label);
      expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    }
    const { members } = ok<{ members: { userId: string; role: string }[] }>(
      await ask(mirror, here, `GET /collections/${place.id}/members`),
    );
    expect(members.filter(({ userId }) => userId === member.id).map(({ role }) => role)).toEqual(['viewer', 'editor']);
  });

  test('and that gave a role to the operator, who is the user of the key there, is known for what it is', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    await enrol(mirror, here, place.id, here, 'viewer');
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    const { cid } = await read(mirror, here, place.id);
    ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'Others' }));
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, merged: 0, refused: 0 });
    const { properties, relationships } = await read(origin, curator, place.id);
    expect(properties.label).toBe('Others');
    expect(relationships.map(({ predicate, peer }) => [predicate, peer])).toEqual([
      ['owner', curator.id],
      ['viewer', curator.id],
    ]);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('and that only named a collection is known for what it is, and what was edited since goes out', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const relabel = async (label: string) => {
      const { cid } = await read(mirror, here, place.id);
      ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label }));
    };
    await relabel('Wrong');
    proxy.fault = losing;
    expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
    expect((await read(origin, curator, place.id)).properties.label).toBe('Wrong');
    await relabel('Works');
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, merged: 0, updated: 1 });
    expect((await read(origin, curator, place.id)).properties.label).toBe('Works');
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test.each([
    ['alone', undefined],
    ['and somebody has built on it', { more: true }],
  ])(
    'and that a program sent which did not yet say which collection stands first is known: %s',
    async (_name, more) => {
      await using scene = await startScene();
      const { origin, mirror, proxy, curator, here, works } = scene;
      const second = await collection(origin, curator, { label: 'Second' });
      const relationships_add = [{ predicate: 'collection', peer: second.id }];
      const work = await update(origin, curator, works[0] as Entity, {
        relationships_add,
        properties: { n: 'before' },
      });
      await sync(mirror, here);
      const sent = await update(mirror, here, work, { properties: { n: 'sent' } });
      proxy.fault = losing;
      expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
      const { type, properties, relationships } = await read(mirror, here, sent.id);
      const sorted = relationships.toSorted((a, b) => (a.peer < b.peer ? -1 : 1));
      const db = new Database(databaseFile(mirror.data, 'main'));
      db.prepare('UPDATE push_intent SET content = ?').run(valueHash({ type, properties, relationships: sorted }));
      db.close();
      await update(mirror, here, sent, { properties: { n: 'before' } });
      if (more) await update(origin, curator, await read(origin, curator, work.id), { properties: more });
      proxy.fault = () => undefined;
      expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
      expect((await read(origin, curator, work.id)).properties).toEqual({ ...work.properties, ...more });
      expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    },
  );

  test('and on whose entity somebody else has changed another thing first is a conflict, with nothing lost', async () => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, works } = scene;
    await sync(mirror, here);
    const [work] = works as [Entity];
    const ours = await update(mirror, here, work, { properties: { n: 'ours' } });
    let theirs: Entity | undefined;
    // Between the pull and the push.
    proxy.fault = ({ method, path, body }) => {
      if (method !== 'PUT' || theirs) return undefined;
      return {
        status: 409,
        body: {
          error: 'Conflict: entity was modified',
          details: { expected: JSON.parse(body).expect_tip, actual: path },
        },
      };
    };
    theirs = await update(origin, curator, work, { properties: { n: 'theirs' } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
    expect(await conflictsOf(mirror, here)).toMatchObject([
      { id: work.id, base: work.cid, ours: ours.cid, theirs: theirs.cid },
    ]);
    expect((await read(origin, curator, work.id)).cid).toBe(theirs.cid);
    expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);
  });
});

test('an edit made while its entity is being pushed goes out with the next run', async () => {
  await using scene = await startScene();
  const { origin, mirror, proxy, curator, here, works } = scene;
  await sync(mirror, here);
  const [work] = works as [Entity];
  const first = await update(mirror, here, work, { properties: { n: 'first' } });
  let second: Promise<Entity> | undefined;
  proxy.fault = ({ method }) => {
    if (method === 'PUT') second ??= update(mirror, here, first, { properties: { m: 'second' } });
    return undefined;
  };
  await sync(mirror, here);
  await second;
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, refused: 0 });
  expect((await read(origin, curator, work.id)).properties).toEqual({ n: 'first', m: 'second' });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});
