import { expect, test } from 'vitest';
import { findStanding } from '../../src/server/store/entities.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { read, remoteOf, startCurated, sync, tipsOf } from './nodes.ts';

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

test('a cascade in a mirrored collection is the remote’s user’s, and arrives there', async () => {
  await using scene = await startScene();
  const { origin, mirror, here, curator, place, part, whole } = scene;
  ok(await cascade(mirror, here, whole, place));
  expect(await gravesOf(mirror, [whole.id, part.id])).toEqual([curator.id, curator.id]);
  expect(await sync(mirror, here)).toMatchObject({ deleted: 2, refused: 0, conflicts: 0, troubles: 0, stopped: null });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  expect(await tipsOf(origin)).toEqual(await tipsOf(mirror));
});

test('so is what it deletes after its first commit, and what lies first in a local collection is the operator’s', async () => {
  await using scene = await startScene();
  const { mirror, here, curator, place } = scene;
  const home = await collection(mirror, here);
  const relationships = [home, place].map(({ id: peer }) => ({ predicate: 'collection', peer }));
  const local = await create(mirror, here, { relationships });
  const children = [local.id];
  const entities = Array.from({ length: 100 }, () => ({ type: 'document' }));
  for (let i = 0; i < 11; i++) {
    const made = await ask(mirror, here, 'POST /entities/batch', { entities, default_collection: place.id });
    children.push(...ok<{ results: { id: string }[] }>(made).results.map(({ id }) => id));
  }
  const root = await ask(mirror, here, 'POST /entities?validate_relationships=false', {
    ...{ type: 'document', collection: place.id },
    relationships: children.map((peer) => ({ predicate: 'has', peer })),
  });
  ok(await cascade(mirror, here, ok(root), place));
  const [own, ...others] = await gravesOf(mirror, children);
  expect(own).toBe(here.id);
  expect(new Set(others)).toEqual(new Set([curator.id]));
  expect(others).toHaveLength(1100);
});

/** Who signed the tombstones of these. */
async function gravesOf(node: TestNode, ids: string[]): Promise<(string | null)[]> {
  const store = await node.ctx.networks.get('main');
  const found = store.read((db) => ids.map((id) => findStanding(db, id)));
  return found.map((one) => (one?.deleted ? one.manifest.edited_by.user_id : null));
}
