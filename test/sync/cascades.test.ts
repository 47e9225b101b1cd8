import { expect, test } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { read, startCurated, sync } from './nodes.ts';

/** A mirrored work that leads to a part of it by `has`, both in the mirrored collection alone. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const pair = opened.use(await startCurated());
  const { origin, mirror, curator, here, place } = pair;
  const part = await create(origin, curator, { collection: place.id });
  const relationships = [{ predicate: 'has', peer: part.id }];
  const whole = await create(origin, curator, { collection: place.id, relationships });
  await sync(mirror, here);
  const all = opened.move();
  return { ...pair, part, whole, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const cascade = (node: TestNode, who: Person, { id, cid }: Entity, scope: Entity) =>
  ask(node, who, `DELETE /entities/${id}/cascade`, {
    expect_tip: cid,
    collection_id: scope.id,
    cascade_predicates: ['has'],
  });

const alsoIn = (node: TestNode, who: Person, entity: Entity, { id: peer }: Entity) =>
  update(node, who, entity, { relationships_add: [{ predicate: 'collection', peer }] });

test('an editor of a local collection deletes nothing there that a mirror decides on', async () => {
  await using scene = await startScene();
  const { mirror, here, curator } = scene;
  const home = await collection(mirror, here);
  const bob = await user(mirror, 'bob');
  await enrol(mirror, here, home.id, bob, 'editor');
  const part = await alsoIn(mirror, here, scene.part, home);
  const whole = await alsoIn(mirror, here, scene.whole, home);

  const alone = await ask(mirror, bob, `DELETE /entities/${whole.id}`, { expect_tip: whole.cid });
  expect(alone.status).toBe(403);
  expect(await cascade(mirror, bob, whole, home)).toMatchObject({ status: 403, body: alone.body });
  const has = (peer: Entity) => ({ predicate: 'has', peer: peer.id });
  const beside = await create(mirror, bob, { collection: home.id });
  const local = await create(mirror, bob, { collection: home.id, relationships: [has(part), has(beside)] });
  expect(ok(await cascade(mirror, bob, local, home))).toMatchObject({
    deleted: [{ id: beside.id }],
    skipped: [{ id: part.id, type: 'document', reason: 'not_in_collection' }],
  });
  for (const entity of [part, whole]) expect(await read(mirror, here, entity.id)).toEqual(entity);

  // The operator may, as the user of the remote.
  expect(ok(await cascade(mirror, here, whole, home))).toMatchObject({ deleted: [{ id: part.id }], skipped: [] });
  const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${whole.id}/tip`));
  expect((await ask(mirror, here, `GET /versions/manifest/${cid}`)).body).toMatchObject({
    manifest: { deleted: true, edited_by: { user_id: curator.id } },
  });
});

test('where nothing is pushed to a remote any more, no cascade deletes what came from it', async () => {
  await using scene = await startScene();
  const { mirror, here } = scene;
  const home = await collection(mirror, here);
  const part = await alsoIn(mirror, here, scene.part, home);
  const whole = await alsoIn(mirror, here, scene.whole, home);
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: null }));
  expect((await cascade(mirror, here, whole, home)).status).toBe(403);
  const relationships = [{ predicate: 'has', peer: part.id }];
  const local = await create(mirror, here, { collection: home.id, relationships });
  expect(ok(await cascade(mirror, here, local, home))).toMatchObject({
    deleted: [],
    skipped: [{ id: part.id, reason: 'not_in_collection' }],
  });
  for (const entity of [part, whole]) expect(await read(mirror, here, entity.id)).toEqual(entity);
});
