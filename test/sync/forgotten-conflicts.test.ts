import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SyncReportView } from '../../src/server/resources/node/remotes/wire.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { addRemote, conflictsOf, keyOf, lines, read, remoteOf, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

/**
 * A mirror in conflict about a work with an origin that is then set back to before the change there; `isNew`: to before the work
 * was made; `isMet`: to when the conflict was found.
 */
async function startSetBack({ plain = false, isNew = false, isMet = false } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const [data, backup] = [join(folder.path, 'origin'), join(folder.path, 'backup')];
  let origin = await startNode({ data });
  const env = { ARCHEION_PORT: new URL(origin.url).port };
  const mirror = opened.use(await startNode());
  const [there, here] = [operator(origin), operator(mirror)];
  const url = plain ? opened.use(await startProxy(origin.url)).url : origin.url;
  await addRemote(mirror, here, { url, key: keyOf(there) });
  const place = await collection(origin, there, { label: 'Works' });
  const body = { collection: place.id, properties: { label: 'One' } };
  const copied = async () => {
    await sync(mirror, here);
    await origin[Symbol.asyncDispose]();
    await cp(data, backup, { recursive: true });
    origin = await startNode({ data, env });
  };
  const before = isNew ? null : await create(origin, there, body);
  if (!isMet) await copied();
  const work = before ?? (await create(origin, there, body));
  await sync(mirror, here);
  await update(mirror, here, work, { properties: { label: 'ours' } });
  const theirs = await update(origin, there, work, { properties: { label: 'theirs', more: 1 } });
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  if (isMet) {
    await copied();
    await create(origin, there, { collection: place.id });
    await sync(mirror, here);
  }
  await origin[Symbol.asyncDispose]();
  const back: TestNode = opened.use(await startNode({ data: backup, env }));
  const all = opened.move();
  return { mirror, here, there, back, work, theirs, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A mirror in conflict about a work with its origin. */
async function startConflict() {
  await using opened = new AsyncDisposableStack();
  const [origin, mirror] = [opened.use(await startNode()), opened.use(await startNode())];
  const [there, here] = [operator(origin), operator(mirror)];
  await addRemote(mirror, here, { url: origin.url, key: keyOf(there) });
  const place = await collection(origin, there, { label: 'Works' });
  const work = await create(origin, there, { collection: place.id, properties: { label: 'One' } });
  await sync(mirror, here);
  await update(mirror, here, work, { properties: { label: 'ours' } });
  const theirs = await update(origin, there, work, { properties: { label: 'theirs' } });
  await sync(mirror, here);
  const all = opened.move();
  return { origin, mirror, there, here, work, theirs, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function agree(node: TestNode, who: ReturnType<typeof operator>): Promise<SyncReportView> {
  const answer = await ask(node, who, 'POST /node/remotes/origin/sync?accept_large_change=true');
  return (lines(answer.text).at(-1) as { done: SyncReportView }).done;
}

test.each([
  ['a node', false],
  ['a plain remote', true],
])('W3: a conflict with %s that was set back and has its side of it yet stays one', async (_, plain) => {
  await using scene = await startSetBack({ plain, isMet: true });
  const { mirror, here, there, back, work, theirs } = scene;
  expect((await sync(mirror, here)).stopped).toContain('--accept-large-change');
  expect(await agree(mirror, here)).toMatchObject({ stopped: null, updated: 0 });
  expect((await read(back, there, work.id)).cid).toBe(theirs.cid);
  expect((await read(mirror, here, work.id)).properties).toEqual({ label: 'ours' });
  expect(await conflictsOf(mirror, here)).toMatchObject([{ remote: 'origin', id: work.id, theirs: theirs.cid }]);
});

const cases = [
  { plain: false, isNew: false },
  { plain: false, isNew: true },
  { plain: true, isNew: false },
  { plain: true, isNew: true },
];

test.each(cases)(
  'W3: the other side of a conflict that a remote forgot stays listed: $plain, $isNew',
  async (options) => {
    await using scene = await startSetBack(options);
    const { mirror, here, there, back, work, theirs } = scene;
    expect((await sync(mirror, here)).stopped).toContain('--accept-large-change');
    expect(await agree(mirror, here)).toMatchObject({ stopped: null });
    expect((await read(back, there, work.id)).properties).toEqual({ label: 'ours' });
    expect(await conflictsOf(mirror, here)).toMatchObject([{ id: work.id, theirs: theirs.cid }]);
    expect(await sync(mirror, here)).toMatchObject({ updated: 0, created: 0, conflicts: 0 });

    const { clashes } = ok<{ clashes: object[] }>(await ask(mirror, here, `GET /node/conflicts/${work.id}`));
    expect(clashes).toContainEqual(
      expect.objectContaining({ path: ['properties', 'label'], ours: 'ours', theirs: 'theirs' }),
    );
    ok(await ask(mirror, here, `POST /node/conflicts/${work.id}/resolve`, { resolution: 'theirs' }));
    expect(await conflictsOf(mirror, here)).toEqual([]);
    await sync(mirror, here);
    expect((await read(back, there, work.id)).properties).toEqual({ label: 'theirs', more: 1 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  },
);

test('W3: so it does beside what was changed there since', async () => {
  await using scene = await startSetBack();
  const { mirror, here, there, back, work, theirs } = scene;
  const since = await update(back, there, work, { properties: { label: 'since' } });
  await sync(mirror, here);
  expect(await agree(mirror, here)).toMatchObject({ stopped: null });
  const listed = await conflictsOf(mirror, here);
  expect(listed.map((it) => it.theirs).toSorted()).toEqual([since.cid, theirs.cid].toSorted());
});

test('what the remote goes on to from its side of a conflict takes its place', async () => {
  await using scene = await startConflict();
  const { origin, mirror, there, here, theirs } = scene;
  const second = await update(origin, there, theirs, { properties: { label: 'theirs too' } });
  await sync(mirror, here);
  expect(await conflictsOf(mirror, here)).toMatchObject([{ remote: 'origin', theirs: second.cid }]);
});

test('the other side of a conflict with a remote that is removed stays listed, once, also where it is added again', async () => {
  await using scene = await startConflict();
  const { origin, mirror, there, here, work, theirs } = scene;
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  expect(await conflictsOf(mirror, here)).toMatchObject([{ remote: 'car', id: work.id, theirs: theirs.cid }]);
  await addRemote(mirror, here, { name: 'again', url: origin.url, key: keyOf(there) });
  await sync(mirror, here, 'again');
  expect(await conflictsOf(mirror, here)).toMatchObject([{ remote: 'again', id: work.id, theirs: theirs.cid }]);
  ok(await ask(mirror, here, `POST /node/conflicts/${work.id}/resolve`, { resolution: 'ours' }));
  expect(await conflictsOf(mirror, here)).toEqual([]);
});

test('of several remotes that are removed, and beside an archive, each other side stays listed until it is decided', async () => {
  await using scene = await startConflict();
  const { origin, mirror, there, here, work, theirs } = scene;
  await using other = await startNode();
  const away = operator(other);
  const follow = async (node: TestNode, who: Person, from: TestNode, name: string) => {
    await addRemote(node, who, { url: from.url, key: keyOf(operator(from)), name });
    await sync(node, who, name);
  };
  await follow(other, away, origin, 'origin');
  const another = await update(other, away, theirs, { properties: { label: 'of another' } });
  const brought = await update(origin, there, theirs, { properties: { label: 'brought' } });
  await imported(mirror, (await exported(origin, `?entity=${work.id}`)).car);
  const branch = await update(origin, there, brought, { properties: { label: 'one', more: 1 } });
  await follow(mirror, here, other, 'other');
  await sync(mirror, here);
  const listed = async () => (await conflictsOf(mirror, here)).map(({ remote, theirs: cid }) => [remote, cid]);
  expect(await listed()).toEqual([
    ['car', brought.cid],
    ['origin', branch.cid],
    ['other', another.cid],
  ]);
  ok(await ask(mirror, here, 'DELETE /node/remotes/other'));
  expect(await listed()).toEqual([
    ['car', brought.cid],
    ['car:2', another.cid],
    ['origin', branch.cid],
  ]);
  // What follows the archive's version says what that says, too.
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  expect(await listed()).toEqual([
    ['car', branch.cid],
    ['car:2', another.cid],
  ]);
  const resolve = (body: object, query: string) =>
    ask(mirror, here, `POST /node/conflicts/${work.id}/resolve${query}`, body);
  expect((await resolve({ resolution: 'ours' }, '')).text).toContain('car or car:2');
  ok(await resolve({ resolution: 'theirs' }, '?remote=car'));
  expect(await listed()).toEqual([['car:2', another.cid]]);
  expect((await read(mirror, here, work.id)).properties).toEqual({ label: 'one', more: 1 });
  await follow(mirror, here, other, 'again');
  expect(await listed()).toEqual([['again', another.cid]]);
  ok(await resolve({ resolution: 'theirs' }, ''));
  expect(await listed()).toEqual([]);
  expect((await read(mirror, here, work.id)).properties).toEqual({ label: 'of another', more: 1 });
});
