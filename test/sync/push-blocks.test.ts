import { describe, expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import { section, segmentHead } from '../../src/server/blocks/segment-car.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { anonymous, ask, operator, type Person, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, nowhere, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, chainOf, conflictsOf, keyOf, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';
import { startProxy } from './proxy.ts';

const pushPath = '/node/sync/push';

interface Result {
  success: boolean;
  id: string;
  tip?: string;
  versions?: number;
  error?: string;
  code?: string;
  details?: { actual?: string; reason?: string; issues?: { message: string }[] };
}

interface Item {
  id: string;
  expect: string | null;
  tip: string;
}

const instance = '00000000-0000-4000-8000-000000000000';

function car(items: Item[], blocks: Block[], root: object = {}): Buffer {
  const head = segmentHead({ archeion: 'push', version: 1, instance, items, ...root });
  return Buffer.concat([head, ...blocks.flatMap(({ cid, bytes }) => section(cidBytes(cid), bytes))]);
}

function post(node: TestNode, who: Person, body: Uint8Array) {
  const headers = { ...who.headers, 'Content-Type': 'application/vnd.ipld.car; version=1' };
  return node.fetch(pushPath, { method: 'POST', headers, body });
}

async function push(node: TestNode, who: Person, items: Item[], blocks: Block[]): Promise<Result[]> {
  return ok<{ results: Result[] }>(await post(node, who, car(items, blocks))).results;
}

/** Versions over an entity's tip, as its user would write them elsewhere. */
async function drafts(
  node: TestNode,
  { id, cid }: Entity,
  who: Person,
  ...changes: ((before: Manifest) => Partial<Manifest>)[]
): Promise<Block[]> {
  const store = await node.ctx.networks.get('main');
  let manifest = store.read((db) => findVersion(db, cid)?.manifest) as Manifest;
  let prev = cid;
  return changes.map((change) => {
    const edited_by = { user_id: who.id, method: 'manual' as const };
    const { note: _note, deleted: _deleted, ...before } = manifest;
    const next = { ...before, id, prev, ver: manifest.ver + 1, ts: '2026-02-03T04:05:06.789Z', edited_by };
    manifest = { ...next, ...change(manifest) };
    const block = encodeManifest(manifest);
    prev = block.cid;
    return block;
  });
}

const says = (n: number) => (before: Manifest) => ({ properties: { ...before.properties, n } });
const cidOf = (blocks: Block[], at = -1) => blocks.at(at)?.cid ?? '';

/** A collection with an editor, a viewer and a work. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const node = opened.use(await startNode());
  const owner = await user(node, 'owner');
  const editor = await user(node, 'editor');
  const viewer = await user(node, 'viewer');
  const place = await collection(node, owner, { label: 'Works' });
  await enrol(node, owner, place.id, editor, 'editor');
  await enrol(node, owner, place.id, viewer, 'viewer');
  const work = await create(node, owner, { type: 'work', collection: place.id, properties: { n: 0 } });
  const all = opened.move();
  return { node, owner, editor, viewer, place, work, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('POST /node/sync/push', () => {
  test('takes in a chain under its CIDs, once, and says where it came from', async () => {
    await using scene = await startScene();
    const { node, editor, work } = scene;
    const blocks = await drafts(node, work, editor, says(1), says(2), says(3));
    const item = { id: work.id, expect: work.cid, tip: cidOf(blocks) };
    expect(await push(node, editor, [item], blocks.toReversed())).toEqual([
      { success: true, id: work.id, tip: cidOf(blocks), versions: 3 },
    ]);
    expect(await push(node, editor, [item], blocks)).toEqual([
      { success: true, id: work.id, tip: cidOf(blocks), versions: 0 },
    ]);
    expect(await chainOf(node, work.id)).toEqual([
      ...blocks.map(({ cid }, i) => [i + 2, cid]).reverse(),
      [1, work.cid],
    ]);
    const history = ok<{ moves: object[] }>(await ask(node, operator(node), `GET /node/history/${work.id}`));
    expect(history.moves).toMatchObject([
      { from: work.cid, to: cidOf(blocks), received_from: { account: editor.id, instance } },
      { from: null, to: work.cid, origin: 'local', received_from: null },
    ]);
  });

  test('creates, deletes and restores by what each version says', async () => {
    await using scene = await startScene();
    const { node, editor, work } = scene;
    const edited_by = { user_id: editor.id, method: 'manual' as const };
    const grave = { properties: {}, relationships: [], deleted: true as const };
    const first = encodeManifest({
      ...{ schema: 'arke/eidos@v1', id: nowhere, type: 'work', ver: 1, prev: null, edited_by },
      ...{ created_at: '2026-01-01T00:00:00.000Z', ts: '2026-01-01T00:00:00.000Z', properties: { label: 'new' } },
      relationships: [{ predicate: 'collection', peer: scene.place.id, peer_type: 'collection' }],
    });
    expect(await push(node, editor, [{ id: nowhere, expect: null, tip: first.cid }], [first])).toMatchObject([
      { success: true, versions: 1 },
    ]);
    const content = { properties: work.properties, relationships: work.relationships } as Partial<Manifest>;
    const blocks = await drafts(
      node,
      work,
      scene.owner,
      () => grave,
      () => content,
      says(1),
    );
    const [tombstone, ...rest] = blocks as [Block, ...Block[]];
    expect(
      await push(node, scene.owner, [{ id: work.id, expect: work.cid, tip: tombstone.cid }], [tombstone]),
    ).toMatchObject([{ success: true }]);
    expect((await ask(node, editor, `GET /entities/${work.id}`)).status).toBe(404);
    const restored = { id: work.id, expect: tombstone.cid, tip: cidOf(rest) };
    expect(await push(node, scene.viewer, [restored], rest)).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(await push(node, scene.owner, [restored], rest)).toMatchObject([{ success: true, versions: 2 }]);
    expect((await read(node, editor, work.id)).properties).toEqual({ n: 1 });
  });

  test('refuses who may not, also where only a step in the middle is not allowed', async () => {
    await using scene = await startScene();
    const { node, editor, viewer, owner, work } = scene;
    const mine = await drafts(node, work, viewer, says(1));
    const item = { id: work.id, expect: work.cid, tip: cidOf(mine) };
    expect((await post(node, anonymous, car([item], mine))).status).toBe(401);
    expect(await push(node, viewer, [item], mine)).toMatchObject([{ success: false, code: 'FORBIDDEN' }]);
    // In the middle it is put into a collection of others, and then taken out again.
    const other = await collection(node, owner, { label: 'Other' });
    const lyingIn = (...ids: string[]) => ({
      relationships: ids.map((peer) => ({ predicate: 'collection', peer, peer_type: 'collection' })),
    });
    const out = await drafts(
      node,
      work,
      editor,
      says(1),
      () => lyingIn(scene.place.id, other.id),
      () => lyingIn(scene.place.id),
    );
    const leaving = { id: work.id, expect: work.cid, tip: cidOf(out) };
    const before = await chainOf(node, work.id);
    const [refused] = await push(node, editor, [leaving], out);
    expect(refused).toMatchObject({ success: false, code: 'FORBIDDEN' });
    expect(await chainOf(node, work.id)).toEqual(before);
    const within = await drafts(node, work, editor, says(1), says(2));
    expect(await push(node, editor, [{ id: work.id, expect: work.cid, tip: cidOf(within) }], within)).toMatchObject([
      { success: true },
    ]);
  });

  test('takes versions of others only from who may manage the collection, or from a service account', async () => {
    await using scene = await startScene();
    const { node, editor, owner, viewer, place } = scene;
    for (const [who, taken] of [
      [editor, false],
      [owner, true],
      [service(node), true],
      [operator(node), true],
    ] as const) {
      const work = await create(node, owner, { collection: place.id });
      const blocks = await drafts(node, work, viewer, says(1));
      const [result] = await push(node, who, [{ id: work.id, expect: work.cid, tip: cidOf(blocks) }], blocks);
      expect(result).toMatchObject(
        taken ? { success: true, tip: cidOf(blocks) } : { code: 'FORBIDDEN', details: { reason: 'author' } },
      );
    }
    // On behalf of somebody else is no better.
    const work = await create(node, owner, { collection: place.id });
    const behalf = { user_id: editor.id, method: 'manual' as const, on_behalf_of: viewer.id };
    const blocks = await drafts(node, work, editor, () => ({ edited_by: behalf, properties: { n: 1 } }));
    expect(await push(node, editor, [{ id: work.id, expect: work.cid, tip: cidOf(blocks) }], blocks)).toMatchObject([
      { code: 'FORBIDDEN', details: { reason: 'author' } },
    ]);
  });

  test('answers each item by itself, with the tip that is there instead', async () => {
    await using scene = await startScene();
    const { node, editor, owner, work, place } = scene;
    const other = await create(node, owner, { collection: place.id });
    const [late, good] = await Promise.all([drafts(node, work, editor, says(1)), drafts(node, other, editor, says(1))]);
    const moved = await update(node, owner, work, { properties: { n: 9 } });
    const items = [
      { id: work.id, expect: work.cid, tip: cidOf(late) },
      { id: other.id, expect: other.cid, tip: cidOf(good) },
    ];
    expect(await push(node, editor, items, [...late, ...good])).toMatchObject([
      { success: false, code: 'CONFLICT', details: { actual: moved.cid } },
      { success: true, tip: cidOf(good) },
    ]);
  });

  test('judges a version of a collection by the roles that the one before gave', async () => {
    await using scene = await startScene();
    const { node, owner, place } = scene;
    const current = await read(node, owner, place.id);
    const ownerless = current.relationships.filter(({ predicate }) => predicate !== 'owner');
    const second = { predicate: 'owner', peer: scene.editor.id, peer_type: 'user' };
    const blocks = await drafts(
      node,
      current,
      owner,
      () => ({ relationships: [...ownerless, second] as Manifest['relationships'] }),
      (before) => ({ properties: { ...before.properties, label: 'Mine all the same' } }),
    );
    const item = { id: place.id, expect: current.cid, tip: cidOf(blocks) };
    expect(await push(node, owner, [item], blocks)).toMatchObject([{ success: false, code: 'FORBIDDEN' }]);
    expect((await read(node, owner, place.id)).properties.label).toBe('Works');
  });

  test('sees what came before in the same push', async () => {
    await using scene = await startScene();
    const { node, owner } = scene;
    const made = await collection(node, owner, { label: 'Elsewhere' });
    const store = await node.ctx.networks.get('main');
    await using target = await startNode();
    const blockOf = (cid: string): Block => {
      const bytes = store.read((db) => findVersion(db, cid)?.bytes) as Uint8Array;
      return { cid, bytes };
    };
    const work = await create(node, owner, { collection: made.id });
    const items = [made, work].map(({ id, cid }) => ({ id, expect: null, tip: cid }));
    const results = await push(
      target,
      operator(target),
      items,
      [made, work].map(({ cid }) => blockOf(cid)),
    );
    expect(results).toMatchObject([{ success: true }, { success: true }]);
  });

  test('refuses all of it where something was tampered with', async () => {
    await using scene = await startScene();
    const { node, editor, owner, work, place } = scene;
    const blocks = await drafts(node, work, editor, says(1), says(2));
    const other = await create(node, owner, { collection: place.id });
    const foreign = await drafts(node, other, editor, says(1));
    const item = { id: work.id, expect: work.cid, tip: cidOf(blocks) };
    const flipped = car([item], blocks);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    const whole: [Buffer, string][] = [
      [flipped, 'not those of its CID'],
      [car([item], [...blocks, ...foreign]), 'belongs to none'],
      [car([item, item], blocks), 'twice'],
      [car([], blocks), 'must say what is pushed'],
      [car([item], blocks, { version: 2 }), 'must say what is pushed'],
      [car([item], blocks).subarray(0, -10), 'ends within'],
      [Buffer.from('no archive'), ''],
      [Buffer.alloc(0), 'empty'],
    ];
    for (const [body, words] of whole) {
      const answer = await post(node, editor, body);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(words);
    }
    const [, last] = blocks as [Block, Block];
    const single: [Item, Block[], string][] = [
      [item, [last], 'is missing'],
      [{ ...item, expect: null }, blocks, 'is missing'],
      [{ id: work.id, expect: work.cid, tip: cidOf(foreign) }, foreign, `is one of ${other.id}`],
    ];
    for (const [one, sent, words] of single) {
      const [result] = await push(node, editor, [one], sent);
      expect(result?.success).toBe(false);
      expect(JSON.stringify(result)).toContain(words);
    }
    expect((await read(node, owner, work.id)).cid).toBe(work.cid);
  });

  test('refuses versions that could not be written here', async () => {
    await using scene = await startScene();
    const { node, editor, owner, work } = scene;
    const odd: ((before: Manifest) => Partial<Manifest>)[] = [
      () => ({ ver: 7 }),
      () => ({ type: 'other' }),
      () => ({ ts: 'yesterday' }),
      () => ({ created_at: '2020-01-01T00:00:00.000Z' }),
      () => ({ edited_by: { user_id: editor.id, method: 'magic' as never } }),
      () => ({ edited_by: 'me' as never }),
      () => ({ properties: [] as never }),
      () => ({ relationships: [{ predicate: 'No Word', peer: work.id }] }),
      () => ({ relationships: [{ predicate: 'near', peer: 'nobody' }] }),
      () => ({ note: 7 as never }),
      () => ({ deleted: false as never }),
    ];
    for (const change of odd) {
      const blocks = await drafts(node, work, editor, change);
      const item = { id: work.id, expect: work.cid, tip: cidOf(blocks) };
      const { status, text } = await post(node, editor, car([item], blocks));
      expect(status).toBe(200);
      expect(JSON.parse(text).results[0].success, text).toBe(false);
    }
    expect((await read(node, owner, work.id)).cid).toBe(work.cid);
  });

  test('refuses an entity that begins with another number than 1', async () => {
    await using scene = await startScene();
    const { node, editor, work } = scene;
    const [draft] = await drafts(node, work, editor, () => ({ id: nowhere, prev: null, ver: 5 }));
    const blocks = draft ? [draft] : [];
    const result = await push(node, editor, [{ id: nowhere, expect: null, tip: cidOf(blocks) }], blocks);
    expect(result).toMatchObject([{ success: false, details: { issues: [{ path: ['ver'] }] } }]);
    expect((await ask(node, editor, `GET /entities/${nowhere}`)).status).toBe(404);
  });
});

describe('a push between nodes', () => {
  test('keeps CIDs, drafts and authors, and needs one request', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const works: Entity[] = [];
    for (let n = 0; n < 3; n++) works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
    await sync(mirror, here);
    const [edited, gone] = works as [Entity, Entity];
    const first = await update(mirror, here, edited, { properties: { n: 10 } });
    await update(mirror, here, first, { properties: { n: 11 }, note: 'why' });
    await remove(mirror, here, gone);
    const made = await create(mirror, here, { collection: place.id, properties: { label: 'made here' } });
    expect(await sync(mirror, here)).toMatchObject({ created: 1, updated: 1, deleted: 1, refused: 0 });
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
    for (const { id } of [...works, made]) expect(await chainOf(origin, id)).toEqual(await chainOf(mirror, id));
    expect((await chainOf(origin, edited.id)).map(([ver]) => ver)).toEqual([3, 2, 1]);
    expect((await read(origin, curator, made.id)).edited_by.user_id).toBe(curator.id);
    const history = ok<{ moves: object[] }>(await ask(origin, pair.there, `GET /node/history/${made.id}`));
    expect(history.moves).toMatchObject([
      { received_from: { account: curator.id, instance: mirror.ctx.instance }, to: made.cid },
    ]);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
    expect(await sync(mirror, here)).toMatchObject({ versions: 0, created: 0, updated: 0, deleted: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  });

  test('of 1,000 edits arrives whole, also where answers are lost', async () => {
    await using opened = new AsyncDisposableStack();
    const origin = opened.use(await startNode());
    const mirror = opened.use(await startNode());
    const proxy = opened.use(await startProxy(origin.url, { plain: false }));
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    const place = await collection(origin, curator, { label: 'Works' });
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    await sync(mirror, here);
    for (let i = 0; i < 10; i++) {
      const entities = Array.from({ length: 100 }, (_, n) => ({
        type: 'work',
        collection: place.id,
        properties: { label: `${i} ${n}` },
      }));
      ok(await ask(mirror, here, 'POST /entities/batch', { entities }));
    }
    let lost = 0;
    proxy.fault = ({ path }) => (path === pushPath && ++lost === 2 ? 'lose' : undefined);
    await sync(mirror, here);
    expect(lost).toBeGreaterThanOrEqual(5);
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0 });
    expect(proxy.calls.filter(({ path, method }) => method === 'POST' && path.startsWith('/entities?')).length).toBe(0);
  });

  test('whose answer was lost is gone on with, also by who is not known there and has edited on', async () => {
    await using opened = new AsyncDisposableStack();
    const origin = opened.use(await startNode());
    const mirror = opened.use(await startNode());
    const proxy = opened.use(await startProxy(origin.url, { plain: false }));
    const here = operator(mirror);
    const place = await collection(mirror, here, { label: 'Works' });
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(operator(origin)) });
    const work = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    const sent = await update(mirror, here, work, { properties: { n: 2 } });
    let isGone = false;
    proxy.fault = ({ path }) => {
      if (path !== pushPath) return isGone ? 'cut' : undefined;
      isGone = true;
      return 'lose';
    };
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
    await remove(mirror, here, await update(mirror, here, sent, { properties: { n: 3 } }));
    proxy.fault = () => undefined;
    await sync(mirror, here);
    expect(await conflictsOf(mirror, here)).toEqual([]);
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
    expect(await chainOf(origin, work.id)).toEqual(await chainOf(mirror, work.id));
  });

  test('after edits on both sides merges, or is a conflict, and loses nothing', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const apart = await create(origin, curator, { collection: place.id, properties: { a: 1, b: 1 } });
    const same = await create(origin, curator, { collection: place.id, properties: { a: 1 } });
    await sync(mirror, here);
    await update(mirror, here, apart, { properties: { a: 2 } });
    await update(mirror, here, same, { properties: { a: 2 } });
    await update(origin, curator, apart, { properties: { b: 2 } });
    const theirs = await update(origin, curator, same, { properties: { a: 3 } });
    await sync(mirror, here);
    expect((await read(origin, curator, apart.id)).properties).toEqual({ a: 2, b: 2 });
    expect(await chainOf(origin, apart.id)).toEqual(await chainOf(mirror, apart.id));
    expect(await conflictsOf(mirror, here)).toMatchObject([{ id: same.id, theirs: theirs.cid }]);
    expect((await read(origin, curator, same.id)).cid).toBe(theirs.cid);
  });

  test('of what the remote does not take as blocks goes by the public interface', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    // In no collection: nobody may bring versions of others there.
    const loose = await create(mirror, here, { properties: { label: 'loose' } });
    const again = await create(mirror, here, { properties: { label: 'again' } });
    expect(await sync(mirror, here)).toMatchObject({ created: 2, refused: 0 });
    for (const { id } of [loose, again]) expect((await read(origin, curator, id)).edited_by.user_id).toBe(curator.id);
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
  });

  test('of what is refused in one collection for its authors goes on as blocks in the others', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here, there } = pair;
    const next = await user(origin, 'next curator');
    const [edited, managed] = [
      await collection(origin, there, { label: 'Edited' }),
      await collection(origin, there, { label: 'Managed' }),
    ];
    for (const who of [curator, next]) {
      await enrol(origin, there, edited.id, who, 'editor');
      await enrol(origin, there, managed.id, who, 'owner');
    }
    const work = await create(origin, there, { collection: managed.id, properties: { n: 1 } });
    await sync(mirror, here);
    // Creations go out before changes, in a request of their own.
    const made = await create(mirror, here, { collection: edited.id, properties: { n: 1 } });
    const ours = await update(mirror, here, work, { properties: { n: 2 } });
    expect([made.edited_by.user_id, ours.edited_by.user_id]).toEqual([curator.id, curator.id]);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(next), direction: 'both' }));
    expect(await sync(mirror, here)).toMatchObject({ created: 1, updated: 1, refused: 0 });
    expect((await read(origin, there, made.id)).edited_by.user_id).toBe(next.id);
    expect((await read(origin, there, work.id)).cid).toBe(ours.cid);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  });

  test.each([
    ['less at once, which it is sent from then on', 100_000, true],
    ['hardly anything, so that it goes by the public interface', 2_000, false],
  ])('through a proxy that takes %s', async (_name, most, asBlocks) => {
    await using origin = await startNode();
    await using mirror = await startNode();
    await using proxy = await startProxy(origin.url, { plain: false });
    const [there, here] = [operator(origin), operator(mirror)];
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(there) });
    const place = await collection(mirror, here, { label: 'Works' });
    const label = 'x'.repeat(3000);
    for (let n = 0; n < 100; n++) await create(mirror, here, { collection: place.id, properties: { label, n } });
    const pushes = () => proxy.calls.filter(({ path }) => path === pushPath);
    const tooLarge = () => pushes().filter(({ body }) => body.length > most).length;
    proxy.fault = ({ path, body }) => (path === pushPath && body.length > most ? { status: 413 } : undefined);
    const before = await tipsOf(mirror);
    expect(await sync(mirror, here)).toMatchObject({ created: 101, refused: 0 });
    expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
    expect(
      Object.entries(await tipsOf(mirror)).filter(([id, tip]) => id !== place.id && before[id] === tip),
    ).toHaveLength(asBlocks ? 100 : 0);
    // What it takes at once is found by a few requests, not by one for each of them.
    if (asBlocks) expect(tooLarge()).toBeLessThan(8);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0 });
  });

  test('reaches a third node through the second', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    await using third = await startNode();
    const there = operator(third);
    const place = await collection(origin, curator, { label: 'Works' });
    const work = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
    await sync(mirror, here);
    await addRemote(third, there, { url: mirror.url });
    await sync(third, there);
    await update(mirror, here, work, { properties: { n: 2 } });
    await sync(mirror, here);
    await sync(third, there);
    for (const node of [origin, third]) {
      expect(await tipsOf(node)).toEqual(await tipsOf(mirror));
      expect(await chainOf(node, work.id)).toEqual(await chainOf(mirror, work.id));
    }
  });
});
