import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { ReaderThreads } from '../../src/server/store/threads/reader-threads.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { first, idOf, step } from '../helpers/store.ts';

// Networks share the threads of long reads, and these outlive the network that was read first.

async function withOne(data: string, network: 'main' | 'test', label: string, readers: ReaderThreads) {
  const store = await NetworkStore.open(data, network, { writer: 'here', readers });
  await store.submit([step(null, first(idOf(1), { properties: { label } }))]);
  return store;
}

async function labelIn(store: NetworkStore): Promise<string> {
  const text = new TextDecoder().decode(await store.readLong('storedJson', { id: idOf(1) }));
  return (JSON.parse(text) as { properties: { label: string } }).properties.label;
}

test('two networks read on the same threads, and one goes on when the other is closed', async () => {
  await using folder = await temporaryFolder();
  await using readers = new ReaderThreads();
  const main = await withOne(folder.path, 'main', 'of main', readers);
  const other = await withOne(folder.path, 'test', 'of test', readers);
  expect(await Promise.all([main, other, main].map(labelIn))).toEqual(['of main', 'of test', 'of main']);
  const under = main.readLong('counts', {});
  await main.close();
  const closing = { reason: 'The node is closing.' };
  await expect(under).rejects.toMatchObject(closing);
  await expect(main.readLong('counts', {})).rejects.toMatchObject(closing);
  expect(await labelIn(other)).toBe('of test');
  await readers[Symbol.asyncDispose]();
  await expect(other.readLong('counts', {})).rejects.toMatchObject(closing);
  await other.close();
});

test('an answer that comes when nobody waits for it any more is no error of the node', async () => {
  await using folder = await temporaryFolder();
  await using readers = new ReaderThreads();
  const store = await withOne(folder.path, 'main', 'of main', readers);
  const stop = new AbortController();
  const read = () =>
    readers.run({ file: store.database, fileId: store.fileId, name: 'counts', args: {} }, stop.signal, null);
  await read();
  const under = read();
  // It is sent in these, and none of them looks for an answer.
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  // The answer is there by then, and this thread has not looked.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  stop.abort();
  await expect(under).rejects.toThrow('aborted');
  await setImmediate();
  expect(await labelIn(store)).toBe('of main');
  await store.close();
});

test('another file under the name of one that was read is read anew', async () => {
  await using folder = await temporaryFolder();
  await using readers = new ReaderThreads();
  const [here, there] = [join(folder.path, 'here'), join(folder.path, 'there')];
  const open = (data: string) => NetworkStore.open(data, 'main', { writer: 'here', readers });
  for (const data of [here, there]) await (await withOne(data, 'main', data, readers)).close();
  const before = await open(here);
  expect(await labelIn(before)).toBe(here);
  await before.close();
  rmSync(here, { recursive: true });
  renameSync(there, here);
  const after = await open(here);
  expect(await labelIn(after)).toBe(there);
  await after.close();
});
