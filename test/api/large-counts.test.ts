import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { IncomingLinksView } from '../../src/server/resources/node/links/wire.ts';
import type { SyncStateView } from '../../src/server/resources/node/sync/wire.ts';
import type { Row } from '../../src/server/store/commit.ts';
import type { NetworkStore } from '../../src/server/store/network-store.ts';
import { gaugesOf } from '../../src/server/sync/gauges.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// What a page asks for every few seconds is counted on the event loop as far as that is done at once.

let node: TestNode;
let me: Person;
let store: NetworkStore;
beforeAll(async () => {
  node = await startNode();
  me = operator(node);
  store = await node.ctx.networks.get('main');
});
afterAll(() => node[Symbol.asyncDispose]());

/** Writes to the database as the node's writer does. */
function write(sql: string, ...params: (number | string)[]): void {
  const db = new Database(store.database);
  try {
    db.prepare(sql).run(...params);
  } finally {
    db.close();
  }
}

/** What an answer says, and which long reads it took. */
async function asked<T>(path: string): Promise<{ said: T; long: string[] }> {
  const readLong = vi.spyOn(store, 'readLong');
  try {
    const said = ok<T>(await ask(node, me, path));
    return { said, long: readLong.mock.calls.map(([name]) => name) };
  } finally {
    readLong.mockRestore();
  }
}

const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';

test('very much that waits to be sent to a remote is counted beside the event loop', async () => {
  const hub: Row = {
    ...{ kind: 'remote', remote: 'hub', url: 'http://hub.test', secret: null, instance: null, user: null },
    ...{ direction: 'pull', collections: [] },
  };
  await store.submit([{ changes: [], preconditions: [], rows: [hub], origin: 'local', time: 0 }]);
  const waiting = async (count: number) => {
    write(`${numbers} INSERT OR IGNORE INTO push_pending SELECT r.key, i + 1000000 FROM n, remote r`, count);
    const { said, long } = await asked<SyncStateView>('GET /node/sync/state');
    expect(said.remotes).toMatchObject([{ name: 'hub', pending: count, conflicts: 0, refused: 0 }]);
    return long;
  };
  expect(await waiting(10_000)).toEqual([]);
  expect(await waiting(10_001)).toEqual(['openCounts']);
  const readLong = vi.spyOn(store, 'readLong');
  const none = { last: () => null, current: () => null };
  await Promise.all([1, 2, 3].map(() => gaugesOf(store, none, 0)));
  expect(readLong.mock.calls.map(([name]) => name)).toEqual(['openCounts']);
  readLong.mockRestore();
  const { text } = await ask(node, me, 'GET /metrics');
  expect(text).toMatch(/remote="hub".* 10001$/m);
});

test('very much that leads to an entity is counted beside the event loop', async () => {
  const hub = await create(node, me, { type: 'artist' });
  const work = await create(node, me, { type: 'work', relationships: [{ predicate: 'made_by', peer: hub.id }] });
  const leading = async (count: number) => {
    write(
      `${numbers} INSERT OR IGNORE INTO edge SELECT i + 1000000, p.key, e.key FROM n, predicate p, entity e
         WHERE p.name = 'made_by' AND e.id = ?`,
      count - 1,
      hub.id,
    );
    const { said, long } = await asked<IncomingLinksView>(`GET /node/links/${hub.id}/incoming`);
    expect(said.total).toBe(count);
    expect(said.relationships.map(({ peer_id }) => peer_id)).toEqual([work.id]);
    return long;
  };
  expect(await leading(10_000)).toEqual([]);
  expect(await leading(10_001)).toEqual(['incomingTotal']);
});
