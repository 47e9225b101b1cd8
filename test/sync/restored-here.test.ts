import { expect, test } from 'vitest';
import { ask, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { bytesOf, cidOf, expectBytes, holding } from './contents.ts';
import { read, remoteOf, sync } from './nodes.ts';
import { type Proxied, startProxied } from './proxied.ts';

// A tombstone of a remote takes the place of the one here, which says the same, and lies over what the remote had.

/** A mirror of a service that is no node, with works in a collection of its user's. */
async function startMirror(): Promise<Proxied & { work: Entity }> {
  const scene = await startProxied({ works: 2, proxy: { plain: true, stranger: true } });
  await sync(scene.mirror, scene.here);
  return { ...scene, work: scene.works[0] as Entity };
}

const tipOf = async ({ mirror, here }: Proxied, id: string) =>
  ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`)).cid;

async function restore(scene: Proxied, id: string, who = scene.here) {
  return await ask(scene.mirror, who, `POST /entities/${id}/restore`, { expect_tip: await tipOf(scene, id) });
}

async function expectLevel(scene: Proxied, id: string) {
  const { origin, mirror, curator, here } = scene;
  expect(await sync(mirror, here)).toMatchObject({ restored: 1, refused: 0, conflicts: 0 });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  expect((await read(origin, curator, id)).cid).toBe(await tipOf(scene, id));
}

test('what was edited here alone and deleted on both sides comes back as it was here', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, work } = scene;
  const grave = await remove(mirror, here, await update(mirror, here, work, { properties: { label: 'mine' } }));
  const theirs = await remove(origin, curator, work);
  await sync(mirror, here);
  expect(await tipOf(scene, work.id)).toBe(theirs.cid);
  expect(theirs.cid).not.toBe(grave.cid);
  const rows = ok<{ rows: object[] }>(await ask(mirror, here, `GET /node/collections/${scene.place.id}/deleted`)).rows;
  expect(rows).toMatchObject([{ id: work.id, label: 'mine' }]);
  expect(ok(await restore(scene, work.id))).toMatchObject({ restored_from_ver: 2, properties: { label: 'mine' } });
  await expectLevel(scene, work.id);
  expect((await read(origin, curator, work.id)).properties.label).toBe('mine');
});

test('what was edited on both sides, and deleted there last, comes back as it was there', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, work } = scene;
  await remove(mirror, here, await update(mirror, here, work, { properties: { label: 'mine' } }));
  await remove(origin, curator, await update(origin, curator, work, { properties: { label: 'theirs' } }));
  await sync(mirror, here);
  expect(ok(await restore(scene, work.id)).properties).toMatchObject({ label: 'theirs' });
});

test('a role that was taken from somebody before their collection was deleted is not back with it', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, place } = scene;
  const [ben] = [await user(origin, 'ben')];
  await enrol(origin, curator, place.id, ben, 'editor');
  await sync(mirror, here);
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${ben.id}?role=editor`));
  await remove(mirror, here, await read(mirror, here, place.id));
  expect(await sync(mirror, here)).toMatchObject({ deleted: 1, refused: 0 });
  ok(await restore(scene, place.id));
  await expectLevel(scene, place.id);
  for (const { relationships } of [await read(mirror, here, place.id), await read(origin, curator, place.id)])
    expect(relationships.some(({ peer }) => peer === ben.id)).toBe(false);
});

test('what was moved before it was deleted comes back where it lay', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, place, work } = scene;
  const other = await collection(origin, curator, { label: 'Others' });
  await sync(mirror, here);
  const moved = await update(mirror, here, work, {
    relationships_add: [{ predicate: 'collection', peer: other.id }],
    relationships_remove: [{ predicate: 'collection', peer: place.id }],
  });
  await remove(mirror, here, moved);
  expect(await sync(mirror, here)).toMatchObject({ deleted: 1, refused: 0 });
  const back = ok(await restore(scene, work.id));
  expect(back.relationships).toMatchObject([{ predicate: 'collection', peer: other.id }]);
  await expectLevel(scene, work.id);
});

test('what a remote took without its bytes before it was deleted comes back with them', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, place, proxy } = scene;
  const bytes = bytesOf(1000);
  const { id } = await holding(mirror, here, bytes, { collection: place.id, properties: { n: 1 } });
  await update(mirror, here, await read(mirror, here, id), { properties: { n: 2 } });
  proxy.fault = ({ path }) => (/\/content/.test(path) ? { status: 404, body: 'a page of a proxy' } : undefined);
  await ask(mirror, here, 'POST /node/remotes/origin/sync');
  proxy.fault = () => undefined;
  expect((await read(origin, curator, id)).properties).toEqual({ n: 2 });
  await remove(mirror, here, await read(mirror, here, id));
  expect(await sync(mirror, here)).toMatchObject({ deleted: 1, refused: 0 });
  expect(ok(await restore(scene, id)).properties).toMatchObject({ n: 2, content: { v1: { cid: cidOf(bytes) } } });
  await expectLevel(scene, id);
  await expectBytes(origin, curator, `/entities/${id}/content?key=v1`, bytes);
});

test.each([
  ['', undefined],
  [', also where answers are lost', 'lose'],
] as const)(
  'a role that was taken so is not back where somebody at the remote restores the collection%s',
  async (_, fault) => {
    await using scene = await startMirror();
    const { origin, mirror, curator, here, place, proxy } = scene;
    const [ben, cleo] = [await user(origin, 'ben'), await user(origin, 'cleo')];
    for (const one of [ben, cleo]) await enrol(origin, curator, place.id, one, 'editor');
    await sync(mirror, here);
    for (const { id } of [ben, cleo])
      ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${id}?role=editor`));
    await remove(mirror, here, await read(mirror, here, place.id));
    let losses = 0;
    proxy.fault = ({ method, path }) =>
      method === 'DELETE' && /members/.test(path) && losses++ < 2 ? fault : undefined;
    for (const _run of [1, 2, 3]) await ask(mirror, here, 'POST /node/remotes/origin/sync');
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
    const { cid } = ok<{ cid: string }>(await ask(origin, curator, `GET /entities/${place.id}/tip`));
    ok(await ask(origin, curator, `POST /entities/${place.id}/restore`, { expect_tip: cid }));
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0 });
    for (const { relationships } of [await read(mirror, here, place.id), await read(origin, curator, place.id)])
      expect(relationships).toMatchObject([{ predicate: 'owner' }]);
  },
);

test('what else took rights from others before a collection was deleted here holds where it is restored there', async () => {
  await using scene = await startMirror();
  const { origin, mirror, curator, here, place } = scene;
  const [ben] = [await user(origin, 'ben')];
  const path = `/collections/${place.id}`;
  const group = await create(origin, curator, { type: 'group' });
  const held = { predicate: 'editor', peer: group.id, peer_type: 'group' };
  const tip = async () => (await read(origin, curator, place.id)).cid;
  ok(await ask(origin, curator, `PUT ${path}`, { expect_tip: await tip(), relationships_add: [held] }));
  for (const role of ['guest', 'helper'])
    ok(await ask(origin, curator, `POST ${path}/roles`, { role, actions: ['entity:view', 'entity:update'] }));
  await enrol(origin, curator, place.id, ben, 'viewer');
  await sync(mirror, here);
  const { cid } = await read(mirror, here, place.id);
  const remove_ = [{ predicate: 'editor', peer: group.id }];
  ok(await ask(mirror, here, `PUT ${path}`, { expect_tip: cid, relationships_remove: remove_, description: 'here' }));
  ok(await ask(mirror, here, `PUT ${path}/roles/guest`, { actions: ['entity:view'] }));
  ok(await ask(mirror, here, `DELETE ${path}/roles/helper`));
  ok(await ask(mirror, here, `POST ${path}/members`, { user_id: ben.id, role: 'viewer', expires_in: 0 }));
  await remove(mirror, here, await read(mirror, here, place.id));
  expect(await sync(mirror, here)).toMatchObject({ deleted: 1, refused: 0 });
  const grave = ok<{ cid: string }>(await ask(origin, curator, `GET /entities/${place.id}/tip`));
  ok(await ask(origin, curator, `POST /entities/${place.id}/restore`, { expect_tip: grave.cid }));
  const { properties, relationships } = await read(origin, curator, place.id);
  expect(properties.roles).toMatchObject({ guest: ['entity:view'] });
  expect(properties.roles).not.toHaveProperty('helper');
  expect(relationships.some(({ peer }) => peer === group.id)).toBe(false);
  expect(relationships.find(({ peer }) => peer === ben.id)?.properties?.expires_at).toEqual(expect.any(String));
});
