import { describe, expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { type Entity, ok, update } from '../helpers/entities.ts';
import { bytesOf, expectBytes, file, type Scene, startScene } from './contents.ts';
import { read, remoteOf, sync, tipsOf } from './nodes.ts';

const quiet = { refused: 0, conflicts: 0, troubles: 0, stopped: null };
const kinds = [
  ['by the public interface', {}],
  ['to a stranger', { stranger: true }],
  ['to a stranger to which 422 is not valid', { stranger: true, invalid: 422 }],
  ['by blocks', { blocks: true }],
] as const;

const folder = async ({ mirror, here, place }: Scene, label: string, parent: string = place.id): Promise<Entity> =>
  ok(await ask(mirror, here, 'POST /folders', { label, parent }));

const peers = ({ relationships }: Entity, predicate: string) =>
  relationships.filter((r) => r.predicate === predicate).map((r) => r.peer);

async function expectLevel({ origin, mirror, here }: Scene): Promise<void> {
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 0, updated: 0, versions: 0 });
}

describe.each(kinds)('folders made here go %s', (_, options) => {
  test('with what is in them, moved, and taken out again', async () => {
    await using scene = await startScene({}, options);
    const { origin, mirror, curator, here, place } = scene;
    await sync(mirror, here);
    const top = await folder(scene, 'Top');
    const left = await folder(scene, 'Left', top.id);
    const right = await folder(scene, 'Right', top.id);
    const bytes = bytesOf(3000);
    const made = await file(mirror, here, bytes, { collection: place.id });
    const add = async (parent: string, child: string) =>
      ok(
        await ask(mirror, here, `POST /folders/${parent}/children`, {
          expect_tip: (await read(mirror, here, parent)).cid,
          child_id: child,
          expect_child_tip: (await read(mirror, here, child)).cid,
        }),
      );
    const take = async (parent: string, child: string) =>
      ok(
        await ask(mirror, here, `DELETE /folders/${parent}/children/${child}`, {
          expect_tip: (await read(mirror, here, parent)).cid,
          expect_child_tip: (await read(mirror, here, child)).cid,
        }),
      );
    await add(left.id, made.id);
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectLevel(scene);
    expect(peers(await read(origin, curator, left.id), 'contains')).toEqual([made.id]);
    expect(peers(await read(origin, curator, made.id), 'in')).toEqual([left.id]);
    await expectBytes(origin, curator, `/files/${made.id}/content`, bytes);

    // Moved to another folder that is new itself.
    const inner = await folder(scene, 'Inner', right.id);
    await take(left.id, made.id);
    await add(inner.id, made.id);
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectLevel(scene);
    expect(peers(await read(origin, curator, made.id), 'in')).toEqual([inner.id]);
    expect(peers(await read(origin, curator, left.id), 'contains')).toEqual([]);

    // A folder that changes places with its parent: no state between may be a circle.
    await take(right.id, inner.id);
    await take(top.id, right.id);
    await add(inner.id, right.id);
    await take(inner.id, made.id);
    expect(await sync(mirror, here)).toMatchObject(quiet);
    await expectLevel(scene);
    expect(peers(await read(origin, curator, right.id), 'in')).toEqual([inner.id]);
    expect(peers(await read(origin, curator, made.id), 'in')).toEqual([]);

    // What is deleted and restored.
    const doomed = await read(mirror, here, left.id);
    ok(await ask(mirror, here, `DELETE /entities/${left.id}`, { expect_tip: doomed.cid }));
    ok(await ask(mirror, here, `DELETE /entities/${made.id}`, { expect_tip: (await read(mirror, here, made.id)).cid }));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, deleted: 2 });
    await expectLevel(scene);
    const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${made.id}/tip`));
    ok(await ask(mirror, here, `POST /entities/${made.id}/restore`, { expect_tip: cid }));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1 });
    await expectLevel(scene);
    await expectBytes(origin, curator, `/files/${made.id}/content`, bytes);
  });

  test('and come back with what was done there', async () => {
    await using scene = await startScene({}, options);
    const { origin, mirror, curator, here, place } = scene;
    const top = ok<Entity>(await ask(origin, curator, 'POST /folders', { label: 'Top', parent: place.id }));
    await ask(origin, curator, 'POST /folders', { label: 'Sub', parent: top.id });
    await sync(mirror, here);
    const mine = await folder(scene, 'Mine', top.id);
    const theirs = ok<Entity>(await ask(origin, curator, 'POST /folders', { label: 'Theirs', parent: top.id }));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, merged: 1 });
    await expectLevel(scene);
    const children = peers(await read(origin, curator, top.id), 'contains');
    expect(children).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect(children).toHaveLength(3);
    await update(mirror, here, await read(mirror, here, mine.id), { properties: { label: 'Renamed' } });
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
    await expectLevel(scene);
  });
});

test('users are never pushed', async () => {
  await using scene = await startScene();
  const { origin, mirror, here } = scene;
  const before = await tipsOf(origin);
  ok(await ask(mirror, here, 'GET /users/me'));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 0 });
  expect(await tipsOf(origin)).toEqual(before);
  expect((await origin.fetch(`/entities/${here.id}`)).status).toBe(404);
});
