import { connect, type Socket } from 'node:net';
import { Piscina } from 'piscina';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Asker, AskerTurns } from '../../src/server/store/threads/asker-turns.ts';
import { workResult } from '../../src/server/store/threads/failed-work.ts';
import type { LongRead } from '../../src/server/store/threads/long-reads.ts';
import { longRead, runLongRead } from '../../src/server/store/threads/reader-thread.ts';
import { ReaderThreads } from '../../src/server/store/threads/reader-threads.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { threadGate } from '../helpers/thread-gate.ts';

let node: TestNode;
let owner: Person;
let entity: Entity;
const readers = new ReaderThreads();
beforeAll(async () => {
  node = await startNode({ readers });
  owner = await user(node, 'owner');
  entity = await create(node, owner, {});
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await readers[Symbol.asyncDispose]();
});
afterEach(() => vi.restoreAllMocks());

/** In milliseconds, on a machine with much else to do. */
const patience = 30_000;

const tree = () => `/entities/${entity.id}/tree`;
const underWay = async () => (await node.ctx.networks.get('main')).activity().longReads;

const gate = () => threadGate('runLongRead', 'answerJob');

/** Asks on a connection that the test can break off. */
function begun(path: string, headers = ''): Socket {
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n`);
  return socket;
}

test('long reads of clients that have left are not read, and nobody waits for them', async () => {
  const { open, begun: read } = gate();
  const first = [ask(node, anonymous, `GET ${tree()}`), ask(node, anonymous, `GET ${tree()}`)];
  await vi.waitFor(async () => expect(await underWay()).toBe(2), patience);
  const sockets = Array.from({ length: 100 }, () => begun(`GET ${tree()}`));
  await vi.waitFor(async () => expect(await underWay()).toBe(102), patience);

  const refused = await ask(node, anonymous, `GET ${tree()}`);
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  expect(refused.body).toMatchObject({ error: 'Service unavailable', details: { service: 'store' } });
  const known = ask(node, owner, `GET /collections/catalog`);
  await vi.waitFor(async () => expect(await underWay()).toBe(103), patience);

  for (const socket of sockets) socket.destroy();
  const left = () => node.ctx.requests.of('GET', '/entities/{id}/tree').statuses[0];
  await vi.waitFor(() => expect(left()).toBe(100), patience);
  const later = ask(node, anonymous, `GET ${tree()}`);
  await vi.waitFor(async () => expect(await underWay()).toBe(4), patience);
  open();
  for (const answer of [...first, known, later]) expect((await answer).status).toBe(200);
  expect(read).toEqual(['tree', 'tree', 'catalog', 'tree']);
  expect(await underWay()).toBe(0);
});

test('a long read that has begun ends when its client has left', async () => {
  const { open } = gate();
  const head = `Authorization: ${owner.headers.Authorization}\r\n`;
  const socket = begun(`GET /graph/entity/${entity.id}`, head);
  const task = () => vi.mocked(Piscina.prototype.run).mock.calls[0]?.[0] as LongRead | undefined;
  await vi.waitFor(() => expect(task()?.name).toBe('graphEntity'), patience);
  expect(task()?.left).toEqual(Int32Array.of(0));
  socket.destroy();
  await vi.waitFor(() => expect(task()?.left).toEqual(Int32Array.of(1)), patience);
  open();
  await vi.waitFor(async () => expect(await underWay()).toBe(0), patience);

  const { database: file, fileId } = await node.ctx.networks.get('main');
  const other = await create(node, owner, { relationships: [{ predicate: 'knows', peer: entity.id }] });
  const args = { expand: 'none', depth: 4, direction: 'both', limit: 10 } as const;
  const paths = (left?: Int32Array): LongRead => ({
    file,
    fileId,
    name: 'graphPaths',
    args: { ...args, sources: [other.id], targets: [entity.id] },
    left,
  });
  const answer = (read: LongRead) => JSON.parse(new TextDecoder().decode(workResult(longRead(read))));
  expect(answer(paths(Int32Array.of(1)))).toEqual({ paths: [], truncated: true });
  expect(answer(paths(Int32Array.of(0)))).toMatchObject({ paths: [{ length: 1 }], truncated: false });
});

test('searches of clients that have left are not searched', async () => {
  const { open, begun: read } = gate();
  const path = 'POST /search/entities';
  const body = JSON.stringify({ query: 'horse' });
  const head = `Authorization: ${owner.headers.Authorization}\r\nContent-Length: ${body.length}\r\n`;
  const first = ask(node, owner, path, { query: 'horse' });
  await vi.waitFor(() => expect(read).toEqual(['answerJob']), patience);
  const waiting = vi.spyOn(AskerTurns.prototype, 'take');
  const sockets = Array.from({ length: 20 }, () => begun(path, head));
  for (const socket of sockets) socket.write(body);
  await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(20), patience);
  const later = ask(node, owner, path, { query: 'horse' });
  await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(21), patience);
  for (const socket of sockets) socket.destroy();
  const left = () => node.ctx.requests.of('POST', '/search/entities').statuses[0];
  await vi.waitFor(() => expect(left()).toBe(20), patience);
  open();
  for (const answer of [first, later]) expect((await answer).status).toBe(200);
  expect(read).toEqual(['answerJob', 'answerJob']);
});

test('a long result is not copied on its way from a thread, but changes hands', async () => {
  const text = 'x'.repeat(1_100_000);
  const [large, small] = [await create(node, owner, { properties: { text } }), entity];
  const store = await node.ctx.networks.get('main');
  const read = (id: string): LongRead => {
    const { database: file, fileId } = store;
    return { file, fileId, name: 'storedJson', args: { id } };
  };
  const parcel = Object(await runLongRead(read(large.id)));
  expect(parcel[Piscina.transferableSymbol]).toBe(parcel[Piscina.valueSymbol].buffer);
  expect(await runLongRead(read(small.id))).toBeInstanceOf(Uint8Array);
  const bytes = await store.readLong('storedJson', { id: large.id });
  expect(new TextDecoder().decode(bytes)).toContain(text);
  expect((await ask(node, owner, `GET /entities/${large.id}`)).text).toContain(text);
});

const person = (id: string): Asker => ({ actor: { kind: 'user', id, ids: [id], operator: false } });

test('who asks for much waits no less than others, and takes half of the places at most', async () => {
  const turns = new AskerTurns(1, 'long reads');
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  const take = (name: string, asker: Asker) => turns.take(asker, async () => void order.push(name));
  const from = (address: string): Asker => ({ actor: { kind: 'anonymous' }, address });
  const behalf = (of: string): Asker => ({ actor: { kind: 'service', id: 's', onBehalfOf: { id: of, ids: [of] } } });
  const all = [turns.take(null, () => promise)];
  for (let n = 0; n < 100; n++) all.push(take('much', person('much')));
  await expect(take('much', person('much'))).rejects.toThrow('Service unavailable');
  for (const name of ['a', 'b', 'a']) all.push(take(name, person(name)));
  for (const name of ['c', 'd']) all.push(take(name, behalf(name)));
  const addresses = { 1: '2001:db8:0:1::1', 2: '2001:db8:0:1::2', 3: '2001:db8:0:2::1' };
  for (const name of [1, 2, 3, 1] as const) all.push(take(`${name}`, from(addresses[name])));
  open();
  await Promise.all(all);
  expect(order.slice(0, 13)).toEqual(['much', '1', 'a', '3', 'b', '2', 'c', '1', 'd', 'much', 'a', 'much', 'much']);
});

test('what goes on is not refused where no more may begin, and does not stand behind them', async () => {
  const turns = new AskerTurns(1, 'large requests');
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  const ada = person('ada');
  const take = (name: string, goesOn = false) => turns.take(ada, async () => void order.push(name), goesOn);
  const all = [turns.take(ada, () => promise)];
  for (let n = 0; n < 100; n++) all.push(take('begins'));
  await expect(take('begins')).rejects.toThrow('Service unavailable');
  for (const name of ['first', 'second']) all.push(take(name, true));
  open();
  await Promise.all(all);
  expect(order.slice(0, 5)).toEqual(['begins', 'first', 'begins', 'second', 'begins']);
});

test('those with a key and those without have their turns alternately, and the own work of the node is never refused', async () => {
  const turns = new AskerTurns(1, 'long reads');
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  const known = person('u');
  const stranger: Asker = { actor: { kind: 'anonymous' } };
  const work = (name: string) => async () => void order.push(name);
  const all = [turns.take(null, () => promise)];
  for (let n = 0; n < 3; n++) all.push(turns.take(stranger, work('stranger')));
  for (let n = 0; n < 2; n++) all.push(turns.take(known, work('known')));
  all.push(turns.take(null, work('own')));
  open();
  await Promise.all(all);
  expect(order).toEqual(['known', 'stranger', 'own', 'stranger', 'known', 'stranger']);

  const held = Promise.withResolvers<void>();
  const full = [turns.take(known, () => held.promise)];
  for (let n = 0; n < 200; n++) full.push(turns.take(person(`u${n % 2}`), async () => undefined));
  await expect(turns.take(known, async () => undefined)).rejects.toThrow('Service unavailable');
  full.push(turns.take(null, async () => undefined));
  held.resolve();
  await Promise.all(full);
  expect(turns.waiting).toBe(0);
});
