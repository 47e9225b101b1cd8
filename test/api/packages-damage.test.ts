import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { filesFolder, spoolFolder } from '../../src/server/store/network-folders.ts';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, imported, operate, tipsOf, verified } from '../helpers/node-archives.ts';
import { openBelow } from '../helpers/open-files.ts';
import { inChunks } from '../helpers/sample-archive.ts';
import { unzipped, zipOf } from '../helpers/zip-files.ts';

// File bytes that were damaged here, on the way or in the package must not pass for whole.

const page = Buffer.alloc(70_000, 'a page of a book ');
const thumb = Buffer.from('a thumbnail');
const packages = ['bagit', 'ro-crate'];
let node: TestNode;
let cid: string;

const filesOf = (of: TestNode) => new FileStore(filesFolder(join(of.data, 'main')));
const packed = async (format: string) => Buffer.from((await exported(node, `?format=${format}`)).car);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  node = await startNode();
  const keep = async (bytes: Buffer) => (await filesOf(node).put(inChunks(bytes, 64_000))).cid;
  cid = await keep(page);
  const properties = { label: 'book', cid, uploaded: true, filename: 'book.txt' };
  await create(node, 'book', { type: 'file', properties });
  const content = { thumb: { cid: await keep(thumb), size: thumb.length, content_type: 'image/png' } };
  await create(node, 'print', { properties: { label: 'print', content } });
});
afterAll(() => node[Symbol.asyncDispose]());

async function expectRefused(zip: Buffer, reason: RegExp): Promise<void> {
  await using other = await startNode();
  const response = await operate(other, 'POST /node/import-car', zip);
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(reason)]);
  expect((await tipsOf(other)).size).toBe(0);
  // What is open keeps its room on the disk, also where it has no name any more.
  if (platform === 'linux') await expect.poll(() => openBelow(spoolFolder(join(other.data, 'main')))).toEqual([]);
}

const isBook = (path: string) => path.endsWith('-book.txt');

/** A package whose book has another byte, with checksums that are right for it. */
async function withOtherBook(format: string): Promise<Buffer> {
  const files = await unzipped(await packed(format));
  const other = Buffer.from(page).fill('A', 0, 1);
  const digests = (text: Buffer) => Buffer.from(text.toString().replaceAll(sha256(page), sha256(other)));
  return zipOf(
    [...files].map(([path, bytes]) => {
      if (isBook(path)) return [path, other];
      return [path, /\/manifest-sha256\.txt$|metadata\.json$/.test(path) ? digests(bytes) : bytes];
    }),
  );
}

describe.each(packages)('a package (%s)', (format) => {
  test('with a flipped bit in a file is refused by the checksum, which names the file', async () => {
    const zip = await packed(format);
    const at = zip.indexOf(page);
    expect(at).toBeGreaterThan(0);
    zip[at] = (zip[at] ?? 0) ^ 1;
    await expectRefused(zip, /files\/[0-9A-Z]{26}\/\w{8}-book\.txt does not have the checksum/);
  });

  test('with a flipped bit in what is compressed is refused as one that is damaged', async () => {
    const zip = await packed(format);
    // The name of the first compressed file, in its head; its bytes follow.
    const name = format === 'bagit' ? 'bagit.txt' : 'records.ndjson';
    const at = zip.indexOf(name) + name.length;
    zip[at] = (zip[at] ?? 0) ^ 0xff;
    await expectRefused(zip, /The package cannot be imported: The ZIP is damaged: /);
  });

  test('with a file of other bytes than its versions name is refused, whatever its own checksums say', async () => {
    await expectRefused(
      await withOtherBook(format),
      /files\/[0-9A-Z]{26}\/\w{8}-book\.txt holds other bytes than any version/,
    );
  });
});

test('a package with two histories is refused', async () => {
  const files = await unzipped(await packed('ro-crate'));
  const twice = await zipOf([...files].flatMap((file) => (file[0] === 'history.car' ? [file, file] : [file])));
  await expectRefused(twice, /It has two of history\.car\./);
});

test('files that did not come with an archive are counted until they have come', async () => {
  await using other = await startNode();
  const files = await unzipped(await packed('ro-crate'));
  const without = await zipOf([...files].filter(([path]) => !isBook(path)));
  const remark = /^1 file that its versions name is not here and did not come with it/;
  const lacking = { missing_files: 1, remarks: [expect.stringMatching(remark)] };
  expect(await imported(other, without)).toMatchObject(lacking);
  expect((await verified(other)).counts.missing_files).toBe(1);
  // What is here already is asked for as well.
  expect(await imported(other, without)).toMatchObject({ ...lacking, created: 0, versions: 0 });
  expect(await imported(other, await packed('ro-crate'))).toMatchObject({ missing_files: 0, remarks: [] });
  expect((await verified(other)).counts.missing_files).toBe(0);
  expect(await imported(other, without)).toMatchObject({ missing_files: 0, remarks: [] });

  await using folder = await temporaryFolder();
  const history = join(folder.path, 'history.car');
  await writeFile(history, files.get('history.car') ?? '');
  const { code, out } = await commandLine(join(folder.path, 'data'), ['import-car', history]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^2 files that its versions name are not here/m)]);
});

test.each(packages)('a file that is damaged here breaks an export off (%s), as it does an archive', async (format) => {
  const path = join(filesFolder(join(node.data, 'main')), cid.slice(-2), cid);
  await writeFile(path, Buffer.from(page).fill('A', 0, 1));
  const answer = await ask(node, operator(node), `GET /node/export?format=${format}`).catch(() => null);
  expect(answer?.status).not.toBe(200);
  // Where something has gone out by then, only the log can say it.
  expect(`${answer?.text}${node.logged.join('')}`).toContain(`Content ${cid} is stored with other bytes.`);
  await writeFile(path, page);
});
