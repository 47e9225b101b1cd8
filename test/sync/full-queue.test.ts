import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { BusyError } from '../../src/server/errors.ts';
import { ask, operator, user } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { commit, first, idOf, step } from '../helpers/store.ts';
import { writerGate } from '../helpers/writer-gate.ts';
import { addRemote, keyOf, remoteOf, sync, tipsOf } from './nodes.ts';
import { startProxy } from './proxy.ts';

const waitFor = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 60_000 });

/** As while very much is imported: more than may wait, behind a writer that does not come to it yet. `written`: once it does. */
async function fill(node: TestNode) {
  const store = await node.ctx.networks.get('main');
  const properties = { text: 'x'.repeat(4_000_000) };
  const rows = Array.from({ length: 18 }, (_, n) => {
    const { id, cid, bytes } = first(idOf(n), { properties });
    return { kind: 'versions' as const, id, blocks: [{ cid, bytes }] };
  });
  const written = store.submit(rows.map((row) => commit([], { rows: [row] })));
  await expect(store.submit([step(null, first(idOf(99)))])).rejects.toThrow(BusyError);
  return { written };
}

/** A node whose writer is a thread, and its origin with an entity of the curator's. */
async function startScene() {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryFolder());
  const origin = resources.use(await startNode());
  const proxy = resources.use(await startProxy(origin.url));
  const mirror = resources.use(await startNode({ data: folder.path, writer: 'thread' }));
  const [curator, here] = [await user(origin, 'curator'), operator(mirror)];
  const theirs = await create(origin, curator, { properties: { label: 'theirs' } });
  const all = resources.move();
  return { origin, proxy, mirror, curator, here, theirs, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('a sync waits where too much waits to be written already, and fails at nothing', async () => {
  await using scene = await startScene();
  const { origin, proxy, mirror, curator, here, theirs } = scene;
  const mine = await create(mirror, here, { properties: { label: 'mine' } });
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  using gate = writerGate();
  const { written } = await fill(mirror);
  const syncing = sync(mirror, here);
  await waitFor(() => expect(proxy.calls.some(({ path }) => path.startsWith('/events'))).toBe(true));
  gate.open();
  const [report, outcomes] = await Promise.all([syncing, written]);
  expect(outcomes.every(({ committed }) => committed)).toBe(true);
  expect(report).toMatchObject({ refused: 0, troubles: 0, stopped: null });
  const [there, tips] = [await tipsOf(origin), await tipsOf(mirror)];
  expect(tips[theirs.id]).toBe(theirs.cid);
  expect(there[mine.id]).toBe(tips[mine.id]);
  expect(await remoteOf(mirror, here)).toMatchObject({ last_run: { error: null } });
});

test('a run that waits for room ends when it is stopped, and a remote is set at once or not at all', async () => {
  await using scene = await startScene();
  const { proxy, mirror, curator, here, theirs } = scene;
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  using gate = writerGate();
  const { written } = await fill(mirror);
  const set = await ask(mirror, here, 'PUT /node/remotes/origin', { max_kbps: 100 });
  expect([set.status, set.headers['retry-after']]).toEqual([503, '1']);
  const syncing = ask(mirror, here, 'POST /node/remotes/origin/sync');
  await waitFor(() => expect(proxy.calls.some(({ path }) => path.startsWith('/events'))).toBe(true));
  await waitFor(async () => expect(await remoteOf(mirror, here)).toMatchObject({ running: { entities: 0 } }));
  await ask(mirror, here, 'POST /node/remotes/origin/stop', {});
  await Promise.race([syncing, setTimeout(60_000).then(() => expect.fail('the run goes on'))]);
  expect(await remoteOf(mirror, here)).toMatchObject({ running: null, last_run: { fault: 'ended' } });
  gate.open();
  await written;
  expect((await sync(mirror, here)).stopped).toBeNull();
  expect((await tipsOf(mirror))[theirs.id]).toBe(theirs.cid);
});
