import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, processor, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  enrol,
  invalid,
  nowhere,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  node = await startNode();
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

const put = (who: Person, { id, cid }: { id: string; cid: string }, body: object, query = '') =>
  ask(node, who, `PUT /entities/${id}${query}`, { expect_tip: cid, ...body });

/** An entity with those properties after that update. */
async function updated(properties: object, body: object): Promise<Entity['properties']> {
  return (await update(node, ada, await create(node, ada, { properties }), body)).properties;
}

const peers = async (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await create(node, ada)).id));
const has = (peer: string, more: object = {}) => ({ predicate: 'has', peer, ...more });
const document = { peer_type: 'document' };

describe('properties', () => {
  it('merge deep; arrays and null replace', async () => {
    const before = { a: { b: { c: 1, d: 1 }, e: [1, 2] }, f: 1, g: { h: 1 }, i: 1 };
    const patch = { a: { b: { d: 2 }, e: [3] }, f: null, g: 5, i: { j: 1 }, k: {} };
    expect(await updated(before, { properties: patch })).toEqual({
      a: { b: { c: 1, d: 2 }, e: [3] },
      f: null,
      g: 5,
      i: { j: 1 },
      k: {},
    });
  });

  it('keep the byte order mark that a text begins with, whatever else is changed', async () => {
    const marked = { title: '\ufeffÉtude', '\ufeffname': '\ufeff' };
    expect(await updated(marked, { properties: { other: 1 } })).toEqual({ ...marked, other: 1 });
  });

  it('go by name at the top, or by objects that lead further down', async () => {
    const before = { a: 1, b: { c: { d: 1, e: 1 }, f: 1 }, 'b.f': 1 };
    expect(await updated(before, { properties_remove: ['a', 'b.f', 'absent'] })).toEqual({ b: before.b });
    expect(await updated(before, { properties_remove: { b: { c: ['d'] } } })).toMatchObject({
      b: { c: { e: 1 }, f: 1 },
    });
    expect(await updated(before, { properties_remove: { b: ['c', 'f'], absent: ['x'] } })).toEqual({
      a: 1,
      b: {},
      'b.f': 1,
    });
  });

  it('are removed first and merged then, within one body', async () => {
    const before = { a: { old: 1 }, b: 1 };
    const body = { properties_remove: ['a', 'b'], properties: { a: { new: 1 } } };
    expect(await updated(before, body)).toEqual({ a: { new: 1 } });
  });

  it.each([
    [5, ['properties_remove']],
    [
      ['a', 5],
      ['properties_remove', 1],
    ],
    [{ a: 'b' }, ['properties_remove', 'a']],
    [{ a: { b: [5] } }, ['properties_remove', 'a', 'b']],
    [null, ['properties_remove']],
  ])('are not removed by %j', async (properties_remove, path) => {
    const answer = await put(ada, { id: nowhere, cid: 'x' }, { properties_remove });
    expect([answer.status, answer.body]).toEqual([400, invalid(path, expect.any(String))]);
  });

  it('keep the names of every object, without following them', async () => {
    const made = await create(node, ada, { properties: { a: 1 } });
    const text = `{"expect_tip":"${made.cid}","properties":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}`;
    const answer = await ask(node, ada, `PUT /entities/${made.id}`, text, { 'Content-Type': 'application/json' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('relationships', () => {
  it('are added at the end, and changed where they stand', async () => {
    const [a = '', b = '', c = ''] = await peers(3);
    const first = await create(node, ada, {
      relationships: [has(a, { peer_label: 'A', properties: { x: { y: 1, z: 1 }, w: 1 } }), has(b)],
    });
    const second = await update(node, ada, first, {
      relationships_add: [
        has(c),
        has(a, { peer_type: 'document', properties: { x: { y: 2 } }, properties_remove: { x: ['z'] } }),
      ],
    });
    expect(second.relationships).toEqual([
      { predicate: 'has', peer: a, peer_type: 'document', peer_label: 'A', properties: { x: { y: 2 }, w: 1 } },
      has(b, document),
      has(c, document),
    ]);
  });

  it('go by predicate and peer, or by predicate alone; what is not there is no error', async () => {
    const [a = '', b = ''] = await peers(2);
    const both = [has(a), has(b), { predicate: 'part_of', peer: a }];
    const typed = both.map((r) => ({ ...r, ...document }));
    const first = await create(node, ada, { relationships: both });
    const second = await update(node, ada, first, { relationships_remove: [{ predicate: 'has', peer: a }] });
    expect(second.relationships).toEqual(typed.slice(1));
    const third = await update(node, ada, second, {
      relationships_remove: [{ predicate: 'has' }, { predicate: 'absent' }, { predicate: 'part_of', peer: b }],
    });
    expect(third.relationships).toEqual(typed.slice(2));
  });

  it('removed and added in one body begin anew, in their place', async () => {
    const [a = '', b = ''] = await peers(2);
    const first = await create(node, ada, { relationships: [has(a, { properties: { old: 1 } }), has(b)] });
    const second = await update(node, ada, first, {
      relationships_remove: [{ predicate: 'has' }],
      relationships_add: [has(b), has(a, { properties: { new: 1 } })],
    });
    expect(second.relationships).toEqual([has(a, { ...document, properties: { new: 1 } }), has(b, document)]);
  });

  it('need targets that are there, at most 500 of them', async () => {
    const made = await create(node, ada);
    const body = { relationships_add: [has(ada.id), has(nowhere)] };
    expect((await put(ada, made, body)).body).toEqual(
      invalid(['relationships_add', 1, 'peer'], `there is no entity ${nowhere}`),
    );
    const many = Array.from({ length: 501 }, (_, i) => has(`01J2${String(i).padStart(22, '0')}`));
    expect((await put(ada, made, { relationships_add: many })).body).toMatchObject({
      details: { issues: [{ path: ['relationships_add'] }] },
    });
    expect((await put(ada, made, { relationships_add: many }, '?validate_relationships=false')).status).toBe(200);
  });
});

describe('the tip', () => {
  it('that is stale leaves everything as it was, whatever text it is', async () => {
    const first = await create(node, ada);
    const second = await update(node, ada, first, { properties: { a: 1 } });
    for (const expect_tip of [first.cid, 'no CID', '\u0000']) {
      const answer = await ask(node, ada, `PUT /entities/${first.id}`, { expect_tip, properties: { a: 2 } });
      expect([answer.status, answer.body]).toEqual([409, conflict(expect_tip, second.cid)]);
    }
    expect(await read(node, ada, first.id)).toEqual(second);
  });

  it('is compared after it is known that the caller may do all that the update needs', async () => {
    const [mine, theirs] = [await collection(node, ada), await collection(node, bob)];
    const first = await create(node, ada, { collection: mine.id });
    const { cid } = await update(node, ada, first, { properties: { a: 1 } });
    const late = async (who: Person, body: object) => {
      const answer = await put(who, first, body);
      return [answer.status, answer.body];
    };
    const entering = { relationships_add: [{ predicate: 'collection', peer: theirs.id }] };
    expect(await late(bob, { properties: { a: 2 } })).toEqual([403, { error: 'Action not allowed: entity:update' }]);
    expect(await late(ada, entering)).toEqual([403, { error: 'Action not allowed: entity:create' }]);
    expect(await late(ada, { properties: { a: 2 } })).toEqual([409, conflict(first.cid, cid)]);
    await remove(node, ada, { ...first, cid });
    expect((await late(ada, { properties: { a: 2 } }))[0]).toBe(409);
  });

  it('lets one of many win', async () => {
    const made = await create(node, ada, { properties: { n: 0 } });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => put(ada, made, { properties: { n } })));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const { cid } = (winner as Answer).body as Entity;
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body]).toEqual([409, conflict(made.cid, cid)]);
  });

  it('moves with every update, also one that changes nothing', async () => {
    const first = await create(node, ada, { properties: { a: 1 } });
    const second = await update(node, ada, first, { note: 'the same' });
    expect(second).toMatchObject({ ver: 2, prev_cid: first.cid, properties: { a: 1 } });
    const { body } = await ask(node, ada, `GET /versions/${first.id}`);
    expect(body).toMatchObject({ versions: [{ note: 'the same' }, {}] });
    expect((body as { versions: object[] }).versions[1]).not.toHaveProperty('note');
  });
});

describe('an entity in no collection', () => {
  it('is edited by any user, and not by processors', async () => {
    const made = await create(node, ada);
    const second = await update(node, bob, made, { properties: { by: 'bob' } });
    expect(second.edited_by).toEqual({ user_id: bob.id, method: 'manual' });
    const klados = processor(node, '01J300000000000000000000K0', ada);
    const answer = await put(klados, second, {});
    expect([answer.status, answer.body]).toEqual([403, { error: 'Action not allowed: entity:update' }]);
  });
});

describe('moves between collections', () => {
  const refused = (action: string) => [403, { error: `Action not allowed: ${action}` }];
  const into = (id: string) => ({ relationships_add: [{ predicate: 'collection', peer: id }] });
  const outOf = (id: string) => ({ relationships_remove: [{ predicate: 'collection', peer: id }] });

  it('need entity:create in the new one and entity:delete in the old one', async () => {
    const [mine, theirs] = [await collection(node, ada), await collection(node, bob)];
    const made = await create(node, ada, { collection: mine.id });
    const step = async (who: Person, body: object) => {
      const answer = await put(who, made, body);
      return [answer.status, answer.body];
    };
    expect(await step(ada, into(theirs.id))).toEqual(refused('entity:create'));
    expect(await step(bob, outOf(mine.id))).toEqual(refused('entity:update'));
    await enrol(node, bob, theirs.id, ada, 'editor');
    const both = await update(node, ada, made, into(theirs.id));
    expect(both.relationships.map((r) => r.peer)).toEqual([mine.id, theirs.id]);
    const left = await update(node, ada, both, outOf(mine.id));
    expect((await put(bob, left, {})).status).toBe(200);
  });

  it('in one body keep the place, and the first collection decides', async () => {
    const [mine, theirs] = [await collection(node, ada), await collection(node, bob)];
    await enrol(node, ada, mine.id, bob, 'editor');
    const made = await create(node, ada, { collection: mine.id });
    // Bob may create in his own collection and delete in Ada's.
    const moved = await update(node, bob, made, { ...outOf(mine.id), ...into(theirs.id) });
    expect(moved.relationships.map((r) => r.peer)).toEqual([theirs.id]);
    const answer = await put(ada, moved, {});
    expect([answer.status, answer.body]).toEqual(refused('entity:update'));
  });

  it('into the entity itself are refused', async () => {
    const made = await create(node, ada);
    const answer = await put(ada, made, into(made.id));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await read(node, ada, made.id)).toEqual(made);
  });
});

describe('a generic write of a collection', () => {
  it('needs what the special endpoints need', async () => {
    const made = await collection(node, ada);
    await enrol(node, ada, made.id, bob, 'editor');
    const current = await read(node, ada, made.id);
    const may = async (who: Person, body: object) => (await put(who, current, body)).body;
    expect(await may(bob, { properties: { label: 'mine' } })).toEqual({
      error: 'Action not allowed: collection:update',
    });
    const roles = { properties: { roles: { editor: ['*:view', 'collection:manage'] } } };
    expect(await may(bob, roles)).toEqual({ error: 'Action not allowed: collection:manage' });
    const owner = { relationships_add: [{ predicate: 'owner', peer: bob.id, peer_type: 'user' }] };
    expect(await may(bob, owner)).toEqual({ error: 'Action not allowed: collection:manage' });
    expect(await may(ada, { relationships_remove: [{ predicate: 'owner' }] })).toEqual(
      invalid(['relationships_remove'], 'the last owner of a collection cannot be removed'),
    );
    expect(await may(ada, { properties_remove: ['roles'] })).toMatchObject({ error: 'Validation failed' });
    expect(await may(ada, { properties: { roles: { all: ['collection:*'] } } })).toEqual(
      invalid(['properties', 'roles', 'all', 0], '`collection:*` is not allowed'),
    );
    expect((await put(ada, current, owner)).status).toBe(200);
  });

  it('takes the names of its roles as predicates, and no others that are odd', async () => {
    const made = await collection(node, ada, { roles: { 'Senior Editor': ['*:update'] } });
    const as = (predicate: string) => ({ relationships_add: [{ predicate, peer: bob.id, peer_type: 'user' }] });
    expect((await put(ada, made, as('Junior Editor'))).body).toEqual(
      invalid(
        ['relationships_add', 0, 'predicate'],
        'must begin with a small letter and have only such, digits and `_`',
      ),
    );
    expect((await put(ada, made, as('Senior Editor'))).status).toBe(200);
  });
});

describe('a user', () => {
  it('is changed through no door by another, and never deleted', async () => {
    const own = await read(node, ada, ada.id);
    const answer = await put(bob, own, { properties: { label: 'stolen' } });
    expect([answer.status, answer.body]).toEqual([403, { error: 'Action not allowed: user:update' }]);
    expect((await ask(node, ada, `DELETE /entities/${own.id}`, { expect_tip: own.cid })).status).toBe(403);
    expect((await put(ada, own, { properties: { motto: 'm' } })).status).toBe(200);
  });
});

describe('a deleted entity', () => {
  it('takes no update', async () => {
    const grave = await remove(node, ada, await create(node, ada));
    expect((await put(ada, grave, { properties: { a: 1 } })).body).toEqual(invalid(['id'], 'the entity is deleted'));
  });
});
