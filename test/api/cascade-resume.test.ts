import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, expect, test, vi } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { CascadeService } from '../../src/server/resources/entities/cascade-service.ts';
import { UnfinishedCascades } from '../../src/server/resources/entities/unfinished-cascades.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { findStanding, findTip, type Standing } from '../../src/server/store/entities.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { unfinished } from '../../src/server/store/tasks.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import { send, startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

// A cascade of several commits that a stop of the node has cut off is finished at the next start.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const count = 2500;
const rounds = 5;
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

test('what a stop has left of a cascade is deleted at the next start, once', async () => {
  await using folder = await temporaryFolder();
  const { who, tree, stays } = await (async () => {
    await using node = await startNode({ data: folder.path });
    const who = operator(node);
    const tree = await plant(node, who);
    const stays = await create(node, who);
    const store = await node.ctx.networks.get('main');
    const state = {
      rules: { collection: tree.home.id, predicates: ['has'], maxDepth: 10 },
      stamp: {
        schema: 'arke/eidos@v1',
        ts: '2026-01-01T00:00:00.000Z',
        edited_by: { user_id: who.id, method: 'manual' },
        note: 'all of it',
      },
      reason: 'no longer ours',
      left: [stays.id, ...tree.children].map((id) => ({ id, depth: 1 })),
    } satisfies Json;
    const row = { kind: 'task', id: 'cascade one', task: { kind: 'cascade', state } } as const;
    expect(await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }])).toEqual([
      { committed: true, moves: [] },
    ]);
    return { who, tree, stays };
  })();

  for (let start = 0; start < 2; start++) {
    await using node = await startNode({ data: folder.path });
    const found = await standing(node, tree.children);
    const expected = { deleted: true, ver: 2, note: 'all of it', reason: 'no longer ours', by: who.id };
    expect(found.map(inBrief)).toEqual(found.map(() => expected));
    expect(found).toHaveLength(count);
    expect(await read(node, who, stays.id)).toEqual(stays);
    const store = await node.ctx.networks.get('main');
    expect(store.read((db) => unfinished(db, 'cascade'))).toEqual([]);
  }
});

/** A store in which a cascade of these was begun, and is to be ended; `root` where the task says what it began with. */
async function begun(node: TestNode, who: Person, home: Entity, left: string[], root?: string): Promise<NetworkStore> {
  const store = await node.ctx.networks.get('main');
  const state = {
    ...(root && { root }),
    rules: { collection: home.id, predicates: ['has'], maxDepth: 10 },
    stamp: {
      schema: 'arke/eidos@v1',
      ts: '2026-01-01T00:00:00.000Z',
      edited_by: { user_id: who.id, method: 'manual' },
    },
    left: left.map((id) => ({ id, depth: 1 })),
  } satisfies Json;
  const row = { kind: 'task', id: 'cascade one', task: { kind: 'cascade', state } } as const;
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
  return store;
}

test('what is left of a cascade stays where somebody has restored its root', async () => {
  await using node = await startNode();
  const who = operator(node);
  const { home, root, children } = await plant(node, who, 3);
  const store = await begun(node, who, home, children, root.id);
  expect(await new CascadeService(node.ctx.writes).resume(store, () => true)).toEqual([]);
  expect((await standing(node, children)).map(({ ver }) => ver)).toEqual([1, 1, 1]);
  expect(store.read((db) => unfinished(db, 'cascade'))).toEqual([]);
});

test('a damaged version in what is left keeps neither the others nor the node', async () => {
  await using folder = await temporaryFolder();
  const [damaged = '', ...others] = await (async () => {
    await using node = await startNode({ data: folder.path });
    const who = operator(node);
    const { home, children } = await plant(node, who, 3);
    await begun(node, who, home, children);
    return children;
  })();
  const db = new Database(databaseFile(folder.path, 'main'));
  db.prepare('UPDATE block SET bytes = zeroblob(length(bytes)) WHERE key = (SELECT tip FROM entity WHERE id = ?)').run(
    damaged,
  );
  db.close();
  await using node = await startNode({ data: folder.path });
  expect((await standing(node, others)).map(({ deleted }) => deleted)).toEqual([true, true]);
});

test('a cascade that a full disk stops in the middle says so, and is ended when that is possible', async () => {
  await using node = await startNode();
  const who = operator(node);
  const { home, root, children } = await plant(node, who);
  const db = new Database(databaseFile(node.data, 'main'));
  // All but the first commit find its task there.
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON block WHEN EXISTS (SELECT 1 FROM task)
    BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  const body = { expect_tip: root.cid, collection_id: home.id, cascade_predicates: ['has'] };
  const answer = await ask(node, who, `DELETE /entities/${root.id}/cascade`, body);
  expect(answer).toMatchObject({
    status: 503,
    body: { details: { reason: expect.stringMatching(/no room.* The entity and a part of .* the others will be/s) } },
  });
  const deleted = async () => (await standing(node, children)).filter((one) => one.deleted).length;
  expect(await deleted()).toBe(999);
  const store = await node.ctx.networks.get('main');
  const cascades = new CascadeService(node.ctx.writes);
  expect(await cascades.resume(store, () => true)).toHaveLength(1);
  db.exec('DROP TRIGGER full');
  db.close();
  expect(await cascades.resume(store, () => true)).toEqual([]);
  expect(await deleted()).toBe(count);
});

test('each minute those are ended of which nothing has been deleted for a minute', async () => {
  await using node = await startNode();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const left = new Map([
      ['stuck', 500],
      ['at work', 9000],
    ]);
    const ended: string[] = [];
    await using unfinished = new UnfinishedCascades({
      networks: node.ctx.networks,
      log: node.ctx.log,
      resume: async (_store, isLeft) => {
        for (const [task, count] of left) if (isLeft(task, count)) ended.push(task);
        return [];
      },
    });
    expect(unfinished).toBeDefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).toEqual([]);
    left.set('at work', 8000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).toEqual(['stuck']);
  } finally {
    vi.useRealTimers();
  }
});

test('a node that is killed between the commits of a cascade finishes it when it starts again', async () => {
  await using folder = await temporaryFolder();
  let cutOff = false;
  for (let round = 0; round < rounds && !cutOff; round++) {
    const { who, tree } = await (async () => {
      await using node = await startNode({ data: folder.path });
      const who = operator(node);
      return { who, tree: await plant(node, who) };
    })();
    await killedMidway(folder.path, who, tree);
    cutOff = await hasUnfinished(folder.path);
    await using node = await startNode({ data: folder.path });
    const [root, ...children] = await standing(node, [tree.root.id, ...tree.children]);
    expect(root).toMatchObject({ deleted: true, ver: 2 });
    const expected = { deleted: true, ver: 2, note: 'all of it', reason: undefined, by: who.id };
    expect(children.map(inBrief)).toEqual(children.map(() => expected));
  }
  expect(cutOff).toBe(true);
});

interface Tree {
  home: Entity;
  root: Entity;
  children: string[];
}

/** A root in a collection, with so many children there. */
async function plant(node: TestNode, who: Person, many = count): Promise<Tree> {
  const home = await collection(node, who);
  const children: string[] = [];
  const entities = Array.from({ length: Math.min(100, many) }, () => ({ type: 'document' }));
  for (let n = 0; n < many; n += entities.length) {
    const made = await ask(node, who, 'POST /entities/batch', { entities, default_collection: home.id });
    children.push(...ok<{ results: { id: string }[] }>(made).results.map(({ id }) => id));
  }
  const relationships = children.map((peer) => ({ predicate: 'has', peer }));
  const body = { type: 'document', collection: home.id, relationships };
  const root = ok(await ask(node, who, 'POST /entities?validate_relationships=false', body));
  return { home, root, children };
}

async function create(node: TestNode, who: Person): Promise<Entity> {
  return ok(await ask(node, who, 'POST /entities', { type: 'document' }));
}

async function standing(node: TestNode, ids: string[]): Promise<Standing[]> {
  const store = await node.ctx.networks.get('main');
  return store.read((db) => ids.flatMap((id) => findStanding(db, id) ?? []));
}

function inBrief({ deleted, ver, manifest }: Standing) {
  return { deleted, ver, note: manifest.note, reason: manifest.reason, by: manifest.edited_by.user_id };
}

/** Asks the built program for the cascade, and kills it as soon as the root is seen to be deleted. */
async function killedMidway(data: string, who: Person, { home, root }: Tree): Promise<void> {
  const { child, url } = await serve(data);
  const exited = once(child, 'exit');
  const body = { expect_tip: root.cid, collection_id: home.id, cascade_predicates: ['has'], note: 'all of it' };
  const answered = send(url, `/entities/${root.id}/cascade`, { method: 'DELETE', headers: who.headers, body });
  answered.catch(() => undefined);
  const db = openReader(databaseFile(data, 'main'));
  while (findTip(db, root.id) === root.cid) await setImmediate();
  child.kill('SIGKILL');
  await exited;
  db.close();
}

async function hasUnfinished(data: string): Promise<boolean> {
  const store = await NetworkStore.open(data, 'main', { writer: 'here' });
  try {
    return store.read((db) => unfinished(db, 'cascade')).length > 0;
  } finally {
    await store.close();
  }
}

async function serve(data: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { child, url };
  }
  throw new Error('the program ended before it was ready');
}
