import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  enrol,
  invalid,
  ok,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { folder, peers } from '../helpers/folders.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

interface Answered {
  folder: Entity;
  child: { id: string; cid: string };
  parent: Entity;
  added: { id: string; cid: string }[];
  skipped: string[];
}

const inside = (body: object = {}) => folder(node, ada, { collection: home.id, ...body });
const file = (body: object = {}) => create(node, ada, { type: 'file', ...body });
const now = (...of: { id: string }[]) => Promise.all(of.map(({ id }) => read(node, ada, id)));
const tips = async (...of: { id: string }[]) => (await now(...of)).map(({ cid }) => cid);
const linkTo = (predicate: string, { id }: { id: string }) => ({ relationships_add: [{ predicate, peer: id }] });

const addChild = (to: Entity, child: Entity, body: object = {}, who = ada) =>
  ask(node, who, `POST /folders/${to.id}/children`, {
    ...{ expect_tip: to.cid, child_id: child.id, expect_child_tip: child.cid },
    ...body,
  });
const dropChild = (from: Entity, child: Entity, body: object = {}, who = ada) =>
  ask(node, who, `DELETE /folders/${from.id}/children/${child.id}`, {
    ...{ expect_tip: from.cid, expect_child_tip: child.cid },
    ...body,
  });
const addParent = (of: Entity, parent: Entity, body: object = {}, who = ada) =>
  ask(node, who, `POST /folders/${of.id}/parents`, {
    ...{ expect_tip: of.cid, parent_id: parent.id, expect_parent_tip: parent.cid },
    ...body,
  });
const addMany = (to: Entity, children: { id: string }[], body: object = {}, who = ada) =>
  ask(node, who, `POST /folders/${to.id}/children/bulk`, {
    ...{ expect_tip: to.cid, children: children.map(({ id }) => ({ id })) },
    ...body,
  });

describe('a pair', () => {
  it('changes both sides or none, in one commit', async () => {
    const [to, child] = [await inside(), await file({ collection: home.id })];
    const moved = await update(node, ada, child, { properties: { moved: true } });
    const late = await addChild(to, child);
    expect([late.status, late.body]).toEqual([409, conflict(child.cid, moved.cid)]);
    expect(await tips(to, child)).toEqual([to.cid, moved.cid]);

    const made = ok<Answered>(await addChild(to, moved, { note: 'why' }));
    expect(await tips(to, child)).toEqual([made.folder.cid, made.child.cid]);
    for (const { id } of [to, child])
      expect((await ask(node, ada, `GET /versions/${id}?limit=1`)).body).toMatchObject({ versions: [{ note: 'why' }] });
    const { events } = ok<{ events: { pi: string }[] }>(await ask(node, ada, 'GET /events?limit=2'));
    expect(events.map(({ pi }) => pi).sort()).toEqual([to.id, child.id].sort());
  });

  it('asks for no tip of a partner in no collection, and takes it as it stands', async () => {
    const [to, child, parent] = [await inside(), await file(), await folder(node, bob)];
    const { folder: filled } = ok<Answered>(await addChild(to, child, { expect_child_tip: undefined }));
    const stale = await addParent(filled, parent, { expect_parent_tip: 'stale' });
    expect([stale.status, stale.body]).toEqual([409, conflict('stale', parent.cid)]);
    const { parent: holder } = ok<Answered>(await addParent(filled, parent, { expect_parent_tip: undefined }));
    expect(peers(holder, 'contains')).toEqual([to.id]);
  });

  it('survives writes of others to a partner whose tip is not stated', async () => {
    const [to, child] = [await inside(), await file()];
    const rounds = Array.from({ length: 8 }, async (_, n) => {
      const at = await inside({ label: `${n}` });
      return ok<Answered>(await addChild(at, child, { expect_child_tip: undefined })).folder.id;
    });
    const ids = [
      ...(await Promise.all(rounds)),
      ok<Answered>(await addChild(to, child, { expect_child_tip: undefined })).folder.id,
    ];
    expect(peers(await read(node, ada, child.id), 'in').sort()).toEqual(ids.sort());
  });

  it('of a collection and a folder needs the tip of the collection', async () => {
    const shelf = await collection(node, ada);
    const made = await inside();
    const answer = await addParent(made, shelf, { expect_parent_tip: undefined });
    expect([answer.status, answer.body]).toEqual([
      ...[400, invalid(['expect_parent_tip'], `is required where ${shelf.id} is a collection or lies in one`)],
    ]);
    const { folder: low, parent } = ok<Answered>(await addParent(made, shelf));
    expect([peers(low, 'in'), peers(parent, 'contains'), parent.type]).toEqual([[shelf.id], [made.id], 'collection']);
  });

  it('that is there answers the same request again, whatever its tips are by now', async () => {
    const [to, child] = [await inside(), await inside()];
    const first = ok<Answered>(await addChild(to, child));
    const later = await update(node, ada, first.folder, { properties: { later: true } });
    expect(ok(await addChild(to, child))).toEqual({ folder: later, child: first.child });
    expect(ok(await addParent(child, to))).toEqual({ folder: (await now(child))[0], parent: later });
    const viewer = await user(node, 'viewer');
    expect((await addChild(to, child, {}, viewer)).status).toBe(403);
  });

  it.each(['contains', 'in'])('of which only `%s` is there gets the other side', async (predicate) => {
    const [to, child] = [await inside(), await file({ collection: home.id })];
    const [at, other] = predicate === 'contains' ? [to, child] : [child, to];
    const linked = await update(node, ada, at, linkTo(predicate, other));
    const [top, low] = predicate === 'contains' ? [linked, child] : [to, linked];
    const stale = await addChild(top, low, { expect_tip: 'stale' });
    expect([stale.status, stale.body]).toEqual([409, conflict('stale', top.cid)]);
    const made = ok<Answered>(await addChild(top, low));
    expect([made.folder.ver, (await read(node, ada, child.id)).ver]).toEqual([2, 2]);
    expect([peers(made.folder, 'contains'), peers((await now(child))[0] as Entity, 'in')]).toEqual([
      [child.id],
      [to.id],
    ]);
    expect((await read(node, ada, at.id)).cid).toBe(linked.cid);
    const gone = ok<Answered>(await dropChild(made.folder, (await now(child))[0] as Entity));
    expect([peers(gone.folder, 'contains'), peers((await now(child))[0] as Entity, 'in')]).toEqual([[], []]);
  });

  it('needs the right to change both sides', async () => {
    const [own, foreign] = [await folder(node, bob), await inside()];
    const refused = async (of: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await of;
      expect([status, body]).toEqual([403, { error: 'Action not allowed: folder:update' }]);
    };
    await refused(addChild(own, foreign, { expect_tip: 'stale' }, bob));
    await refused(addChild(foreign, own, { expect_child_tip: 'stale' }, bob));
    await refused(addParent(own, foreign, {}, bob));
    await refused(addMany(own, [await folder(node, bob), foreign], {}, bob));
    expect(await tips(own, foreign)).toEqual([own.cid, foreign.cid]);
  });

  it('with a deleted partner can be taken apart, not made', async () => {
    const [to, child] = [await inside(), await file()];
    const made = ok<Answered>(await addChild(to, child));
    const grave = await remove(node, ada, { ...child, cid: made.child.cid });
    expect((await addChild(made.folder, child, { expect_child_tip: grave.cid })).status).toBe(404);
    const gone = ok<Answered>(await dropChild(made.folder, child, { expect_child_tip: grave.cid }));
    expect([peers(gone.folder, 'contains'), gone.child.cid]).toEqual([[], grave.cid]);
  });

  it('of a deleted folder stays as it was on the other side', async () => {
    const [top, to, child] = [await inside(), await inside(), await file()];
    const filled = ok<Answered>(await addChild(to, child)).folder;
    const { folder: placed } = ok<Answered>(await addParent(filled, top));
    await remove(node, ada, placed);
    const [holder, left] = await now(top, child);
    expect([peers(holder as Entity, 'contains'), peers(left as Entity, 'in')]).toEqual([[to.id], [to.id]]);
    expect((await ask(node, ada, `GET /folders/${top.id}`)).body).toEqual(holder);
    expect((await ask(node, ada, `GET /folders/${to.id}`)).status).toBe(404);
  });
});

describe('several children', () => {
  it('come in one version of the folder; those that are there are skipped, those named twice come once', async () => {
    const [to, there, half, fresh] = [await inside(), await inside(), await file(), await file()];
    const { folder: filled } = ok<Answered>(await addChild(to, there));
    await update(node, ada, half, linkTo('in', to));
    const before = await now(there);
    const made = ok<Answered>(await addMany(filled, [fresh, there, half, fresh]));
    expect([made.folder.ver, made.skipped]).toEqual([3, [there.id]]);
    expect(peers(made.folder, 'contains')).toEqual([there.id, fresh.id, half.id]);
    expect(made.added.map(({ id }) => id)).toEqual([fresh.id, half.id]);
    expect(await tips(fresh, half)).toEqual(made.added.map(({ cid }) => cid));
    expect(await now(there)).toEqual(before);
    expect(ok(await addMany(to, [there, half, fresh]))).toEqual({
      ...{ folder: made.folder, added: [], skipped: [there.id, half.id, fresh.id] },
    });
  });

  it('come all or none', async () => {
    const [to, good, page] = [await inside(), await file(), await create(node, ada)];
    const answer = await addMany(to, [good, page, to]);
    expect([answer.status, answer.body]).toEqual([
      400,
      invalid(['children', 2, 'id'], `the folder ${to.id} would contain itself`),
    ]);
    const mixed = await addMany(to, [good, page]);
    expect([mixed.status, mixed.body]).toEqual([
      400,
      invalid(['children', 1, 'id'], `must be a file or a folder, and ${page.id} has the type \`document\``),
    ]);
    expect(await tips(to, good)).toEqual([to.cid, good.cid]);
  });

  it('are taken as they stand while others write them', async () => {
    const [to, ...children] = [await inside(), ...(await Promise.all(Array.from({ length: 10 }, () => file())))];
    const writes = children.map((child) => update(node, ada, child, { properties: { changed: true } }));
    const [made] = await Promise.all([
      addMany(to, children).then((answer) => ok<Answered>(answer)),
      ...writes.map((w) => w.catch(() => null)),
    ]);
    expect(peers(made.folder, 'contains')).toEqual(children.map(({ id }) => id));
    for (const child of await now(...children)) expect(peers(child, 'in')).toEqual([to.id]);
  });
});

describe('a new folder', () => {
  it('in a parent comes into its collection, unless it names another', async () => {
    const other = await collection(node, ada);
    const top = await inside();
    expect(peers(await folder(node, ada, { parent: top.id }), 'collection')).toEqual([home.id]);
    expect(peers(await folder(node, ada, { parent: home.id }), 'collection')).toEqual([home.id]);
    expect(peers(await folder(node, ada, { parent: top.id, collection: other.id }), 'collection')).toEqual([other.id]);
    expect(peers(await folder(node, ada, { parent: (await folder(node, ada)).id }), 'collection')).toEqual([]);
    expect(peers((await now(home))[0] as Entity, 'contains')).toHaveLength(1);
  });

  it('beside many others in one parent, all at once', async () => {
    const top = await inside();
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => folder(node, ada, { parent: top.id, label: `${i}` })),
    );
    const holder = await read(node, ada, top.id);
    expect(holder.ver).toBe(31);
    expect(peers(holder, 'contains').sort()).toEqual(made.map(({ id }) => id).sort());
  });

  it('is not made where its parent may not be changed or is deleted', async () => {
    const top = await inside();
    await enrol(node, ada, home.id, bob, 'viewer');
    const own = await collection(node, bob);
    const body = { label: 'x', parent: top.id, collection: own.id };
    expect((await ask(node, bob, 'POST /folders', body)).body).toEqual({ error: 'Action not allowed: folder:update' });
    const listed = ok<{ entities: object[] }>(await ask(node, bob, `GET /collections/${own.id}/entities`));
    expect(listed.entities).toEqual([]);
    await remove(node, ada, top);
    expect((await ask(node, ada, 'POST /folders', { label: 'x', parent: top.id })).body).toEqual(
      invalid(['parent'], `there is no folder or collection ${top.id}`),
    );
  });
});
