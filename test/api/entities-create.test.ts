import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, on, onBehalf, operator, type Person, service, user } from '../helpers/callers.ts';
import {
  collection,
  conflict,
  create,
  type Entity,
  invalid,
  nowhere,
  ok,
  onTest,
  read,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let bob: Person;
let clock: { ms: number };
let count = 0;
const newId = () => `01J1${String(++count).padStart(22, '0')}`;
const post = (who: Person, body: object, query = '') => ask(node, who, `POST /entities${query}`, body);

beforeAll(async () => {
  clock = { ms: Date.UTC(2026, 0, 1) };
  node = await startNode({ now: () => clock.ms });
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

describe('a new entity', () => {
  it('comes back as it was sent, in the same bytes from every read', async () => {
    const properties = {
      text: 'naïve \u{1f600} \u0000 "quoted"',
      number: -1.5,
      zero: 0,
      big: Number.MAX_SAFE_INTEGER,
      list: [1, [], {}, null, true],
      map: { '/': 'no link', '': 'empty', deep: { a: { b: 'c' } } },
    };
    const made = await create(node, ada, { properties, note: 'first' });
    expect(made).toMatchObject({ properties, ver: 1, ts: clock.ms, created_at: '2026-01-01T00:00:00.000Z' });
    const first = await ask(node, ada, `GET /entities/${made.id}`);
    expect(first.body).toEqual(made);
    expect((await ask(node, bob, `GET /entities/${made.id}`)).text).toBe(first.text);
  });

  it('keeps names that are members of every object', async () => {
    const body = '{"type":"document","properties":{"__proto__":{"a":1},"constructor":2,"toString":{"valueOf":3}}}';
    const made = ok(await ask(node, ada, 'POST /entities', body, { 'Content-Type': 'application/json' }));
    const { text } = await ask(node, ada, `GET /entities/${made.id}`);
    expect(text).toContain('"__proto__":{"a":1}');
    const stored = (JSON.parse(text) as { properties: object }).properties;
    expect(Object.keys(stored).sort()).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it.each(['9007199254740992', '-9007199254740992', '9007199254740993', '1e400', '123456789012345678901'])(
    'refuses the number %s, which cannot be stored exactly',
    async (number) => {
      const body = `{"type":"document","properties":{"a":{"b":[0,${number}]}}}`;
      const answer = await ask(node, ada, 'POST /entities', body, { 'Content-Type': 'application/json' });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        invalid(['properties', 'a', 'b', 1], 'is beyond 2^53-1 and cannot be stored exactly'),
      );
    },
  );

  it('refuses unpaired surrogates, in values and in names', async () => {
    const properties = { a: ['\ud800'], '\udc00': 1 };
    expect((await post(ada, { type: 'document', properties })).body).toMatchObject({
      details: {
        issues: [
          { path: ['properties', 'a', 0], message: 'holds an unpaired surrogate' },
          { path: ['properties'], message: 'has a name with an unpaired surrogate' },
        ],
      },
    });
  });

  it('ignores unknown members, and drops those inside a relationship', async () => {
    const peer = (await create(node, ada)).id;
    const made = await create(node, ada, { unknown: 1, relationships: [{ predicate: 'has', peer, colour: 'red' }] });
    expect(made).not.toHaveProperty('unknown');
    expect(made.relationships).toEqual([{ predicate: 'has', peer, peer_type: 'document' }]);
  });

  it('has its relationships in the order in which they were sent, the collection first', async () => {
    const [a, b, { id }] = [await create(node, ada), await create(node, ada), await collection(node, ada)];
    const relationships = [b, a, b].map(({ id: peer }, i) => ({ predicate: `p${i}`, peer, properties: { i } }));
    const typed = relationships.map((r) => ({ ...r, peer_type: 'document' }));
    const made = await create(node, ada, { collection: id, relationships });
    expect(made.relationships).toEqual([{ predicate: 'collection', peer: id, peer_type: 'collection' }, ...typed]);
    const named = [...relationships, { predicate: 'collection', peer: id }];
    expect((await create(node, ada, { collection: id, relationships: named })).relationships).toEqual([
      ...typed,
      { predicate: 'collection', peer: id, peer_type: 'collection' },
    ]);
  });

  it('of the type collection has a label, roles and an owner like one of POST /collections', async () => {
    const roles = { owner: ['*:view', 'collection:manage'], public: ['*:view'] };
    const made = (properties: object, relationships: object[] = [{ predicate: 'owner', peer: ada.id }]) =>
      ask(node, ada, 'POST /entities', { type: 'collection', properties, relationships });
    expect((await made({ label: 'l', roles }, [])).body).toEqual(
      invalid(['relationships'], expect.stringMatching(/^a collection begins with an `owner`/)),
    );
    expect((await made({ roles })).body).toEqual(
      invalid(['properties', 'label'], 'must be a text of 1 to 200 characters'),
    );
    const { id } = ok(await made({ label: 'l', roles }));
    ok(await ask(node, ada, `PUT /collections/${id}/roles/public`, { actions: ['*:view'] }));
  });

  it('says of what type its peers are, unless the request does', async () => {
    const [a, home] = [await create(node, ada), await collection(node, ada)];
    const relationships = [
      { predicate: 'has', peer: a.id },
      { predicate: 'about', peer: home.id },
      { predicate: 'by', peer: ada.id, peer_type: 'person', peer_label: 'Ada' },
      { predicate: 'like', peer: nowhere },
    ];
    const sent = { type: 'document', relationships };
    const made = ok(await ask(node, ada, 'POST /entities?validate_relationships=false', sent));
    const types = ({ relationships: all }: { relationships: { peer_type?: string }[] }) => all.map((r) => r.peer_type);
    expect(types(made)).toEqual(['document', 'collection', 'person', undefined]);
    const batch = await ask(node, ada, 'POST /entities/batch', { entities: [sent] });
    const [item] = ok<{ results: { id: string }[] }>(batch).results;
    expect(types(await read(node, ada, item?.id ?? ''))).toEqual(types(made));
    const shelf = await collection(node, ada, { relationships: relationships.slice(0, 3) });
    expect(types(shelf)).toEqual(['document', 'collection', 'person', 'user']);
  });

  it('names its author by what asked', async () => {
    const account = service(node);
    expect((await create(node, account)).edited_by).toEqual({ user_id: account.id, method: 'system' });
    expect((await create(node, onBehalf(account, ada))).edited_by).toEqual({
      user_id: account.id,
      method: 'system',
      on_behalf_of: ada.id,
    });
  });

  it('is never a user', async () => {
    const forge = async (who: Person) => (await post(who, { type: 'user', properties: { label: 'forged' } })).body;
    for (const who of [ada, service(node), operator(node)])
      expect(await forge(who)).toEqual({ error: 'Action not allowed: user:create' });
  });
});

describe('an id of the client', () => {
  it('answers the same request again with what it made', async () => {
    const body = { type: 'document', id: newId(), properties: { b: [1], a: null }, note: 'n', collection: undefined };
    const first = await post(ada, body);
    clock.ms += 5000;
    const again = await post(ada, { ...body, properties: { a: null, b: [1] } });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect((await ask(node, ada, `GET /versions/${body.id}`)).body).toMatchObject({ versions: [{ ver: 1 }] });
  });

  it('answers it also when both arrive at once', async () => {
    const body = { type: 'document', id: newId(), properties: { a: 1 } };
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(ada, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect(new Set(answers.map(({ body: made }) => (made as { cid: string }).cid)).size).toBe(1);
  });

  it.each([
    ['another content', (b: object) => ({ ...b, properties: { a: 2 } }), () => ada],
    ['another note', (b: object) => ({ ...b, note: 'other' }), () => ada],
    ['another author', (b: object) => b, () => bob],
  ])('is a conflict with %s', async (_name, change, who) => {
    const body = { type: 'document', id: newId(), properties: { a: 1 } };
    const { cid } = await create(node, ada, body);
    const answer = await post(who(), change(body));
    expect([answer.status, answer.body]).toEqual([409, conflict('', cid)]);
  });

  it('is a conflict once the entity has changed, or is deleted', async () => {
    const body = { type: 'document', id: newId() };
    const second = await update(node, ada, await create(node, ada, body), {});
    expect((await post(ada, body)).body).toEqual(conflict('', second.cid));
    const grave = await remove(node, ada, second);
    expect((await post(ada, body)).body).toEqual(conflict('', grave.cid));
  });

  it('is compared before the targets are looked for', async () => {
    const peer = await create(node, ada);
    const body = { type: 'document', id: newId(), relationships: [{ predicate: 'has', peer: peer.id }] };
    const first = await create(node, ada, body);
    await remove(node, ada, peer);
    const again = await post(ada, body);
    expect([again.status, again.body]).toEqual([200, first]);
  });
});

describe('targets of relationships', () => {
  const dangling = (length: number) =>
    Array.from({ length }, (_, i) => ({ predicate: 'has', peer: `01J2${String(i).padStart(22, '0')}` }));

  it('must be there, unless the caller says otherwise', async () => {
    const there = (await create(node, ada)).id;
    const relationships = [{ predicate: 'has', peer: there }, ...dangling(1)];
    const body = { type: 'document', relationships };
    expect((await post(ada, body)).body).toEqual(
      invalid(['relationships', 1, 'peer'], `there is no entity ${dangling(1)[0]?.peer}`),
    );
    expect((await post(ada, body, '?validate_relationships=false')).status).toBe(201);
    expect((await post(ada, body, '?validate_relationships=maybe')).status).toBe(400);
  });

  it('must not be deleted', async () => {
    const peer = (await remove(node, ada, await create(node, ada))).id;
    expect((await post(ada, { type: 'document', relationships: [{ predicate: 'has', peer }] })).body).toEqual(
      invalid(['relationships', 0, 'peer'], `there is no entity ${peer}`),
    );
  });

  it('are not on the other network, whatever they come in', async () => {
    const [made, home] = [await create(node, ada), await collection(node, ada)];
    const list = [
      { predicate: 'has', peer: made.id },
      { predicate: 'has', peer: onTest },
    ];
    const item = { type: 'document', relationships: list };
    const tip = { expect_tip: made.cid, relationships_add: list };
    const doors: [string, object, (string | number)[]][] = [
      ['POST /entities', item, ['relationships', 1, 'peer']],
      [`PUT /entities/${made.id}`, tip, ['relationships_add', 1, 'peer']],
      ['POST /collections', { label: 'a', relationships: list }, ['relationships', 1, 'peer']],
      [`PUT /collections/${home.id}`, { ...tip, expect_tip: home.cid }, ['relationships_add', 1, 'peer']],
      ['POST /folders', { label: 'a', collection: home.id, relationships: list }, ['relationships', 1, 'peer']],
      [
        'POST /updates/additive',
        { updates: [{ entity_id: made.id, relationships_add: list }] },
        ['updates', 0, 'relationships_add', 1, 'peer'],
      ],
    ];
    for (const [line, body, path] of doors)
      for (const checked of [true, false]) {
        const answer = await ask(node, ada, `${line}?validate_relationships=${checked}`, body);
        expect([line, answer.status, answer.body]).toEqual([
          line,
          400,
          invalid(path, 'is not an id of the main network'),
        ]);
      }
    const batch = await ask(node, ada, 'POST /entities/batch', { entities: [item] });
    expect(batch.body).toMatchObject({
      results: [{ code: 'VALIDATION_ERROR', details: { issues: [{ path: ['relationships', 1, 'peer'] }] } }],
    });
    const there = { type: 'document', relationships: [{ predicate: 'has', peer: made.id }] };
    const answer = await ask(node, on('test', ada), 'POST /entities?validate_relationships=false', there);
    expect(answer.body).toEqual(invalid(['relationships', 0, 'peer'], 'is not an id of the test network'));
  });

  it('may be at most 500 different ones when they are checked', async () => {
    const refused = { status: 400, issues: [{ path: ['relationships'] }] };
    const send = async (relationships: object[], query = '') => {
      const { status, body } = await post(ada, { type: 'document', relationships }, query);
      return { status, ...(body as { details?: object }).details };
    };
    expect(await send(dangling(501))).toMatchObject(refused);
    expect((await send(dangling(501), '?validate_relationships=false')).status).toBe(201);
    const one = (await create(node, ada)).id;
    const many = Array.from({ length: 501 }, (_, i) => ({ predicate: `p${i}`, peer: one }));
    expect((await send(many)).status).toBe(201);
  });

  it('are entity ids in any case', async () => {
    for (const peer of ['somebody', 'has\nnewline', ''])
      expect(
        (
          await post(
            ada,
            { type: 'document', relationships: [{ predicate: 'has', peer }] },
            '?validate_relationships=false',
          )
        ).body,
      ).toEqual(invalid(['relationships', 0, 'peer'], expect.any(String)));
  });

  it('may be the entity itself', async () => {
    const id = newId();
    expect((await post(ada, { type: 'document', id, relationships: [{ predicate: 'same', peer: id }] })).status).toBe(
      201,
    );
  });

  it.each(['Has', 'has part', '1st', 'hás', 'x'.repeat(51), ''])(
    'are named by a plain predicate, not by %j',
    async (predicate) => {
      const { status, body } = await post(ada, { type: 'document', relationships: [{ predicate, peer: ada.id }] });
      expect(status).toBe(400);
      expect(body).toEqual(invalid(['relationships', 0, 'predicate'], expect.any(String)));
    },
  );
});

describe('the collection of a new entity', () => {
  it('must be a live collection', async () => {
    const document = await create(node, ada);
    const grave = await remove(node, ada, await collection(node, ada));
    for (const id of [nowhere, document.id, grave.id])
      expect((await post(ada, { type: 'document', collection: id })).body).toEqual(
        invalid(['collection'], `there is no collection ${id}`),
      );
    expect((await post(ada, { type: 'document', collection: onTest })).body).toEqual(
      invalid(['collection'], 'is not an id of the main network'),
    );
  });

  it('must allow it, also where only the list names it', async () => {
    const { id } = await collection(node, ada);
    const refused = [403, { error: 'Action not allowed: entity:create' }];
    const listed = { type: 'document', relationships: [{ predicate: 'collection', peer: id }] };
    for (const body of [{ type: 'document', collection: id }, listed]) {
      const answer = await post(bob, body);
      expect([answer.status, answer.body]).toEqual(refused);
    }
  });

  // Nobody else could edit it, and no listing would show it.
  it('is one also where the operator names it by a relationship, at first or later', async () => {
    const op = operator(node);
    const { id } = await create(node, op);
    const placed = [{ predicate: 'collection', peer: id }];
    const refused = (list: string) =>
      invalid([list, 0, 'peer'], `must be a collection, and ${id} has the type \`document\``);
    for (const query of ['', '?validate_relationships=false'])
      expect((await post(op, { type: 'document', relationships: placed }, query)).body).toEqual(
        refused('relationships'),
      );
    const { id: other, cid } = await create(node, op);
    const answer = await ask(node, op, `PUT /entities/${other}`, { expect_tip: cid, relationships_add: placed });
    expect([answer.status, answer.body]).toEqual([400, refused('relationships_add')]);
  });
});

describe('the two networks', () => {
  it('know nothing of each other', async () => {
    const tess = on('test', ada);
    const made = await create(node, tess);
    expect(made.id).toMatch(/^II/);
    expect(made.edited_by.user_id).toBe(tess.id);
    expect(await read(node, tess, made.id)).toEqual(made);
    expect((await ask(node, ada, `GET /entities/${made.id}`)).body).toEqual(
      invalid(['id'], 'is not an id of the main network'),
    );
    const main = await create(node, ada);
    for (const line of [`GET /entities/${main.id}`, `GET /entities/${main.id}/tip`, `GET /versions/${main.id}`])
      expect((await ask(node, tess, line)).body).toEqual(invalid(['id'], 'is not an id of the test network'));
    expect((await ask(node, tess, `GET /versions/manifest/${main.cid}`)).status).toBe(404);
    expect((await post(tess, { type: 'document', id: newId() })).body).toEqual(
      invalid(['id'], 'is not an id of the test network'),
    );
  });

  it('have events of their own, chosen by the query alone', async () => {
    const tess = on('test', ada);
    const made = await create(node, tess);
    const newest = { events: [{ pi: made.id, entity_id: made.id, cid: made.cid }] };
    const { body: onMain } = await ask(node, ada, 'GET /events?limit=1');
    expect(onMain).not.toMatchObject(newest);
    for (const who of [ada, tess]) {
      expect((await ask(node, who, 'GET /events?limit=1&network=test')).body).toMatchObject(newest);
      expect((await ask(node, who, 'GET /events?limit=1&network=main')).body).toEqual(onMain);
      expect((await ask(node, who, 'GET /events?limit=1')).body).toEqual(onMain);
    }
  });

  it('keep what their collections allow apart', async () => {
    // Rows of two databases have the same keys: what one network's collections allow must not count in the other.
    await using fresh = await startNode();
    const [eve, mallory] = [await user(fresh, 'eve'), await user(fresh, 'mallory')];
    const open = { roles: { public: ['*:view', '*:create'] } };
    const enter = (who: Person, { id }: Entity) =>
      ask(fresh, who, 'POST /entities', { type: 'document', collection: id });
    const opened = [];
    for (let i = 0; i < 12; i++) opened.push(await collection(fresh, on('test', mallory), open));
    for (const one of opened) expect((await enter(on('test', eve), one)).status).toBe(201);
    for (let i = 0; i < 12; i++) expect((await enter(mallory, await collection(fresh, eve))).status).toBe(403);
  });
});
