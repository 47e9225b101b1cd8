import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { create, ok, update } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { verified } from '../helpers/node-archives.ts';
import { bytesOf, cidOf, clock, expectBytes, file, holding, isContent, startScene } from './contents.ts';
import { addRemote, remoteOf, sync, tipsOf } from './nodes.ts';

describe('content comes with the versions that name it', () => {
  test('in both forms, and none of it twice', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const [one, two] = [bytesOf(300_000), bytesOf(5000, 2)];
    const entity = await holding(origin, curator, one, { collection: place.id });
    const twin = await holding(origin, curator, one, { collection: place.id });
    const declared = await file(origin, curator, two, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({
      content: { files: 2, bytes: 305_000, missing: 0 },
      sent: { files: 0, bytes: 0 },
    });
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, one);
    await expectBytes(mirror, here, `/entities/${twin.id}/content?key=v1`, one);
    await expectBytes(mirror, here, `/files/${declared.id}/content`, two);
    expect(proxy.calls.filter(isContent)).toHaveLength(2);
    expect(await remoteOf(mirror, here)).toMatchObject({ contents: {}, missing_content: [] });

    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, bytes: 0, missing: 0 } });
    expect(proxy.calls.filter(isContent)).toEqual([]);
    // New content of an entity that is here, and nothing else, is looked at.
    const three = bytesOf(70_000, 3);
    ok(
      await ask(origin, curator, `POST /entities/${entity.id}/content?key=v2`, three, { 'Content-Type': 'image/tiff' }),
    );
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, bytes: 70_000 } });
    await expectBytes(mirror, here, `/entities/${entity.id}/content?key=v2`, three);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('also with the other side of a conflict, when it names more', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    const work = await create(origin, curator, { collection: place.id, properties: { label: 'One' } });
    await sync(mirror, here);
    await update(mirror, here, work, { properties: { label: 'Ours' } });
    await update(origin, curator, work, { properties: { label: 'Theirs' } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
    const bytes = bytesOf(30_000);
    const type = { 'Content-Type': 'image/tiff' };
    ok(await ask(origin, curator, `POST /entities/${work.id}/content?key=v1`, bytes, type));
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, bytes: 30_000 } });
    const cid = cidOf(bytes);
    expect(await readdir(join(mirror.data, 'main', 'files', cid.slice(-2)))).toContain(cid);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 0 } });
  });

  test('again, where it was damaged here and verifying has set it aside', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    const bytes = bytesOf(30_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1 } });
    const cid = cidOf(bytes);
    await writeFile(join(mirror.data, 'main', 'files', cid.slice(-2), cid), bytesOf(30_000, 2));
    expect(await verified(mirror)).toMatchObject({ ok: false, counts: { damaged_files: 1, missing_files: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, bytes: 30_000 } });
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
    expect(await verified(mirror)).toMatchObject({ ok: true });
  });

  test('of 20 MB, broken off in the middle, goes on where it was', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(20_000_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    // Broken off once within the run, which goes on by itself.
    let breaks = 1;
    proxy.fault = (call) =>
      isContent(call) && breaks-- > 0 ? { bytes: (body) => body.subarray(0, 8_000_000), breaks: true } : undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1 } });
    const [first, second] = proxy.calls.filter(isContent).map(({ headers }) => headers);
    expect(first?.range).toBeUndefined();
    const from = Number(/^bytes=(\d+)-$/.exec(String(second?.range))?.[1]);
    expect(from).toBeGreaterThan(0);
    expect(second?.['if-range']).toBe(`"${cidOf(bytes)}"`);
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
  });

  test('what came before the connection went for good is not fetched again after a restart', async () => {
    await using scene = await startScene();
    const { origin, curator, place, proxy } = scene;
    await using data = await temporaryFolder();
    const first = await startNode({ data: data.path });
    await addRemote(first, operator(first), { url: proxy.url });
    const bytes = bytesOf(20_000_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    let passed = false;
    proxy.fault = (call) => {
      if (!isContent(call)) return undefined;
      if (passed) return 'cut';
      passed = true;
      return { bytes: (body) => body.subarray(0, 12_000_000), breaks: true };
    };
    await expect(sync(first, operator(first))).rejects.toThrow(/cannot be read/);
    await first[Symbol.asyncDispose]();
    const partials = join(data.path, 'main', 'partials');
    expect(await readdir(partials)).toContain(cidOf(bytes));
    proxy.fault = () => undefined;
    await using mirror = await startNode({ data: data.path });
    const here = operator(mirror);
    const report = await sync(mirror, here);
    expect(report.content.files).toBe(1);
    expect(report.content.bytes).toBeLessThan(15_000_000);
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
    expect(await readdir(partials)).toEqual([]);
  });

  test('what came before a page came in place of it is gone on with, and nothing is taken for damaged', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(300_000);
    await holding(origin, curator, bytes, { collection: place.id });
    let asked = 0;
    proxy.fault = (call) => {
      if (!isContent(call)) return undefined;
      if (asked++ === 0) return { bytes: (body) => body.subarray(0, 200_000), breaks: true };
      return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<p>Sign in' };
    };
    await expect(sync(mirror, here)).rejects.toThrow(/answered with a page in place of a file/);
    expect(await remoteOf(mirror, here)).toMatchObject({ contents: {} });
    proxy.fault = () => undefined;
    const { content } = await sync(mirror, here);
    expect(content).toMatchObject({ files: 1, missing: 0 });
    expect(content.bytes).toBeLessThan(300_000);
  });

  test('from a remote without ranges comes whole again', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(3_000_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    const whole = await fetch(`${origin.url}/entities/${entity.id}/content`, { headers: curator.headers });
    const all = Buffer.from(await whole.arrayBuffer());
    let breaks = 1;
    proxy.fault = (call) => {
      if (!isContent(call)) return undefined;
      delete call.headers.range;
      return breaks-- > 0
        ? { bytes: (body) => body.subarray(0, 1_000_000), breaks: true, without: ['etag'] }
        : { bytes: () => all, without: ['etag'] };
    };
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 } });
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
  });

  test('K4: that is answered by a redirect keeps no other file away, and is asked for again', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const away = await holding(origin, curator, bytesOf(5000), { collection: place.id });
    const others = [];
    for (let seed = 2; seed < 8; seed++)
      others.push({ seed, ...(await holding(origin, curator, bytesOf(5000, seed), { collection: place.id })) });
    proxy.fault = (call) =>
      isContent(call) && call.path.includes(away.id)
        ? { status: 302, headers: { Location: 'https://cdn.example/bytes' } }
        : undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: others.length, missing: 1 } });
    for (const { id, seed } of others) await expectBytes(mirror, here, `/entities/${id}/content`, bytesOf(5000, seed));
    expect((await remoteOf(mirror, here)).missing_content).toMatchObject([
      { id: away.id, trouble: 'missing', evidence: expect.stringContaining('sends elsewhere for it (302)') },
    ]);
    proxy.fault = () => undefined;
    clock.time += 61_000;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 } });
    await expectBytes(mirror, here, `/entities/${away.id}/content`, bytesOf(5000));
  });

  test('that is answered by a redirect which never ends holds no run', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    await holding(origin, curator, bytesOf(5000), { collection: place.id });
    proxy.fault = (call) => (isContent(call) ? { trickles: 20, as: 302 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
  });

  test('that hashes to something else is not kept, and said with the evidence', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(40_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    proxy.fault = (call) =>
      isContent(call) ? { bytes: (body) => Buffer.concat([body.subarray(1), body.subarray(0, 1)]) } : undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
    const { contents, missing_content } = await remoteOf(mirror, here);
    expect(contents).toEqual({ mismatch: 1 });
    expect(missing_content).toMatchObject([
      {
        id: entity.id,
        cid: cidOf(bytes),
        trouble: 'mismatch',
        evidence: expect.stringContaining('40000 bytes of bafkrei'),
      },
    ]);
    expect((await ask(mirror, here, `GET /entities/${entity.id}/content`)).status).toBe(404);
    expect(await readdir(join(mirror.data, 'main', 'partials'))).toEqual([]);
  });

  test('by its key, since that worked before, is asked for by its CID where the key has come to name something else', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const [one, two] = [bytesOf(1000), bytesOf(2000, 2)];
    const first = await holding(origin, curator, one, { collection: place.id });
    const asked = { cid: 0, key: 0 };
    proxy.fault = (call) => {
      if (!isContent(call)) return undefined;
      if (call.path.includes('?cid=')) return asked.cid++ === 0 ? { status: 404 } : undefined;
      return asked.key++ === 0 ? undefined : { bytes: () => Buffer.from('what the key names by now') };
    };
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 } });
    const second = await holding(origin, curator, two, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 } });
    await expectBytes(mirror, here, `/entities/${first.id}/content`, one);
    await expectBytes(mirror, here, `/entities/${second.id}/content`, two);
    expect(asked).toEqual({ cid: 2, key: 2 });
  });

  test('that is missing there is a state, and comes by a new event or when its time has come', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(1000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    let status = 404;
    proxy.fault = (call) => (isContent(call) ? { status } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { missing: 1 } });
    expect(await remoteOf(mirror, here)).toMatchObject({
      contents: { missing: 1 },
      words: expect.arrayContaining(['The bytes of 1 file are still to come: 1 gone (404).']),
    });
    // Neither an error nor asked for again at once.
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ content: { missing: 0 } });
    expect(proxy.calls.filter(isContent)).toEqual([]);
    status = 403;
    await update(origin, curator, entity, { properties: { n: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ content: { missing: 1 } });
    expect((await remoteOf(mirror, here)).contents).toEqual({ forbidden: 1 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0 } });
    clock.time += 2 * 60_000;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1 } });
    expect((await remoteOf(mirror, here)).contents).toEqual({});
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
  });

  test('and was not shown comes at once when its collection has changed, which may let the user in', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(1000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    proxy.fault = (call) => (isContent(call) ? { status: 403 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { missing: 1 } });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0 } });
    await update(origin, curator, place, { properties: { n: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1 } });
    expect((await remoteOf(mirror, here)).contents).toEqual({});
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
  });

  test('in the earlier form comes from a remote that has no other', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const [one, two] = [bytesOf(1000), bytesOf(2000, 2)];
    const files = [await file(origin, curator, one, { collection: place.id })];
    files.push(await file(origin, curator, two, { collection: place.id, key: 'k2' }));
    proxy.fault = ({ path }) => (path.includes('/content?') ? { status: 404 } : undefined);
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 2, missing: 0 } });
    await expectBytes(mirror, here, `/files/${files[1]?.id}/content`, two);
  });
});
