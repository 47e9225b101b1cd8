import { createHash } from 'node:crypto';
import { appendFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentCid } from '../../src/server/blocks/encode.ts';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, exported, imported, lastLine, operate, update, verified } from '../helpers/node-archives.ts';
import { collect, inChunks, listOf, withArchive } from '../helpers/sample-archive.ts';

const large = Buffer.alloc(700_000, 'a page of a book ');
const small = Buffer.from('a thumbnail');
const second = Buffer.from('a thumbnail, made anew');

function filesOf(node: TestNode): FileStore {
  return new FileStore(filesFolder(join(node.data, 'main')));
}

async function keep(node: TestNode, bytes: Buffer): Promise<string> {
  return (await filesOf(node).put(inChunks(bytes, 100_000))).cid;
}

function cidOf(bytes: Buffer): string {
  return contentCid(createHash('sha256').update(bytes).digest());
}

/** A file, an entity with two contents one after the other, and one whose bytes have not come. */
async function library(node: TestNode) {
  const file = await done(node, 'POST /entities', {
    type: 'file',
    properties: { label: 'book.pdf', cid: await keep(node, large) },
  });
  const content = (cid: string) => ({ content: { thumb: { cid, size: 1, content_type: 'image/png' } } });
  const first = await create(node, 'item', { properties: { label: 'item', ...content(await keep(node, small)) } });
  const item = await update(node, first, content(await keep(node, second)));
  const pending = await create(node, 'pending', { properties: content(cidOf(Buffer.from('later'))) });
  return { file, item, pending };
}

test('file bytes go with an export and come with an import', async () => {
  await using node = await startNode();
  await using other = await startNode();
  const { file, item, pending } = await library(node);
  const { car } = await exported(node);
  await withArchive(car, async (archive) => {
    const contents = new Map((await listOf(archive.entries())).map(({ id, content }) => [id, content]));
    expect(contents.get(file.id)).toEqual([cidOf(large)]);
    expect(contents.get(item.id)).toEqual([cidOf(small), cidOf(second)].sort());
    expect(contents.get(pending.id)).toEqual([]);
  });
  expect(await imported(other, car)).toMatchObject({ content: 3, forks: 0 });
  for (const bytes of [large, small, second]) expect(await collect(filesOf(other).read(cidOf(bytes)))).toEqual(bytes);
  // The same entity with the same bytes has the same root.
  const root = async (of: TestNode) =>
    withArchive((await exported(of, `?entity=${item.id}`)).car, async ({ cid }) => cid);
  expect(await root(other)).toBe(await root(node));
  expect(await imported(other, car)).toMatchObject({ content: 0, versions: 0 });
  expect((await verified(other)).remarks.join()).toContain('1 of the files that versions name are not here');
});

test('an export of tips has the content of the tips alone', async () => {
  await using node = await startNode();
  const { item } = await library(node);
  await withArchive((await exported(node, `?entity=${item.id}&history=tip`)).car, async (archive) => {
    expect((await listOf(archive.entries())).map(({ content }) => content)).toEqual([[cidOf(second)]]);
  });
});

test('a step since a checkpoint brings the bytes that came after it, and no others', async () => {
  await using node = await startNode();
  await using other = await startNode();
  const { file, item, pending } = await library(node);
  const base = await exported(node);
  await imported(other, base.car);
  await update(node, file, { note: 'read' });
  await update(node, item, { note: 'seen' });
  await keep(node, Buffer.from('later'));
  const step = await exported(node, `?since=${base.checkpoint}`);
  await withArchive(step.car, async ({ counts }) => expect(counts.contents).toBe(1));
  expect(await imported(other, step.car)).toMatchObject({ content: 1, advanced: 2, forks: 0 });
  expect(await collect(filesOf(other).read(cidOf(Buffer.from('later'))))).toEqual(Buffer.from('later'));
  expect((await done(other, `GET /entities/${pending.id}`)).cid).toBe(pending.cid);
});

test('a step since a checkpoint that was made while the clock was ahead brings the bytes that came after it', async () => {
  const day = 24 * 3600 * 1000;
  const clock = { ahead: 2 * day };
  await using node = await startNode({ now: () => Date.now() + clock.ahead });
  const bytes = Buffer.from('came when the clock was right');
  const content = { scan: { cid: cidOf(bytes), size: bytes.length, content_type: 'text/plain' } };
  const entity = await create(node, 'One', { properties: { label: 'One', content } });
  const { checkpoint } = await exported(node);
  clock.ahead = 0;
  await keep(node, bytes);
  const contents = async () =>
    withArchive((await exported(node, `?since=${checkpoint}`)).car, async ({ counts }) => counts.contents);
  expect(await contents()).toBe(1);
  // Also once the clock has come as far again, if anything was written meanwhile.
  await update(node, entity, { note: 'seen' });
  clock.ahead = 3 * day;
  expect(await contents()).toBe(1);
});

test('a damaged file of a version is not exported as whole; verifying sets it aside, and an archive brings it again', async () => {
  await using node = await startNode();
  const { file } = await library(node);
  const { car } = await exported(node);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
  const cid = cidOf(large);
  await appendFile(join(filesFolder(join(node.data, 'main')), cid.slice(-2), cid), 'more');
  const broken = operate(node, 'GET /node/export').then((response) => response.arrayBuffer());
  await expect(broken).rejects.toThrow();
  // As long as it counts as here, nothing brings it.
  expect(await imported(node, car)).toMatchObject({ content: 0 });
  const report = await verified(node);
  expect(report).toMatchObject({ ok: false, counts: { damaged_files: 1, missing_files: 2 } });
  expect(report.problems).toEqual([{ kind: 'file', message: expect.stringContaining(`The bytes of ${cid} are not`) }]);
  expect(report.remarks.join()).toContain(`${cid} of ${file.id}`);

  await withArchive((await exported(node)).car, async ({ counts }) => expect(counts.contents).toBe(2));
  await node.ctx.leftovers.sweep();
  const aside = join(filesFolder(join(node.data, 'main')), 'damaged', cid);
  expect((await stat(aside)).size).toBe(large.length + 4);
  expect(await imported(node, car)).toMatchObject({ content: 1, versions: 0, missing_files: 1 });
  expect(await collect(filesOf(node).read(cid))).toEqual(large);
  expect(await verified(node)).toMatchObject({ ok: true, counts: { damaged_files: 0, missing_files: 1 } });
});

test('files that are lost are told of by verifying, by exports and by backups', async () => {
  await using node = await startNode();
  const { file, pending } = await library(node);
  await rm(filesFolder(join(node.data, 'main')), { recursive: true });
  const report = await verified(node);
  // Some may lawfully not be here, so it is for a person to say.
  expect(report).toMatchObject({ ok: true, counts: { files: 0, missing_files: 4 } });
  expect(report.remarks.join()).toContain(`${cidOf(large)} of ${file.id}`);
  expect(report.remarks.join()).toContain(` of ${pending.id}`);
  const missing = async (query: string) =>
    (await operate(node, `GET /node/export${query}`)).headers.get('x-archeion-missing-files');
  expect(await missing('')).toBe('4');
  expect(await missing(`?entity=${file.id}`)).toBe('1');
  await using folder = await temporaryFolder();
  const { done: backup } = (await lastLine(
    await operate(node, 'POST /node/backup', { dir: join(folder.path, 'backup') }),
  )) as { done: { networks: object[] } };
  expect(backup.networks).toMatchObject([{ network: 'main', missing_files: 4 }]);
});

test('a backup holds the files', async () => {
  await using node = await startNode();
  await library(node);
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  expect(await lastLine(await operate(node, 'POST /node/backup', { dir }))).toMatchObject({ done: { dir } });
  const copy = new FileStore(filesFolder(join(dir, 'main')));
  expect((await listOf(copy.list())).sort()).toEqual([cidOf(large), cidOf(small), cidOf(second)].sort());
});
