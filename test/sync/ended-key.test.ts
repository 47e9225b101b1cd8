import { expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { ok, update } from '../helpers/entities.ts';
import { bytesOf, holding } from './contents.ts';
import { keyOf, remoteOf, sync, tipsOf } from './nodes.ts';
import { startProxied } from './proxied.ts';
import type { Call } from './proxy.ts';

// A key that ends in the middle of a run: the run says so, whatever it was asking for, and goes on with the next key where it was.

const ended = { status: 401, body: { error: 'Unauthorized: API key revoked' } };
const isTip = ({ path }: Call) => path.endsWith('/tip');

test.each([
  ['versions', ({ path }: Call) => path === '/node/sync/blocks'],
  ['bytes', ({ method, path }: Call) => method === 'GET' && path.includes('/content?')],
])('while %s come', async (_what, isHit) => {
  await using scene = await startProxied({ proxy: { plain: false } });
  const { origin, mirror, proxy, curator, here, place } = scene;
  for (const seed of [1, 2]) await holding(origin, curator, bytesOf(2000, seed), { collection: place.id });
  proxy.fault = (call) => (isHit(call) ? ended : undefined);
  await ask(mirror, here, 'POST /node/remotes/origin/sync');
  const found = await remoteOf(mirror, here);
  expect(found).toMatchObject({ last_run: { fault: 'denied', error: expect.stringContaining('API key revoked') } });
  expect(found).toMatchObject({ contents: {}, troubles: {} });
  proxy.fault = () => undefined;
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator) }));
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 2, missing: 0 } });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('while it is looked what became of a change', async () => {
  await using scene = await startProxied({ works: 1 });
  const { origin, mirror, proxy, here, works } = scene;
  await sync(mirror, here);
  await update(mirror, here, works[0]!, { properties: { n: 'edited' } });
  proxy.fault = (call) => (call.method === 'PUT' ? 'lose' : isTip(call) ? ended : undefined);
  await ask(mirror, here, 'POST /node/remotes/origin/sync');
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0, last_run: { fault: 'denied' } });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('what was not shown to a key is asked for as soon as there is another one', async () => {
  await using scene = await startProxied();
  const { origin, mirror, proxy, curator, here, place } = scene;
  await holding(origin, curator, bytesOf(2000), { collection: place.id });
  proxy.fault = ({ path }) => (path.includes('/content?') ? { status: 403 } : undefined);
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, missing: 1 } });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 0 } });
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator) }));
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, missing: 0 } });
});
