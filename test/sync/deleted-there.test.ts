import { expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { conflictsOf, type Pair, remoteOf, startPair, sync, tipsOf } from './nodes.ts';

// What was deleted at a remote, and says here what it said when both had it: nobody has edited it, and somebody may want it.

/** Both have the work; here it was left as it was by a way of its own, there it is deleted. */
async function deletedThere(pair: Pair, way: keyof typeof ways): Promise<Entity> {
  const { origin, mirror, there, here } = pair;
  const one = await create(origin, there, { properties: { n: 1 } });
  await sync(mirror, here);
  await ways[way](pair, one);
  await remove(origin, there, one);
  return one;
}

const ways = {
  'deleted and restored': async ({ mirror, here }: Pair, one: Entity) => {
    const { cid } = await remove(mirror, here, one);
    ok(await ask(mirror, here, `POST /entities/${one.id}/restore`, { expect_tip: cid }));
  },
  'edited and back': async ({ mirror, here }: Pair, one: Entity) => {
    const edited = await update(mirror, here, one, { properties: { n: 2 } });
    await update(mirror, here, edited, { properties: { n: 1 } });
  },
};

async function decideLife({ mirror, here }: Pair, { id }: Entity, resolution: 'ours' | 'theirs', n = 1): Promise<void> {
  expect(ok(await ask(mirror, here, `GET /node/conflicts/${id}`))).toMatchObject({
    clashes: [{ path: [], ours: 'live', theirs: 'deleted' }],
    merged: { deleted: false, properties: { n } },
  });
  const answer = ok<{ deleted: boolean }>(
    await ask(mirror, here, `POST /node/conflicts/${id}/resolve`, { resolution }),
  );
  expect(answer.deleted).toBe(resolution === 'theirs');
}

test.each([
  ['a node', false, 'ours'],
  ['a node', false, 'theirs'],
  ['a plain remote', true, 'ours'],
  ['a plain remote', true, 'theirs'],
] as const)('what was restored here while %s deleted it (plain: %s) waits for a person: %s', async (_, plain, side) => {
  await using pair = await startPair({ plain });
  const { origin, mirror, there, here } = pair;
  const one = await deletedThere(pair, 'deleted and restored');
  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  expect((await ask(mirror, here, `GET /entities/${one.id}`)).status).toBe(200);
  await decideLife(pair, one, side);
  await sync(mirror, here);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  const { status } = await ask(origin, there, `GET /entities/${one.id}`);
  expect(status).toBe(side === 'ours' ? 200 : 404);
});

const read = (Object.keys(ways) as (keyof typeof ways)[]).flatMap((way) =>
  (['ours', 'theirs'] as const).map((side) => [way, side] as const),
);

test.each(read)(
  'of a remote that is only read, what was %s here and deleted there is what is chosen: %s',
  async (way, side) => {
    await using pair = await startPair({ keyed: false });
    const { mirror, here } = pair;
    const one = await deletedThere(pair, way);
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
    await decideLife(pair, one, side);
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 0 });
    expect(await conflictsOf(mirror, here)).toEqual([]);
    const { status, body } = await ask(mirror, here, `GET /entities/${one.id}`);
    expect(status).toBe(side === 'ours' ? 200 : 404);
    if (side === 'ours') expect((body as Entity).properties).toEqual({ n: 1 });
  },
);

/** An entity that was deleted there, and here by a sync; `restore` brings it back on one side. */
async function deletedOnBothSides({ origin, mirror, there, here }: Awaited<ReturnType<typeof startPair>>) {
  const one = await create(origin, there, { properties: { n: 1 } });
  const gone = await remove(origin, there, one);
  await sync(mirror, here);
  const restore = async (node: typeof origin, who: typeof there): Promise<Entity> =>
    ok(await ask(node, who, `POST /entities/${one.id}/restore`, { expect_tip: gone.cid }));
  return { one, restore };
}

test('what was restored and deleted again here while it was restored there waits for a person', async () => {
  await using pair = await startPair();
  const { origin, mirror, there, here } = pair;
  const { one, restore } = await deletedOnBothSides(pair);
  await remove(mirror, here, await restore(mirror, here));
  await restore(origin, there);
  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  expect(ok(await ask(mirror, here, `GET /node/conflicts/${one.id}`))).toMatchObject({
    clashes: [{ path: [], ours: 'deleted', theirs: 'live' }],
  });
  ok(await ask(mirror, here, `POST /node/conflicts/${one.id}/resolve`, { resolution: 'ours' }));
  await sync(mirror, here);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect((await ask(origin, there, `GET /entities/${one.id}`)).status).toBe(404);
});

test.each([
  ['at once', false],
  ['while they were in conflict', true],
])(
  'what was restored on both sides, edited here and deleted again there waits for a person: %s',
  async (_, between) => {
    await using pair = await startPair({ plain: true });
    const { origin, mirror, there, here } = pair;
    const one = await create(origin, there, { properties: { n: 1 } });
    const gone = await remove(origin, there, one);
    await sync(mirror, here);
    const edited = async (node: typeof origin, who: typeof there, n: number) => {
      const back = ok(await ask(node, who, `POST /entities/${one.id}/restore`, { expect_tip: gone.cid }));
      return await update(node, who, back, { properties: { n } });
    };
    await edited(mirror, here, 2);
    const theirs = await edited(origin, there, 3);
    if (between) expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
    await remove(origin, there, theirs);
    expect(await sync(mirror, here)).toMatchObject({ merged: 0, restored: 0 });
    await decideLife(pair, one, 'theirs', 2);
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await ask(origin, there, `GET /entities/${one.id}`)).status).toBe(404);
  },
);

test('what was edited and deleted here while it was deleted and restored there waits for a person', async () => {
  await using pair = await startPair({ plain: true });
  const { origin, mirror, there, here } = pair;
  const one = await create(origin, there, { properties: { n: 1 } });
  await sync(mirror, here);
  await remove(mirror, here, await update(mirror, here, one, { properties: { n: 2 } }));
  const { cid } = await remove(origin, there, one);
  ok(await ask(origin, there, `POST /entities/${one.id}/restore`, { expect_tip: cid }));
  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  ok(await ask(mirror, here, `POST /node/conflicts/${one.id}/resolve`, { resolution: 'ours' }));
  expect(await sync(mirror, here)).toMatchObject({ deleted: 1 });
  const grave = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${one.id}/tip`));
  const back = ok(await ask(mirror, here, `POST /entities/${one.id}/restore`, { expect_tip: grave.cid }));
  expect(back).toMatchObject({ properties: { n: 2 } });
});

test('what was restored on both sides and deleted again there waits for a person', async () => {
  await using pair = await startPair({ plain: true });
  const { origin, mirror, there, here } = pair;
  const { one, restore } = await deletedOnBothSides(pair);
  await restore(mirror, here);
  await remove(origin, there, await restore(origin, there));
  expect(await sync(mirror, here)).toMatchObject({ merged: 0, conflicts: 1 });
  await decideLife(pair, one, 'ours');
  await sync(mirror, here);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect((await ask(origin, there, `GET /entities/${one.id}`)).status).toBe(200);
});
