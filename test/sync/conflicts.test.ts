import { expect, test, vi } from 'vitest';
import { commitResolution, openConflict, resolved } from '../../src/server/sync/conflicts.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { threadGate } from '../helpers/thread-gate.ts';
import { conflictsOf, type Pair, read, remoteOf, startCurated, sync, tipsOf } from './nodes.ts';

interface OpenConflict {
  base: string | null;
  ours: string;
  theirs: string;
  clashes: { path: string[]; base?: unknown; ours?: unknown; theirs?: unknown }[];
  merged: { deleted: boolean; properties: object };
  sides: { ours: { cid: string }; theirs: { cid: string } };
}

async function conflictOf({ mirror, here }: Pair, id: string): Promise<OpenConflict> {
  return ok(await ask(mirror, here, `GET /node/conflicts/${id}`));
}

function resolve({ mirror, here }: Pair, id: string, body: object) {
  return ask(mirror, here, `POST /node/conflicts/${id}/resolve`, body);
}

/** Both sides have changed label and size; the mirror has noticed. */
async function conflicting() {
  const pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  const ours = await update(mirror, here, work, { properties: { label: 'ours', size: { h: 3 }, mine: 1 } });
  const theirs = await update(origin, curator, work, { properties: { label: 'theirs', size: { h: 4 }, yours: 1 } });
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, merged: 0 });
  return { ...pair, ours, theirs };
}

/** After a sync both have the same tips, nothing waits, and nothing is in conflict. */
async function settled({ origin, mirror, here }: Pair): Promise<void> {
  await sync(mirror, here);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
}

test('M1: changes in different places merge by themselves, over the tip of the remote', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  const ours = await update(mirror, here, work, { properties: { label: 'ours' } });
  const theirs = await update(origin, curator, work, {
    properties: { size: { h: 9 } },
    relationships_add: [{ predicate: 'near', peer: pair.place.id }],
  });
  expect(await sync(mirror, here)).toMatchObject({ merged: 1, conflicts: 0, updated: 1 });
  const there = await read(origin, curator, work.id);
  expect(there).toMatchObject({ ver: 3, prev_cid: theirs.cid, properties: { label: 'ours', size: { w: 1, h: 9 } } });
  expect(there.relationships.map((r) => r.predicate)).toEqual(['collection', 'near']);
  expect((await ask(mirror, here, `GET /versions/manifest/${ours.cid}`)).status).toBe(200);
  await settled(pair);
});

test('a merge found out by a 409 goes out in the same run', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  await update(mirror, here, work, { properties: { label: 'ours' } });
  await update(origin, curator, work, { properties: { size: { h: 9 } } });
  const key = curator.headers.Authorization?.slice(7);
  ok(await ask(mirror, here, 'POST /node/remotes', { name: 'origin', url: origin.url, key, direction: 'push' }));
  expect(await sync(mirror, here)).toMatchObject({ merged: 1, conflicts: 0 });
  expect(await read(origin, curator, work.id)).toMatchObject({ properties: { label: 'ours', size: { w: 1, h: 9 } } });
});

test('M2: a conflict names the three versions and each place, and a person decides each', async () => {
  await using pair = await conflicting();
  const { origin, curator, work, ours, theirs } = pair;
  const conflict = await conflictOf(pair, work.id);
  expect(conflict).toMatchObject({ base: work.cid, ours: ours.cid, theirs: theirs.cid });
  expect(conflict.clashes).toEqual([
    { path: ['properties', 'label'], base: 'One', ours: 'ours', theirs: 'theirs' },
    { path: ['properties', 'size', 'h'], base: 2, ours: 3, theirs: 4 },
  ]);
  expect(conflict.merged.properties).toEqual({ label: 'ours', size: { w: 1, h: 3 }, mine: 1, yours: 1 });

  const choices = [{ path: ['properties', 'size', 'h'], side: 'theirs' }];
  const wrong = await resolve(pair, work.id, {
    resolution: 'ours',
    choices: [{ path: ['properties', 'w'], side: 'ours' }],
  });
  expect(wrong.body).toEqual(invalid(['choices', 0, 'path'], expect.any(String)));
  ok(await resolve(pair, work.id, { resolution: 'ours', choices, note: 'as measured' }));
  await settled(pair);
  expect(await read(origin, curator, work.id)).toMatchObject({
    ver: 3,
    properties: { label: 'ours', size: { w: 1, h: 4 }, mine: 1, yours: 1 },
  });
});

test.each(['ours', 'theirs'] as const)('%s stands at every place, and the rest merges', async (resolution) => {
  await using pair = await conflicting();
  const { origin, curator, work } = pair;
  ok(await resolve(pair, work.id, { resolution }));
  expect(await conflictsOf(pair.mirror, pair.here)).toEqual([]);
  await settled(pair);
  const h = resolution === 'ours' ? 3 : 4;
  const properties = { label: resolution, size: { w: 1, h }, mine: 1, yours: 1 };
  expect((await read(origin, curator, work.id)).properties).toEqual(properties);
});

test('a merged body says it all, and is checked like any write', async () => {
  await using pair = await conflicting();
  const { origin, curator, work, place } = pair;
  const relationships = [{ predicate: 'collection', peer: place.id }];
  const merged = { resolution: 'merged', properties: { label: 'both' }, relationships };
  expect((await resolve(pair, work.id, { ...merged, relationships: undefined })).body).toEqual(
    invalid(['relationships'], expect.any(String)),
  );
  const bad = await resolve(pair, work.id, { ...merged, relationships: [{ predicate: 'Not One', peer: place.id }] });
  expect(bad.status).toBe(400);
  const strange = await resolve(pair, work.id, { ...merged, properties: { label: '\ud800' } });
  expect(strange.status).toBe(400);
  ok(await resolve(pair, work.id, merged));
  await settled(pair);
  expect((await read(origin, curator, work.id)).properties).toEqual({ label: 'both' });
});

test('a decision about a version that a run replaces before it is written changes nothing', async () => {
  await using pair = await conflicting();
  const { origin, mirror, curator, here, work, theirs } = pair;
  const store = await mirror.ctx.networks.get('main');
  const stamp = { schema: 'arke/eidos@v1', ts: '2026-01-01T00:00:00.000Z', edited_by: theirs.edited_by };
  const late = store.read((db) => resolved(openConflict(db, work.id, undefined), { side: 'theirs' }, stamp).commit(db));
  const newer = await update(origin, curator, theirs, { properties: { yours: 2 } });
  await sync(mirror, here);
  await expect(commitResolution(store, late)).rejects.toMatchObject({ expected: theirs.cid, actual: newer.cid });
  expect(await conflictOf(pair, work.id)).toMatchObject({ theirs: newer.cid });
  ok(await resolve(pair, work.id, { resolution: 'theirs' }));
  await settled(pair);
});

test('a decision about what has moved meanwhile is a 409, and changes nothing', async () => {
  await using pair = await conflicting();
  const { mirror, here, work, ours, theirs } = pair;
  const conflict = await conflictOf(pair, work.id);
  const newer = await update(mirror, here, ours, { properties: { mine: 2 } });
  const stale = await resolve(pair, work.id, { resolution: 'ours', expect_tip: conflict.sides.ours.cid });
  expect(stale).toMatchObject({ status: 409, body: { details: { expected: ours.cid, actual: newer.cid } } });
  const other = await resolve(pair, work.id, { resolution: 'ours', expect_theirs: work.cid });
  expect(other).toMatchObject({ status: 409, body: { details: { expected: work.cid, actual: theirs.cid } } });
  expect(await read(mirror, here, work.id)).toEqual(newer);
  expect((await resolve(pair, pair.place.id, { resolution: 'ours' })).status).toBe(404);
});

test('a deletion against an edit is decided either way', async () => {
  for (const resolution of ['ours', 'theirs'] as const) {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    await remove(mirror, here, work);
    await update(origin, curator, work, { properties: { label: 'edited' } });
    await sync(mirror, here);
    expect((await conflictOf(pair, work.id)).clashes).toEqual([{ path: [], ours: 'deleted', theirs: 'live' }]);
    const answer = ok<{ deleted: boolean }>(await resolve(pair, work.id, { resolution }));
    expect(answer.deleted).toBe(resolution === 'ours');
    await settled(pair);
    expect((await ask(origin, curator, `GET /entities/${work.id}`)).status).toBe(resolution === 'ours' ? 404 : 200);
  }
});

test('an edit against a deletion there is decided either way', async () => {
  for (const resolution of ['ours', 'theirs'] as const) {
    await using pair = await startCurated();
    const { origin, mirror, curator, here, work } = pair;
    await update(mirror, here, work, { properties: { label: 'edited' } });
    await remove(origin, curator, work);
    await sync(mirror, here);
    ok(await resolve(pair, work.id, { resolution }));
    await settled(pair);
    const { status, body } = await ask(origin, curator, `GET /entities/${work.id}`);
    expect(status).toBe(resolution === 'ours' ? 200 : 404);
    if (resolution === 'ours') expect((body as Entity).properties).toMatchObject({ label: 'edited' });
  }
});

test('M3: without a common version nothing merges by itself, so that nothing that was removed comes back', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place } = pair;
  const said = { kept: 1, removed: 2 };
  const { id, type } = await create(origin, curator, { collection: place.id, properties: { ...said, added: 3 } });
  const mine = await ask(mirror, here, 'POST /entities', { id, type, collection: place.id, properties: said });
  const ours = await update(mirror, here, ok<Entity>(mine), { properties_remove: ['removed'] });

  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1, updated: 0 });
  expect((await read(mirror, here, id)).cid).toBe(ours.cid);
  expect(await conflictOf(pair, id)).toMatchObject({
    base: null,
    merged: { properties: { kept: 1 } },
    clashes: [
      { path: ['properties', 'added'], theirs: 3 },
      { path: ['properties', 'removed'], theirs: 2 },
    ],
  });
  const choices = [{ path: ['properties', 'added'], side: 'theirs' }];
  ok(await resolve(pair, id, { resolution: 'ours', choices }));
  await settled(pair);
  for (const [node, who] of [
    [origin, curator],
    [mirror, here],
  ] as const)
    expect((await read(node, who, id)).properties).toEqual({ kept: 1, added: 3 });
});

test.each([false, true])(
  'M3: an id that was made with another type on each side is a conflict: plain %s',
  async (plain) => {
    await using pair = await startCurated({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const said = { collection: place.id, properties: { label: 'A lake' } };
    const { id, cid } = await create(origin, curator, { type: 'lake', ...said });
    const ours = ok<Entity>(await ask(mirror, here, 'POST /entities', { id, type: 'water', ...said }));
    expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1, updated: 0 });
    expect(await read(mirror, here, id)).toEqual(ours);
    expect(await conflictOf(pair, id)).toMatchObject({
      ...{ base: null, ours: ours.cid, theirs: cid },
      clashes: [{ path: ['type'], ours: 'water', theirs: 'lake' }],
      sides: { ours: { type: 'water' }, theirs: { type: 'lake' } },
    });

    const refused = expect.stringMatching(/no version changes .* type lake/);
    expect((await resolve(pair, id, { resolution: 'ours' })).body).toEqual(invalid(['resolution'], refused));
    const choices = [{ path: ['type'], side: 'ours' }];
    expect((await resolve(pair, id, { resolution: 'theirs', choices })).body).toEqual(
      invalid(['choices', 0, 'side'], refused),
    );
    expect(await read(mirror, here, id)).toEqual(ours);
    ok(await resolve(pair, id, { resolution: 'ours', choices: [{ path: ['type'], side: 'theirs' }] }));
    await settled(pair);
    expect(await read(mirror, here, id)).toMatchObject({ cid, type: 'lake', properties: { label: 'A lake' } });
    expect((await ask(mirror, here, `GET /versions/manifest/${ours.cid}`)).status).toBe(200);
  },
);

/** What the remote is, whether it is a plain one, and which side stands. */
const decided = [
  ['a node', false, 'ours'],
  ['a node', false, 'theirs'],
  ['a plain remote', true, 'ours'],
  ['a plain remote', true, 'theirs'],
] as const;

test.each(decided)(
  'M2: the root of a collection that was set here and at %s (plain: %s) is one place, and one root stands: %s',
  async (_name, plain, resolution) => {
    await using pair = await startCurated({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const other = await create(origin, curator, { collection: place.id });
    await sync(mirror, here);
    const put = `PUT /collections/${place.id}/root`;
    const { cid } = await read(mirror, here, place.id);
    ok(await ask(mirror, here, put, { expect_tip: cid, entity_id: work.id }));
    ok(await ask(origin, curator, put, { expect_tip: cid, entity_id: other.id }));
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, merged: 0, updated: 0 });
    const root = (peer: string) => ({ predicate: 'root', peer, peer_type: 'document' });
    expect((await conflictOf(pair, place.id)).clashes).toEqual([
      { path: ['relationships', 'root'], ours: root(work.id), theirs: root(other.id) },
    ]);
    const choices = [{ path: ['relationships', 'root'], side: resolution }];
    ok(await resolve(pair, place.id, { resolution: resolution === 'ours' ? 'theirs' : 'ours', choices }));
    await settled(pair);
    const { relationships } = await read(origin, curator, place.id);
    const roots = relationships.filter(({ predicate }) => predicate === 'root');
    expect(roots).toEqual([root(resolution === 'ours' ? work.id : other.id)]);
  },
);

test.each(decided)(
  'M2: the collection into which something was moved here and at %s (plain: %s) is one place: %s',
  async (_name, plain, resolution) => {
    await using pair = await startCurated({ plain });
    const { origin, mirror, curator, here, place, work } = pair;
    const closed = await collection(origin, curator, { label: 'Closed' });
    const open = await collection(origin, curator, { label: 'Open' });
    await sync(mirror, here);
    const lies = (peer: string) => ({ predicate: 'collection', peer });
    const move = (to: string) => ({ relationships_remove: [lies(place.id)], relationships_add: [lies(to)] });
    await update(mirror, here, work, move(closed.id));
    await update(origin, curator, work, move(open.id));
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, merged: 0, updated: 0 });
    expect((await conflictOf(pair, work.id)).clashes).toMatchObject([
      { path: ['relationships', 'collection'], base: lies(place.id), ours: lies(closed.id), theirs: lies(open.id) },
    ]);
    const choices = [{ path: ['relationships', 'collection'], side: resolution }];
    ok(await resolve(pair, work.id, { resolution: resolution === 'ours' ? 'theirs' : 'ours', choices }));
    await settled(pair);
    const { relationships } = await read(origin, curator, work.id);
    expect(relationships.map(({ peer }) => peer)).toEqual([resolution === 'ours' ? closed.id : open.id]);
  },
);

test('a root that is set here stands alone at a plain remote that had several', async () => {
  await using pair = await startCurated({ plain: true });
  const { origin, mirror, curator, here, place, work } = pair;
  const other = await create(origin, curator, { collection: place.id });
  const roots = [work, other].map(({ id }) => ({ predicate: 'root', peer: id, peer_type: 'document' }));
  const { cid } = await read(origin, curator, place.id);
  ok(await ask(origin, curator, `PUT /collections/${place.id}`, { expect_tip: cid, relationships_add: roots }));
  await sync(mirror, here);
  const { cid: expect_tip, relationships } = await read(mirror, here, place.id);
  expect(relationships.filter(({ predicate }) => predicate === 'root')).toEqual(roots);
  ok(await ask(mirror, here, `PUT /collections/${place.id}/root`, { expect_tip, entity_id: work.id }));
  await settled(pair);
  const there = (await read(origin, curator, place.id)).relationships;
  expect(there.filter(({ predicate }) => predicate === 'root')).toEqual(roots.slice(0, 1));
});

test.each(decided)(
  'M4: a collection whose owners were taken away one here and one at %s (plain: %s) keeps one: %s',
  async (_name, plain, resolution) => {
    await using pair = await startCurated({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const [one, two] = [await user(origin, 'one'), await user(origin, 'two')];
    for (const owner of [one, two]) await enrol(origin, curator, place.id, owner, 'owner');
    const actions = ['collection:view', 'collection:update', 'collection:manage'];
    ok(await ask(origin, curator, `POST /collections/${place.id}/roles`, { role: 'manager', actions }));
    await enrol(origin, curator, place.id, curator, 'manager');
    const leave = ({ id }: Person) => `DELETE /collections/${place.id}/members/${id}?role=owner`;
    ok(await ask(origin, curator, leave(curator)));
    await sync(mirror, here);
    ok(await ask(mirror, here, leave(two)));
    ok(await ask(origin, curator, leave(one)));
    const owners = async (node: TestNode, who: Person) =>
      (await read(node, who, place.id)).relationships.filter((r) => r.predicate === 'owner').map(({ peer }) => peer);
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, merged: 0, updated: 0 });
    expect(await owners(mirror, here)).toEqual([one.id]);
    expect(await owners(origin, curator)).toEqual([two.id]);
    expect((await conflictOf(pair, place.id)).clashes).toEqual([]);
    ok(await resolve(pair, place.id, { resolution }));
    await settled(pair);
    expect(await owners(origin, curator)).toEqual([resolution === 'ours' ? one.id : two.id]);
  },
);

test.each(decided)(
  'D2: folders that were moved into each other here and at %s (plain: %s) are a conflict, and a side stands: %s',
  async (_name, plain, resolution) => {
    await using pair = await startCurated({ plain });
    const { origin, mirror, curator, here, place } = pair;
    const folder = async (label: string, parent: string): Promise<string> =>
      ok<Entity>(await ask(origin, curator, 'POST /folders', { label, parent })).id;
    const root = await folder('Root', place.id);
    const [one, two] = [await folder('One', root), await folder('Two', root)];
    await sync(mirror, here);
    const move = async (node: Pair['origin'], who: Pair['curator'], child: string, to: string) => {
      const tips = async (parent: string) => ({
        expect_tip: (await read(node, who, parent)).cid,
        expect_child_tip: (await read(node, who, child)).cid,
      });
      ok(await ask(node, who, `DELETE /folders/${root}/children/${child}`, await tips(root)));
      ok(await ask(node, who, `POST /folders/${to}/children`, { ...(await tips(to)), child_id: child }));
    };
    await move(mirror, here, one, two);
    await move(origin, curator, two, one);
    await update(mirror, here, await read(mirror, here, one), { properties: { by: 'us' } });
    await update(origin, curator, await read(origin, curator, one), { properties: { also: 'them' } });
    const links = async (node: Pair['origin'], who: Pair['curator'], id: string) => {
      const { relationships } = await read(node, who, id);
      return relationships.flatMap(({ predicate, peer }) => (predicate === 'collection' ? [] : `${predicate} ${peer}`));
    };
    const ours = { one: [`in ${two}`], two: [`in ${root}`, `contains ${one}`] };
    const theirs = { one: [`in ${root}`, `contains ${two}`], two: [`in ${one}`] };
    // What both took out of the root is no conflict.
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 2, merged: 1, refused: 0 });
    for (const [node, who, said] of [
      [mirror, here, ours],
      [origin, curator, theirs],
    ] as const)
      expect({ one: await links(node, who, one), two: await links(node, who, two) }).toEqual(said);
    expect((await conflictOf(pair, one)).clashes).toEqual([]);
    for (const id of [one, two]) ok(await resolve(pair, id, { resolution }));
    await settled(pair);
    const stands = resolution === 'ours' ? ours : theirs;
    for (const [id, said] of [
      [one, stands.one],
      [two, stands.two],
    ] as const)
      expect(new Set(await links(origin, curator, id))).toEqual(new Set(said));
    expect((await read(origin, curator, one)).properties).toEqual({ label: 'One', by: 'us', also: 'them' });
  },
);

test('a fork that an archive brought is none any more where a sync has brought it in', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, there, work } = pair;
  await update(mirror, here, work, { properties: { mine: 1 } });
  const theirs = await update(origin, curator, work, { properties: { yours: 1 } });
  const archive = await fetch(`${origin.url}/node/export?entity=${work.id}`, { headers: there.headers });
  const body = Buffer.from(await archive.arrayBuffer());
  ok(await ask(mirror, here, 'POST /node/import-car', body, { 'Content-Type': 'application/vnd.ipld.car' }));
  expect(await conflictsOf(mirror, here)).toMatchObject([{ id: work.id, theirs: theirs.cid }]);
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 0, merged: 1 });
  expect((await read(mirror, here, work.id)).properties).toMatchObject({ mine: 1, yours: 1 });
  expect(await conflictsOf(mirror, here)).toEqual([]);
});

test('a dry run names for deletion what a sync would delete, and not what was edited here', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place, work } = pair;
  const plain = await create(origin, curator, { collection: place.id });
  const back = await create(origin, curator, { collection: place.id, properties: { n: 1 } });
  await sync(mirror, here);
  await update(mirror, here, work, { properties: { mine: 1 } });
  const edited = await update(mirror, here, back, { properties: { n: 2 } });
  await update(mirror, here, edited, { properties: { n: 1 } });
  for (const one of [work, plain, back]) await remove(origin, curator, one);

  const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
  const { preview } = JSON.parse(answer.text) as { preview: { deletions: { id: string }[] } };
  expect(preview.deletions.map(({ id }) => id).toSorted()).toEqual([plain.id, back.id].toSorted());
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  for (const { id } of [plain, back]) expect((await ask(mirror, here, `GET /entities/${id}`)).status).toBe(404);
  expect((await ask(mirror, here, `GET /entities/${work.id}`)).status).toBe(200);
});

test("of bytes that both sides replaced, what is said is one side's", async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  const put = (node: TestNode, who: Person, text: string, type: string) =>
    ask(node, who, `POST /entities/${work.id}/content?key=v1`, Buffer.from(text), { 'Content-Type': type });
  ok(await put(origin, curator, 'at first', 'text/plain'));
  await sync(mirror, here);
  ok(await put(origin, curator, 'of there', 'text/plain'));
  ok(await put(mirror, here, '# a longer one, of here', 'text/markdown'));
  const ours = await read(mirror, here, work.id);
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  const { clashes } = await conflictOf(pair, work.id);
  expect(clashes.map(({ path }) => path)).toEqual([['properties', 'content', 'v1']]);
  ok(await resolve(pair, work.id, { resolution: 'theirs' }));
  expect((await read(mirror, here, work.id)).properties.content).toMatchObject({
    v1: { size: 8, content_type: 'text/plain' },
  });
  expect(ours.properties.content).toMatchObject({ v1: { size: 23 } });
});

test('a conflict over what was deleted here is called what it is called there', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  await remove(mirror, here, work);
  await update(origin, curator, work, { properties: { label: 'theirs' } });
  await sync(mirror, here);
  expect(await conflictsOf(mirror, here)).toMatchObject([{ id: work.id, label: 'theirs' }]);
  expect(await conflictOf(pair, work.id)).toMatchObject({ label: 'theirs' });
});

test('a conflict about a large entity is read and decided on another thread', async () => {
  await using pair = await conflicting();
  const { mirror, here, work, ours } = pair;
  const large = await update(mirror, here, ours, { properties: { text: 'Ein langer Text. '.repeat(10_000) } });
  const { open, begun } = threadGate('serveLarge');
  try {
    open();
    expect((await conflictOf(pair, work.id)).sides.ours.cid).toBe(large.cid);
    const answer = await resolve(pair, work.id, { resolution: 'theirs', expect_tip: large.cid });
    expect(ok(answer)).toMatchObject({ id: work.id, deleted: false });
    expect(begun).toEqual(['serveLarge', 'serveLarge']);
  } finally {
    vi.restoreAllMocks();
  }
  await settled(pair);
});
