import { describe, expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Deleted, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import {
  addRemote,
  chainOf,
  conflictsOf,
  startCurated as curatedOf,
  keyOf,
  type Pair,
  type PairOptions,
  startPair as pairOf,
  read,
  remoteOf,
  sync,
  tipsOf,
} from './nodes.ts';
import { startProxied } from './proxied.ts';

/** By the public interface; push-blocks.test.ts is about the other way. */
const startPair = (options?: PairOptions) => pairOf({ plain: true, ...options });
const startCurated = () => curatedOf({ plain: true });
const ways = [
  ['to a plain remote', true],
  ['to a node', false],
] as const;

const quiet = { refused: 0, conflicts: 0, troubles: 0, stopped: null };

/** A pair whose origin has a collection of the curator's with one work in it, mirrored. */
describe.each(['main', 'test'] as const)('on %s', (network) => {
  test('P1: what was made offline arrives: collections first, then what is pointed at, circles too', async () => {
    await using pair = await startPair({ network });
    const { origin, mirror, curator, here } = pair;
    const far = await create(mirror, here, { properties: { label: 'pointed at' } });
    const place = await collection(mirror, here, { label: 'Made here', properties: { n: 1 } });
    const near = await create(mirror, here, {
      collection: place.id,
      relationships: [{ predicate: 'near', peer: far.id, peer_type: 'document', properties: { d: 3 } }],
      note: 'why',
    });
    const back = await update(mirror, here, far, { relationships_add: [{ predicate: 'in', peer: near.id }] });
    ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, { expect_tip: place.cid, entity_id: near.id }));
    expect(back.ver).toBe(2);

    expect(await sync(mirror, here)).toMatchObject({ ...quiet });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, conflicts: 0 });
    expect(await tipsOf(mirror, network)).toEqual(await tipsOf(origin, network));
    const arrived = await read(origin, curator, near.id);
    expect(arrived).toMatchObject({ edited_by: { user_id: curator.id }, relationships: near.relationships });
    const there = ok<Entity & { root_entity_id: string }>(await ask(origin, curator, `GET /collections/${place.id}`));
    expect(there.root_entity_id).toBe(near.id);
    expect(there.properties).toMatchObject({ label: 'Made here', n: 1 });
    expect(there.relationships.filter((r) => r.predicate === 'owner').map((r) => r.peer)).toEqual([curator.id]);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 0, updated: 0, versions: 0 });
  });
});

test('P2: several edits made while the origin was down arrive as one minimal change, and the drafts stay readable', async () => {
  await using origin = await startCurated();
  const { mirror, curator, here, work } = origin;
  let draft = await update(mirror, here, work, { properties: { size: { h: 3 } } });
  draft = await update(mirror, here, draft, {
    properties: { label: 'Two' },
    properties_remove: { size: ['w'] },
    note: 'measured',
  });
  const drafts = await chainOf(mirror, work.id);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1 });

  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  const there = await read(origin.origin, curator, work.id);
  expect(there).toMatchObject({
    ver: 2,
    properties: { label: 'Two', size: { h: 3 } },
    edited_by: { user_id: curator.id },
  });
  expect(await read(mirror, here, work.id)).toEqual(there);
  expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin.origin, work.id));
  for (const [, cid] of drafts) expect((await ask(mirror, here, `GET /versions/manifest/${cid}`)).status).toBe(200);
  const stale = await ask(mirror, here, `PUT /entities/${work.id}`, { expect_tip: draft.cid, properties: { n: 1 } });
  expect(stale).toMatchObject({ status: 409, body: { details: { actual: there.cid } } });
});

test.each(ways)('deletions and restorations arrive, with what was edited after them, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, work } = pair;
  const grave = ok<Deleted>(
    await ask(mirror, here, `DELETE /entities/${work.id}`, { expect_tip: work.cid, reason: 'lost' }),
  );
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, deleted: 1 });
  expect((await ask(origin, curator, `GET /entities/${work.id}`)).status).toBe(404);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));

  const tip = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${work.id}/tip`));
  // A node takes the version as it is.
  expect(tip.cid === grave.cid).toBe(!plain);
  const restored = ok<Entity>(await ask(mirror, here, `POST /entities/${work.id}/restore`, { expect_tip: tip.cid }));
  await update(mirror, here, restored, { properties: { label: 'found' } });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1, updated: plain ? 1 : 0 });
  expect((await read(origin, curator, work.id)).properties).toMatchObject({ label: 'found' });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('what never left this node and is deleted again is not pushed', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here, place } = pair;
  const made = await create(mirror, here, { collection: place.id });
  ok(await ask(mirror, here, `DELETE /entities/${made.id}`, { expect_tip: made.cid }));
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0 });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 0, deleted: 0 });
  expect(await tipsOf(origin)).not.toHaveProperty(made.id);
});

test.each(ways)('roles, members, text and root of a collection arrive, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const member = await user(origin, 'member');
  const other = await user(origin, 'other');
  ok(await ask(origin, curator, `POST /collections/${place.id}/roles`, { role: 'old', actions: ['*:view'] }));
  ok(await ask(origin, curator, `POST /collections/${place.id}/members`, { user_id: other.id, role: 'old' }));
  await sync(mirror, here);
  ok(
    await ask(mirror, here, `POST /collections/${place.id}/roles`, { role: 'helper', actions: ['*:view', '*:update'] }),
  );
  ok(await ask(mirror, here, `PUT /collections/${place.id}/roles/viewer`, { actions: ['*:view', 'search:query'] }));
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/roles/old`));
  ok(
    await ask(mirror, here, `POST /collections/${place.id}/members`, {
      user_id: member.id,
      role: 'helper',
      expires_in: 86400,
    }),
  );
  const now = await read(mirror, here, place.id);
  ok(
    await ask(mirror, here, `PUT /collections/${place.id}`, {
      expect_tip: now.cid,
      label: 'Renamed',
      properties: { n: 2 },
    }),
  );
  const then = await read(mirror, here, place.id);
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, { expect_tip: then.cid, entity_id: work.id }));

  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  const there = ok<Entity & { root_entity_id: string; roles: Record<string, string[]> }>(
    await ask(origin, curator, `GET /collections/${place.id}`),
  );
  expect(there).toMatchObject({ root_entity_id: work.id, properties: { label: 'Renamed', n: 2 } });
  expect(there.roles.helper).toEqual(['*:view', '*:update']);
  expect(there.roles.viewer).toEqual(['*:view', 'search:query']);
  expect(there.roles).not.toHaveProperty('old');
  const members = there.relationships.filter((r) => r.predicate === 'helper');
  expect(members).toMatchObject([
    { peer: member.id, properties: { granted_by: curator.id, expires_at: expect.any(String) } },
  ]);
  expect(there.relationships.filter((r) => r.predicate === 'old')).toEqual([]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 0 });
});

describe.each(ways)('P9: what the user of the key gives away in a collection arrives, %s', (_way, plain) => {
  const say = async ({ mirror, here }: Pair, id: string, label: string) => {
    const { cid } = await read(mirror, here, id);
    ok(await ask(mirror, here, `PUT /collections/${id}`, { expect_tip: cid, label }));
  };

  test('with an owner all the time', async () => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const heir = await user(origin, 'heir');
    await sync(mirror, here);
    await say(pair, place.id, 'Handed over');
    await enrol(mirror, here, place.id, heir, 'owner');
    await enrol(mirror, here, place.id, curator, 'editor');
    ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
    const there = await read(origin, curator, place.id);
    expect(there.properties.label).toBe('Handed over');
    expect(members(there)).toEqual([
      ['owner', heir.id],
      ['editor', curator.id],
    ]);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 0 });
  });

  test('after all else that it may still do', async () => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const keeper = { role: 'keeper', actions: ['collection:manage'] };
    ok(await ask(origin, curator, `POST /collections/${place.id}/roles`, keeper));
    await enrol(origin, curator, place.id, await user(origin, 'heir'), 'keeper');
    await sync(mirror, here);
    await say(pair, place.id, 'Last words');
    ok(await ask(mirror, here, `PUT /collections/${place.id}/roles/owner`, { actions: ['*:view'] }));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
    expect((await read(origin, curator, place.id)).properties).toMatchObject({
      label: 'Last words',
      roles: { owner: ['*:view'] },
    });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('after what another role of its gains', async () => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const path = `/collections/${place.id}/roles`;
    ok(await ask(origin, curator, `POST ${path}`, { role: 'steward', actions: ['*:view'] }));
    await enrol(origin, curator, place.id, curator, 'steward');
    await sync(mirror, here);
    const roles = { steward: ['*:view', 'collection:manage'], owner: ['*:view'] };
    for (const [role, actions] of Object.entries(roles))
      ok(await ask(mirror, here, `PUT ${path}/${role}`, { actions }));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
    expect((await read(origin, curator, place.id)).properties).toMatchObject({ roles });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });
});

test.each(ways)(
  'what lies in a collection arrives before what its change takes away, or looks for, %s',
  async (_way, plain) => {
    await using pair = await startPair({ plain });
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const other = await collection(origin, curator, { label: 'Other' });
    await enrol(origin, curator, other.id, await user(origin, 'heir'), 'owner');
    await sync(mirror, here);
    const works: Entity[] = [];
    for (let n = 0; n < 9; n++) works.push(await create(origin, curator, { collection: other.id }));
    await sync(mirror, here);
    for (const work of works)
      await update(mirror, here, work, { relationships_add: [{ predicate: 'collection', peer: place.id }] });
    const root = { expect_tip: (await read(mirror, here, place.id)).cid, entity_id: works.at(-1)?.id };
    ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, root));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 10 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    for (const { id } of works)
      await update(mirror, here, await read(mirror, here, id), {
        relationships_remove: [{ predicate: 'collection', peer: other.id }],
      });
    ok(await ask(mirror, here, `DELETE /collections/${other.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 10 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test.each(ways)('what is made in a collection that was restored arrives with it, %s', async (_way, plain) => {
  await using pair = await startPair({ plain });
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator);
  const { cid } = await remove(origin, curator, place);
  await sync(mirror, here);
  ok(await ask(mirror, here, `POST /entities/${place.id}/restore`, { expect_tip: cid }));
  await create(mirror, here, { collection: place.id });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1, created: 1 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

describe.each(ways)('a collection that was restored, %s', (_way, plain) => {
  const startRestored = async () => {
    const pair = await pairOf({ plain });
    const { origin, mirror, curator, here } = pair;
    const other = await collection(origin, curator, { label: 'Other' });
    const work = await create(origin, curator, { collection: other.id });
    const place = await collection(origin, curator, { label: 'Works' });
    await enrol(origin, curator, place.id, await user(origin, 'heir'), 'owner');
    const { cid } = await remove(origin, curator, await read(origin, curator, place.id));
    await sync(mirror, here);
    ok(await ask(mirror, here, `POST /entities/${place.id}/restore`, { expect_tip: cid }));
    return { ...pair, place, work };
  };

  test('is given away after what was made in it has arrived', async () => {
    await using pair = await startRestored();
    const { origin, mirror, curator, here, place } = pair;
    await create(mirror, here, { collection: place.id });
    ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1, created: 1, updated: 1 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('gets its root after that has come into it', async () => {
    await using pair = await startRestored();
    const { origin, mirror, here, place, work } = pair;
    await update(mirror, here, work, { relationships_add: [{ predicate: 'collection', peer: place.id }] });
    const root = { expect_tip: (await read(mirror, here, place.id)).cid, entity_id: work.id };
    ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, root));
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1, updated: 2 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });
});

test.each(ways)('what points at something that was deleted there meanwhile arrives, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const peers = {
    [work.id]: await create(origin, curator, { collection: place.id }),
    [place.id]: await create(origin, curator, { collection: place.id }),
  };
  for (const one of [work, place]) {
    const { [one.id]: target } = peers as Record<string, Entity>;
    await sync(mirror, here);
    await update(mirror, here, one, { relationships_add: [{ predicate: 'near', peer: target?.id }] });
    await remove(origin, curator, target as Entity);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  }
});

test('P1: what was refused since something was deleted there that was not known for it goes once it is', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place, work } = pair;
  const peer = await create(origin, curator, { collection: place.id });
  await sync(mirror, here);
  const direct = async (direction: string) =>
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction }));
  await direct('push');
  await update(mirror, here, work, { relationships_add: [{ predicate: 'near', peer: peer.id }] });
  await remove(origin, curator, peer);
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  await direct('both');
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(ways)(
  'a new collection that points at what is deleted there arrives, with what lies in it, %s',
  async (_way, plain) => {
    await using pair = await pairOf({ plain });
    const { origin, mirror, curator, here } = pair;
    const [gone, back] = [await create(origin, curator), await create(origin, curator)];
    const { cid } = await remove(origin, curator, back);
    await sync(mirror, here);
    ok(await ask(mirror, here, `POST /entities/${back.id}/restore`, { expect_tip: cid }));
    const relationships = [gone, back].map(({ id }) => ({ predicate: 'near', peer: id }));
    const place = await collection(mirror, here, { relationships });
    await create(mirror, here, { collection: place.id });
    await remove(origin, curator, gone);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, restored: 1 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
    expect(members(await read(origin, curator, place.id)).sort()).toEqual(
      [
        ['near', gone.id],
        ['near', back.id],
        ['owner', curator.id],
      ].sort(),
    );
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test.each(ways)('the roles of who makes a collection here arrive as they are, %s', async (_way, plain) => {
  await using pair = await pairOf({ plain });
  const { origin, mirror, curator, here } = pair;
  const heir = await user(origin, 'heir');
  await sync(mirror, here);
  const [edited, given] = [await collection(mirror, here), await collection(mirror, here)];
  await enrol(mirror, here, edited.id, here, 'editor');
  await enrol(mirror, here, given.id, heir, 'owner');
  await create(mirror, here, { collection: given.id });
  ok(await ask(mirror, here, `DELETE /collections/${given.id}/members/${here.id}?role=owner`));
  expect(await sync(mirror, here)).toMatchObject(quiet);
  expect(members(await read(origin, curator, edited.id)).sort()).toEqual([
    ['editor', curator.id],
    ['owner', curator.id],
  ]);
  expect(members(await read(origin, curator, given.id))).toEqual([['owner', heir.id]]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 0, updated: 0 });
});

test.each(ways)(
  'a role of somebody who is here alone holds up nothing else of its collection, %s',
  async (_way, plain) => {
    await using pair = await pairOf({ plain });
    const { origin, mirror, curator, here } = pair;
    const [local, heir] = [await user(mirror, 'local'), await user(origin, 'heir')];
    await sync(mirror, here);
    const place = await collection(mirror, here);
    await enrol(mirror, here, place.id, local, 'editor');
    await enrol(mirror, here, place.id, heir, 'editor');
    expect(await sync(mirror, here)).toMatchObject({ created: 1, refused: 1 });
    const { cid } = await read(mirror, here, place.id);
    ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'Renamed' }));
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    const there = await read(origin, curator, place.id);
    expect(there.properties.label).toBe('Renamed');
    expect(members(there).sort()).toEqual([
      ['editor', heir.id],
      ['owner', curator.id],
    ]);
    expect(members(await read(mirror, here, place.id))).toContainEqual(['editor', local.id]);
    expect((await remoteOf(mirror, here)).refusals).toMatchObject([
      { id: place.id, words: expect.stringContaining(`. The user ${local.id} has the role editor here alone`) },
    ]);
    // So it is when the collection is given away, which comes last of all.
    await enrol(mirror, here, place.id, heir, 'owner');
    ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${here.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    expect(members(await read(origin, curator, place.id)).sort()).toEqual([
      ['editor', heir.id],
      ['owner', heir.id],
    ]);
  },
);

test('an owner whose place somebody takes who is here alone stays there, and holds up nothing else', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, here } = pair;
  const [local, owner] = [await user(mirror, 'local'), await user(origin, 'owner')];
  const place = await collection(origin, curator);
  const manager = { role: 'manager', actions: ['collection:manage', 'collection:update'] };
  ok(await ask(origin, curator, `POST /collections/${place.id}/roles`, manager));
  await enrol(origin, curator, place.id, curator, 'manager');
  await enrol(origin, curator, place.id, owner, 'owner');
  ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  await sync(mirror, here);
  await enrol(mirror, here, place.id, local, 'owner');
  ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${owner.id}?role=owner`));
  const { cid } = await read(mirror, here, place.id);
  ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'Renamed' }));
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  expect((await read(origin, curator, place.id)).properties.label).toBe('Renamed');
  expect((await remoteOf(mirror, here)).refusals).toMatchObject([
    { id: place.id, words: expect.stringContaining(`. The user ${local.id} has the role owner here alone`) },
  ]);
});

test.each(ways)(
  'the operator, who has a role for good and the user of the key for a time, keeps it there, %s',
  async (_way, plain) => {
    await using pair = await pairOf({ plain });
    const { origin, mirror, curator, here } = pair;
    await sync(mirror, here);
    const place = await collection(mirror, here);
    await enrol(mirror, here, place.id, curator, 'owner', 3600);
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1 });
    const { relationships } = await read(origin, curator, place.id);
    expect(relationships).toMatchObject([{ predicate: 'owner', peer: curator.id }]);
    expect(relationships[0]?.properties).not.toHaveProperty('expires_at');
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test.each(ways)('a new collection gets its root after that has come into it, %s', async (_way, plain) => {
  await using pair = await pairOf({ plain });
  const { origin, mirror, curator, here } = pair;
  const work = await create(origin, curator);
  await sync(mirror, here);
  const place = await collection(mirror, here);
  await update(mirror, here, work, { relationships_add: [{ predicate: 'collection', peer: place.id }] });
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, { expect_tip: place.cid, entity_id: work.id }));
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, updated: 2 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(ways)('a root that was deleted there meanwhile stands there as here, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const other = await create(origin, curator, { collection: place.id });
  ok(await ask(origin, curator, `PUT /collections/${place.id}/root`, { expect_tip: place.cid, entity_id: other.id }));
  await sync(mirror, here);
  const root = { expect_tip: (await read(mirror, here, place.id)).cid, entity_id: work.id };
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, root));
  ok(await ask(mirror, here, `POST /collections/${place.id}/roles`, { role: 'helper', actions: ['*:view'] }));
  await enrol(mirror, here, place.id, here, 'helper');
  await remove(origin, curator, work);
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect(members(await read(origin, curator, place.id)).sort()).toEqual([
    ['helper', curator.id],
    ['owner', curator.id],
    ['root', work.id],
  ]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(ways)('a root that is deleted there alone stands there as here, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  await update(mirror, here, work, { properties: { label: 'wanted here' } });
  await remove(origin, curator, work);
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  const root = { expect_tip: (await read(mirror, here, place.id)).cid, entity_id: work.id };
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, root));
  await enrol(mirror, here, place.id, here, 'editor');
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect(members(await read(origin, curator, place.id)).sort()).toEqual([
    ['editor', curator.id],
    ['owner', curator.id],
    ['root', work.id],
  ]);
});

test.each(ways)('a root that has left the collection stands there as here, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const root = { expect_tip: (await read(mirror, here, place.id)).cid, entity_id: work.id };
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, root));
  await enrol(mirror, here, place.id, here, 'editor');
  const away = await collection(mirror, here, { label: 'Away' });
  await update(mirror, here, work, {
    relationships_remove: [{ predicate: 'collection', peer: place.id }],
    relationships_add: [{ predicate: 'collection', peer: away.id }],
  });
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, created: 1, updated: 2 });
  expect(members(await read(origin, curator, place.id)).sort()).toEqual([
    ['editor', curator.id],
    ['owner', curator.id],
    ['root', work.id],
  ]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(ways)('several roots, of which the first is deleted, stand there as here, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const other = await create(origin, curator, { collection: place.id });
  await sync(mirror, here);
  const roots = [work, other].map(({ id }) => ({ predicate: 'root', peer: id }));
  await update(mirror, here, await read(mirror, here, place.id), { relationships_add: roots });
  await enrol(mirror, here, place.id, here, 'editor');
  await remove(origin, curator, work);
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect(members(await read(origin, curator, place.id)).sort()).toEqual(
    [
      ['editor', curator.id],
      ['owner', curator.id],
      ['root', work.id],
      ['root', other.id],
    ].sort(),
  );
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

const members = ({ relationships }: Entity) => relationships.map(({ predicate, peer }) => [predicate, peer]);

test.each(ways)('what is new there under a request that names no tip is not written over, %s', async (_way, plain) => {
  await using pair = await curatedOf({ plain });
  const { origin, mirror, curator, here, place } = pair;
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction: 'push' }));
  const name = async (node: TestNode, who: Person, label: string) => {
    const { cid } = await read(node, who, place.id);
    ok(await ask(node, who, `PUT /collections/${place.id}`, { expect_tip: cid, label }));
  };
  ok(await ask(mirror, here, `POST /collections/${place.id}/roles`, { role: 'helper', actions: ['*:view'] }));
  await name(mirror, here, 'Ours');
  await name(origin, curator, 'Theirs');
  expect(await sync(mirror, here)).toMatchObject({ updated: 0 });
  expect((await read(origin, curator, place.id)).properties.label).toBe('Theirs');
  expect((await read(mirror, here, place.id)).properties.label).toBe('Ours');
  expect(await conflictsOf(mirror, here)).toMatchObject([{ id: place.id }]);
});

describe('edits on both sides', () => {
  test('C1: are a conflict with base, ours and theirs, and both sides keep what is theirs', async () => {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    const ours = await update(mirror, here, work, { properties: { label: 'ours' } });
    const theirs = await update(origin, curator, work, { properties: { label: 'theirs' } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, updated: 0 });
    expect(await conflictsOf(mirror, here)).toMatchObject([
      { remote: 'origin', id: work.id, base: work.cid, ours: ours.cid, theirs: theirs.cid },
    ]);
    expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);
    expect((await read(origin, curator, work.id)).cid).toBe(theirs.cid);
    expect((await ask(mirror, here, `GET /versions/manifest/${theirs.cid}`)).status).toBe(200);

    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, updated: 0 });
    expect(await conflictsOf(mirror, here)).toHaveLength(1);
    await update(mirror, here, ours, { properties: { label: 'theirs' } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0 });
    expect(await conflictsOf(mirror, here)).toEqual([]);
    expect((await read(origin, curator, work.id)).cid).toBe(theirs.cid);
    expect((await read(mirror, here, work.id)).properties).toEqual(theirs.properties);
  });

  test("C1: found only by the remote's 409, it is the same conflict", async () => {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    const ours = await update(mirror, here, work, { properties: { label: 'ours' } });
    const theirs = await update(origin, curator, work, { properties: { label: 'theirs' } });
    const key = curator.headers.Authorization?.slice(7);
    // Pushed without pulling, so that the origin is the first to say it.
    ok(await ask(mirror, here, 'POST /node/remotes', { name: 'origin', url: origin.url, key, direction: 'push' }));
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, updated: 0 });
    expect(await conflictsOf(mirror, here)).toMatchObject([
      { id: work.id, base: work.cid, ours: ours.cid, theirs: theirs.cid },
    ]);
    expect((await read(origin, curator, work.id)).cid).toBe(theirs.cid);
  });

  test('C2: that say the same are none, and make no version', async () => {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    await update(mirror, here, work, { properties: { label: 'same' } });
    await update(origin, curator, work, { properties: { label: 'same' } });
    expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 0 });
    expect(await chainOf(origin, work.id)).toHaveLength(2);
    expect(await chainOf(mirror, work.id)).toEqual(await chainOf(origin, work.id));
    expect(await conflictsOf(mirror, here)).toEqual([]);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0 });
  });

  test('a deletion here and an edit there are a conflict', async () => {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    ok(await ask(mirror, here, `DELETE /entities/${work.id}`, { expect_tip: work.cid }));
    const theirs = await update(origin, curator, work, { properties: { label: 'edited' } });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, deleted: 0 });
    expect((await read(origin, curator, work.id)).cid).toBe(theirs.cid);
    expect((await ask(mirror, here, `GET /entities/${work.id}`)).status).toBe(404);
  });
});

test('P4: what the remote refuses stays with its words, and is tried again when it may be taken', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place, work, there } = pair;
  const first = await update(mirror, here, work, { properties: { label: 'not allowed' } });
  const owner = await user(origin, 'owner');
  ok(await ask(origin, curator, `POST /collections/${place.id}/members`, { user_id: owner.id, role: 'owner' }));
  ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  const report = await sync(mirror, here);
  expect(report).toMatchObject({ refused: 1, updated: 0 });
  expect((await remoteOf(mirror, here)).refusals).toMatchObject([
    { id: work.id, status: 403, words: expect.stringContaining('not allowed') },
  ]);
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, updated: 0 });
  expect((await read(mirror, here, work.id)).cid).toBe(first.cid);

  ok(await ask(origin, there, `POST /collections/${place.id}/members`, { user_id: curator.id, role: 'editor' }));
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, updated: 1 });
  expect((await remoteOf(mirror, here)).refusals).toEqual([]);
});

test('P4: what the remote refused and has by now all the same counts as refused no more', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place, there } = pair;
  const owner = await user(origin, 'owner');
  ok(await ask(origin, curator, `POST /collections/${place.id}/members`, { user_id: owner.id, role: 'owner' }));
  const made = await create(mirror, here, { collection: place.id });
  ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  const archive = await fetch(`${mirror.url}/node/export?entity=${made.id}`, { headers: here.headers });
  const body = Buffer.from(await archive.arrayBuffer());
  ok(await ask(origin, there, 'POST /node/import-car', body, { 'Content-Type': 'application/vnd.ipld.car' }));
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, entities: 1 });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [] });
});

test('P4: what was made here and refused counts as refused no more once it is deleted here', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place } = pair;
  const owner = await user(origin, 'owner');
  await enrol(origin, curator, place.id, owner, 'owner');
  const made = await create(mirror, here, { collection: place.id });
  ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
  const sweeper = { role: 'sweeper', actions: ['*:view', 'entity:delete'] };
  ok(await ask(origin, owner, `POST /collections/${place.id}/roles`, sweeper));
  await enrol(origin, owner, place.id, curator, 'sweeper');
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  await remove(mirror, here, made);
  await sync(mirror, here);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [] });
});

test.each(['is deleted at another remote', 'is no longer meant to go there'])(
  'P4: so does what was made here and %s',
  async (how) => {
    await using pair = await startCurated();
    await using second = await startNode();
    const { origin, mirror, curator, here, place } = pair;
    const owner = await user(origin, 'owner');
    await enrol(origin, curator, place.id, owner, 'owner');
    const made = await create(mirror, here, { collection: place.id });
    ok(await ask(origin, owner, `DELETE /collections/${place.id}/members/${curator.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    if (how === 'is deleted at another remote') {
      const archivist = operator(second);
      await addRemote(mirror, here, { name: 'second', url: second.url, key: keyOf(archivist) });
      await sync(mirror, here, 'second');
      await remove(second, archivist, await read(second, archivist, made.id));
      await sync(mirror, here, 'second');
    } else ok(await ask(mirror, here, 'PUT /node/remotes/origin', { types: ['letter'] }));
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [] });
  },
);

test('a creation in a mirrored collection that is sent twice is answered with what it made', async () => {
  await using pair = await startCurated();
  const { mirror, here, place } = pair;
  const body = { id: '01J1000000000000000000000C', type: 'letter', collection: place.id, properties: { n: 1 } };
  const first = await ask(mirror, here, 'POST /entities', body);
  const second = await ask(mirror, here, 'POST /entities', body);
  expect([first.status, second.status]).toEqual([201, 200]);
  expect(second.body).toEqual(first.body);
  expect((await ask(mirror, here, 'POST /entities', { ...body, properties: { n: 2 } })).status).toBe(409);
});

test('a mirror of a mirror follows through a rebase, with the drafts out of its way', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here, curator, work } = pair;
  await using third = await startNode();
  const reader = operator(third);
  ok(await ask(third, reader, 'POST /node/remotes', { name: 'origin', url: mirror.url }));
  await sync(third, reader);
  await update(mirror, here, work, { properties: { label: 'draft' } });
  await sync(third, reader);
  await sync(mirror, here);
  await sync(third, reader);
  const there = await read(origin, curator, work.id);
  expect((await read(third, reader, work.id)).cid).toBe(there.cid);
  expect(await tipsOf(third)).toEqual(await tipsOf(origin));
});

test.each(ways)(
  'P4: what was refused for want of a role goes out once the collection gives it back, %s',
  async (_way, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const editor = await user(origin, 'editor');
    const elsewhere = await collection(origin, curator, { label: 'Elsewhere' });
    const other = await create(origin, curator, { collection: elsewhere.id });
    const both = [place.id, elsewhere.id];
    for (const id of both) await enrol(origin, curator, id, editor, 'editor');
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    await update(mirror, here, work, { properties: { label: 'mine' } });
    await update(mirror, here, other, { properties: { label: 'mine' } });
    for (const id of both) ok(await ask(origin, curator, `DELETE /collections/${id}/members/${editor.id}?role=editor`));
    expect(await sync(mirror, here)).toMatchObject({ refused: 2, updated: 0 });
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, updated: 0 });
    await enrol(origin, curator, place.id, editor, 'editor');
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, updated: 1 });
    expect((await read(origin, curator, work.id)).properties).toMatchObject({ label: 'mine' });
    // What lies in another collection still is.
    expect((await remoteOf(mirror, here)).refusals).toMatchObject([{ id: other.id, status: 403 }]);
  },
);

test.each(['deleted', 'moved', 'edited by a right of a group', 'a collection edited by one'])(
  'P4: so it does where it was %s',
  async (how) => {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, place, work } = pair;
    const editor = await user(origin, 'editor');
    const other = await collection(origin, curator, { label: 'Other' });
    await enrol(origin, curator, other.id, editor, 'editor');
    const member = { predicate: 'member', peer: editor.id };
    const crew = await create(origin, curator, { type: 'group', collection: other.id, relationships: [member] });
    await enrol(origin, curator, place.id, { id: crew.id, headers: {} }, 'owner');
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    const lyingIn = ({ id }: Entity) => ({ predicate: 'collection', peer: id });
    const isOfGroup = /group|one/.test(how);
    const refused = how.startsWith('a collection') ? place : work;
    if (how === 'deleted') await remove(mirror, here, work);
    else if (how === 'moved')
      await update(mirror, here, work, { relationships_remove: [lyingIn(place)], relationships_add: [lyingIn(other)] });
    else if (refused === work) await update(mirror, here, work, { properties: { label: 'mine' } });
    else {
      const { cid } = await read(mirror, here, place.id);
      ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'mine' }));
    }
    const without = await update(origin, curator, crew, { relationships_remove: [member] });
    expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect((await remoteOf(mirror, here)).refusals).toMatchObject([{ id: refused.id, status: 403 }]);
    if (isOfGroup) await update(origin, curator, without, { relationships_add: [member] });
    else await enrol(origin, curator, place.id, editor, 'editor');
    await sync(mirror, here);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [] });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

/** An editor who owns the curated collection through a group alone. */
async function crewOf({ origin, curator, place }: Awaited<ReturnType<typeof curatedOf>>) {
  const editor = await user(origin, 'editor');
  const other = await collection(origin, curator);
  const member = { predicate: 'member', peer: editor.id };
  const crew = await create(origin, curator, { type: 'group', collection: other.id, relationships: [member] });
  await enrol(origin, curator, place.id, { id: crew.id, headers: {} }, 'owner');
  return { editor, other, member, crew };
}

test.each(ways.flatMap(([way, plain]) => [[way, 'changed', plain] as const, [way, 'deleted', plain] as const]))(
  'P1: a group that takes rights goes after what needs them, %s, where all are %s',
  async (_way, how, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const works = [work];
    const more = async () => works.push(await create(origin, curator, { collection: place.id }));
    for (let i = 0; i < 15; i++) await more();
    const { editor, other, member, crew } = await crewOf(pair);
    await enrol(origin, curator, other.id, editor, 'owner');
    for (let i = 0; i < 15; i++) await more();
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    for (const one of [...works.slice(0, 7), ...works.slice(-7)])
      if (how === 'deleted') await remove(mirror, here, one);
      else await update(mirror, here, one, { properties: { n: 1 } });
    if (how === 'deleted') await remove(mirror, here, crew);
    else await update(mirror, here, crew, { relationships_remove: [member] });
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  },
);

test.each(
  ways.flatMap(([way, plain]) => [
    [way, 'deleted', plain] as const,
    [way, 'given away', plain] as const,
    [way, 'given away while that of the group is deleted', plain] as const,
  ]),
)(
  'P1: a group that takes rights goes after a collection that it gives rights on, %s, where that is %s',
  async (_way, how, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const { editor, other, member, crew } = await crewOf(pair);
    await enrol(origin, curator, other.id, editor, 'owner');
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    if (how === 'deleted') {
      await remove(mirror, here, work);
      await remove(mirror, here, await read(mirror, here, place.id));
    } else ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${crew.id}?role=owner`));
    await update(mirror, here, crew, { relationships_remove: [member] });
    if (/ that /.test(how)) await remove(mirror, here, await read(mirror, here, other.id));
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  },
);

test.each(ways)(
  "P1: a collection that takes from a group of the key's user goes after what needs that, %s",
  async (_way, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const { editor, crew } = await crewOf(pair);
    const works = [work];
    for (let i = 0; i < 15; i++) works.push(await create(origin, curator, { collection: place.id }));
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    for (const one of works) await remove(mirror, here, one);
    ok(await ask(mirror, here, `DELETE /collections/${place.id}/members/${crew.id}?role=owner`));
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  },
);

test.each(ways)(
  'P1: so does one that the user gives to a group which he joins by the same push, %s',
  async (_way, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const editor = await user(origin, 'editor');
    await enrol(origin, curator, place.id, editor, 'owner');
    const works = [work];
    const more = async () => works.push(await create(origin, curator, { collection: place.id }));
    for (let i = 0; i < 15; i++) await more();
    const crew = await create(origin, curator, { type: 'group', collection: place.id });
    for (let i = 0; i < 15; i++) await more();
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    for (const one of works) await update(mirror, here, one, { properties: { n: 1 } });
    await update(mirror, here, crew, { relationships_add: [{ predicate: 'member', peer: editor.id }] });
    const { cid } = await read(mirror, here, place.id);
    const given = {
      relationships_add: [{ predicate: 'owner', peer: crew.id, peer_type: 'group' }],
      relationships_remove: [{ predicate: 'owner', peer: editor.id }],
    };
    ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, ...given }));
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  },
);

test.each(ways)(
  'P1: a collection goes before a group in it that gives the rights on it and is left, %s',
  async (_way, plain) => {
    await using pair = await curatedOf({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const editor = await user(origin, 'editor');
    const member = { predicate: 'member', peer: editor.id };
    const crew = await create(origin, curator, { type: 'group', collection: place.id, relationships: [member] });
    await enrol(origin, curator, place.id, { id: crew.id, headers: {} }, 'owner');
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
    await sync(mirror, here);
    const { cid } = await read(mirror, here, place.id);
    ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'mine' }));
    await update(mirror, here, crew, { relationships_remove: [member] });
    expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  },
);

/** Moves what lies in one collection into another one, and puts it into the first again: to a plain remote that takes two requests. */
async function putBehind(
  { mirror, here }: Pick<Pair, 'mirror' | 'here'>,
  what: Entity,
  { from, to }: { from: Entity; to: Entity },
): Promise<void> {
  const placed = ({ id }: Entity) => ({ predicate: 'collection', peer: id });
  const [add, drop] = [[placed(to)], [placed(from)]];
  const moved = await update(mirror, here, what, { relationships_add: add, relationships_remove: drop });
  await update(mirror, here, moved, { relationships_add: drop });
}

test('what a role gives to others for one type alone does not let half of it be sent', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, there, here } = pair;
  const home = await collection(origin, there, { label: 'Home' });
  const inbox = await collection(origin, there, { label: 'Inbox' });
  for (const { id } of [home, inbox]) await enrol(origin, there, id, curator, 'editor');
  const declared = { key: 'scan', filename: 'scan.txt', content_type: 'text/plain', size: 4, collection: home.id };
  const file = ok<Entity>(await ask(origin, curator, 'POST /files', declared));
  await sync(mirror, here);
  await putBehind(pair, file, { from: home, to: inbox });
  const roles = `POST /collections/${inbox.id}/roles`;
  ok(await ask(origin, there, roles, { role: 'adder', actions: ['*:view', '*:create'] }));
  ok(await ask(origin, there, roles, { role: 'filer', actions: ['file:update'] }));
  await enrol(origin, there, inbox.id, curator, 'adder');
  await enrol(origin, there, inbox.id, await user(origin, 'clerk'), 'filer');
  ok(await ask(origin, there, `DELETE /collections/${inbox.id}/members/${curator.id}?role=editor`));

  expect(await sync(mirror, here)).toMatchObject({ updated: 0, refused: 1 });
  expect((await read(origin, there, file.id)).cid).toBe(file.cid);
});

test.each(ways)('of what would be refused half way there nothing is done, %s', async (_way, plain) => {
  await using pair = await startPair({ plain });
  const { origin, mirror, curator, there, here } = pair;
  const home = await collection(origin, there, { label: 'Home' });
  const inbox = await collection(origin, there, { label: 'Inbox' });
  for (const { id } of [home, inbox]) await enrol(origin, there, id, curator, 'editor');
  const work = await create(origin, curator, { collection: home.id });
  await sync(mirror, here);
  await putBehind(pair, work, { from: home, to: inbox });
  // By then one may add to what is to be the first, and change nothing in it.
  const roles = `/collections/${inbox.id}/roles`;
  ok(await ask(origin, there, `POST ${roles}`, { role: 'adder', actions: ['*:view', '*:create'] }));
  await enrol(origin, there, inbox.id, curator, 'adder');
  ok(await ask(origin, there, `DELETE /collections/${inbox.id}/members/${curator.id}?role=editor`));

  expect(await sync(mirror, here)).toMatchObject({ updated: 0, refused: 1 });
  expect((await read(origin, there, work.id)).cid).toBe(work.cid);
  const { refusals } = await remoteOf(mirror, here);
  expect(refusals).toMatchObject([{ id: work.id, status: 403, words: expect.stringContaining('entity:update') }]);

  await enrol(origin, there, inbox.id, curator, 'editor');
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect((await read(origin, there, work.id)).relationships.map(({ peer }) => peer)).toEqual([inbox.id, home.id]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('where a plain remote fails at saying what may be done, what it said of its collections decides', async () => {
  await using scene = await startProxied({ works: 1, mirror: { wait: async () => undefined } });
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const inbox = await collection(origin, operator(origin), { label: 'Inbox' });
  await enrol(origin, operator(origin), inbox.id, curator, 'editor');
  await sync(mirror, here);
  await putBehind(scene, works[0]!, { from: place, to: inbox });
  ok(await ask(origin, operator(origin), `DELETE /collections/${inbox.id}/members/${curator.id}?role=editor`));
  proxy.fault = ({ path }) => (path.endsWith('/permissions') ? { status: 500 } : undefined);

  expect((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).toContain('answered 500');
  expect((await read(origin, curator, works[0]!.id)).cid).toBe(works[0]!.cid);
  await enrol(origin, operator(origin), inbox.id, curator, 'editor');
  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('what roles give for one type alone, which a plain remote does not tell of a collection, keeps nothing from being sent', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, there, here } = pair;
  const home = await collection(origin, there, { label: 'Home' });
  const keeper = { keeper: ['*:view', 'entity:create', 'entity:delete', 'file:update'] };
  const inbox = await collection(origin, there, { label: 'Inbox', roles: keeper });
  await enrol(origin, there, home.id, curator, 'editor');
  await enrol(origin, there, inbox.id, curator, 'keeper');
  const declared = { key: 'scan', filename: 'scan.txt', content_type: 'text/plain', size: 4, collection: home.id };
  const file = ok<Entity>(await ask(origin, curator, 'POST /files', declared));
  await sync(mirror, here);
  await putBehind(pair, file, { from: home, to: inbox });

  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  expect((await read(origin, there, file.id)).relationships.map(({ peer }) => peer)).toEqual([inbox.id, home.id]);
});

test('what takes several requests is changed where it lies before it goes where nothing may be changed', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, there, here } = pair;
  const home = await collection(origin, there, { label: 'Home' });
  const box = await collection(origin, there, { label: 'Box', roles: { adder: ['*:view', '*:create'] } });
  await enrol(origin, there, home.id, curator, 'editor');
  await enrol(origin, there, box.id, curator, 'adder');
  const properties = { label: 'One', draft: true, size: { w: 1, h: 2 } };
  const work = await create(origin, curator, { collection: home.id, properties });
  await sync(mirror, here);
  // No removal names places of both depths.
  const once = await update(mirror, here, work, { properties_remove: ['draft'] });
  const twice = await update(mirror, here, once, { properties_remove: { size: ['h'] } });
  const placed = ({ id }: Entity) => [{ predicate: 'collection', peer: id }];
  await update(mirror, here, twice, { relationships_add: placed(box), relationships_remove: placed(home) });

  expect(await sync(mirror, here)).toMatchObject({ ...quiet, updated: 1 });
  const moved = await read(origin, there, work.id);
  expect(moved.properties).toEqual({ label: 'One', size: { w: 1 } });
  expect(moved.relationships.map(({ peer }) => peer)).toEqual([box.id]);
});
