import { expect, test, vi } from 'vitest';
import { ask, user } from '../helpers/callers.ts';
import { collection, create, enrol, ok, update } from '../helpers/entities.ts';
import { remoteOf, sync } from './nodes.ts';
import { startProxied } from './proxied.ts';
import type { Call } from './proxy.ts';

// What a remote has refused, run after run.

const refuses = ({ method, body }: Call) =>
  method !== 'GET' && body.includes('unwanted') ? { status: 400, body: { error: 'Validation failed' } } : undefined;

test('what was refused and has not changed is not looked through by each run, however much it is', async () => {
  await using scene = await startProxied();
  const { mirror, proxy, here, place } = scene;
  await sync(mirror, here);
  proxy.fault = refuses;
  const store = await mirror.ctx.networks.get('main');
  const read = vi.spyOn(store, 'read');
  const readsOfARun = async () => {
    read.mockClear();
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    return read.mock.calls.length;
  };
  const refused = async (count: number) => {
    for (let n = 0; n < count; n++)
      await create(mirror, here, { collection: place.id, properties: { label: 'unwanted', n } });
    expect(await sync(mirror, here)).toMatchObject({ refused: count });
  };
  await refused(1);
  const few = await readsOfARun();
  await refused(40);
  expect(await readsOfARun()).toBeLessThan(few + 40);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 41, refused: 41 });
});

test('what was refused for want of an entity goes out with the run that brings that, before what takes the rights for it', async () => {
  await using scene = await startProxied({ works: 1 });
  const { origin, mirror, proxy, here, curator, place, works } = scene;
  const other = await user(origin, 'other');
  await sync(mirror, here);
  const peer = await create(mirror, here, { collection: place.id });
  await update(mirror, here, works[0]!, {
    note: 'unwanted',
    relationships_add: [{ predicate: 'knows', peer: peer.id }],
  });
  proxy.fault = (call) => refuses(call) ?? (call.method === 'POST' ? { status: 503 } : undefined);
  await sync(mirror, here).catch(() => undefined);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 2, refused: 1 });
  proxy.fault = () => undefined;
  await enrol(mirror, here, place.id, other, 'owner');
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  expect(await sync(mirror, here)).toMatchObject({ created: 1, updated: 2 });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
});

test.each([
  ['a plain remote', true],
  ['a node', false],
])('what %s forbids while its collection is not there yet goes out once that is', async (_name, plain) => {
  await using scene = await startProxied({ mirror: { wait: async () => undefined }, proxy: { plain } });
  const { mirror, proxy, here } = scene;
  const { id } = await collection(mirror, here);
  await create(mirror, here, { collection: id });
  proxy.fault = ({ path }) => (path === '/collections' ? { status: 503 } : undefined);
  await sync(mirror, here).catch(() => undefined);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 2, refused: 1 });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ created: 2, refused: 0 });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
});
