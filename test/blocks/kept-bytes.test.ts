import { mkdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { KeptBytes } from '../../src/server/blocks/kept-bytes.ts';
import { lose } from '../helpers/files.ts';
import { temporaryFolder } from '../helpers/node.ts';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('the bytes that are kept are told, and what came or went since, too', async () => {
  await using folder = await temporaryFolder();
  const files = join(folder.path, 'files');
  const kept = new KeptBytes(files);
  expect(await kept.total()).toBe(0);
  const store = new FileStore(files);
  const cids: string[] = [];
  for (let n = 0; n < 100; n++) cids.push((await store.put(bytes(`picture ${n}`.padEnd(100)))).cid);
  expect(await kept.total()).toBe(10_000);
  await store.put(bytes('x'.repeat(77)));
  expect(await kept.total()).toBe(10_077);
  await lose(store, cids[0] ?? '');
  expect(await kept.total()).toBe(9977);
  // What lies aside as unwanted takes its room until it is deleted.
  await store.setUnwantedAside(cids[1] ?? '', Number.POSITIVE_INFINITY, () => false);
  expect(await kept.total()).toBe(9977);
  // What is being received is not kept yet.
  await mkdir(join(files, 'incoming'), { recursive: true });
  await writeFile(join(files, 'incoming', 'part'), 'some bytes');
  expect(await kept.total()).toBe(9977);
});

test('a folder that has rested is looked through once', async () => {
  await using folder = await temporaryFolder();
  const store = new FileStore(folder.path);
  const { cid } = await store.put(bytes('a picture'));
  const place = store.place(cid);
  const path = join(place.folder, place.path);
  const kept = new KeptBytes(folder.path);
  await truncate(path, 4);
  await utimes(join(path, '..'), new Date(), new Date());
  expect(await kept.total()).toBe(4);
  // Its time says too little yet.
  await truncate(path, 5);
  expect(await kept.total()).toBe(5);
  const rested = new Date(Date.now() - 60_000);
  await utimes(join(path, '..'), rested, rested);
  expect(await kept.total()).toBe(5);
  await truncate(path, 6);
  expect(await kept.total()).toBe(5);
  await utimes(join(path, '..'), new Date(), new Date());
  expect(await kept.total()).toBe(6);
});
