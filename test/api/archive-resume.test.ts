import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import type { Caller } from '../../src/server/model/caller.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { withMade } from '../../src/server/resources/node/archives/import-counts.ts';
import { spooledPath } from '../../src/server/store/archive/spool.ts';
import { newestBlock } from '../../src/server/store/blocks.ts';
import { filesFolder, spoolFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { archiveTask, unfinished } from '../../src/server/store/tasks.ts';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { uploaded } from '../helpers/files.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported, imported, tipsOf, verified } from '../helpers/node-archives.ts';
import { inChunks, listOf, SampleState } from '../helpers/sample-archive.ts';
import { writerGate } from '../helpers/writer-gate.ts';

interface Imports {
  imports: { id: string; files: string[]; counts: { created: number; unchanged: number }; state: string }[];
}

const file = '00000000-0000-4000-8000-000000000000.car';

/** Leaves an import under way, as a kill does. */
async function leave(node: TestNode, car: Uint8Array, run: object, ended?: object): Promise<void> {
  const store = await node.ctx.networks.get('main');
  await mkdir(spoolFolder(store.folder), { recursive: true });
  await writeFile(spooledPath(store.folder, file) ?? '', car);
  const state = { file, run, ...(ended && { ended }) } as Json;
  const rows = [{ kind: 'task' as const, id: `${archiveTask} ${file}`, task: { kind: archiveTask, state } }];
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'car', time: 0 }]);
}

/** A folder whose node has left the import of an archive of one person under way. */
async function interrupted(): Promise<Awaited<ReturnType<typeof temporaryFolder>>> {
  const state = new SampleState();
  state.write('person');
  const folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  await leave(node, await state.export(), { id: '00000000000000000000000000', started: 0, name: 'people.car' });
  return folder;
}

/** Whether bytes that no version names, and that came long ago, are still there after leftovers were cleared away. */
async function keepsUnnamed(node: TestNode): Promise<boolean> {
  const files = new FileStore(filesFolder((await node.ctx.networks.get('main')).folder));
  async function* chunks() {
    yield Buffer.from('named by nothing');
  }
  const { cid } = await files.put(chunks());
  const { folder, path } = files.place(cid);
  await utimes(join(folder, path), 1, 1);
  await node.ctx.leftovers.sweep();
  return (await listOf(files.list())).includes(cid);
}

async function resumed(node: TestNode): Promise<object[] | undefined> {
  const status = await ask(node, operator(node), 'GET /node/status');
  return ok<{ networks: { resumed: object[] }[] }>(status).networks[0]?.resumed;
}

const imports = async (node: TestNode) => ok<Imports>(await ask(node, operator(node), 'GET /node/imports')).imports;

test('an import that a kill ended is completed at the next start, and counts what had come before', async () => {
  await using from = await startNode();
  const { id } = await collection(from, operator(from));
  for (let i = 0; i < 20; i++) await create(from, operator(from), { collection: id });
  const { car } = await exported(from, `?collection=${id}`);
  await using folder = await temporaryFolder();
  {
    await using first = await startNode({ data: folder.path });
    const headers = { ...operator(first).headers, 'Content-Type': 'application/octet-stream' };
    const sent = await first.fetch('/node/import-car?name=sent.car', { method: 'POST', headers, body: car });
    expect(sent.status).toBe(200);
    // As a kill right before the end leaves it.
    const [{ id: run } = { id: '' }] = await imports(first);
    await leave(first, car, { id: run, started: 0, name: 'sent.car' });
  }
  await using second = await startNode({ data: folder.path });
  expect(await imports(second)).toMatchObject([{ files: ['sent.car'], counts: { created: 21, unchanged: 0 } }]);
});

test('what had come before counts as made from the first moment of the completion, and nothing is counted below zero', () => {
  const counts = { entities: 5, versions: 0, content: 0, created: 1, advanced: 0, unchanged: 4, forks: 0 };
  const tally = { ...counts, fork_examples: [], waiting: 0, partial: 0, partial_examples: [] };
  expect(withMade(tally, 3)).toMatchObject({ created: 4, unchanged: 1 });
  expect(withMade(tally, 30)).toMatchObject({ created: 5, unchanged: 0 });
});

test('a node that goes on answers while it completes an import, and says so', async () => {
  const state = new SampleState();
  for (let i = 0; i < 300; i++) state.write(`person ${i}`);
  const car = await state.export();
  await using folder = await temporaryFolder();
  const data = folder.path;
  const run = { id: '00000000000000000000000000', started: 0, name: 'people.car' };
  {
    await using node = await startNode({ data });
    await leave(node, car, run);
  }
  using gate = writerGate();
  await using node = await startNode({ data, watch: true, writer: 'thread' });
  expect(await resumed(node)).toEqual([{ what: 'archive', name: 'people.car', done: 0 }]);
  expect((await commandLine(data, ['status'])).out).toContain(
    'completes an interrupted import of an archive (people.car)',
  );
  const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
  expect((await node.fetch('/node/import-car', { method: 'POST', headers, body: car })).status).toBe(503);
  // What comes to the folder meanwhile is nobody's to sweep away, and its own goes when it is complete.
  expect(await readdir(spoolFolder(join(data, 'main')))).toEqual([file]);
  gate.open();
  await vi.waitFor(async () => expect(await resumed(node)).toEqual([]), 15_000);
  expect([(await tipsOf(node)).size, await readdir(spoolFolder(join(data, 'main')))]).toEqual([300, []]);
});

test('a command that is stopped leaves an interrupted import to the next start, where its own node would complete it first', async () => {
  await using folder = await interrupted();
  const data = folder.path;
  expect(await commandLine(data, ['status'], AbortSignal.abort())).toEqual({
    code: 1,
    out: '',
    err: 'archeion: Stopped.',
  });
  expect(await readdir(spoolFolder(join(data, 'main')))).toEqual([file]);
  await using node = await startNode({ data });
  expect((await tipsOf(node)).size).toBe(1);
});

test('a node that stops leaves the import of an archive that it takes in to its next start, and waits for what it has in hand', async () => {
  const state = new SampleState();
  for (let i = 0; i < 600; i++) state.write(`person ${i}`);
  const car = await state.export();
  await using folder = await temporaryFolder();
  const data = folder.path;
  {
    await using node = await startNode({ data });
    const { id } = operator(node);
    const caller: Caller = { actor: { kind: 'user', id, ids: [id], operator: true }, network: 'main' };
    const { carImports } = node.ctx.archives;
    const receiving = carImports.receive(caller, inChunks(car, 65_536), new AbortController().signal);
    expect(await receiving.next()).toMatchObject({ value: { progress: { entities: 0 } } });
    const closed = carImports[Symbol.asyncDispose]();
    expect(await Promise.race([closed, setImmediate('it waits')])).toBe('it waits');
    await expect(receiving.next()).rejects.toThrow('its next start completes the import');
    await closed;
  }
  await using node = await startNode({ data });
  expect([(await tipsOf(node)).size, await readdir(spoolFolder(join(data, 'main')))]).toEqual([600, []]);
});

test('an import is not begun, nor a start counted, where its network cannot be opened', async () => {
  await using folder = await interrupted();
  const data = folder.path;
  const change = (sql: string) => {
    using db = Object.assign(new Database(databaseFile(data, 'main')), { [Symbol.dispose]: () => db.close() });
    db.exec(sql);
    return db.prepare("SELECT state FROM task WHERE kind = 'car_import'").all();
  };
  const [before] = change('ALTER TABLE job RENAME TO elsewhere');
  for (let i = 0; i < 3; i++) await expect(startNode({ data, watch: true })).rejects.toThrow();
  expect(change('ALTER TABLE elsewhere RENAME TO job')).toEqual([before]);
  await using node = await startNode({ data });
  expect((await tipsOf(node)).size).toBe(1);
});

test('an import that ended the start of the node several times is left alone, until its file is gone', async () => {
  const state = new SampleState();
  for (let i = 0; i < 600; i++) state.write(`person ${i}`);
  const car = await state.export();
  await using folder = await temporaryFolder();
  const data = folder.path;
  const run = { id: '00000000000000000000000000', started: 0, name: 'large.car' };
  const spooled = spooledPath(join(data, 'main'), file) ?? '';
  const open = async (node: TestNode) =>
    (await node.ctx.networks.get('main')).read((db) => unfinished(db, archiveTask));
  const newest = async (node: TestNode) => (await node.ctx.networks.get('main')).read(newestBlock);
  {
    await using node = await startNode({ data });
    await leave(node, car, run, { starts: 3, newest: await newest(node) });
    // The node answers while it completes one, so that others write beside it.
    await create(node, operator(node));
  }
  {
    await using node = await startNode({ data });
    expect(node.logged.join('')).toContain('ended 3 times in a row while it completed an interrupted import');
    expect(node.logged.join('')).toContain('large.car');
    expect([await open(node), (await tipsOf(node)).size, existsSync(spooled)]).toMatchObject([[{}], 1, true]);
    // One that has brought something since is gone on with.
    const before = await newest(node);
    const part = new SampleState();
    part.write('another');
    await imported(node, await part.export());
    await leave(node, car, run, { starts: 3, newest: before });
  }
  {
    const starting = startNode({ data });
    const counted = await endedOf(data, starting);
    await using node = await starting;
    // Before it begins, a start is counted that may end.
    expect(counted).toMatchObject({ starts: 1 });
    expect([await open(node), (await tipsOf(node)).size, existsSync(spooled)]).toEqual([[], 602, false]);
    await leave(node, car, run, { starts: 3, newest: await newest(node) });
    await rm(spooled);
  }
  await using node = await startNode({ data });
  expect(await open(node)).toEqual([]);
});

test.skipIf(platform() !== 'linux')(
  'an import is not given up where other files than its archive are missing',
  async () => {
    const state = new SampleState();
    const id = state.write('person');
    state.attach(id, Buffer.from('a portrait'));
    const car = await state.export();
    await using folder = await temporaryFolder();
    const data = folder.path;
    const files = filesFolder(join(data, 'main'));
    const start = async () => {
      await using node = await startNode({ data });
      return { logged: node.logged.join(''), has: (await tipsOf(node)).has(id) };
    };
    {
      await using node = await startNode({ data });
      await leave(node, car, { id: '00000000000000000000000000', started: 0, name: 'people.car' });
    }
    // A folder in which nothing can be made: what is asked for is not there.
    await rm(files, { recursive: true, force: true });
    await symlink('/proc', files);
    expect(await start()).toMatchObject({ logged: expect.stringContaining('the next start tries again'), has: false });
    expect(existsSync(spooledPath(join(data, 'main'), file) ?? '')).toBe(true);
    await rm(files);
    expect(await start()).toMatchObject({ has: true });
  },
);

test('an import that is left alone was broken off, is undone, and does not come back', async () => {
  const state = new SampleState();
  for (let i = 0; i < 5; i++) state.write(`person ${i}`);
  const car = await state.export();
  await using folder = await temporaryFolder();
  const data = folder.path;
  const run = { id: '', started: 0, name: 'large.car' };
  const stateOf = async (node: TestNode) => (await imports(node)).map((one) => one.state);
  {
    await using node = await startNode({ data });
    const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
    expect((await node.fetch('/node/import-car', { method: 'POST', headers, body: car })).status).toBe(200);
    run.id = (await imports(node))[0]?.id ?? '';
    const newest = (await node.ctx.networks.get('main')).read(newestBlock);
    await leave(node, car, run, { starts: 3, newest });
    expect(await keepsUnnamed(node)).toBe(true);
    const remarks = (await verified(node)).remarks.join();
    expect(remarks).toContain('the next start of the node completes it, where "archeion status" does not say');
  }
  const spooled = spooledPath(join(data, 'main'), file) ?? '';
  {
    await using node = await startNode({ data });
    expect(await imports(node)).toMatchObject([{ state: 'broken_off', counts: { created: 5 } }]);
    expect(node.logged.join('')).toContain('ended 3 times in a row while it completed an interrupted import');
    expect(await keepsUnnamed(node)).toBe(false);
    const remarks = (await verified(node)).remarks.join();
    expect(remarks).toContain(`An import of an archive (large.car) is left alone`);
    expect(remarks).not.toContain('the next start of the node completes it');
    expect(existsSync(spooled)).toBe(true);
    const undone = await ask(node, operator(node), `POST /node/imports/${run.id}/undo`);
    expect(undone.status).toBe(200);
    expect(ok(await ask(node, operator(node), `GET /node/imports/${run.id}/made`))).toMatchObject({
      made: 5,
      deleted: 5,
    });
    expect(existsSync(spooled)).toBe(false);
    expect((await verified(node)).remarks.join()).not.toContain('left alone');
  }
  await using node = await startNode({ data });
  expect(node.logged.join('')).not.toContain('interrupted import');
  expect(await stateOf(node)).toEqual(['broken_off']);
});

/** An archive with content, on a node that can keep none, as on a full disk, before there is room. */
async function withoutRoom(node: TestNode, query = ''): Promise<{ car: Uint8Array; makeRoom: () => Promise<void> }> {
  await using from = await startNode();
  for (let i = 0; i < 5; i++) await create(from, operator(from));
  await uploaded(from, operator(from), 'a page');
  const { car } = await exported(from, query);
  const incoming = join(filesFolder(join(node.data, 'main')), 'incoming');
  await mkdir(join(incoming, '..'), { recursive: true });
  await rm(incoming, { recursive: true, force: true });
  await writeFile(incoming, '');
  return { car, makeRoom: () => rm(incoming) };
}

/** An archive whose import fails once it has been recorded: its bytes cannot be kept. Gives its archive and run. */
async function brokenOff(node: TestNode): Promise<{ car: Uint8Array; run: string; makeRoom: () => Promise<void> }> {
  const { car, makeRoom } = await withoutRoom(node);
  await expect(imported(node, car)).rejects.toThrow(
    'What had come of the archive by then is kept, and the next start of the node brings the rest',
  );
  const [{ id: run } = { id: '' }] = await imports(node);
  return { car, run, makeRoom };
}

const undone = async (node: TestNode, run: string) =>
  (await ask(node, operator(node), `POST /node/imports/${run}/undo`)).status;
const live = async (node: TestNode) =>
  (await node.ctx.networks.get('main')).read(
    (db) => db.get<{ n: number }>("SELECT count(*) AS n FROM entity WHERE deleted = 0 AND type <> 'user'")?.n,
  );

test('a package whose files cannot be kept is refused in words, and nothing of it is left', async () => {
  await using node = await startNode();
  const { car } = await withoutRoom(node, '?format=bagit');
  const headers = { ...operator(node).headers, 'Content-Type': 'application/zip' };
  const answer = await node.fetch('/node/import-car', { method: 'POST', headers, body: car });
  expect(answer).toMatchObject({
    status: 503,
    body: { details: { reason: expect.stringContaining('The file system reported an error') } },
  });
  expect(await imports(node)).toEqual([]);
  expect(await readdir(spoolFolder(join(node.data, 'main')))).toEqual([]);
});

test('an import that failed midway is undone at once, and no start completes it', async () => {
  await using folder = await temporaryFolder();
  {
    await using node = await startNode({ data: folder.path });
    const { run, makeRoom } = await brokenOff(node);
    expect(await imports(node)).toMatchObject([{ state: 'broken_off' }]);
    expect(await resumed(node)).toEqual([{ what: 'archive', name: null, done: null }]);
    expect((await commandLine(folder.path, ['status'])).out).toContain(
      'an import of an archive broke off: the next start of the node completes it',
    );
    await makeRoom();
    expect(await undone(node, run)).toBe(200);
    expect(await resumed(node)).toEqual([]);
    expect(await readdir(spoolFolder(join(node.data, 'main')))).toEqual([]);
  }
  await using node = await startNode({ data: folder.path });
  expect(node.logged.join('')).not.toContain('interrupted');
  expect(await live(node)).toBe(0);
});

test('an import that is completed at a start brings back nothing that was undone after it began', async () => {
  await using folder = await temporaryFolder();
  {
    await using node = await startNode({ data: folder.path });
    const { car, makeRoom } = await brokenOff(node);
    await makeRoom();
    const again = await imported(node, car);
    expect(await live(node)).toBe(6);
    expect(await undone(node, again.run)).toBe(200);
    expect(await live(node)).toBe(0);
  }
  await using node = await startNode({ data: folder.path });
  expect(node.logged.join('')).toContain('the import is complete');
  expect(await live(node)).toBe(0);
});

/** What stands of the import while a node starts, as soon as the start is counted. */
async function endedOf(data: string, starting: Promise<unknown>): Promise<unknown> {
  let isStarted = false;
  const started = starting.finally(() => {
    isStarted = true;
  });
  const db = new Database(databaseFile(data, 'main'), { readonly: true });
  try {
    for (; !isStarted; await setImmediate()) {
      const row = db.prepare('SELECT state FROM task').get() as { state: string } | undefined;
      const { ended } = JSON.parse(row?.state ?? '{}') as { ended?: { starts: number } };
      if (ended && ended.starts < 3) return ended;
    }
  } finally {
    db.close();
    await started;
  }
  return null;
}
