import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf, type Pair, startPair, sync } from './nodes.ts';

// What a dry run names for deletion is what the sync deletes, whatever has been done to it here.

type Tip = Pick<Entity, 'id' | 'cid'>;

/** What is done on both sides before a first sync, a second one, and the one that is looked at; each gives the tip at the origin. */
interface Case {
  first?: (pair: Pair, one: Entity) => Promise<Tip>;
  second?: (pair: Pair, one: Tip) => Promise<Tip>;
  last?: (pair: Pair, one: Tip) => Promise<Tip>;
}

async function restore(node: TestNode, who: Person, { id, cid }: Tip): Promise<Entity> {
  return ok(await ask(node, who, `POST /entities/${id}/restore`, { expect_tip: cid }));
}

const edit = (node: TestNode, who: Person, tip: Tip, properties: object) =>
  update(node, who, tip as Entity, { properties });

const madeOnBoth =
  (n: number): NonNullable<Case['last']> =>
  async ({ origin, mirror, there, here }) => {
    const one = await create(origin, there, { properties: { n: 1 } });
    await create(mirror, here, { id: one.id, properties: { n } });
    return one;
  };

const cases: Record<string, Case> = {
  untouched: {},
  edited: {
    last: async ({ mirror, here }, one) => {
      await edit(mirror, here, one, { n: 2 });
      return one;
    },
  },
  'edited and back': {
    last: async ({ mirror, here }, one) => {
      await edit(mirror, here, await edit(mirror, here, one, { n: 2 }), { n: 1 });
      return one;
    },
  },
  'given a relationship': {
    last: async ({ mirror, here }, one) => {
      await update(mirror, here, one as Entity, { relationships_add: [{ predicate: 'near', peer: one.id }] });
      return one;
    },
  },
  'deleted and restored': {
    last: async ({ mirror, here }, one) => {
      await restore(mirror, here, await remove(mirror, here, one as Entity));
      return one;
    },
  },
  'merged before': {
    second: async ({ mirror, here, origin, there }, one) => {
      await edit(mirror, here, one, { n: 2 });
      return edit(origin, there, one, { m: 2 });
    },
  },
  'in conflict already': {
    second: async ({ mirror, here, origin, there }, one) => {
      await edit(mirror, here, one, { n: 2 });
      return edit(origin, there, one, { n: 3 });
    },
  },
  'in conflict already, and edited back': {
    second: async ({ mirror, here, origin, there }, one) => {
      await edit(mirror, here, one, { n: 2 });
      return edit(origin, there, one, { n: 3 });
    },
    last: async ({ mirror, here }, { id, cid }) => {
      const mine = ok<Tip>(await ask(mirror, here, `GET /entities/${id}/tip`));
      await edit(mirror, here, mine, { n: 1 });
      return { id, cid };
    },
  },
  'made on both, otherwise': { last: madeOnBoth(2) },
  'made on both, to the same': { last: madeOnBoth(1) },
  'made on both, and in conflict already': { second: madeOnBoth(2) },
  'deleted on both, and restored on both': {
    second: async ({ origin, there }, one) => ({ ...(await remove(origin, there, one as Entity)) }),
    last: async ({ origin, mirror, there, here }, gone) => {
      await restore(mirror, here, gone);
      return restore(origin, there, gone);
    },
  },
  'changed there since, and not looked at': {
    last: ({ origin, there }, one) => edit(origin, there, one, { n: 4 }),
  },
};

async function previewed(node: TestNode, who: Person, remote = 'origin'): Promise<string[]> {
  const answer = await ask(node, who, `POST /node/remotes/${remote}/sync?dry_run=true`);
  const { preview } = JSON.parse(answer.text) as { preview: { deletions: { id: string }[] } };
  return preview.deletions.map(({ id }) => id);
}

async function liveAmong(node: TestNode, who: Person, ids: Iterable<string>): Promise<string[]> {
  const live: string[] = [];
  for (const id of ids) if ((await ask(node, who, `GET /entities/${id}`)).status === 200) live.push(id);
  return live;
}

const ways = [
  { name: 'a node', plain: false, keyed: true },
  { name: 'a plain remote', plain: true, keyed: true },
  { name: 'a node that is only read', plain: false, keyed: false },
  { name: 'a plain remote that is only read', plain: true, keyed: false },
];

test.each(ways)('with $name', async ({ plain, keyed }) => {
  await using pair = await startPair({ plain, keyed });
  const { origin, mirror, there, here } = pair;
  const step = async (before: Map<string, Tip>, on: 'first' | 'second' | 'last') => {
    const after = new Map<string, Tip>();
    for (const [name, tip] of before) after.set(name, (await cases[name]?.[on]?.(pair, tip as Entity)) ?? tip);
    return after;
  };
  let tips = new Map<string, Tip>();
  for (const name of Object.keys(cases)) tips.set(name, await create(origin, there, { properties: { n: 1 } }));
  await sync(mirror, here);
  tips = await step(tips, 'second');
  await sync(mirror, here);
  for (const [name, { id }] of tips) tips.set(name, ok<Tip>(await ask(origin, there, `GET /entities/${id}/tip`)));
  tips = await step(tips, 'last');
  for (const tip of tips.values())
    if ((await liveAmong(origin, there, [tip.id])).length > 0) await remove(origin, there, tip as Entity);
  const names = new Map([...tips].map(([name, { id }]) => [id, name]));
  const before = await liveAmong(mirror, here, names.keys());
  const named = await previewed(mirror, here);
  await sync(mirror, here);
  const after = await liveAmong(mirror, here, names.keys());
  const deleted = before.filter((id) => !after.includes(id));
  const said = (ids: string[]) => ids.map((id) => names.get(id)).toSorted();
  expect(said(named)).toEqual(said(deleted));
  expect(said(named)).toContain('untouched');
});

test('with a remote that is added beside the one from which it came', async () => {
  await using pair = await startPair({ keyed: false });
  const { origin, mirror, there, here } = pair;
  await using other = await startNode();
  const away = operator(other);
  await addRemote(other, away, { url: origin.url, key: keyOf(there) });
  const [same, newer, apart] = [
    await create(origin, there, { properties: { n: 1 } }),
    await create(origin, there, { properties: { n: 1 } }),
    await create(origin, there, { properties: { n: 1 } }),
  ];
  await sync(other, away);
  await sync(mirror, here);
  for (const one of [same, newer]) await remove(other, away, one);
  await remove(other, away, await edit(other, away, apart, { n: 2 }));
  await edit(origin, there, newer, { n: 3 });
  await edit(mirror, here, apart, { n: 4 });
  await sync(mirror, here);
  await addRemote(mirror, here, { name: 'other', url: other.url, key: keyOf(away) });
  expect(await previewed(mirror, here, 'other')).toEqual([same.id]);
  expect(await sync(mirror, here, 'other')).toMatchObject({ conflicts: 2 });
  expect(await liveAmong(mirror, here, [same.id, newer.id, apart.id])).toEqual([newer.id, apart.id]);
});
