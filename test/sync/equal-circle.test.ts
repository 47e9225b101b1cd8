import { expect, test } from 'vitest';
import { outranks } from '../../src/server/sync/state.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { create, type Entity, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, keyOf, read, remoteOf, sync, tipsOf } from './nodes.ts';

// Nodes in a circle that say the same by other versions: they come to one of them, and to rest.

interface Place {
  node: TestNode;
  who: Person;
  made: Entity;
}

const said = { id: '01KE1EVDSAME00000000000000', type: 'work', properties: { n: 1 } };

/** Three nodes that made the same entity, the one whose version nodes keep first. */
async function startThree() {
  await using opened = new AsyncDisposableStack();
  const places: Place[] = [];
  for (let n = 0; n < 3; n++) {
    const node = opened.use(await startNode());
    const who = operator(node);
    places.push({ node, who, made: await create(node, who, said) });
  }
  places.sort((a, b) => (outranks(a.made, b.made) ? -1 : 1));
  const all = opened.move();
  return { places: places as [Place, Place, Place], [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Link = [at: Place, from: Place];
const nameOf = ({ made }: Place) => `of-${made.cid.slice(-8)}`;

async function link([at, from]: Link, direction: 'pull' | 'both'): Promise<void> {
  const key = direction === 'both' ? { key: keyOf(operator(from.node)) } : {};
  await addRemote(at.node, at.who, { name: nameOf(from), url: from.node.url, ...key });
}

async function syncAll(links: Link[]): Promise<void> {
  for (const [at, from] of links) await sync(at.node, at.who, nameOf(from));
}

const tips = (places: Place[]) => Promise.all(places.map(async ({ node }) => (await tipsOf(node))[said.id]));
const moves = (places: Place[]) =>
  Promise.all(
    places.map(async ({ node }) =>
      (await node.ctx.networks.get('main')).read((db) => db.get('SELECT max(id) AS id FROM moves')),
    ),
  );

test.each([
  { name: 'that only read each other', direction: 'pull' as const, isBothWays: false },
  { name: 'that write to each other, too', direction: 'both' as const, isBothWays: false },
  { name: 'of which each syncs with both others', direction: 'pull' as const, isBothWays: true },
])('three $name', async ({ direction, isBothWays }) => {
  await using three = await startThree();
  const [best, middle, last] = three.places;
  // Each takes first from one whose version is the next to be kept, so that what it gives on is lower than what it gets.
  const circle: Link[] = [
    [best, last],
    [last, middle],
    [middle, best],
  ];
  const links: Link[] = isBothWays ? [...circle, ...circle.map(([at, from]): Link => [from, at])] : circle;
  for (const each of links) await link(each, direction);
  for (let round = 0; round < 6; round++) await syncAll(links);
  const before = await moves(three.places);
  await syncAll(links);
  expect(await moves(three.places)).toEqual(before);
  expect(await tips(three.places)).toEqual(Array(3).fill(best.made.cid));
  for (const [at, from] of links)
    expect(await remoteOf(at.node, at.who, nameOf(from))).toMatchObject({ pending: 0, conflicts: 0 });
  // What is changed goes round, once.
  const changed = await update(last.node, last.who, await read(last.node, last.who, said.id), { properties: { n: 2 } });
  for (let round = 0; round < 3; round++) await syncAll(links);
  expect(await tips(three.places)).toEqual(Array(3).fill(changed.cid));
});

test('three that pass on two decisions of one conflict come to rest, and a person decides, also for mirrors', async () => {
  await using opened = new AsyncDisposableStack();
  const [a, b, c, mirror] = await Promise.all([1, 2, 3, 4].map(async () => opened.use(await startNode())));
  if (!a || !b || !c || !mirror) throw new Error('no nodes');
  const circle = [
    [b, c],
    [c, a],
    [a, b],
  ] as const;
  for (const [at, from] of circle) await addRemote(at, operator(at), { url: from.url, key: keyOf(operator(from)) });
  await addRemote(mirror, operator(mirror), { url: a.url });
  const round = async (links: readonly (readonly [TestNode, TestNode])[]) => {
    for (const [at] of links) {
      await sync(at, operator(at));
      await sync(mirror, operator(mirror));
    }
  };
  const { id } = await create(a, operator(a), { properties: { n: 0 } });
  await round([...circle, ...circle, ...circle]);
  for (const [n, node] of [a, c].entries())
    await update(node, operator(node), await read(node, operator(node), id), { properties: { n: n + 1 } });
  await round([circle[1], circle[0], circle[2]]);
  const decide = async (node: TestNode) =>
    ok(await ask(node, operator(node), `POST /node/conflicts/${id}/resolve`, { resolution: 'theirs' }));
  for (const node of [a, c]) await decide(node);
  for (let n = 0; n < 6; n++) await round(circle);
  const moved = () =>
    Promise.all(
      [a, b, c, mirror].map(async ({ ctx }) =>
        (await ctx.networks.get('main')).read((db) => db.get('SELECT max(id) FROM moves')),
      ),
    );
  const before = await moved();
  await round(circle);
  expect(await moved()).toEqual(before);
  expect(await conflictsOf(a, operator(a))).toMatchObject([{ id }]);
  await decide(a);
  await round([...circle, ...circle]);
  for (const node of [a, b, c, mirror]) {
    expect(await conflictsOf(node, operator(node))).toEqual([]);
    expect(await tipsOf(node)).toEqual(await tipsOf(a));
  }
});
