import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CascadeView } from '../../src/server/resources/entities/wire.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
  home = await collection(node, ada);
  await enrol(node, ada, home.id, bob, 'editor');
});
afterAll(() => node[Symbol.asyncDispose]());

const made = (links: [string, Entity][] = [], body: object = {}, who = ada) =>
  create(node, who, {
    collection: home.id,
    relationships: links.map(([predicate, { id: peer }]) => ({ predicate, peer })),
    ...body,
  });

const ask4 = (root: Entity, body: object = {}, who = ada) =>
  ask(node, who, `DELETE /entities/${root.id}/cascade`, {
    expect_tip: root.cid,
    collection_id: home.id,
    cascade_predicates: ['*'],
    ...body,
  });

const cascade = async (root: Entity, body: object = {}, who = ada) => ok<CascadeView>(await ask4(root, body, who));
const ids = (list: { id: string }[]) => list.map(({ id }) => id);
const isThere = async ({ id }: Entity) => (await ask(node, ada, `GET /entities/${id}`)).status === 200;

describe('a cascade', () => {
  it('goes along outgoing relationships, deepest first, each entity once', async () => {
    const leaf = await made();
    const [left, right] = [await made([['has', leaf]]), await made([['has', leaf]])];
    const root = await made([
      ['has', left],
      ['has', right],
    ]);
    const above = await made([['has', root]]);
    const view = await cascade(root, { reason: 'r', note: 'n' });
    expect(view.deleted.map(({ id, depth }) => [id, depth])).toEqual([
      [leaf.id, 2],
      [right.id, 1],
      [left.id, 1],
    ]);
    expect(view).toMatchObject({
      root: { id: root.id, prev_cid: root.cid, ver: 2 },
      skipped: [],
      summary: { total_traversed: 4, total_deleted: 3, total_skipped: 0, max_depth_reached: 2 },
    });
    expect(await isThere(above)).toBe(true);
    for (const cid of [view.root.cid, ...view.deleted.map((d) => d.cid)])
      expect((await ask(node, ada, `GET /versions/manifest/${cid}`)).body).toMatchObject({
        manifest: { deleted: true, reason: 'r', note: 'n' },
      });
  });

  it('ends in a circle', async () => {
    const id = '01J400000000000000000000C0';
    const child = await create(node, ada, {
      collection: home.id,
      relationships: [{ predicate: 'of', peer: id }],
    }).catch(() => undefined);
    expect(child).toBeUndefined();
    const loop = await made([], { id, relationships: [{ predicate: 'same', peer: id }] });
    const tail = await made([['of', loop]]);
    const linked = await ask(node, ada, `PUT /entities/${id}`, {
      expect_tip: loop.cid,
      relationships_add: [{ predicate: 'has', peer: tail.id }],
    });
    const view = await cascade(ok(linked));
    expect([ids(view.deleted), view.summary.total_traversed]).toEqual([[tail.id], 2]);
  });

  it.each([
    [['has_part'], ['has_part']],
    [['has_*'], ['has_part', 'has_page']],
    [['*_page'], ['has_page', 'is_page']],
    [
      ['is_page', 'has_part'],
      ['has_part', 'is_page'],
    ],
    [['*'], ['has_page', 'has_part', 'is_page', 'other']],
    [['has_'], []],
    [['*age*'], ['has_page', 'is_page']],
    [['has*age'], ['has_page']],
    [['has_page*_page'], []],
  ])('follows %j', async (cascade_predicates, followed) => {
    const all = ['has_part', 'has_page', 'is_page', 'other'];
    const children = new Map<string, Entity>();
    for (const predicate of all) children.set(predicate, await made());
    const view = await cascade(await made([...children]), { cascade_predicates });
    const went = all.filter((p) => ids(view.deleted).includes(children.get(p)?.id ?? ''));
    expect(went.sort()).toEqual([...followed].sort());
  });

  it('never follows `collection`, and never takes a collection or a user along', async () => {
    const inner = ok<Entity>(
      await ask(node, ada, 'POST /collections', {
        label: 'inner',
        relationships: [{ predicate: 'collection', peer: home.id }],
      }),
    );
    const root = await made([
      ['has', inner],
      ['by', { id: bob.id } as Entity],
    ]);
    const view = await cascade(root, { cascade_predicates: ['*', 'collection'] });
    expect(view.deleted).toEqual([]);
    expect(view.skipped).toEqual([
      { id: inner.id, type: 'collection', reason: 'not_in_collection' },
      { id: bob.id, type: 'user', reason: 'not_in_collection' },
    ]);
    expect(await isThere(home)).toBe(true);
  });

  it('says why it leaves entities alone, and reaches nothing through them', async () => {
    const beyond = await made();
    const outside = await create(node, ada, { relationships: [{ predicate: 'has', peer: beyond.id }] });
    const dead = await made();
    const bobs = await made([['has', beyond]], {}, bob);
    const root = await made([
      ['has', outside],
      ['has', dead],
      ['has', bobs],
    ]);
    await remove(node, ada, dead);
    const view = await cascade(root, { edited_by_filter: ada.id });
    expect(view.deleted).toEqual([]);
    expect(view.skipped).toEqual([
      { id: outside.id, type: 'document', reason: 'not_in_collection' },
      { id: dead.id, type: 'document', reason: 'already_deleted' },
      { id: bobs.id, type: 'document', reason: 'edited_by_mismatch' },
    ]);
    expect(view.summary).toEqual({ total_traversed: 4, total_deleted: 0, total_skipped: 3, max_depth_reached: 1 });
    expect(await isThere(beyond)).toBe(true);
  });

  it('is for who may delete in its collection, whatever other collections on this node decide on', async () => {
    const first = await collection(node, ada);
    const links = (...more: [string, Entity][]) =>
      [['collection', first] as const, ['collection', home] as const, ...more].map(([predicate, { id: peer }]) => ({
        predicate,
        peer,
      }));
    const child = await create(node, ada, { relationships: links() });
    const root = await create(node, ada, { relationships: links(['has', child]) });
    expect((await ask(node, bob, `DELETE /entities/${root.id}`, { expect_tip: root.cid })).status).toBe(403);
    expect((await ask4(root, { collection_id: first.id }, bob)).status).toBe(403);
    expect(ids((await cascade(root, {}, bob)).deleted)).toEqual([child.id]);
  });

  it('goes no deeper than it is told, by default 10', async () => {
    const chain = [await made()];
    for (let i = 0; i < 11; i++) chain.unshift(await made([['next', chain[0] as Entity]]));
    const last = chain.at(-1) as Entity;
    const middle = chain[8] as Entity;
    expect((await cascade(middle, { max_depth: 2 })).summary.max_depth_reached).toBe(2);
    expect(await isThere(last)).toBe(true);
    const again: Entity[] = [await made()];
    for (let i = 0; i < 11; i++) again.unshift(await made([['next', again[0] as Entity]]));
    expect((await cascade(again[0] as Entity)).summary).toMatchObject({ total_deleted: 10, max_depth_reached: 10 });
    expect(await isThere(again[11] as Entity)).toBe(true);
  });

  it('takes more than a thousand', async () => {
    const children: string[] = [];
    for (let i = 0; i < 11; i++) {
      const entities = Array.from({ length: 100 }, () => ({ type: 'leaf' }));
      const answer = await ask(node, ada, 'POST /entities/batch', { entities, default_collection: home.id });
      children.push(...ids(ok<{ results: { id: string }[] }>(answer).results));
    }
    const root = await create(node, ada, {
      collection: home.id,
      relationships: children.map((peer) => ({ predicate: 'has', peer })),
    }).catch((error: Error) => error);
    expect(root).toBeInstanceOf(Error);
    const whole = ok<Entity>(
      await ask(node, ada, 'POST /entities?validate_relationships=false', {
        type: 'document',
        collection: home.id,
        relationships: children.map((peer) => ({ predicate: 'has', peer })),
      }),
    );
    const view = await cascade(whole);
    expect(view.summary).toEqual({
      total_traversed: 1101,
      total_deleted: 1100,
      total_skipped: 0,
      max_depth_reached: 1,
    });
    expect(new Set(ids(view.deleted))).toEqual(new Set(children));
    const { body } = await ask(node, ada, 'POST /entities/batch-get', { ids: children.slice(1000) });
    expect((body as { not_found: string[] }).not_found).toHaveLength(100);
  });

  it('starts only inside the collection, at an entity of the wanted author', async () => {
    const elsewhere = await collection(node, ada);
    const root = await made();
    expect((await ask4(root, { collection_id: elsewhere.id })).body).toEqual(
      invalid(['collection_id'], 'the entity does not lie in this collection'),
    );
    expect((await ask4(root, { collection_id: root.id })).body).toEqual(
      invalid(['collection_id'], 'is not a collection'),
    );
    expect((await ask4(root, { edited_by_filter: bob.id })).body).toEqual(
      invalid(['edited_by_filter'], 'the entity itself was last edited by somebody else'),
    );
    expect(await read(node, ada, root.id)).toEqual(root);
    const inside = await collection(node, ada);
    const placed = await update(node, ada, inside, {
      relationships_add: [{ predicate: 'collection', peer: home.id, peer_type: 'collection' }],
    });
    expect((await ask4(placed, { edited_by_filter: bob.id })).body).toEqual(
      invalid(['edited_by_filter'], 'the entity itself was last edited by somebody else'),
    );
    expect((await cascade(placed, { edited_by_filter: ada.id })).root).toMatchObject({ id: inside.id });
  });
});
