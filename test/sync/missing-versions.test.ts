import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { exported, imported, verified } from '../helpers/node-archives.ts';
import { addRemote, chainOf, keyOf, remoteOf, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

// Archives of tips alone leave histories that start with a later version; a sync brings what came before where it is shown.

/** A node with a work of so many versions, and its archive of tips alone. */
async function startOrigin(versions = 4): Promise<{ origin: TestNode; there: Person; work: Entity; car: Uint8Array }> {
  const origin = await startNode();
  const there = operator(origin);
  const place = await collection(origin, there, { label: 'Works' });
  let work = await create(origin, there, { collection: place.id, properties: { n: 1 } });
  for (let n = 2; n <= versions; n++) work = await update(origin, there, work, { properties: { n } });
  return { origin, there, work, car: (await exported(origin, '?history=tip')).car };
}

async function follow(node: TestNode, origin: { url: string }, key: string, name = 'origin'): Promise<void> {
  await addRemote(node, operator(node), { url: origin.url, key, name });
  await sync(node, operator(node), name);
}

async function remarks(node: TestNode): Promise<string> {
  const { ok: isOk, remarks: said } = await verified(node);
  expect(isOk).toBe(true);
  return said.join();
}

test.each([false, true])('a sync brings the versions before those of an archive of tips: plain %s', async (plain) => {
  const { origin, there, work, car } = await startOrigin();
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const middle = opened.use(await startNode());
  expect((await imported(middle, car)).partial_examples).toContainEqual({ id: work.id, ver: 4 });
  const url = plain ? opened.use(await startProxy(origin.url)).url : origin.url;
  await follow(middle, { url }, keyOf(there));
  expect(await chainOf(middle, work.id)).toEqual(await chainOf(origin, work.id));
  expect(await remarks(middle)).not.toContain('does not go back');
  const { body } = await ask(middle, operator(middle), `GET /versions/${work.id}`);
  expect((body as { versions: object[] }).versions).toHaveLength(4);
});

test('so it does for what was deleted, which can be restored then', async () => {
  const { origin, there, work } = await startOrigin();
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const middle = opened.use(await startNode());
  const gone = ok<Entity>(await ask(origin, there, `DELETE /entities/${work.id}`, { expect_tip: work.cid }));
  await imported(middle, (await exported(origin, '?history=tip')).car);
  const restore = () => ask(middle, operator(middle), `POST /entities/${work.id}/restore`, { expect_tip: gone.cid });
  expect((await restore()).status).toBe(400);
  await follow(middle, origin, keyOf(there));
  expect(ok<Entity>(await restore()).properties).toEqual({ n: 4 });
});

test('so it does below what follows them there', async () => {
  const { origin, there, work, car } = await startOrigin();
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const middle = opened.use(await startNode());
  const here = operator(middle);
  await imported(middle, car);
  const newer = await update(origin, there, work, { properties: { n: 5 } });
  await follow(middle, origin, keyOf(there));
  expect((await chainOf(middle, work.id)).map(([ver]) => ver)).toEqual([5, 4, 3, 2, 1]);
  const mine = ok<Entity>(
    await ask(middle, here, `PUT /entities/${work.id}`, { expect_tip: newer.cid, properties: { mine: 1 } }),
  );
  await sync(middle, here);
  expect((await chainOf(origin, work.id))[0]).toEqual([6, mine.cid]);
});

test('a node behind one with tips alone gets the rest from there, or from another one', async () => {
  const { origin, there, work, car } = await startOrigin();
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const [middle, last, other] = [
    opened.use(await startNode()),
    opened.use(await startNode()),
    opened.use(await startNode()),
  ];
  await imported(middle, car);
  const bare = opened.use(await startNode());
  await follow(bare, middle, keyOf(operator(middle)), 'middle');
  const { unreadable } = await remoteOf(bare, operator(bare), 'middle');
  expect(unreadable).toContainEqual({
    ...{ id: work.id, trouble: 'incomplete', evidence: expect.stringMatching(/^it does not have version b/) },
  });
  for (const node of [last, other]) await imported(node, car);
  // The one in the middle lacks it as well.
  for (const node of [last, other]) await follow(node, middle, keyOf(operator(middle)), 'middle');
  expect(await chainOf(last, work.id)).toHaveLength(1);
  await follow(other, origin, keyOf(there));
  expect(await chainOf(other, work.id)).toEqual(await chainOf(origin, work.id));
  await follow(middle, origin, keyOf(there));
  await sync(last, operator(last), 'middle');
  expect(await chainOf(last, work.id)).toEqual(await chainOf(origin, work.id));
  expect(await remoteOf(last, operator(last), 'middle')).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
});

test.each([false, true])('of them comes what a remote has: plain %s', async (plain) => {
  const { origin, there, work, car } = await startOrigin(3);
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const [middle, last] = [opened.use(await startNode()), opened.use(await startNode())];
  const here = operator(middle);
  await imported(middle, car);
  let newer = work;
  for (let n = 4; n <= 6; n++) newer = await update(middle, here, newer, { properties: { n } });
  await imported(last, (await exported(middle, '?history=tip')).car);
  expect(await chainOf(last, work.id)).toHaveLength(1);
  const url = plain ? opened.use(await startProxy(middle.url)).url : middle.url;
  await follow(last, { url }, keyOf(here), 'middle');
  expect(await chainOf(last, work.id)).toEqual(await chainOf(middle, work.id));
  expect((await chainOf(last, work.id)).map(([ver]) => ver)).toEqual([6, 5, 4, 3]);
  expect(await remarks(last)).toContain('does not go back to version 1');
  await follow(last, origin, keyOf(there));
  expect((await chainOf(last, work.id)).map(([ver]) => ver)).toEqual([6, 5, 4, 3, 2, 1]);
});

test('histories that do not fit into one answer come whole in one run', async () => {
  const { origin, there, work } = await startOrigin(1);
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  const middle = opened.use(await startNode());
  const place = work.relationships[0]?.peer;
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const random = () =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
        .toString('base64')
        .repeat(10);
    let one = await create(origin, there, { collection: place, properties: { text: random() } });
    for (let n = 0; n < 2; n++) one = await update(origin, there, one, { properties: { text: random() } });
    ids.push(one.id);
  }
  await imported(middle, (await exported(origin, '?history=tip')).car);
  await follow(middle, origin, keyOf(there));
  for (const id of ids) expect(await chainOf(middle, id)).toEqual(await chainOf(origin, id));
  expect(await remarks(middle)).not.toContain('does not go back');
});

test('what a remote lacks as well is asked for again ever less often, and when somebody syncs', async () => {
  const { origin, work, car } = await startOrigin();
  await using opened = new AsyncDisposableStack();
  opened.use(origin);
  let waited = 0;
  const middle = opened.use(await startNode());
  const last = opened.use(await startNode({ now: () => Date.now() + waited }));
  for (const node of [middle, last]) await imported(node, car);
  const proxy = opened.use(await startProxy(middle.url));
  const cid = (await chainOf(origin, work.id))[1]?.[1] ?? '';
  const asked = () => proxy.calls.splice(0).filter(({ path }) => path.endsWith(cid)).length;
  const runLater = async (ms: number) => {
    waited += ms;
    await last.ctx.sync.run('main', 'middle', undefined, { unasked: true });
    return asked();
  };
  await follow(last, proxy, keyOf(operator(middle)), 'middle');
  expect(asked()).toBe(1);
  expect(await runLater(1000)).toBe(0);
  expect(await runLater(60_000)).toBe(1);
  expect(await runLater(60_000)).toBe(0);
  expect(await runLater(240_000)).toBe(1);
  await sync(last, operator(last), 'middle');
  expect(asked()).toBe(1);
});
