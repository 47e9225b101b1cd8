import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { type Entity, ok, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, keyOf, type Pair, read, remoteOf, startCurated, sync, tipsOf } from './nodes.ts';

// Two nodes that sync with each other, and what a person decides on each of them before the other one hears of it.

/** Both are in conflict about a work: the label, and how high it is. */
async function startCrossed(): Promise<Pair & { work: Entity }> {
  const pair = await startCurated();
  const { origin, mirror, here, there, work } = pair;
  await addRemote(origin, there, { url: mirror.url, key: keyOf(operator(mirror)), name: 'mirror' });
  await sync(origin, there, 'mirror');
  await update(mirror, here, work, { properties: { label: 'of the mirror', size: { h: 3 } } });
  await update(origin, there, work, { properties: { label: 'of the origin', size: { h: 4 } } });
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  expect(await sync(origin, there, 'mirror')).toMatchObject({ conflicts: 1 });
  return pair;
}

async function decide(node: TestNode, who: Person, { id }: Entity, body: object): Promise<void> {
  ok(await ask(node, who, `POST /node/conflicts/${id}/resolve`, body));
}

const height = { path: ['properties', 'size', 'h'], side: 'theirs' };

test.each([
  ['each for what it has itself', { resolution: 'ours' }, { resolution: 'ours' }],
  [
    'each for one place of its own',
    { resolution: 'ours', choices: [height] },
    { resolution: 'ours', choices: [height] },
  ],
])('a conflict that is decided on both, %s, is one again', async (_, at, elsewhere) => {
  await using pair = await startCrossed();
  const { origin, mirror, here, there, work } = pair;
  await decide(mirror, here, work, at);
  await decide(origin, there, work, elsewhere);
  const [ours, theirs] = [await read(mirror, here, work.id), await read(origin, there, work.id)];
  expect(ours.properties).not.toEqual(theirs.properties);

  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  expect((await read(mirror, here, work.id)).cid).toBe(ours.cid);
  expect(await conflictsOf(mirror, here)).toMatchObject([
    { id: work.id, base: null, ours: ours.cid, theirs: theirs.cid },
  ]);
  expect(await sync(origin, there, 'mirror')).toMatchObject({ merged: 0, conflicts: 1 });
  expect((await read(origin, there, work.id)).cid).toBe(theirs.cid);

  await decide(mirror, here, work, { resolution: 'ours' });
  await sync(mirror, here);
  await sync(origin, there, 'mirror');
  expect((await read(origin, there, work.id)).properties).toEqual(ours.properties);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  for (const [node, who, name] of [
    [mirror, here, 'origin'],
    [origin, there, 'mirror'],
  ] as const)
    expect(await remoteOf(node, who, name)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
});

test('a conflict that is decided on both to the same is none', async () => {
  await using pair = await startCrossed();
  const { origin, mirror, here, there, work } = pair;
  await decide(mirror, here, work, { resolution: 'ours' });
  await decide(origin, there, work, { resolution: 'theirs' });
  await sync(mirror, here);
  await sync(origin, there, 'mirror');
  await sync(mirror, here);
  expect(await conflictsOf(mirror, here)).toEqual([]);
  expect(await conflictsOf(origin, there)).toEqual([]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect((await read(origin, there, work.id)).properties).toMatchObject({ label: 'of the mirror', size: { h: 3 } });
});

test('whoever takes what the other one has takes what that one decides, too', async () => {
  await using pair = await startCrossed();
  const { origin, mirror, here, there, work } = pair;
  await decide(mirror, here, work, { resolution: 'ours', choices: [height] });
  const decided = await read(mirror, here, work.id);
  await decide(origin, there, work, { resolution: 'theirs' });
  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  expect(await sync(origin, there, 'mirror')).toMatchObject({ merged: 0, conflicts: 0 });
  expect((await read(origin, there, work.id)).cid).toBe(decided.cid);
  await sync(mirror, here);
  expect((await read(mirror, here, work.id)).cid).toBe(decided.cid);
  expect(await conflictsOf(mirror, here)).toEqual([]);
});
