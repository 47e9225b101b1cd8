import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import { section, segmentHead } from '../../src/server/blocks/segment-car.ts';
import { anonymous, ask, operator, type Person, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, nowhere, ok, remove } from '../helpers/entities.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { agentBody, kladosBody, rhizaBody } from '../helpers/processors.ts';
import { addRemote, sync } from '../sync/nodes.ts';

// Part of an archive or of a remote names what does not come with it. Who made that here would have the power that it gives.

let opened: AsyncDisposableStack;
let first: TestNode;
let node: TestNode;
/** The operator of each. */
let there: Person;
let here: Person;
let bob: Person;
/** A collection of bob's. */
let own: Entity;
beforeEach(async () => {
  opened = new AsyncDisposableStack();
  first = opened.use(await startNode());
  node = opened.use(await startNode());
  [there, here, bob] = [operator(first), operator(node), await user(node, 'bob')];
  own = await collection(node, bob);
});
afterEach(() => opened.disposeAsync());

const away = 'is the id of a collection that is not on this node: only its operator may bring it';
const brought = async (...ids: string[]) => {
  for (const id of ids) await imported(node, (await exported(first, `?entity=${id}`)).car);
};

/** Each way to make an entity under a given id. */
const doors: [string, (id: string) => Promise<Answer>][] = [
  ['POST /collections', (id) => ask(node, bob, 'POST /collections', { id, label: 'mine' })],
  ['POST /entities, a collection', (id) => ask(node, bob, 'POST /entities', { id, ...collectionBody() })],
  ['POST /entities', (id) => ask(node, bob, 'POST /entities', { id, type: 'document' })],
  ['POST /kladoi', (id) => ask(node, bob, 'POST /kladoi', kladosBody(own.id, { id }))],
  ['POST /agents', (id) => ask(node, bob, 'POST /agents', agentBody(own.id, { id }))],
  ['POST /rhizai', (id) => ask(node, bob, 'POST /rhizai', rhizaBody(own.id, { id }))],
];

/** As POST /entities takes it. */
const collectionBody = () => ({
  type: 'collection',
  properties: { label: 'mine', roles: { owner: ['*:view', '*:update', 'collection:manage'], public: ['*:view'] } },
  relationships: [{ predicate: 'owner', peer: bob.id, peer_type: 'user' }],
});

/** The same through a batch, and as versions of another node. */
const batch = (id: string) => ask(node, bob, 'POST /entities/batch', { entities: [{ id, ...collectionBody() }] });
function push(who: Person, id: string): Promise<Answer> {
  const times = { created_at: '2026-01-01T00:00:00.000Z', ts: '2026-01-01T00:00:00.000Z' };
  const version = encodeManifest({
    ...{ schema: 'arke/eidos@v1', id, ver: 1, prev: null, ...times, ...collectionBody() },
    edited_by: { user_id: who.id, method: 'manual' },
  });
  const items = [{ id, expect: null, tip: version.cid }];
  const head = segmentHead({ archeion: 'push', version: 1, instance: '00000000-0000-4000-8000-000000000000', items });
  const headers = { ...who.headers, 'Content-Type': 'application/vnd.ipld.car; version=1' };
  const body = Buffer.concat([head, ...section(cidBytes(version.cid), version.bytes)]);
  return node.fetch('/node/sync/push', { method: 'POST', headers, body });
}

describe('a collection that is not here, and that entities here lie in', () => {
  it('is made by its operator alone, through no door by a user, who would own them', async () => {
    const [a, b] = [await collection(first, there), await collection(first, there)];
    const relationships = [b, a].map(({ id }) => ({ predicate: 'collection', peer: id, peer_type: 'collection' }));
    const entity = await create(first, there, { relationships });
    await brought(entity.id);
    for (const { id } of [a, b]) {
      for (const [door, make] of doors) {
        const answer = await make(id);
        expect([door, answer.status, answer.body]).toEqual([door, 400, invalid(['id'], away)]);
      }
      expect((await batch(id)).body).toMatchObject({
        results: [{ success: false, details: invalid(['id'], away).details }],
      });
      expect((await push(bob, id)).body).toMatchObject({ results: [{ success: false, code: 'VALIDATION_ERROR' }] });
    }
    const late = { expect_tip: entity.cid, properties: { label: 'taken' } };
    expect((await ask(node, bob, `PUT /entities/${entity.id}`, late)).status).toBe(403);

    expect((await ask(node, here, 'POST /collections', { id: a.id, label: 'ours' })).status).toBe(201);
    expect(await imported(node, (await exported(first, `?entity=${b.id}`)).car)).toMatchObject({
      created: 1,
      forks: 0,
    });
    expect((await ask(node, anonymous, `GET /collections/${b.id}`)).body).toMatchObject({ cid: b.cid });
  });

  it('is made by a service account, too', async () => {
    const home = await collection(first, there);
    await brought((await create(first, there, { collection: home.id })).id);
    const program = service(node);
    const forBob = { ...program.headers, 'X-On-Behalf-Of': bob.id };
    const body = { id: home.id, label: 'mine' };
    expect((await ask(node, { id: bob.id, headers: forBob }, 'POST /collections', body)).status).toBe(400);
    expect((await ask(node, program, 'POST /collections', body)).status).toBe(201);
  });

  it('is that also where what lay in it is deleted', async () => {
    const home = await collection(first, there);
    const entity = await create(first, there, { collection: home.id });
    const { cid } = await remove(first, there, entity);
    await brought(entity.id);
    expect((await ask(node, bob, 'POST /collections', { id: home.id, label: 'mine' })).body).toEqual(
      invalid(['id'], away),
    );
    expect((await ask(node, bob, `POST /entities/${entity.id}/restore`, { expect_tip: cid })).status).toBe(403);
  });

  it('comes from the remote that it is to be mirrored from', async () => {
    const home = await collection(first, there, { label: 'theirs' });
    const entity = await create(first, there, { collection: home.id });
    await addRemote(node, here, { url: first.url, collections: [home.id] });
    for (const [, make] of doors) expect((await make(home.id)).body).toEqual(invalid(['id'], away));
    await sync(node, here);
    expect((await ask(node, anonymous, `GET /collections/${home.id}`)).body).toMatchObject({ cid: home.cid });
    expect((await ask(node, anonymous, `GET /entities/${entity.id}`)).body).toMatchObject({ cid: entity.cid });
  });
});

describe('a member that is not here', () => {
  const member = (predicate: string, { id }: { id: string }, peer_type: string) => ({ predicate, peer: id, peer_type });
  const unchecked = async (path: string, body: object) =>
    ok(await ask(first, there, `POST ${path}?validate_relationships=false`, body));
  const taken = (of: Entity) => invalid(['id'], `is a member of ${of.id}, whose members you may not change`);

  it('is made by whoever may say who the members are', async () => {
    const office = await collection(first, there);
    const crew = await create(first, there, { type: 'group', collection: office.id });
    const klados = ok(await ask(first, there, 'POST /kladoi', kladosBody(office.id)));
    const home = await collection(first, there, {
      relationships: [member('editor', crew, 'group'), member('editor', klados, 'klados')],
    });
    await brought(home.id);
    const group = { id: crew.id, type: 'group', collection: own.id, relationships: [member('member', bob, 'user')] };
    expect((await ask(node, bob, 'POST /entities', group)).body).toEqual(taken(home));
    for (const [, make] of doors) expect((await make(klados.id)).body).toEqual(taken(home));
    expect((await ask(node, bob, 'POST /entities', { type: 'document', collection: home.id })).status).toBe(403);

    await enrol(node, here, home.id, bob, 'owner');
    expect((await ask(node, bob, 'POST /entities', group)).status).toBe(201);
    expect((await ask(node, bob, 'POST /kladoi', kladosBody(own.id, { id: klados.id }))).status).toBe(201);
  });

  it('of a group is made by whoever may change that', async () => {
    const office = await collection(first, there);
    const crew = await unchecked('/entities', {
      ...{ type: 'group', collection: office.id },
      relationships: [member('member', { id: nowhere }, 'user')],
    });
    await brought(office.id, crew.id);
    const agent = agentBody(own.id, { id: nowhere });
    expect((await ask(node, bob, 'POST /agents', agent)).body).toEqual(taken(crew));
    await enrol(node, here, office.id, bob, 'editor');
    expect((await ask(node, bob, 'POST /agents', agent)).status).toBe(201);
  });

  it('that is only mentioned is anybody’s to make', async () => {
    const relationships = [member('cites', { id: nowhere }, 'work')];
    const home = await unchecked('/collections', { label: 'Home', relationships });
    await brought(home.id);
    expect((await ask(node, bob, 'POST /entities', { id: nowhere, type: 'work' })).status).toBe(201);
  });
});
