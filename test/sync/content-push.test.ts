import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { bytesOf, cidOf, clock, expectBytes, file, holding, isContent, type Scene, startScene } from './contents.ts';
import { addRemote, conflictsOf, keyOf, lines, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { startProxied } from './proxied.ts';
import type { Call } from './proxy.ts';

const quiet = { refused: 0, conflicts: 0, troubles: 0, stopped: null };
const tiff = { 'Content-Type': 'image/tiff' };
const isPut = ({ method }: Call) => method === 'PUT';
const puts = ({ proxy }: Scene) =>
  proxy.calls.filter(({ path, method }) => isPut({ method } as Call) && path.includes('/node/uploads/'));

/** What both sides say is equal, and stays so. */
async function expectLevel({ origin, mirror, here }: Scene): Promise<void> {
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0, contents: {} });
  expect(await sync(mirror, here)).toMatchObject({
    ...{ ...quiet, created: 0, updated: 0, versions: 0 },
    ...{ content: { files: 0 }, sent: { files: 0, bytes: 0 } },
  });
}

describe('content made here goes to a node', () => {
  test('in both forms, and none of it twice', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    await sync(mirror, here);
    const [one, two] = [bytesOf(300_000), bytesOf(5000, 2)];
    const entity = await holding(mirror, here, one, { collection: place.id });
    const twin = await holding(mirror, here, one, { collection: place.id });
    const declared = await file(mirror, here, two, { collection: place.id });
    const report = await sync(mirror, here);
    expect(report).toMatchObject({ ...quiet, created: 3, updated: 0 });
    expect(puts(scene).length).toBeLessThanOrEqual(3);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, one);
    await expectBytes(origin, curator, `/entities/${twin.id}/content?key=v1`, one);
    await expectBytes(origin, curator, `/files/${declared.id}/content`, two);
    await expectLevel(scene);

    // Other bytes of what is there, in both forms.
    const three = bytesOf(40_000, 3);
    ok(await ask(mirror, here, `POST /entities/${entity.id}/content?key=v1`, three, tiff));
    const now = await read(mirror, here, declared.id);
    const again = { expect_tip: now.cid, key: 'k2', content_type: 'image/tiff', size: three.length };
    ok(await ask(mirror, here, `POST /files/${declared.id}/reupload`, again));
    ok(await ask(mirror, here, `POST /files/${declared.id}/content`, three, tiff));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 2 });
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, three);
    await expectBytes(origin, curator, `/files/${declared.id}/content`, three);
    await expectLevel(scene);
  });

  test('of 20 MB, broken off in the middle, goes on where it was', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(20_000_000);
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    let breaks = 1;
    proxy.fault = (call) => (isPut(call) && breaks-- > 0 ? { takes: 8_000_000 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, sent: { files: 1 } });
    const [first, ...later] = puts(scene).map(({ headers }) => headers['upload-offset']);
    expect(first).toBeUndefined();
    expect(later.length).toBeGreaterThan(0);
    for (const offset of later) expect(Number(offset)).toBeGreaterThan(1_000_000);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test('an upload that a run could not end is gone on with by the next one, at the same address', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(4_000_000);
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    let breaks = 1;
    proxy.fault = (call) => {
      if (!call.path.includes('/node/uploads/')) return undefined;
      return isPut(call) && breaks-- > 0 ? { takes: 2_000_000 } : breaks < 0 || !isPut(call) ? hold(call) : 'cut';
    };
    const hold = (call: Call) => (breaks < 1 && (isPut(call) || breaks === 0) ? ('cut' as const) : undefined);
    await expect(sync(mirror, here)).rejects.toThrow();
    proxy.fault = () => undefined;
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, sent: { files: 1 } });
    expect(proxy.calls.filter(({ path }) => path.endsWith('/upload-url'))).toEqual([]);
    expect(Number(puts(scene)[0]?.headers['upload-offset'])).toBeGreaterThan(0);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test('a lost answer is not taken for failure: nothing goes twice', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(100_000);
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    let losses = 1;
    proxy.fault = (call) => (isPut(call) && losses-- > 0 ? 'lose' : undefined);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, sent: { files: 1 } });
    expect(puts(scene)).toHaveLength(1);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test('that is too large for it stays with the entity in its words, until somebody edits it', async () => {
    await using scene = await startScene();
    const { mirror, here, place, proxy } = scene;
    await sync(mirror, here);
    const entity = await holding(mirror, here, bytesOf(1000), { collection: place.id });
    proxy.fault = (call) => (isPut(call) ? { status: 413, body: { error: 'At most 100 bytes here' } } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    const words = 'The content "v1": At most 100 bytes here';
    expect((await remoteOf(mirror, here)).refusals).toEqual([{ id: entity.id, status: 413, words, alike: 1 }]);
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(puts(scene)).toEqual([]);
    expect((await remoteOf(mirror, here)).refused).toBe(1);
  });

  test('that it refuses holds back no edit that was made meanwhile', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    await sync(mirror, here);
    const entity = await holding(mirror, here, bytesOf(1000), { collection: place.id });
    let edited: Promise<Entity> | undefined;
    proxy.fault = (call) => {
      if (call.path.includes('/content/upload-url'))
        edited ??= read(mirror, here, entity.id).then((now) => update(mirror, here, now, { properties: { n: 'new' } }));
      return isPut(call) ? { status: 413, body: { error: 'At most 100 bytes here' } } : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    await edited;
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, sent: { files: 1 } });
    expect((await read(origin, curator, entity.id)).properties).toMatchObject({ n: 'new' });
    await expectLevel(scene);
  });

  test.each([
    ['asked whether it has it', ({ method, path }: Call) => method === 'GET' && path.includes('/content?cid=')],
    ['asked for an address', ({ path }: Call) => path.endsWith('/content/upload-url')],
    ['sent it', isPut],
  ])('P5: does so also where a page of something else answers who has %s', async (_what, isAnswered) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(10_000);
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    proxy.fault = (call) => (isAnswered(call) ? { status: 200, body: '<p>Soon' } : undefined);
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    expect(await remoteOf(mirror, here)).toMatchObject({ refused: 0 });
    proxy.fault = () => undefined;
    await sync(mirror, here);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test.each([400, 422])('of which it takes no names before it has the bytes (%d) is sent first', async (status) => {
    await using scene = await startScene();
    const { origin, mirror, proxy, curator, here, place } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(10_000);
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    const issues = [{ path: ['properties', 'content', 'v1'], message: 'is not there' }];
    const untaken = { status, body: { error: 'Validation failed', details: { issues } } };
    proxy.fault = ({ method, path, body }) =>
      method === 'POST' && path.startsWith('/entities') && body.includes('"type":"document"') && body.includes('"cid"')
        ? untaken
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, sent: { files: 1 } });
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    expect(await tipsOf(mirror)).toMatchObject({ [entity.id]: (await read(origin, curator, entity.id)).cid });
  });

  test('whose bytes it has for somebody else is sent before it is named', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(10_000);
    const other = await user(origin, 'other');
    const roles = { use_roles_default: false, roles: { owner: ['*:view', '*:create', '*:update', '*:delete'] } };
    const secret = await collection(origin, other, { label: 'Private', ...roles });
    await holding(origin, other, bytes, { collection: secret.id });
    const entity = await holding(mirror, here, bytes, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1 });
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    expect(await tipsOf(mirror)).toMatchObject({ [entity.id]: (await read(origin, curator, entity.id)).cid });
  });

  test('without a byte in it', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    await sync(mirror, here);
    const nothing = Buffer.alloc(0);
    const declared = await file(mirror, here, nothing, { collection: place.id });
    const entity = await holding(mirror, here, nothing, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectBytes(origin, curator, `/files/${declared.id}/content`, nothing);
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, nothing);
    await expectLevel(scene);
  });
});

test('content by key is not sent over what somebody else has written meanwhile, and all further than that', async () => {
  const isLacking = lacks['with content by key and without addresses'];
  const lacking = (call: Call) => (isLacking(call) ? { status: 404 } : undefined);
  await using scene = await startScene({}, { stranger: true, prepare: (proxy) => (proxy.fault = lacking) });
  const { origin, mirror, curator, here, place, proxy } = scene;
  const work = await create(origin, curator, { collection: place.id, properties: { label: 'One' } });
  await sync(mirror, here);
  for (const key of ['a', 'b'])
    ok(await ask(mirror, here, `POST /entities/${work.id}/content?key=${key}`, bytesOf(1000, key.charCodeAt(0)), tiff));
  const theirs = await update(origin, curator, work, { properties: { label: 'Theirs' } });
  // It comes between what is pulled and what is pushed.
  proxy.fault = (call) =>
    lacking(call) ?? (call.path.startsWith('/events') ? { change: without(theirs.cid) } : undefined);
  await sync(mirror, here);
  proxy.fault = lacking;
  await sync(mirror, here);
  expect((await read(origin, curator, work.id)).properties.label).toBe('Theirs');
  expect(await conflictsOf(mirror, here)).toHaveLength(1);
});

const without = (cid: string) => (body: unknown) => {
  const page = body as { events: { cid: string }[] };
  return { ...page, events: page.events.filter((event) => event.cid !== cid) };
};

/** Bytes that an entity names come here by an address for them. */
async function upload({ mirror, here }: Scene, id: string, bytes: Buffer): Promise<void> {
  const wanted = { cid: cidOf(bytes), content_type: 'image/tiff', size: bytes.length };
  const { upload_url } = ok<{ upload_url: string }>(
    await ask(mirror, here, `POST /entities/${id}/content/upload-url`, wanted),
  );
  expect((await fetch(upload_url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBeLessThan(300);
}

describe('content that comes after its version has gone on', () => {
  const ways: [string, (scene: Scene, id: string, bytes: Buffer) => Promise<void>][] = [
    [
      'from another remote',
      async ({ mirror, here, proxy }) => {
        proxy.fault = () => undefined;
        clock.time += 2 * 60_000;
        expect(await sync(mirror, here)).toMatchObject({ versions: 0, content: { files: 1 } });
      },
    ],
    ['by an upload', upload],
  ];
  test.each(ways)('goes on too: %s', async (_way, come) => {
    await using scene = await startScene();
    await using museum = await startNode();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const keeper = operator(museum);
    const bytes = bytesOf(30_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    proxy.fault = (call) => (isContent(call) ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
    const settings = { direction: 'push', collections: [place.id], content: 'none' };
    await addRemote(mirror, here, { name: 'museum', url: museum.url, key: keyOf(keeper), ...settings });
    expect(await sync(mirror, here, 'museum')).toMatchObject({ created: 2, sent: { files: 0 } });

    await come(scene, entity.id, bytes);
    expect(await sync(mirror, here, 'museum')).toMatchObject({ created: 0, updated: 0, sent: { files: 1 } });
    await expectBytes(museum, keeper, `/entities/${entity.id}/content`, bytes);
    expect(await sync(mirror, here, 'museum')).toMatchObject({ sent: { files: 0, bytes: 0 } });
  });
});

describe('K8: content that came here otherwise while the remote was to be asked for it goes there', () => {
  /** Something that names bytes which are on neither side. */
  const naming = ({ mirror, here, place }: Scene, bytes: Buffer) => {
    const v1 = { cid: cidOf(bytes), content_type: 'image/tiff', size: bytes.length };
    return create(mirror, here, { collection: place.id, properties: { content: { v1 } } });
  };

  test('by an upload, behind other files', async () => {
    await using scene = await startScene({}, { blocks: true });
    const { origin, mirror, curator, here, place, proxy } = scene;
    for (let n = 0; n < 4; n++) await holding(origin, curator, bytesOf(1000, n + 2), { collection: place.id });
    proxy.fault = (call) => (isContent(call) ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 4 } });
    const bytes = bytesOf(30_000);
    const entity = await naming(scene, bytes);
    expect(await sync(mirror, here)).toMatchObject({ created: 1, content: { missing: 1 } });
    clock.time += 2 * 60_000;
    let held = 0;
    proxy.fault = (call) => {
      if (isContent(call)) held++;
      return isContent(call) ? { trickles: 20 } : undefined;
    };
    const run = sync(mirror, here);
    await expect.poll(() => held).toBe(4);
    // The fifth waits in line by now.
    await setTimeout(300);
    await upload(scene, entity.id, bytes);
    proxy.fault = () => undefined;
    proxy.breakOff();
    expect(await run).toMatchObject({ content: { files: 4, missing: 0 } });
    expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1 } });
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test('whole, by what was fetched before and not kept', async () => {
    await using scene = await startScene({}, { blocks: true });
    const { origin, mirror, curator, here } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(30_000);
    const entity = await naming(scene, bytes);
    const partials = join(mirror.data, 'main', 'partials');
    await mkdir(partials, { recursive: true });
    await writeFile(join(partials, cidOf(bytes)), bytes);
    expect(await sync(mirror, here)).toMatchObject({ created: 1, content: { files: 1, missing: 0 } });
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
    expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1 } });
    await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
    await expectLevel(scene);
  });

  test('by its key, for another entity that names it', async () => {
    await using scene = await startScene({}, { stranger: true });
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(30_000);
    await holding(origin, curator, bytes, { collection: place.id });
    proxy.fault = (call) => (isContent(call) ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
    const entity = await naming(scene, bytes);
    expect(await sync(mirror, here)).toMatchObject({ created: 1, content: { missing: 1 } });
    clock.time += 2 * 60_000;
    // A remote that keeps bytes by entity and key has none for this one.
    proxy.fault = (call) =>
      isContent(call) && (call.path.includes('?cid=') || call.path.includes(entity.id)) ? { status: 404 } : undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 }, sent: { files: 0 } });
    expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1, bytes: 30_000 } });
  });
});

test('what a key names by now is not taken for the bytes because it begins as they do', async () => {
  await using scene = await startScene({}, { stranger: true });
  const { origin, mirror, curator, here, place, proxy } = scene;
  await holding(origin, curator, bytesOf(1000), { collection: place.id });
  const isByCid = (call: Call) => isContent(call) && call.path.includes('?cid=');
  proxy.fault = (call) => (isByCid(call) ? { status: 404 } : undefined);
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 1 } });

  const bytes = bytesOf(200_000, 2);
  const entity = await holding(origin, curator, bytes, { collection: place.id });
  proxy.fault = (call) => (isContent(call) ? { status: 404 } : undefined);
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
  await upload(scene, entity.id, bytes);
  clock.time += 2 * 60_000;
  const earlier = Buffer.concat([bytes.subarray(0, 600), bytesOf(100_000, 3)]);
  proxy.fault = (call) => {
    if (!isContent(call)) return undefined;
    const last = Number(/^bytes=0-(\d+)$/.exec(call.headers.range ?? '')?.[1] ?? earlier.length);
    return isByCid(call) ? { status: 404 } : { bytes: () => earlier.subarray(0, last + 1) };
  };
  expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1 } });
});

test('content for which a node gives no address now is said to wait, and goes when its time has come', async () => {
  await using scene = await startScene();
  const { origin, mirror, curator, here, place, proxy } = scene;
  await sync(mirror, here);
  const bytes = bytesOf(10_000);
  const entity = await holding(mirror, here, bytes, { collection: place.id });
  proxy.fault = ({ path }) => (path.endsWith('/content/upload-url') ? { status: 404 } : undefined);
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, sent: { files: 0 } });
  expect(await remoteOf(mirror, here)).toMatchObject({
    contents: { unsent: 1 },
    missing_content: [{ id: entity.id, trouble: 'unsent' }],
  });
  // The event of what was sent is news of the entity, and then it is tried at once.
  expect(await sync(mirror, here)).toMatchObject({ events: 1, sent: { files: 0 } });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ events: 0, sent: { files: 0 } });
  clock.time += 2 * 60_000;
  expect(await sync(mirror, here)).toMatchObject({ sent: { files: 1 } });
  await expectBytes(origin, curator, `/entities/${entity.id}/content`, bytes);
  await expectLevel(scene);
});

/** What a remote of each age has no endpoint for. */
const lacks = {
  'with addresses': () => false,
  'with content by key and without addresses': ({ path }: Call) => /\/content\/(upload-url|complete)$/.test(path),
  'with files in the earlier form only': ({ path }: Call) => /^\/entities\/[^/]+\/content/.test(path),
};

describe.each(Object.entries(lacks))('content made here goes to a remote %s', (age, isLacking) => {
  const start = () =>
    startScene(
      {},
      { stranger: true, prepare: (proxy) => (proxy.fault = (call) => (isLacking(call) ? { status: 404 } : undefined)) },
    );
  const made = async (scene: Scene, bytes: Buffer): Promise<Entity> => {
    const { mirror, here, place } = scene;
    const isEarlier = age.startsWith('with files');
    return isEarlier
      ? await file(mirror, here, bytes, { collection: place.id })
      : await holding(mirror, here, bytes, { collection: place.id, properties: { label: 'One' } });
  };

  test('so that both say the same, without a conflict and without end', async () => {
    await using scene = await start();
    const { origin, mirror, curator, here } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(50_000);
    const entity = await made(scene, bytes);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, sent: { files: 1, bytes: 50_000 } });
    const path = entity.type === 'file' ? `/files/${entity.id}/content` : `/entities/${entity.id}/content`;
    await expectBytes(origin, curator, path, bytes);
    await expectLevel(scene);
    const ours = entity.properties as { cid?: string; content?: { v1: { cid: string } } };
    const theirs = (await read(origin, curator, entity.id)).properties as typeof ours;
    expect(theirs.cid ?? theirs.content?.v1.cid).toBe(ours.cid ?? ours.content?.v1.cid);
  });

  test('of a type that no header can carry, and what comes after it', async () => {
    await using scene = await start();
    const { origin, mirror, curator, here, place } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(50_000);
    const entity = await made(scene, bytes);
    const type = { content_type: 'text/плэйн\nx' };
    const properties = entity.type === 'file' ? type : { content: { v1: type } };
    ok(await ask(mirror, here, `PUT /entities/${entity.id}`, { expect_tip: entity.cid, properties }));
    const after = await create(mirror, here, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 2, sent: { files: 1, bytes: 50_000 } });
    expect((await read(origin, curator, entity.id)).properties).toMatchObject(properties);
    expect((await read(origin, curator, after.id)).ver).toBe(1);
    const path = entity.type === 'file' ? `/files/${entity.id}/content` : `/entities/${entity.id}/content`;
    await expectBytes(origin, curator, path, bytes);
    await expectLevel(scene);
  });

  test('also where the answer to the bytes is lost', async () => {
    await using scene = await start();
    const { origin, mirror, curator, here, proxy } = scene;
    await sync(mirror, here);
    const bytes = bytesOf(50_000);
    const entity = await made(scene, bytes);
    const usual = proxy.fault;
    let losses = 1;
    const isBytes = ({ method, path }: Call) => method === 'POST' && /\/content(\?|\/complete|$)/.test(path);
    proxy.fault = (call) => usual(call) ?? (isBytes(call) && losses-- > 0 ? 'lose' : undefined);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1 });
    expect(losses).toBeLessThan(1);
    const path = entity.type === 'file' ? `/files/${entity.id}/content` : `/entities/${entity.id}/content`;
    await expectBytes(origin, curator, path, bytes);
    await expectLevel(scene);
  });

  test('and its refusal stays with the entity', async () => {
    await using scene = await start();
    const { mirror, here, proxy } = scene;
    await sync(mirror, here);
    const entity = await made(scene, bytesOf(50_000));
    const usual = proxy.fault;
    const takes = ({ method, path }: Call) => method === 'POST' && /\/content(\?|\/upload-url|$)/.test(path);
    proxy.fault = (call) =>
      usual(call) ?? (takes(call) ? { status: 403, body: { error: 'No room for you' } } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ refused: 1, conflicts: 0 });
    expect((await remoteOf(mirror, here)).refusals).toMatchObject([
      { id: entity.id, status: 403, words: expect.stringContaining('No room for you') },
    ]);
    expect((await read(mirror, here, entity.id)).cid).toBe(entity.cid);
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
  });
});

test('an entity without content is pushed as ever to a stranger', async () => {
  await using scene = await startScene({}, { stranger: true });
  const { mirror, here, place } = scene;
  await sync(mirror, here);
  await create(mirror, here, { collection: place.id, properties: { content: 'a text' } });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, updated: 0 });
  await expectLevel(scene);
});

test.each([
  ['to a plain remote', false],
  ['to a node', true],
] as const)('bytes arrive before the collection they lie in is given away, %s', async (_way, blocks) => {
  await using scene = await startScene({}, { blocks });
  const { origin, mirror, curator, here, place } = scene;
  const heir = await user(origin, 'heir');
  await enrol(origin, curator, place.id, heir, 'owner');
  await sync(mirror, here);
  const bytes = bytesOf(5000);
  const declared = await file(mirror, here, bytes, { collection: place.id });
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, updated: 1, sent: { files: 1 } });
  await expectBytes(origin, heir, `/files/${declared.id}/content`, bytes);
  await expectLevel(scene);
});

test.each([
  ['to a plain remote', false],
  ['to a node', true],
] as const)('a collection is not given away before bytes at which the remote failed, %s', async (_way, blocks) => {
  await using scene = await startProxied({ mirror: { wait: async () => undefined }, proxy: { plain: !blocks } });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const heir = await user(origin, 'heir');
  await enrol(origin, curator, place.id, heir, 'owner');
  await sync(mirror, here);
  const bytes = bytesOf(5000);
  const declared = await file(mirror, here, bytes, { collection: place.id });
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  proxy.fault = ({ path }) => (path.includes('/content') ? { status: 500 } : undefined);
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(declared.id);
  expect(last.error).toContain(`Everything else was sent, but for ${place.id}, which takes away rights`);
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, sent: { files: 1 } });
  await expectBytes(origin, heir, `/files/${declared.id}/content`, bytes);
  await expectLevel(scene);
});

/** The mirror pushes as an editor who owns the place through a group, which lies in a collection of the editor's own. */
async function asCrew({ origin, mirror, curator, here, place }: Awaited<ReturnType<typeof startProxied>>) {
  const editor = await user(origin, 'editor');
  const crews = await collection(origin, curator);
  await enrol(origin, curator, crews.id, editor, 'owner');
  const member = { predicate: 'member', peer: editor.id };
  const crew = await create(origin, curator, { type: 'group', collection: crews.id, relationships: [member] });
  await enrol(origin, curator, place.id, { id: crew.id, headers: {} }, 'owner');
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
  await sync(mirror, here);
  return { editor, crews, crew, member };
}

test.each([
  ['to a plain remote', false],
  ['to a node', true],
] as const)('a group is not left before what needs it, at which the remote failed, %s', async (_way, blocks) => {
  await using scene = await startProxied({ mirror: { wait: async () => undefined }, proxy: { plain: !blocks } });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const { crew, member } = await asCrew(scene);
  const bytes = bytesOf(5000);
  const declared = await file(mirror, here, bytes, { collection: place.id });
  await update(mirror, here, crew, { relationships_remove: [member] });
  proxy.fault = ({ path }) => (path.includes('/content') ? { status: 500 } : undefined);
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(declared.id);
  expect(last.error).toContain(`Everything else was sent, but for ${crew.id}, which takes away rights`);
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1, sent: { files: 1 } });
  await expectBytes(origin, curator, `/files/${declared.id}/content`, bytes);
  await expectLevel(scene);
});

test.each(
  (['edited', 'given away', 'the place of what fails'] as const).flatMap((what) => [
    [what, 'to a plain remote', false] as const,
    [what, 'to a node', true] as const,
  ]),
)('nor before a collection at which it failed or that waits itself (%s), %s', async (what, _way, blocks) => {
  await using scene = await startProxied({ mirror: { wait: async () => undefined }, proxy: { plain: !blocks } });
  const { mirror, proxy, here, place } = scene;
  const { crew, crews, editor } = await asCrew(scene);
  const made = what === 'the place of what fails' ? await create(mirror, here, { collection: place.id }) : place;
  if (what === 'edited') {
    const { cid } = await read(mirror, here, place.id);
    ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'mine' }));
  } else ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${crew.id}?role=owner`));
  await remove(mirror, here, crew);
  ok(await ask(mirror, here, `DELETE /collections/${crews.id}/members/${editor.id}?role=owner`));
  proxy.fault = ({ method, path, body }) =>
    method !== 'GET' && (path + body).includes(made.id) ? { status: 500 } : undefined;
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(`(while ${made.id} was being sent)`);
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject(quiet);
  await expectLevel(scene);
});

test.each([
  ['to a plain remote', false],
  ['to a node', true],
] as const)('nor where it failed at the group before, %s', async (_way, blocks) => {
  await using scene = await startProxied({ mirror: { wait: async () => undefined }, proxy: { plain: !blocks } });
  const { mirror, proxy, here, place } = scene;
  const { crew, member } = await asCrew(scene);
  const named = await update(mirror, here, crew, { properties: { label: 'Crew' } });
  proxy.fault = ({ method, path, body }) =>
    method !== 'GET' && (path + body).includes(crew.id) ? { status: 500 } : undefined;
  const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
  expect(last.error).toContain(`(while ${crew.id} was being sent)`);
  await file(mirror, here, bytesOf(5000), { collection: place.id });
  await update(mirror, here, named, { relationships_remove: [member] });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject(quiet);
  await expectLevel(scene);
});

test('a collection is not given away before bytes for which a node gives no address now', async () => {
  await using scene = await startScene({}, { blocks: true });
  const { origin, mirror, proxy, curator, here, place } = scene;
  const heir = await user(origin, 'heir');
  await enrol(origin, curator, place.id, heir, 'owner');
  await sync(mirror, here);
  const bytes = bytesOf(5000);
  const entity = await holding(mirror, here, bytes, { collection: place.id });
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  proxy.fault = ({ path }) => (path.endsWith('/content/upload-url') ? { status: 404 } : undefined);
  for (let n = 0; n < 2; n++) {
    const last = lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1) as { error: string };
    expect(last.error).toContain(`Everything else was sent, but for ${place.id}, which takes away`);
  }
  proxy.fault = () => undefined;
  clock.time += 2 * 60_000;
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1, sent: { files: 1 } });
  await expectBytes(origin, heir, `/entities/${entity.id}/content?key=v1`, bytes);
  await expectLevel(scene);
});

test('bytes go to a service that says by itself of which type a peer is', async () => {
  await using scene = await startProxied({ works: 1, proxy: { plain: true, stranger: true } });
  const { origin, mirror, curator, here, place, works } = scene;
  const { id, cid } = works[0] as Entity;
  await sync(mirror, here);
  const peer = await create(origin, curator, { collection: place.id });
  const relationships_add = [{ predicate: 'sees', peer: peer.id }];
  ok(
    await ask(mirror, here, `PUT /entities/${id}?validate_relationships=false`, { expect_tip: cid, relationships_add }),
  );
  const bytes = bytesOf(1000);
  ok(await ask(mirror, here, `POST /entities/${id}/content?key=v1`, bytes, { 'Content-Type': 'text/plain' }));
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, sent: { files: 1 } });
  await expectBytes(origin, curator, `/entities/${id}/content?key=v1`, bytes);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
});
