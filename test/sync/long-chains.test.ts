import { describe, expect, test } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { entityMoves } from '../../src/server/store/history-reads.ts';
import { findVersion, type Version } from '../../src/server/store/versions.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, chainOf, conflictsOf, keyOf, read, remoteOf, sync } from './nodes.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

interface Scene extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  proxy: FaultyRemote;
  curator: Person;
  here: Person;
  work: Entity;
}

/** A work in a collection, mirrored at its first version. */
async function startScene(plain: boolean): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode());
  const proxy = opened.use(await startProxy(origin.url, { plain, stranger: plain }));
  const curator = await user(origin, 'curator');
  const here = operator(mirror);
  const place = await collection(origin, curator, { label: 'Works' });
  const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  const all = opened.move();
  return { origin, mirror, proxy, curator, here, work, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** So many versions more of an entity there; `bytes` is how large each is. */
async function grow({ origin }: Scene, id: string, count: number, bytes = 20): Promise<void> {
  const store = await origin.ctx.networks.get('main');
  let { manifest, cid } = store.read((db) => findVersion(db, findTip(db, id) ?? '')) as Version;
  for (let at = 0; at < count; at += 500) {
    const expect = cid;
    const blocks = Array.from({ length: Math.min(500, count - at) }, () => {
      const properties = { n: manifest.ver + 1, text: 'x'.repeat(bytes) };
      manifest = { ...manifest, ver: manifest.ver + 1, prev: cid, properties };
      const block = encodeManifest(manifest);
      cid = block.cid;
      return block;
    });
    const change = { id, expect, tip: cid, blocks };
    await store.submit([{ changes: [change], preconditions: [], rows: [], origin: 'local', time: Date.now() }]);
  }
}

async function movesOf(node: TestNode, id: string): Promise<string[]> {
  const store = await node.ctx.networks.get('main');
  return store.read((db) => entityMoves(db, { id, before: 1_000_000, limit: 100 })).map(({ to }) => to);
}

async function storedOf(node: TestNode, id: string): Promise<number> {
  const store = await node.ctx.networks.get('main');
  const sql = 'SELECT count(*) AS n FROM block b JOIN entity e ON e.key = b.entity WHERE e.id = ?';
  return store.read((db) => db.get<{ n: number }>(sql, id))?.n ?? 0;
}

const ways = [
  ['plain interface', true],
  ['blocks', false],
] as const;

describe.each(ways)('a chain of more versions than a commit holds, by %s', (_name, plain) => {
  test('comes whole, and only its end is ever the tip', async () => {
    await using scene = await startScene(plain);
    const { origin, mirror, here, work } = scene;
    await grow(scene, work.id, 1100);
    expect(await sync(mirror, here)).toMatchObject({ versions: 1104, troubles: 0, conflicts: 0 });
    const chain = await chainOf(origin, work.id);
    expect(chain).toHaveLength(1101);
    expect(await chainOf(mirror, work.id)).toEqual(chain);
    expect(await movesOf(mirror, work.id)).toEqual([chain[0]?.[1]]);

    // More than a page of the list.
    await grow(scene, work.id, 250);
    expect(await sync(mirror, here)).toMatchObject({ versions: 250, entities: 1 });
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
    expect(await movesOf(mirror, work.id)).toHaveLength(2);
  });

  test('is gone on with where it was broken off', async () => {
    await using scene = await startScene(plain);
    const { origin, mirror, proxy, here, work } = scene;
    await grow(scene, work.id, 1300);
    const slices = ({ path }: { path: string }) => path.startsWith(plain ? '/versions/manifest' : '/node/sync/blocks');
    let left = plain ? 700 : 4;
    proxy.fault = (call) => {
      if (slices(call)) left--;
      // What does not come by blocks would come by itself.
      const isVersion = slices(call) || call.path.startsWith('/versions/manifest');
      return isVersion && left < 0 ? { status: 410 } : undefined;
    };
    await sync(mirror, here).catch(() => undefined);
    const stored = await storedOf(mirror, work.id);
    expect(stored).toBeGreaterThan(200);
    expect(stored).toBeLessThan(1301);
    expect((await ask(mirror, here, `GET /entities/${work.id}`)).status).toBe(404);

    proxy.fault = () => undefined;
    await grow(scene, work.id, 1);
    const before = proxy.calls.length;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
    expect(await movesOf(mirror, work.id)).toHaveLength(1);
    // The newest 200 twice, since that many could have been all.
    if (plain) expect(proxy.calls.slice(before).filter(slices).length).toBeLessThanOrEqual(1302 - stored + 220);
  });

  test('that descends from an edit of here is taken, and one beside it is a conflict', async () => {
    await using scene = await startScene(plain);
    const { origin, mirror, here, curator, work } = scene;
    const second = await create(origin, curator, {
      relationships: [{ predicate: 'collection', peer: work.relationships[0]?.peer ?? '' }],
      properties: { n: 1 },
    });
    await sync(mirror, here);
    const other = await read(mirror, here, second.id);
    await update(mirror, here, other, { properties: { n: -1 } });
    await grow(scene, work.id, 260);
    await grow(scene, second.id, 260);
    const report = await sync(mirror, here);
    expect(report).toMatchObject({ conflicts: 1, troubles: 0 });
    expect(await conflictsOf(mirror, here)).toMatchObject([{ id: second.id, base: second.cid }]);
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
  });

  test('an edit of here that is found far below says that its answer was lost, and no conflict', async () => {
    await using scene = await startScene(plain);
    const { origin, mirror, here, curator, work } = scene;
    await sync(mirror, here);
    await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 2, text: 'same' } });
    const echo = ok<Entity>(
      await ask(origin, curator, `PUT /entities/${work.id}`, {
        ...{ expect_tip: work.cid, properties: { n: 2, text: 'same' }, note: 'by hand' },
      }),
    );
    expect(echo.ver).toBe(2);
    await grow(scene, work.id, 260);
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, troubles: 0 });
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
  });
});

test('large versions come in smaller slices', async () => {
  await using scene = await startScene(false);
  const { origin, mirror, here, work } = scene;
  await grow(scene, work.id, 250, 60_000);
  expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
  expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
});

describe('a remote whose list of versions is wrong', () => {
  test.each([
    ['leaves one out', (cids: unknown[]) => cids.toSpliced(4, 1), 'does not follow'],
    ['swaps two', (cids: unknown[]) => [cids[1], cids[0], ...cids.slice(2)], 'does not follow'],
    ['ends early', (cids: unknown[]) => cids.slice(0, 3), 'does not follow'],
  ])('%s: nothing is shown of the entity', async (_name, change, words) => {
    await using scene = await startScene(true);
    const { mirror, proxy, here, work } = scene;
    await grow(scene, work.id, 260);
    proxy.fault = ({ path }) =>
      path.startsWith(`/versions/${work.id}`)
        ? { change: (body) => listed(body as { versions: unknown[] }, change) }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    const [trouble] = (await remoteOf(mirror, here)).unreadable;
    expect([trouble?.trouble, trouble?.evidence]).toEqual(['unverifiable', expect.stringContaining(words)]);
    expect((await ask(mirror, here, `GET /entities/${work.id}`)).status).toBe(404);
    proxy.fault = () => undefined;
    await grow(scene, work.id, 1);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(scene.origin, work.id));
  });

  test('never ends: it is given up', async () => {
    await using scene = await startScene(true);
    const { mirror, proxy, here, work } = scene;
    await grow(scene, work.id, 260);
    proxy.fault = ({ path }) =>
      path.startsWith(`/versions/${work.id}`)
        ? { change: (body) => ({ ...(body as object), versions: [], has_more: true, next_cursor: work.cid }) }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ troubles: 1 });
    expect((await remoteOf(mirror, here)).troubles).toEqual({ incomplete: 1 });
  });
});

type Page = { versions: { cid: string }[]; has_more: boolean; next_cursor: string | null };
const uncursored = (page: Page) => ({ ...page, next_cursor: undefined });
const exclusive = (page: Page, from: string | null) => {
  const versions = page.versions.filter(({ cid }) => cid !== from);
  return { ...page, versions, next_cursor: page.has_more ? versions.at(-1)?.cid : null };
};

describe('a list of versions', () => {
  test.each([
    ['does not say where the next page starts', uncursored],
    ['begins below the version that it is asked from', exclusive],
    ['does neither', (page: Page, from: string | null) => uncursored(exclusive(page, from) as Page)],
    [
      'says that there is more when there is none',
      (page: Page, from: string | null) => ({ ...exclusive(page, from), has_more: page.versions.length > 1 }),
    ],
  ])('%s: the chain comes whole', async (_name, change) => {
    await using scene = await startScene(true);
    const { origin, mirror, proxy, here, work } = scene;
    proxy.fault = ({ path }) => {
      if (!path.startsWith(`/versions/${work.id}`)) return undefined;
      const from = new URL(path, proxy.url).searchParams.get('from');
      return { change: (body) => change(body as Page, from) };
    };
    await grow(scene, work.id, 210);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
  });
});

function listed<T extends { versions: unknown[] }>(body: T, change: (cids: unknown[]) => unknown[]): T {
  return { ...body, versions: change(body.versions) };
}

test('an edit back to what an old version of a long chain said is merged with what is new there', async () => {
  await using scene = await startScene(false);
  const { origin, mirror, proxy, curator, here, work } = scene;
  await grow(scene, work.id, 80);
  await sync(mirror, here);
  const tip = await read(mirror, here, work.id);
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  const old = { n: 40, text: 'x'.repeat(20) };
  await update(mirror, here, tip, { properties: old });
  await update(origin, curator, tip, { properties: { size: 'new there' } });
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  expect(await sync(mirror, here)).toMatchObject({ merged: 1, conflicts: 0 });
  for (const [node, who] of [
    [mirror, here],
    [origin, curator],
  ] as const)
    expect((await read(node, who, work.id)).properties).toEqual({ ...old, size: 'new there' });
});
