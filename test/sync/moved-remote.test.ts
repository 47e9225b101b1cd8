import { expect, test } from 'vitest';
import type { SyncLogView } from '../../src/server/resources/node/sync/wire.ts';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, ok, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, keyOf, read, remoteOf, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

test.each([
  ['a node', false, 409, /is another node than before/],
  ['a service', true, 400, /does not accept it/],
])('%s is gone on with at another address, and only where it is the same', async (_, stranger, status, words) => {
  await using origin = await startNode();
  await using other = await startNode();
  await using mirror = await startNode();
  await using old = await startProxy(origin.url, { plain: false, stranger });
  await using next = await startProxy(origin.url, { plain: false, stranger });
  await using wrong = await startProxy(other.url, { plain: false, stranger });
  const [curator, here] = [await user(origin, 'curator'), operator(mirror)];
  const { id } = await collection(origin, curator, { label: 'Works' });
  const work = await create(origin, curator, { collection: id });
  await addRemote(mirror, here, { url: old.url, key: keyOf(curator) });
  await sync(mirror, here);
  await sync(mirror, here);
  await update(mirror, here, work, { properties: { n: 1 } });
  old.fault = () => 'cut';
  const move = (url: string) => ask(mirror, here, 'PUT /node/remotes/origin/address', { url });

  const refused = await move(wrong.url);
  expect([refused.status, refused.text]).toEqual([status, expect.stringMatching(words)]);
  expect((await move('ftp://museum.org')).status).toBe(400);
  const { seen, mirrored, last_run } = await remoteOf(mirror, here);
  expect(await remoteOf(mirror, here)).toMatchObject({ url: old.url, pending: 1 });

  ok(await move(`${next.url}/`));
  const kept = { pending: 1, seen, mirrored, user: curator.id, last_run };
  expect(await remoteOf(mirror, here)).toMatchObject({ url: next.url, ...kept });
  const { events } = ok<SyncLogView>(await ask(mirror, here, 'GET /node/sync/log?kind=moved'));
  expect(events).toMatchObject([{ remote: 'origin', words: next.url }]);
  expect(await sync(mirror, here)).toMatchObject({ events: 0, updated: 1, stopped: null });
  expect((await read(origin, curator, work.id)).properties).toEqual({ n: 1 });
});

test.each([
  ['a node', false],
  ['a service', true],
])(
  '%s is given another address and another key at once, so that the one before is not shown there',
  async (_, stranger) => {
    await using origin = await startNode();
    await using mirror = await startNode();
    await using next = await startProxy(origin.url, { plain: false, stranger });
    await using old = await startProxy(origin.url, { plain: false, stranger });
    const [curator, here] = [await user(origin, 'curator'), operator(mirror)];
    await addRemote(mirror, here, { url: old.url, key: keyOf(curator), direction: 'push' });
    const { key } = ok<{ key: string }>(await ask(origin, curator, 'POST /users/me/keys', {}));
    const move = (body: object) => ask(mirror, here, 'PUT /node/remotes/origin/address', { url: next.url, ...body });
    expect((await move({ key: `uk_${'0'.repeat(32)}` })).status).toBe(400);
    expect((await move({ key: keyOf(await user(origin, 'another')), direction: 'pull' })).status).toBe(
      stranger ? 409 : 200,
    );
    ok(await move({ key }));
    const direction = stranger ? 'push' : 'pull';
    expect(await remoteOf(mirror, here)).toMatchObject({ url: next.url, user: curator.id, direction });
    await sync(mirror, here);
    ok(await move({ key: null }));
    expect(await remoteOf(mirror, here)).toMatchObject({ user: null, direction: 'pull' });
    expect(next.calls.map(({ headers }) => headers.authorization)).not.toContain(`ApiKey ${keyOf(curator)}`);
  },
);

test('a service without a key that is another one at another address stops the sync', async () => {
  await using origin = await startNode();
  await using other = await startNode();
  await using mirror = await startNode();
  await using old = await startProxy(origin.url, { stranger: true });
  await using wrong = await startProxy(other.url, { stranger: true });
  const here = operator(mirror);
  await collection(origin, await user(origin, 'curator'), { label: 'Works' });
  await collection(other, await user(other, 'curator'), { label: 'Others' });
  await addRemote(mirror, here, { url: old.url });
  await sync(mirror, here);
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/address', { url: wrong.url }));
  expect(await sync(mirror, here)).toMatchObject({ versions: 0, stopped: expect.stringMatching(/is not what it was/) });
});
