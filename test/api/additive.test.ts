import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain } from '../../src/server/store/versions.ts';
import { ask, on, onBehalf, type Person, processor, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let clock: { ms: number };
let ada: Person;
let home: Entity;
beforeAll(async () => {
  clock = { ms: Date.UTC(2026, 0, 1) };
  node = await startNode({ now: () => clock.ms });
  ada = await user(node, 'ada');
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

interface Answer {
  queued: { entity_id: string; queue_id: number }[];
  failed: { entity_id: string; error: string }[];
}
interface Queue {
  counts: { pending: number; processing: number; failed: number };
  items: { id: number; status: string; error: string | null; attempts: number; actor_id: string }[];
}

const add = async (who: Person, ...updates: object[]) =>
  ok<Answer>(await ask(node, who, 'POST /updates/additive', { updates }));
const queueOf = async (id: string) => ok<Queue>(await ask(node, ada, `GET /updates/queue/${id}`));
const idle = () => node.ctx.additive.idle();
const placed = (body: object = {}) => create(node, ada, { collection: home.id, ...body });

async function batch(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 100) {
    const entities = Array.from({ length: 100 }, () => ({ type: 'document' }));
    const { results } = ok<{ results: { id: string }[] }>(
      await ask(node, ada, 'POST /entities/batch', { entities, default_collection: home.id }),
    );
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

/** The authors of an entity's versions, oldest first. */
async function authors(id: string): Promise<object[]> {
  const store = await node.ctx.networks.get('main');
  const { cid } = await read(node, ada, id);
  return store.read((db) => chain(db, cid, 100).map(({ manifest }) => manifest.edited_by)).toReversed();
}

describe('additive updates', () => {
  it('from 64 clients at once for one entity are all there, each once', async () => {
    const target = await placed();
    const clients = await Promise.all(Array.from({ length: 64 }, (_, n) => user(node, `client ${n}`)));
    for (const client of clients) await enrol(node, ada, home.id, client, 'editor');
    const peers = await batch(100);
    const answers = await Promise.all(
      clients.map((client, n) =>
        add(client, {
          entity_id: target.id,
          properties: { all: { [`p${n}`]: n } },
          relationships_add: [{ predicate: 'has', peer: peers[n] }],
        }),
      ),
    );
    expect(new Set(answers.flatMap(({ queued }) => queued.map((q) => q.queue_id))).size).toBe(64);
    await idle();
    const { ver, properties, relationships } = await read(node, ada, target.id);
    expect(properties.all).toEqual(Object.fromEntries(clients.map((_, n) => [`p${n}`, n])));
    expect(new Set(relationships.slice(1).map((r) => r.peer))).toEqual(new Set(peers.slice(0, 64)));
    expect(ver).toBe(65);
    expect((await authors(target.id)).slice(1)).toEqual(
      expect.arrayContaining(clients.map(({ id }) => ({ user_id: id, method: 'manual' }))),
    );
    expect((await queueOf(target.id)).items.map(({ status }) => status)).toEqual(Array(64).fill('completed'));
  });

  it('ten thousand for a thousand entities, with other writers between, are all there', async () => {
    const ids = await batch(1000);
    const [one = ''] = ids;
    const rounds = Array.from({ length: 10 }, (_, round) =>
      add(ada, ...ids.map((id) => ({ entity_id: id, properties: { [`r${round}`]: round } }))),
    );
    // The collection moves, which decides on all of them, and so does one of the entities.
    const busy = user(node, 'bea').then(async (bea) => {
      for (let n = 0; n < 20; n++) {
        await enrol(node, ada, home.id, bea, 'viewer');
        await ask(node, ada, `PUT /entities/${one}`, {
          expect_tip: (await read(node, ada, one)).cid,
          properties: { [`put${n}`]: n },
        });
      }
    });
    expect((await Promise.all(rounds)).flatMap(({ queued }) => queued)).toHaveLength(10_000);
    await busy;
    await idle();
    const wanted = Object.fromEntries(rounds.map((_, round) => [`r${round}`, round]));
    for (const id of ids) {
      const { properties, ver } = await read(node, ada, id);
      expect(properties).toMatchObject(wanted);
      if (id !== one) expect(ver).toBeLessThanOrEqual(11);
    }
    expect((await queueOf(one)).counts).toEqual({ pending: 0, processing: 0, failed: 0 });
  });

  it('of one request for one entity become one version, in their order', async () => {
    const { id } = await placed({ properties: { list: [1], deep: { a: 1 } } });
    await add(
      ada,
      { entity_id: id, properties: { deep: 5, list: [2] }, note: 'first' },
      { entity_id: id, properties: { deep: { b: 2 } }, note: 'second' },
      { entity_id: id, properties: { list: null }, note: 'first' },
    );
    await idle();
    const now = await read(node, ada, id);
    expect([now.ver, now.properties]).toEqual([2, { deep: { b: 2 }, list: null }]);
    const { versions } = ok<{ versions: { note: string }[] }>(await ask(node, ada, `GET /versions/${id}`));
    expect(versions[0]?.note).toBe('first\nsecond');
  });

  it('carry who asked', async () => {
    const klados = await placed({ type: 'klados', properties: { status: 'development' } });
    const key = processor(node, klados.id, ada);
    await enrol(node, ada, home.id, key, 'editor');
    const system = service(node);
    const { id } = await placed();
    for (const who of [key, system, onBehalf(system, ada)]) await add(who, { entity_id: id, properties: { a: 1 } });
    await idle();
    expect((await authors(id)).slice(1)).toEqual([
      { user_id: klados.id, method: 'ai_generated', on_behalf_of: ada.id },
      { user_id: system.id, method: 'system' },
      { user_id: system.id, method: 'system', on_behalf_of: ada.id },
    ]);
    expect((await queueOf(id)).items.map((item) => item.actor_id)).toEqual([system.id, system.id, klados.id]);
  });

  it('of a processor need its role', async () => {
    const klados = await placed({ type: 'klados' });
    const answer = await ask(node, processor(node, klados.id, ada), 'POST /updates/additive', {
      updates: [{ entity_id: home.id, properties: { a: 1 } }],
    });
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: 'Action not allowed: collection:update', details: { entity_id: home.id } },
    ]);
  });

  it('say of what type their peers are', async () => {
    const [{ id }, peer] = [await placed(), await placed({ type: 'photo' })];
    await add(ada, { entity_id: id, relationships_add: [{ predicate: 'shows', peer: peer.id }] });
    await idle();
    expect((await read(node, ada, id)).relationships.at(-1)).toEqual({
      predicate: 'shows',
      peer: peer.id,
      peer_type: 'photo',
    });
  });

  it('give a role to a group', async () => {
    const [place, bob] = [await collection(node, ada), await user(node, 'bob of a group')];
    const crew = await placed({ type: 'group', relationships: [{ predicate: 'member', peer: bob.id }] });
    await add(ada, { entity_id: place.id, relationships_add: [{ predicate: 'editor', peer: crew.id }] });
    await idle();
    expect(ok(await ask(node, ada, `GET /collections/${place.id}/members`))).toMatchObject({
      members: [{ role: 'owner' }],
      groups: [{ groupId: crew.id, role: 'editor' }],
    });
    await create(node, bob, { collection: place.id });
  });

  it('name what is wrong by its place in what was sent', async () => {
    const { id } = await collection(node, ada);
    const [about, itself] = [
      { predicate: 'about', peer: home.id },
      { predicate: 'collection', peer: id },
    ];
    const { failed } = await add(ada, { entity_id: id, relationships_add: [about, itself] });
    expect(failed.map(({ error }) => error)).toEqual(['relationships_add.1.peer an entity cannot lie in itself']);
  });

  it('may have the members of removals, where they name nothing', async () => {
    const { id } = await placed();
    const about = { predicate: 'about', peer: home.id, properties: { page: 4 } };
    const withRemoval = (removal: unknown) => ({
      entity_id: id,
      properties_remove: removal,
      relationships_add: [{ ...about, properties_remove: removal }],
    });
    for (const nothing of [[], {}, null])
      expect((await add(ada, withRemoval(nothing))).queued).toMatchObject([{ entity_id: id }]);
    await idle();
    const { relationships } = await read(node, ada, id);
    expect(relationships.filter(({ predicate }) => predicate === 'about')).toEqual([
      { ...about, peer_type: 'collection' },
    ]);
    for (const some of [['page'], { page: ['x'] }, 'page', 0]) {
      const { status, body } = await ask(node, ada, 'POST /updates/additive', { updates: [withRemoval(some)] });
      const { details } = body as { details: { issues: { path: unknown[] }[] } };
      expect([status, details.issues.map(({ path }) => path.join('.'))]).toEqual([
        400,
        ['updates.0.properties_remove', 'updates.0.relationships_add.0.properties_remove'],
      ]);
    }
  });

  it('look for the targets of relationships when told so', async () => {
    const { id } = await placed();
    const missing = '01J00000000000000000000000';
    const many = Array.from({ length: 501 }, (_, n) => `01J${String(n).padStart(23, '0')}`);
    const update = { entity_id: id, relationships_add: many.map((peer) => ({ predicate: 'has', peer })) };
    const line = 'POST /updates/additive';
    const other = { entity_id: id, relationships_add: [{ predicate: 'has', peer: missing }] };
    const looked = await ask(node, ada, `${line}?validate_relationships=true`, { updates: [update, other] });
    expect(ok<Answer>(looked).failed.map(({ error }) => error)).toEqual([
      'relationships_add has more than 500 different targets; send validate_relationships=false',
      `relationships_add.0.peer there is no entity ${missing}`,
    ]);
    expect(ok<Answer>(await ask(node, ada, line, { updates: [update] })).failed).toEqual([]);
    await idle();
    expect((await read(node, ada, id)).relationships).toHaveLength(502);
  });

  it('work on the test network by themselves', async () => {
    const person = on('test', ada);
    ok(await ask(node, person, 'GET /users/me'));
    const { id } = ok<Entity>(await ask(node, person, 'POST /entities', { type: 'document' }));
    await add(person, { entity_id: id, properties: { a: 1 } });
    await idle();
    expect(ok<Entity>(await ask(node, person, `GET /entities/${id}`))).toMatchObject({ ver: 2, properties: { a: 1 } });
  });

  it('stop where a role is taken away: no later version is of its holder', async () => {
    const bob = await user(node, 'bob');
    await enrol(node, ada, home.id, bob, 'editor');
    const ids = await batch(1000);
    const { queued } = await add(bob, ...ids.map((id) => ({ entity_id: id, properties: { bob: 1 } })));
    expect(queued).toHaveLength(1000);
    ok(await ask(node, ada, `DELETE /collections/${home.id}/members/${bob.id}?role=editor`));
    const applied = await Promise.all(ids.map(async (id) => (await read(node, ada, id)).ver === 2));
    await idle();
    const after = await Promise.all(ids.map(async (id) => (await read(node, ada, id)).ver === 2));
    expect(after).toEqual(applied);
    for (const [i, id] of ids.entries()) {
      const [item] = (await queueOf(id)).items;
      const denied = { status: 'failed', error: 'Action not allowed: entity:update' };
      expect(item).toMatchObject(after[i] ? { status: 'completed', error: null } : denied);
    }
  });

  it('are told of for ten minutes, and those that failed for a week', async () => {
    const { id } = await placed();
    await add(ada, { entity_id: id, properties: { a: 1 } });
    await idle();
    await node.ctx.additive.prune();
    expect((await queueOf(id)).items).toHaveLength(1);
    clock.ms += 10 * 60_000;
    await node.ctx.additive.prune();
    expect((await queueOf(id)).items).toEqual([]);
  });
});

describe('additive updates of a large entity', () => {
  const text = 'word '.repeat(40_000);

  it('are prepared elsewhere, with the same outcome', async () => {
    const { id } = await placed({ properties: { text } });
    const bob = await user(node, 'large bob');
    await enrol(node, ada, home.id, bob, 'editor');
    const all = Array.from({ length: 20 }, (_, n) =>
      add(n % 2 ? ada : bob, { entity_id: id, properties: { [`p${n}`]: n } }),
    );
    expect((await Promise.all(all)).flatMap(({ queued }) => queued)).toHaveLength(20);
    await idle();
    const now = await read(node, ada, id);
    expect(now.properties).toEqual({ text, ...Object.fromEntries(all.map((_, n) => [`p${n}`, n])) });
    expect(now.ts).toBe(clock.ms);
    expect((await queueOf(id)).counts).toEqual({ pending: 0, processing: 0, failed: 0 });
    expect(node.logged.filter((line) => line.includes('additive'))).toEqual([]);
  });

  it('are refused there, too', async () => {
    const { id } = await placed({ properties: { text } });
    const eve = await user(node, 'large eve');
    const refused = await ask(node, eve, 'POST /updates/additive', {
      updates: [{ entity_id: id, properties: { a: 1 } }],
    });
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: 'Action not allowed: entity:update', details: { entity_id: id } },
    ]);
    const relationships_add = [{ predicate: 'Has', peer: home.id }];
    expect((await add(ada, { entity_id: id, relationships_add })).failed).toHaveLength(1);
  });
});
