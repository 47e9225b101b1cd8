import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection, create, update } from '../helpers/entities.ts';
import { addRemote, chainOf, keyOf, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { startProxied } from './proxied.ts';
import type { Fault } from './proxy.ts';

const pushPath = '/node/sync/push';
const card = '/.well-known/archeion';

/** A work with drafts that the other node does not have yet, behind a proxy that passes everything so far. */
async function startDrafted() {
  const scene = await startProxied({ proxy: { plain: false } });
  const { origin, mirror, proxy, here } = scene;
  await addRemote(mirror, here, { name: 'node', url: proxy.url, key: keyOf(operator(origin)) });
  const place = await collection(mirror, here, { label: 'Made here' });
  const work = await create(mirror, here, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here, 'node');
  const first = await update(mirror, here, work, { properties: { n: 2 } });
  await update(mirror, here, first, { properties: { n: 3 }, note: 'why' });
  return { ...scene, work };
}

const page = (status: number): Fault => ({ status, body: '<p>' });

test.each([
  ['a page and 403', page(403)],
  ['a page and 200', page(200)],
  ['words of a proxy and 404', { status: 404, body: { error: 'no such host' } }],
  ['nothing and 502', { status: 502 }],
] as const)('drafts that are answered with %s for a moment arrive as they are', async (_what, fault) => {
  await using scene = await startDrafted();
  const { origin, mirror, proxy, here, work } = scene;
  const before = await chainOf(mirror, work.id);
  let isAway = false;
  proxy.fault = ({ path }) => {
    isAway ||= path === pushPath;
    return isAway && (path === pushPath || path === card) ? fault : undefined;
  };
  await expect(sync(mirror, here, 'node')).rejects.toThrow(/It is tried again|as a proxy does|which node it is/);
  proxy.fault = () => undefined;
  await sync(mirror, here, 'node');
  expect(await chainOf(mirror, work.id)).toEqual(before);
  expect(await chainOf(origin, work.id)).toEqual(before);
});

test.each([
  ['are damaged on the way once', 1, { status: 400, body: { error: 'a block is not those of its CID' } }, true],
  ['meet a page once', 1, page(403), true],
  ['never pass, go by the public interface', 9, page(403), false],
] as const)('drafts that %s', async (_what, times, fault, isWhole) => {
  await using scene = await startDrafted();
  const { origin, mirror, proxy, here, work } = scene;
  const before = await chainOf(mirror, work.id);
  let met = 0;
  proxy.fault = ({ path }) => (path === pushPath && ++met <= times ? fault : undefined);
  expect(await sync(mirror, here, 'node')).toMatchObject({ updated: 1, refused: 0 });
  expect(await remoteOf(mirror, here, 'node')).toMatchObject({ pending: 0, refused: 0 });
  expect((await chainOf(origin, work.id)).length).toBe(isWhole ? 3 : 2);
  if (isWhole) expect(await chainOf(origin, work.id)).toEqual(before);
});

test.each([page(403), { status: 404, body: { error: 'no such host' } }])(
  'a node of which nothing under /node/ passes, as %j says, is mirrored all the same',
  async (fault) => {
    await using scene = await startProxied({ proxy: { plain: false }, works: 1 });
    const { origin, mirror, proxy, here, curator, place, works } = scene;
    for (const { id } of works)
      await update(origin, curator, await read(origin, curator, id), { properties: { n: 9 } });
    proxy.fault = ({ path }) => (path.startsWith('/node/') ? fault : undefined);
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
    await create(mirror, here, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ created: 1, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    for (const { id } of works) expect(await chainOf(mirror, id)).toEqual(await chainOf(origin, id));
  },
);
