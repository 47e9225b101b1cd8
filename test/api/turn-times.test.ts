import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { RequestPool } from '../../src/server/request-pool.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { threadGate } from '../helpers/thread-gate.ts';

// What waits for a thread of large requests is done with the time of its turn, not that of its arrival.

const clock = { ms: Date.UTC(2026, 0, 1) };
const minute = 60_000;
const long = { text: 'A long text. '.repeat(20_000) };
let node: TestNode;
let owner: Person;
let place: Entity;
let pool: RequestPool;
beforeAll(async () => {
  node = await startNode({ writer: 'thread', now: () => clock.ms });
  owner = operator(node);
  pool = node.ctx.largeRequests as RequestPool;
});
afterAll(() => node[Symbol.asyncDispose]());
beforeEach(async () => {
  place = await collection(node, owner);
});
afterEach(() => vi.restoreAllMocks());

function made(): Promise<Entity> {
  return create(node, owner, { properties: long, collection: place.id });
}

/** Has both turns taken until `end`. */
async function occupied(): Promise<{ end: () => Promise<unknown> }> {
  const entity = await create(node, owner, { collection: place.id });
  const { open, begun } = threadGate('serveLarge');
  const slow = [1, 2].map(() => ask(node, owner, `GET /entities/${entity.id}?expand=relationships`));
  await vi.waitFor(() => expect(begun).toHaveLength(2), 30_000);
  const end = () => {
    open();
    return Promise.all(slow);
  };
  return { end };
}

test('a version that is made there is no older than one that was made meanwhile', async () => {
  const guest = await user(node, 'guest');
  const { id, cid } = await update(node, owner, place, { properties: long });
  const busy = await occupied();
  const enrolled = enrol(node, owner, id, guest, 'viewer');
  await vi.waitFor(() => expect(pool.underWay).toBe(3), 30_000);
  clock.ms += minute;
  await busy.end();
  await enrolled;
  const { prev_cid, ts } = await read(node, owner, id);
  expect({ prev_cid, ts }).toEqual({ prev_cid: cid, ts: clock.ms });
});

test('a membership that ends while a large request waits for its turn allows it nothing', async () => {
  const guest = await user(node, 'guest');
  await enrol(node, owner, place.id, guest, 'editor', 30);
  const { id, cid } = await made();
  const busy = await occupied();
  const change = ask(node, guest, `PUT /entities/${id}`, { expect_tip: cid, properties: { label: 'late' } });
  await vi.waitFor(() => expect(pool.underWay).toBe(3), 30_000);
  clock.ms += minute;
  await busy.end();
  expect((await change).status).toBe(403);
  expect((await read(node, owner, id)).cid).toBe(cid);
});
