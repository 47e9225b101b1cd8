import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeletedCollectionsView, DeletedPageView } from '../../src/server/resources/node/tables/wire.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { misfits } from '../contract/document.ts';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, notFound, nowhere, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
const clock = { ms: Date.UTC(2026, 0, 1) };
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  me = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const made = (where: Entity, label?: string) => {
  clock.ms += 1000;
  return create(node, me, { type: 'letter', collection: where.id, properties: label === undefined ? {} : { label } });
};
const gone = (entity: Entity, body?: object) => {
  clock.ms += 1000;
  return remove(node, me, entity, body);
};
async function deleted(where: Entity, query = ''): Promise<DeletedPageView> {
  const answer = await ask(node, me, `GET /node/collections/${where.id}/deleted${query}`);
  expect(misfits('GET /node/collections/{id}/deleted', answer.status, answer.body), answer.text).toEqual([]);
  return ok<DeletedPageView>(answer);
}
const labels = async (where: Entity, query?: string) => (await deleted(where, query)).rows.map(({ label }) => label);

describe('what was deleted in a collection', () => {
  it('is listed with its last label, the last deleted first, and goes when it is restored', async () => {
    const [home, other] = [await collection(node, me), await collection(node, me)];
    expect(await deleted(home)).toEqual({ collection_id: home.id, offset: 0, total: 0, rows: [] });
    const first = await made(home, 'To Ann');
    await gone(await made(other, 'elsewhere'));
    const second = await made(home);
    await made(home, 'stays');
    const renamed = await update(node, me, first, { properties: { label: 'To Anna' } });
    const grave = await gone(renamed, { note: 'a double' });
    await gone(second);
    const { rows, total } = await deleted(home);
    expect(total).toBe(2);
    expect(rows).toEqual([
      expect.objectContaining({ id: second.id, label: null, note: null }),
      {
        id: first.id,
        type: 'letter',
        label: 'To Anna',
        ver: 3,
        cid: grave.cid,
        created_at: first.created_at,
        deleted_at: grave.deleted_at,
        deleted_by: me.id,
        note: 'a double',
      },
    ]);
    ok(await ask(node, me, `POST /entities/${first.id}/restore`, { expect_tip: rows[1]?.cid }));
    expect(await labels(home)).toEqual([null]);
    const back = await ask(node, me, `GET /entities/${first.id}`);
    await gone(ok(back));
    expect(await labels(home)).toEqual(['To Anna', null]);
    expect((await deleted(home)).rows[0]?.ver).toBe(5);
  });

  it('comes in pages', async () => {
    const home = await collection(node, me);
    for (const label of ['a', 'b', 'c', 'd', 'e']) await gone(await made(home, label));
    expect(await labels(home, '?limit=2')).toEqual(['e', 'd']);
    expect(await labels(home, '?limit=2&offset=3')).toEqual(['b', 'a']);
    expect(await deleted(home, '?offset=9')).toMatchObject({ total: 5, offset: 9, rows: [] });
    for (const query of ['limit=0', 'limit=501', 'offset=-1', 'limit=x'])
      expect((await ask(node, me, `GET /node/collections/${home.id}/deleted?${query}`)).status, query).toBe(400);
  });

  it('has no more of a long label or note than a list can show', async () => {
    const home = await collection(node, me);
    await gone(await made(home, `${'x'.repeat(299)}😀 and more`), { note: 'y'.repeat(900) });
    const [row] = (await deleted(home)).rows;
    expect(row?.label).toBe(`${'x'.repeat(299)}…`);
    expect(row?.note).toBe(`${'y'.repeat(300)}…`);
  });

  it('shows what can be read of one whose versions are damaged, and the others', async () => {
    const home = await collection(node, me);
    const [live, grave, sound] = [await made(home, 'no label'), await made(home, 'To Bea'), await made(home, 'To Cem')];
    await gone(live);
    const { cid } = await gone(grave, { note: 'a double' });
    await gone(sound);
    const db = new Database(databaseFile(node.data, 'main'));
    const damage = db.prepare(
      "UPDATE block SET bytes = x'ff' WHERE key = (SELECT key FROM block WHERE entity = (SELECT key FROM entity WHERE id = ?) AND ver = ?)",
    );
    expect([damage.run(live.id, 1).changes, damage.run(grave.id, 2).changes]).toEqual([1, 1]);
    db.close();
    const { rows, total } = await deleted(home);
    expect(total).toBe(3);
    expect(rows).toEqual([
      expect.objectContaining({ id: sound.id, label: 'To Cem', deleted_by: me.id }),
      expect.objectContaining({ id: grave.id, cid, label: null, deleted_by: '', note: null }),
      expect.objectContaining({ id: live.id, label: null, deleted_by: me.id }),
    ]);
    ok(await ask(node, me, `POST /entities/${sound.id}/restore`, { expect_tip: rows[0]?.cid }));
  });

  it('may be collections', async () => {
    const asked = async (query = '') => {
      const answer = await ask(node, me, `GET /node/collections/deleted${query}`);
      expect(misfits('GET /node/collections/deleted', answer.status, answer.body), answer.text).toEqual([]);
      return ok<DeletedCollectionsView>(answer);
    };
    const before = (await asked()).total;
    const [maps, plans] = [
      await collection(node, me, { label: 'Maps' }),
      await collection(node, me, { label: 'Plans' }),
    ];
    await made(maps, 'a map');
    await gone(maps);
    const grave = await gone(plans);
    const { rows, total } = await asked('?limit=2');
    expect(total).toBe(before + 2);
    expect(rows.map(({ id, label }) => [id, label])).toEqual([
      [plans.id, 'Plans'],
      [maps.id, 'Maps'],
    ]);
    ok(await ask(node, me, `POST /entities/${plans.id}/restore`, { expect_tip: grave.cid }));
    expect((await asked()).rows[0]?.label).toBe('Maps');
    expect((await asked('?offset=1000')).rows).toEqual([]);
    expect((await ask(node, anonymous, 'GET /node/collections/deleted')).status).toBe(401);
    expect((await ask(node, await user(node, 'bob'), 'GET /node/collections/deleted')).status).toBe(403);
  });

  it('is for the operator, of a collection that is there', async () => {
    const home = await collection(node, me);
    const entity = await made(home, 'no collection');
    const ada = await user(node, 'ada');
    const asked = async (who: Person, id: string) => await ask(node, who, `GET /node/collections/${id}/deleted`);
    expect((await asked(anonymous, home.id)).status).toBe(401);
    expect((await asked(ada, home.id)).status).toBe(403);
    expect(await asked(me, nowhere)).toMatchObject({ status: 404, body: notFound });
    expect((await asked(me, entity.id)).status).toBe(404);
    await gone(home);
    expect((await asked(me, home.id)).status).toBe(404);
  });
});
