import { describe, expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { blockCid, encodeHistoric, encodeManifest } from '../../src/server/blocks/encode.ts';
import { readSegments, section } from '../../src/server/blocks/segment-car.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, ok, onTest, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, chainOf, keyOf, remoteOf, sync, tipsOf } from './nodes.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

interface Scene extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  proxy: FaultyRemote;
  curator: Person;
  here: Person;
  place: Entity;
}

async function startScene(): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url, { plain: false }));
  const curator = await user(origin, 'curator');
  const here = operator(mirror);
  const place = await collection(origin, curator, { label: 'Works' });
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  const all = opened.move();
  return { origin, mirror, proxy, curator, here, place, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Works in the scene's collection, in batches. */
async function works({ origin, curator, place }: Scene, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 100) {
    const entities = Array.from({ length: Math.min(100, count - at) }, (_, n) => ({
      type: 'work',
      collection: place.id,
      properties: { label: `work ${at + n}` },
    }));
    const made = ok<{ results: { id: string }[] }>(await ask(origin, curator, 'POST /entities/batch', { entities }));
    ids.push(...made.results.map(({ id }) => id));
  }
  return ids;
}

async function expectMirrored({ origin, mirror }: Scene, ids: string[] = []): Promise<void> {
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  for (const id of ids) expect(await chainOf(mirror, id)).toEqual(await chainOf(origin, id));
}

const blocksPath = '/node/sync/blocks';
const counted = ({ proxy }: Scene, start: string) => proxy.calls.filter(({ path }) => path.startsWith(start)).length;

describe('a mirror by blocks', () => {
  test('of 1,000 entities takes a request for each few dozen, and no other of versions', async () => {
    await using scene = await startScene();
    await works(scene, 1000);
    expect(await sync(scene.mirror, scene.here)).toMatchObject({ versions: 1003, troubles: 0 });
    await expectMirrored(scene);
    expect(counted(scene, blocksPath)).toBeLessThanOrEqual(16);
    expect(counted(scene, '/versions')).toBe(0);
    expect(counted(scene, '/entities')).toBe(0);
  });

  test('asks only for what it lacks of a chain', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    let entity = await create(origin, curator, { collection: place.id, properties: { n: 0 } });
    await sync(mirror, here);
    const had = entity.cid;
    for (let n = 1; n <= 3; n++) entity = await update(origin, curator, entity, { properties: { n } });
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ entities: 1, versions: 3 });
    const [call] = proxy.calls.filter(({ path }) => path === blocksPath);
    expect(JSON.parse(call?.body ?? '')).toEqual({ wants: [{ id: entity.id, cid: entity.cid, have: had }] });
    await expectMirrored(scene, [entity.id]);
  });

  test('goes on where an answer ends, however long the history is', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    const text = 'long '.repeat(60_000);
    let entity = await create(origin, curator, { collection: place.id, properties: { text } });
    for (let n = 0; n < 30; n++) entity = await update(origin, curator, entity, { properties: { n } });
    await works(scene, 100);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0, versions: 134 });
    await expectMirrored(scene, [entity.id]);
    expect(counted(scene, blocksPath)).toBeGreaterThan(1);
    expect(counted(scene, '/versions')).toBe(0);
  });

  test('that breaks off in the middle of an answer asks again', async () => {
    await using scene = await startScene();
    const ids = await works(scene, 300);
    let breaks = 2;
    scene.proxy.fault = ({ path }) =>
      path === blocksPath && breaks-- > 0
        ? { bytes: (body) => body.subarray(0, body.length / 2), breaks: true }
        : undefined;
    expect(await sync(scene.mirror, scene.here)).toMatchObject({ versions: 303, troubles: 0 });
    await expectMirrored(scene, ids.slice(0, 3));
  });
});

describe('an answer that was tampered with', () => {
  /** Three works with two versions each, which are yet to be mirrored. */
  async function startTampered() {
    const scene = await startScene();
    const { origin, curator, place } = scene;
    const made: { first: Entity; last: Entity }[] = [];
    for (let n = 0; n < 3; n++) {
      const first = await create(origin, curator, { collection: place.id, properties: { label: `work ${n}` } });
      made.push({ first, last: await update(origin, curator, first, { properties: { edited: true } }) });
    }
    return { scene, victim: made[1] as { first: Entity; last: Entity } };
  }

  const tampered =
    (tamper: (body: Buffer) => Buffer): FaultyRemote['fault'] =>
    ({ path }) =>
      path === blocksPath ? { bytes: tamper } : undefined;
  const block = async (node: TestNode, cid: string) => {
    const store = await node.ctx.networks.get('main');
    const bytes = store.read((db) => findVersion(db, cid)?.bytes);
    return Buffer.concat(section(cidBytes(cid), bytes ?? new Uint8Array()));
  };
  const except = async (node: TestNode, id: string) => {
    const { [id]: _, ...rest } = await tipsOf(node);
    return rest;
  };

  test('in one byte is found out; what it was about comes by the public interface', async () => {
    const { scene } = await startTampered();
    await using _ = scene;
    scene.proxy.fault = tampered((body) => {
      body[body.indexOf('work 1')] = 0x57;
      return body;
    });
    expect(await sync(scene.mirror, scene.here)).toMatchObject({ troubles: 0 });
    await expectMirrored(scene);
    expect(counted(scene, '/entities/batch-get')).toBeGreaterThan(0);
  });

  test('with a block that nobody asked for leaves that one out', async () => {
    const { scene } = await startTampered();
    await using _ = scene;
    const forged = encodeManifest({
      ...{ schema: 'arke/eidos@v1', id: nowhere, type: 'work', ver: 1, prev: null, relationships: [] },
      ...{ created_at: '2026-01-01T00:00:00.000Z', ts: '2026-01-01T00:00:00.000Z' },
      properties: { label: 'forged' },
      edited_by: { user_id: scene.curator.id, method: 'manual' },
    });
    scene.proxy.fault = tampered((body) => Buffer.concat([body, ...section(cidBytes(forged.cid), forged.bytes)]));
    expect(await sync(scene.mirror, scene.here)).toMatchObject({ troubles: 0, versions: 9 });
    await expectMirrored(scene);
    const store = await scene.mirror.ctx.networks.get('main');
    expect(store.read((db) => findVersion(db, forged.cid))).toBeUndefined();
  });

  test('without a link of a chain keeps the entity away where the link is to be had nowhere', async () => {
    const { scene, victim } = await startTampered();
    await using _ = scene;
    const { origin, mirror, here, proxy } = scene;
    const link = await block(origin, victim.first.cid);
    const cut = tampered((body) => {
      const at = body.indexOf(link);
      return at < 0 ? body : Buffer.concat([body.subarray(0, at), body.subarray(at + link.length)]);
    });
    proxy.fault = (call) =>
      call.path === `/versions/manifest/${victim.first.cid}` ? { status: 404, body: { error: 'gone' } } : cut(call);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect(await tipsOf(mirror)).toEqual(await except(origin, victim.last.id));
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: victim.last.id, trouble: 'incomplete' }]);
  });

  test("with another entity's version in its place keeps the entity away", async () => {
    const { scene, victim } = await startTampered();
    await using _ = scene;
    const { origin, mirror, here, place, proxy } = scene;
    proxy.fault = ({ path }) =>
      path.startsWith('/events?')
        ? {
            change: (body) => {
              const { events, ...rest } = body as { events: { pi: string; cid: string }[] };
              const named = events.map((e) => (e.pi === victim.last.id ? { ...e, cid: place.cid } : e));
              return { ...rest, events: named };
            },
          }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect(await tipsOf(mirror)).toEqual(await except(origin, victim.last.id));
    expect((await remoteOf(mirror, here)).unreadable).toMatchObject([{ id: victim.last.id }]);
  });

  test.each([
    ['whose relationships are no list', { relationships: 'none' }, (bytes: Uint8Array) => bytes, false],
    ['whose relationships are none', { relationships: [null] }, (bytes: Uint8Array) => bytes, true],
    ['that is no dag-cbor', { zz: 0 }, (bytes: Uint8Array) => new Uint8Array([...bytes.subarray(0, -1), 0xf7]), false],
  ])(
    'with a version %s, under its right hash, keeps it away from what is here and from what is not',
    async (_, members, spoil, byCollection) => {
      const { scene, victim } = await startTampered();
      await using _scene = scene;
      const { origin, mirror, here, proxy } = scene;
      await sync(mirror, here);
      if (byCollection) ok(await ask(mirror, here, 'PUT /node/remotes/origin', { collections: [scene.place.id] }));
      const before = await tipsOf(mirror);
      const forge = (id: string, ver: number, prev: string | null) => {
        const manifest = {
          ...{ schema: 'arke/eidos@v1', id, type: 'work', ver, prev: prev && { '/': prev }, properties: {} },
          ...{ created_at: '2026-01-01T00:00:00.000Z', ts: '2026-01-01T00:00:00.000Z', relationships: [] },
          edited_by: { user_id: scene.curator.id, method: 'manual' },
        };
        const bytes = spoil(encodeHistoric({ ...manifest, ...members } as JsonObject).bytes);
        return { id, cid: blockCid(bytes), bytes };
      };
      const known = await update(origin, scene.curator, victim.last, { properties: { edited: 'again' } });
      const fresh = await create(origin, scene.curator, { collection: scene.place.id });
      const forged = [forge(known.id, 3, victim.last.cid), forge(fresh.id, 1, null)];
      const named = (id: string) => forged.find((it) => it.id === id)?.cid;
      const swap = tampered((body) =>
        Buffer.concat([body, ...forged.flatMap((it) => section(cidBytes(it.cid), it.bytes))]),
      );
      proxy.fault = (call) =>
        call.path.startsWith('/events?')
          ? {
              change: (body) => {
                const { events, ...rest } = body as { events: { pi: string; cid: string; ver: number }[] };
                const cidOf = (e: { pi: string; cid: string }) => (before[e.pi] === e.cid ? undefined : named(e.pi));
                return { ...rest, events: events.map((e) => ({ ...e, cid: cidOf(e) ?? e.cid })) };
              },
            }
          : swap(call);
      expect(await sync(mirror, here)).toMatchObject({ troubles: byCollection ? 1 : 2, versions: 0 });
      expect(await tipsOf(mirror)).toEqual(before);
      const { unreadable } = await remoteOf(mirror, here);
      expect(
        Object.fromEntries((unreadable as { id: string; trouble: string }[]).map((it) => [it.id, it.trouble])),
      ).toEqual({
        [known.id]: 'unverifiable',
        // In which collection it says that it lies cannot be read either.
        ...(!byCollection && { [fresh.id]: 'unverifiable' }),
      });
    },
  );

  test('that is none at all is done without', async () => {
    const { scene } = await startTampered();
    await using _ = scene;
    scene.proxy.fault = tampered(() => Buffer.from('{"error":"none"}'));
    expect(await sync(scene.mirror, scene.here)).toMatchObject({ troubles: 0 });
    await expectMirrored(scene);
  });
});

describe('POST /node/sync/blocks', () => {
  const car = async (node: TestNode, body: object) => {
    const response = await fetch(`${node.url}${blocksPath}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.ipld.car; version=1');
    const { root, blocks } = await readSegments(response.body as unknown as AsyncIterable<Uint8Array>);
    return { root, cids: (await Array.fromAsync(blocks)).map(({ cid }) => cid) };
  };

  test('gives a stretch, names what it leaves out and what has moved on', async () => {
    await using node = await startNode();
    const curator = await user(node, 'curator');
    const first = await create(node, curator, { properties: { n: 1 } });
    const second = await update(node, curator, first, { properties: { n: 2 } });
    const third = await update(node, curator, second, { properties: { n: 3 } });
    const other = await create(node, curator);
    const whole = { archeion: 'blocks', version: 1, without: [], moved: [] };
    const { id } = first;
    expect(await car(node, { wants: [{ id, cid: third.cid }] })).toEqual({
      root: whole,
      cids: [third.cid, second.cid, first.cid],
    });
    expect(
      await car(node, {
        wants: [
          { id, cid: third.cid, have: first.cid },
          { id: other.id, cid: other.cid },
        ],
      }),
    ).toEqual({
      root: whole,
      cids: [third.cid, second.cid, other.cid],
    });
    expect(await car(node, { wants: [{ id, cid: second.cid, have: first.cid }] })).toEqual({
      root: { ...whole, moved: [id] },
      cids: [second.cid],
    });
    const missing = [
      { id: nowhere, cid: third.cid },
      { id: onTest, cid: third.cid },
      { id: other.id, cid: third.cid },
      { id, cid: 'nothing' },
    ];
    expect(await car(node, { wants: missing })).toEqual({
      root: { ...whole, without: missing.map((want) => ({ id: want.id, reason: 'missing' })) },
      cids: [],
    });
  });

  test('refuses what is no list of wishes', async () => {
    await using node = await startNode();
    for (const wants of [undefined, [], [{ id: 'x', cid: 'y' }], Array(1001).fill({ id: nowhere, cid: 'y' })])
      expect((await ask(node, operator(node), `POST ${blocksPath}`, { wants })).status).toBe(400);
  });
});
