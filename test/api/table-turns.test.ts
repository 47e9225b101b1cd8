import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { tableOrder } from '../../src/server/store/listings/table-order.ts';
import { TableViews } from '../../src/server/store/listings/table-views.ts';
import type { NetworkStore } from '../../src/server/store/network-store.ts';
import type { Asker } from '../../src/server/store/threads/asker-turns.ts';
import { readWhileWaitedFor } from '../../src/server/store/threads/read-time.ts';
import { operator } from '../helpers/callers.ts';
import { collection, create, type Entity } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { threadGate } from '../helpers/thread-gate.ts';

let node: TestNode;
let store: NetworkStore;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  store = await node.ctx.networks.get('main');
  home = await collection(node, operator(node));
  for (const label of ['b', 'a']) await create(node, operator(node), { collection: home.id, properties: { label } });
});
afterAll(() => node[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

/** In milliseconds, on a machine with much else to do. */
const patience = 30_000;

const byLabel = () => ({
  collection: home.id,
  types: [],
  conditions: [],
  sort: { column: { of: 'fact' as const, name: 'label' as const }, descending: false },
});
const all = { offset: 0, limit: 10, columns: [] };

function person() {
  const one = { left: false };
  const actor = { kind: 'user', id: operator(node).id, operator: true } as Asker['actor'];
  const leave = () => {
    one.left = true;
  };
  return { asker: { actor, hasLeft: () => one.left }, leave };
}

test('the order of a table is made only as long as somebody waits for it', () => {
  const order = () => new Uint32Array(new Uint8Array(store.read((db) => tableOrder(db, byLabel()))).buffer);
  expect(order()).toHaveLength(2);
  expect([...readWhileWaitedFor(Int32Array.of(1), order)]).toEqual([0]);
});

test('it has the turn of who asks for it, and is none where there was no time for all rows', async () => {
  const { open, begun } = threadGate('runLongRead');
  const views = new TableViews();
  const { asker, leave } = person();
  const page = views.page(store, byLabel(), all, asker);
  await vi.waitFor(() => expect(begun).toEqual(['tableOrder']), patience);
  leave();
  await new Promise((resolve) => setTimeout(resolve, 300));
  open();
  await expect(page).rejects.toMatchObject({
    issues: [{ path: ['filter'], message: expect.stringMatching(/^takes more than \d+ seconds here/) }],
  });
});

test('of two who wait for the same order one is answered when the other has left, and so is who comes later', async () => {
  const { open, begun } = threadGate('runLongRead');
  const views = new TableViews();
  const [first, second, third] = [person(), person(), person()];
  const pages = [views.page(store, byLabel(), all, first.asker), views.page(store, byLabel(), all, second.asker)];
  await vi.waitFor(() => expect(begun).toEqual(['tableOrder']), patience);
  first.leave();
  await new Promise((resolve) => setTimeout(resolve, 300));
  open();
  for (const page of pages) expect((await page).total).toBe(2);
  vi.restoreAllMocks();

  const again = threadGate('runLongRead');
  const other = new TableViews();
  const left = other.page(store, byLabel(), all, second.asker);
  await vi.waitFor(() => expect(again.begun).toEqual(['tableOrder']), patience);
  second.leave();
  const later = other.page(store, byLabel(), all, third.asker);
  await new Promise((resolve) => setTimeout(resolve, 300));
  again.open();
  await expect(left).rejects.toThrow();
  expect((await later).total).toBe(2);
});
