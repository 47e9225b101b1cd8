import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  enrol,
  invalid,
  notFound,
  ok,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  node = await startNode();
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

const get = async (path: string, who = ada) => (await ask(node, who, `GET ${path}`)).body;
const restore = (who: Person, { id, cid }: { id: string; cid: string }, body: object = {}) =>
  ask(node, who, `POST /entities/${id}/restore`, { expect_tip: cid, ...body });

describe('a deletion', () => {
  it('appends a tombstone of which tip, versions and manifest go on telling', async () => {
    const first = await create(node, ada, {
      properties: { a: 1 },
      relationships: [{ predicate: 'has', peer: ada.id }],
    });
    const grave = await remove(node, ada, first, { note: 'n', reason: 'r' });
    expect(grave).toEqual({
      id: first.id,
      cid: expect.any(String),
      deleted_at: expect.any(String),
      ver: 2,
      prev_cid: first.cid,
    });
    expect(await get(`/entities/${first.id}/tip`)).toEqual({ id: first.id, cid: grave.cid });
    expect(await get(`/versions/${first.id}`)).toMatchObject({
      versions: [
        { ver: 2, cid: grave.cid, ts: grave.deleted_at, note: 'n' },
        { ver: 1, cid: first.cid },
      ],
    });
    expect(await get(`/versions/manifest/${grave.cid}`)).toEqual({
      cid: grave.cid,
      manifest: {
        schema: 'arke/eidos@v1',
        id: first.id,
        type: 'document',
        created_at: first.created_at,
        ver: 2,
        ts: grave.deleted_at,
        prev: { '/': first.cid },
        edited_by: { user_id: ada.id, method: 'manual' },
        note: 'n',
        deleted: true,
        reason: 'r',
      },
    });
    expect(await get('/events?limit=1')).toMatchObject({ events: [{ pi: first.id, cid: grave.cid }] });
  });

  it('hides the entity from every other read', async () => {
    const grave = await remove(node, ada, await create(node, ada));
    const details = { deleted: true, tip: grave.cid, ver: 2, deleted_at: grave.deleted_at };
    for (const rest of ['', '?expand=relationships', '/preview', '/permissions', '/diff']) {
      const answer = await ask(node, ada, `GET /entities/${grave.id}${rest}`);
      expect([answer.status, answer.body], rest).toEqual([404, { ...notFound, details }]);
    }
    const batch = await ask(node, ada, 'POST /entities/batch-get', { ids: [grave.id] });
    expect(batch.body).toEqual({ entities: [], not_found: [grave.id] });
  });

  it('happens once', async () => {
    const first = await create(node, ada);
    const grave = await remove(node, ada, first);
    const again = async (tip: string) =>
      (await ask(node, ada, `DELETE /entities/${first.id}`, { expect_tip: tip })).body;
    expect(await again(first.cid)).toEqual(conflict(first.cid, grave.cid));
    expect(await again(grave.cid)).toEqual(invalid(['id'], 'the entity is deleted'));
  });

  it('takes the entity out of its collection, and leaves its permissions there', async () => {
    const inside = await collection(node, ada);
    const made = await create(node, ada, { collection: inside.id });
    const grave = await remove(node, ada, made);
    expect(await get(`/collections/${inside.id}/entities`)).toMatchObject({ entities: [], pagination: { count: 0 } });
    const refused = await restore(bob, grave);
    expect([refused.status, refused.body]).toEqual([403, { error: 'Action not allowed: entity:restore' }]);
    await enrol(node, ada, inside.id, bob, 'editor');
    expect((await restore(bob, grave)).status).toBe(200);
    expect(await get(`/collections/${inside.id}/entities`)).toMatchObject({ entities: [{ pi: made.id }] });
  });

  it('of a collection leaves its entities, and its roles to those who may restore it', async () => {
    const made = await collection(node, ada);
    const inside = await create(node, ada, { collection: made.id });
    await enrol(node, ada, made.id, bob, 'editor');
    const current = await read(node, ada, made.id);
    const refused = await ask(node, bob, `DELETE /entities/${made.id}`, { expect_tip: current.cid });
    expect([refused.status, refused.body]).toEqual([403, { error: 'Action not allowed: collection:delete' }]);
    const grave = await remove(node, ada, current);
    await update(node, bob, inside, { properties: { still: 'editable' } });
    expect((await restore(bob, grave)).body).toEqual({ error: 'Action not allowed: collection:restore' });
    expect(ok(await restore(ada, grave))).toMatchObject({ type: 'collection', relationships: current.relationships });
  });
});

describe('a restoration', () => {
  it('brings back the last version that was not deleted', async () => {
    const first = await create(node, ada, { properties: { a: 1 } });
    const second = await update(node, ada, first, {
      properties: { a: 2 },
      relationships_add: [{ predicate: 'has', peer: ada.id }],
    });
    const grave = await remove(node, ada, second);
    const back = ok<object>(await restore(bob, grave, { note: 'back' }));
    expect(back).toMatchObject({
      ver: 4,
      prev_cid: grave.cid,
      restored_from_ver: 2,
      properties: { a: 2 },
      relationships: second.relationships,
      edited_by: { user_id: bob.id },
    });
    const { restored_from_ver: _, ...manifest } = back as { restored_from_ver: number };
    expect(await read(node, ada, first.id)).toEqual(manifest);
    expect(await get(`/versions/${first.id}?limit=1`)).toMatchObject({ versions: [{ ver: 4, note: 'back' }] });
  });

  it('passes over earlier deletions', async () => {
    const first = await create(node, ada, { properties: { a: 1 } });
    const back = ok(await restore(ada, await remove(node, ada, first)));
    const twice = ok<object>(await restore(ada, await remove(node, ada, back)));
    expect(twice).toMatchObject({ ver: 5, restored_from_ver: 3, properties: { a: 1 } });
  });

  it('happens once, and only with the tip', async () => {
    const first = await create(node, ada);
    const grave = await remove(node, ada, first);
    expect((await restore(ada, { id: first.id, cid: first.cid })).body).toEqual(conflict(first.cid, grave.cid));
    const back = ok(await restore(ada, grave));
    expect((await restore(ada, grave)).body).toEqual(conflict(grave.cid, back.cid));
    expect((await restore(ada, back)).body).toEqual(invalid(['id'], 'the entity is not deleted'));
  });
});
