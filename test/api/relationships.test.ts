import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movesAfter } from '../../src/server/store/events.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  invalid,
  notFound,
  ok,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

interface Pair {
  source: Entity;
  target: Entity;
}

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

const inside = () => create(node, ada, { collection: home.id });
const names = ({ source, target }: Pair) => ({
  source_id: source.id,
  target_id: target.id,
  source_predicate: 'has',
  expect_source_tip: source.cid,
});
const both = (of: Pair) => ({ ...names(of), target_predicate: 'part_of', expect_target_tip: of.target.cid });
const send = (method: 'POST' | 'DELETE', body: object, who = ada) => ask(node, who, `${method} /relationships`, body);
const link = async (body: object, who = ada) => ok<Pair>(await send('POST', body, who));
const tips = async (...of: Entity[]) => Promise.all(of.map(async ({ id }) => (await read(node, ada, id)).cid));

describe('a link', () => {
  it('one way leaves the target as it is', async () => {
    const of = { source: await inside(), target: await create(node, ada, { properties: { label: 'T' } }) };
    const made = await link(names(of));
    expect(made.target).toEqual(of.target);
    expect(made.source.relationships.at(-1)).toEqual({
      predicate: 'has',
      peer: of.target.id,
      peer_type: 'document',
      peer_label: 'T',
    });
    expect(await tips(of.source, of.target)).toEqual([made.source.cid, of.target.cid]);
  });

  it('one way is made only while the target is what was stated', async () => {
    const of = { source: await inside(), target: await inside() };
    const body = { ...names(of), expect_target_tip: of.target.cid };
    const moved = await update(node, ada, of.target, {});
    for (const method of ['POST', 'DELETE'] as const) {
      const refused = await send(method, body);
      expect([refused.status, refused.body]).toEqual([409, conflict(of.target.cid, moved.cid)]);
    }
    const itself = await send('POST', {
      ...names({ source: of.source, target: of.source }),
      expect_target_tip: 'stale',
    });
    expect([itself.status, itself.body]).toEqual([409, conflict('stale', of.source.cid)]);
    expect(await tips(of.source)).toEqual([of.source.cid]);
    expect((await link({ ...body, expect_target_tip: moved.cid })).target).toEqual(await read(node, ada, moved.id));
  });

  it('one way is in no version after the target has moved on', async () => {
    const target = await inside();
    const sources = await Promise.all(Array.from({ length: 32 }, inside));
    const linking = sources.map((source) =>
      send('POST', { ...names({ source, target }), expect_target_tip: target.cid }),
    );
    const [answers, moved] = await Promise.all([Promise.all(linking), update(node, ada, target, {})]);
    const store = await node.ctx.networks.get('main');
    const order = store.read((db) => movesAfter(db, 0, 1000)).moves.map(({ cid }) => cid);
    for (const { status, body } of answers)
      if (status === 201) expect(order.indexOf((body as Pair).source.cid)).toBeLessThan(order.indexOf(moved.cid));
      else expect([status, body]).toEqual([409, conflict(target.cid, moved.cid)]);
  });

  it('both ways changes both or none', async () => {
    const of = { source: await inside(), target: await inside() };
    const moved = await update(node, ada, of.target, { properties: { moved: true } });
    const answer = await send('POST', both(of));
    expect([answer.status, answer.body]).toEqual([409, conflict(of.target.cid, moved.cid)]);
    expect(await tips(of.source)).toEqual([of.source.cid]);
    const made = await link({ ...both({ source: of.source, target: moved }), note: 'why' });
    expect(await tips(of.source, of.target)).toEqual([made.source.cid, made.target.cid]);
    for (const { id } of [of.source, of.target])
      expect((await ask(node, ada, `GET /versions/${id}?limit=1`)).body).toMatchObject({ versions: [{ note: 'why' }] });
  });

  it('made again stays where it was, and refreshes the copies', async () => {
    const target = await create(node, ada);
    const first = await link(names({ source: await inside(), target }));
    const second = await link({ ...names({ ...first, target: await inside() }) });
    await update(node, ada, target, { properties: { label: 'later' } });
    const third = await link(names({ source: second.source, target }));
    const labels = third.source.relationships.map(({ peer, peer_label }) => [peer, peer_label]);
    expect(labels.slice(1)).toEqual([
      [target.id, 'later'],
      [second.source.relationships[2]?.peer, ''],
    ]);
  });

  it('needs the tip of a target in a collection, and not of one in none', async () => {
    const source = await inside();
    const { expect_target_tip: _, ...body } = both({ source, target: await inside() });
    expect((await send('POST', body)).body).toEqual(
      invalid(['expect_target_tip'], 'is required where the target changes too'),
    );
    const open = await create(node, ada);
    const made = await link({ ...body, target_id: open.id });
    expect(made.target).toMatchObject({ id: open.id, ver: 2 });
  });

  it('needs entity:update on each side that changes', async () => {
    const of = { source: await create(node, bob), target: await inside() };
    const refused = await send('POST', { ...both(of), expect_source_tip: 'stale' }, bob);
    expect([refused.status, refused.body]).toEqual([403, { error: 'Action not allowed: entity:update' }]);
    expect((await send('POST', names(of), bob)).status).toBe(201);
  });

  it('does what a generic write would need more for only when that is held', async () => {
    const mine = await collection(node, bob);
    const asOwner = { source: mine, target: await read(node, ada, ada.id) };
    const asEditor = { ...names(asOwner), source_predicate: 'editor' };
    expect((await send('POST', asEditor)).body).toEqual({ error: 'Action not allowed: collection:manage' });
    expect((await send('POST', asEditor, bob)).status).toBe(201);
    const into = { ...names({ source: await create(node, bob), target: home }), source_predicate: 'collection' };
    expect((await send('POST', into, bob)).body).toEqual({ error: 'Action not allowed: entity:create' });
  });

  it('to or from what is deleted is refused', async () => {
    const alive = await inside();
    const grave = { ...(await inside()), ...(await remove(node, ada, await inside())) };
    const to = await send('POST', names({ source: alive, target: grave }));
    expect([to.status, to.body]).toEqual([404, notFound]);
    expect((await send('POST', names({ source: grave, target: alive }))).body).toEqual(
      invalid(['source_id'], 'the entity is deleted'),
    );
  });

  it('of an entity with itself goes one way only', async () => {
    const source = await inside();
    expect((await send('POST', both({ source, target: source }))).status).toBe(400);
    const linked = await link(names({ source, target: source }));
    expect(linked.source.relationships.at(-1)?.peer).toBe(source.id);
    expect(linked.target).toEqual(linked.source);
    // A client takes its next tip from either.
    const gone = ok<Pair>(await send('DELETE', names(linked)));
    expect(gone.source).toMatchObject({ ver: 3, prev_cid: linked.source.cid });
    expect(gone.target).toEqual(gone.source);
    expect(await tips(source)).toEqual([gone.target.cid]);
  });
});

describe('an unlinking', () => {
  it('one way leaves the target, also a deleted one', async () => {
    const target = await inside();
    const linked = await link(both({ source: await inside(), target }));
    await remove(node, ada, linked.target);
    const gone = ok<Pair>(await send('DELETE', names(linked)));
    expect(gone.source.relationships.map(({ predicate }) => predicate)).toEqual(['collection']);
    expect(await tips(linked.source)).toEqual([gone.source.cid]);
  });

  it('both ways needs both tips, and takes both sides away', async () => {
    const linked = await link(both({ source: await inside(), target: await create(node, ada) }));
    const { expect_target_tip: _, ...body } = both(linked);
    expect((await send('DELETE', body)).body).toEqual(
      invalid(['expect_target_tip'], 'is required where the target changes too'),
    );
    const gone = ok<Pair>(await send('DELETE', both(linked)));
    expect(gone.target.relationships).toEqual([]);
    expect([gone.source.ver, gone.target.ver]).toEqual([3, 3]);
  });

  it('that is not there is no error, and makes a version like every update that changes nothing', async () => {
    const of = { source: await inside(), target: await inside() };
    const once = ok<Pair>(await send('DELETE', both(of)));
    expect([once.source.ver, once.target.ver]).toEqual([2, 2]);
    expect(once.source.relationships).toEqual(of.source.relationships);
    const put = await update(node, ada, once.source, { relationships_remove: [{ predicate: 'has' }] });
    expect([put.ver, put.relationships]).toEqual([3, of.source.relationships]);
    expect((await update(node, ada, put, {})).ver).toBe(4);
  });

  it('leaves other predicates and other peers', async () => {
    const [source, target, third] = [await create(node, ada), await create(node, ada), await create(node, ada)];
    const full = await update(node, ada, source, {
      relationships_add: ['has', 'likes'].flatMap((predicate) =>
        [target, third].map(({ id: peer }) => ({ predicate, peer })),
      ),
    });
    const gone = ok<Pair>(await send('DELETE', names({ source: full, target })));
    expect(gone.source.relationships).toEqual(full.relationships.slice(1));
  });
});
