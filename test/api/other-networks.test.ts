import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import type { Json } from '../../src/server/model/manifest.ts';
import { spooledPath } from '../../src/server/store/archive/spool.ts';
import type { Row } from '../../src/server/store/commit.ts';
import { openReader, type Reader } from '../../src/server/store/connection.ts';
import { spoolFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { archiveTask, archiveTasks } from '../../src/server/store/tasks.ts';
import { ask, on, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { create } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { operate } from '../helpers/node-archives.ts';

// What a stop left on a network that nobody asks for.

const file = '00000000-0000-4000-8000-000000000000.car';

interface Left {
  documents: number;
  updates: number;
  imports: number;
}

function leftIn(data: string): Left {
  const db = openReader(databaseFile(data, 'test'));
  const count = (sql: string, reader: Reader = db) => reader.get<{ n: number }>(sql)?.n ?? 0;
  try {
    return {
      documents: count("SELECT count(*) AS n FROM entity WHERE type = 'document' AND tip IS NOT NULL"),
      updates: count('SELECT count(*) AS n FROM additive WHERE expires IS NULL'),
      imports: archiveTasks(db).unfinished.length,
    };
  } finally {
    db.close();
  }
}

/** Makes a data folder whose test network has an import of so many entities under way and an additive update waiting. */
async function leave(data: string, entities = 3): Promise<void> {
  await using other = await temporaryFolder();
  let car: Uint8Array = new Uint8Array();
  {
    await using from = await startNode({ data: other.path });
    for (let left = entities; left > 0; left -= 100) {
      const items = Array.from({ length: Math.min(left, 100) }, () => ({ type: 'document', properties: {} }));
      expect((await operate(from, 'POST /entities/batch', { entities: items }, 'test')).status).toBe(201);
    }
    car = new Uint8Array(await (await operate(from, 'GET /node/export', undefined, 'test')).arrayBuffer());
  }
  const rows: Row[] = [];
  {
    await using node = await startNode({ data });
    const who = on('test', operator(node));
    const { id } = await create(node, who, { type: 'thing' });
    const summary = JSON.stringify({ relationships: 0, first: [], keys: [], note: null });
    const body = JSON.stringify({ properties: { a: 1 } });
    rows.push({ kind: 'additive', id, actor: JSON.stringify({ kind: 'user', id: who.id }), summary, body });
  }
  const store = await NetworkStore.open(data, 'test', { writer: 'here' });
  await mkdir(spoolFolder(store.folder), { recursive: true });
  await writeFile(spooledPath(store.folder, file) ?? '', car);
  const state = { file, run: { id: '00000000000000000000000000', started: 0, name: 'left.car' } } as Json;
  rows.push({ kind: 'task', id: `${archiveTask} ${file}`, task: { kind: archiveTask, state } });
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: 0 }]);
  await store.close();
}

test('what was accepted on a network is gone on with after a start, though nobody asks for it', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await leave(data);
  expect(leftIn(data)).toEqual({ documents: 0, updates: 1, imports: 1 });
  {
    // A node that runs for one command leaves it alone.
    await using node = await startNode({ data });
    expect(node.ctx.networks.opened().map(({ network }) => network)).toEqual(['main']);
  }
  expect(leftIn(data)).toEqual({ documents: 0, updates: 1, imports: 1 });
  await using _node = await startNode({ data, watch: true });
  await vi.waitFor(() => expect(leftIn(data)).toEqual({ documents: 3, updates: 0, imports: 0 }), 15_000);
});

test('a node that stops leaves an import that it completes to its next start', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await leave(data);
  {
    await using node = await startNode({ data });
    node.ctx.archives.carImports.stop();
    await node.ctx.networks.get('test');
  }
  const db = openReader(databaseFile(data, 'test'));
  expect(archiveTasks(db).unfinished).toMatchObject([{ file, ended: { starts: 0 } }]);
  db.close();
  // Stopped at once, whether or not it has begun: nothing is lost.
  await startNode({ data, watch: true }).then((node) => node[Symbol.asyncDispose]());
  await using _node = await startNode({ data, watch: true });
  await vi.waitFor(() => expect(leftIn(data)).toMatchObject({ documents: 3, imports: 0 }), 15_000);
});

// Where the system tells what a process has open.
test.skipIf(platform() !== 'linux')(
  'of an import that it leaves a node that stops has nothing open or under way',
  async () => {
    await using folder = await temporaryFolder();
    const data = folder.path;
    // More than one slice.
    await leave(data, 300);
    await using node = await startNode({ data });
    node.ctx.archives.carImports.stop();
    await node.ctx.networks.get('test');
    expect(node.logged.join('')).toContain('the next start goes on with it');
    expect(node.logged.join('')).not.toContain('could not be completed');
    const path = spooledPath(join(data, 'test'), file);
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(open.filter((it) => it === path)).toEqual([]);
  },
);

test('a network that cannot be opened is no reason not to start', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await leave(data);
  const later = new Database(databaseFile(data, 'test'));
  later.pragma('user_version = 999');
  later.close();
  await using node = await startNode({ data, watch: true });
  await vi.waitFor(() => expect(node.logged.join('')).toContain('a network could not be opened'), 15_000);
  expect((await operate(node, 'GET /users/me')).status).toBe(200);
});

test('A network whose database is damaged keeps the node from nothing else, and says so; one that is half made is made', async () => {
  await using folder = await temporaryFolder();
  const { path: data } = folder;
  await (await startNode({ data }))[Symbol.asyncDispose]();
  const asked = async (bytes: string) => {
    await mkdir(join(data, 'test'), { recursive: true });
    await writeFile(databaseFile(data, 'test'), bytes);
    await using node = await startNode({ data, watch: true });
    const me = operator(node);
    await create(node, me, { type: 'document' });
    return ask(node, on('test', me), 'GET /events?network=test');
  };
  expect(await asked('no database at all, but long enough to be taken for one'.repeat(100))).toMatchObject({
    status: 503,
    body: { details: { reason: expect.stringContaining('archeion verify') } },
  });
  const checked = await commandLine(data, ['verify']);
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.out).toContain('The test network was not checked: archeion verify --network test');
  expect(await commandLine(data, ['verify', '--network', 'test'])).toMatchObject({ code: 1 });
  expect(await asked('')).toMatchObject({ status: 200 });
});
