import { describe, expect, test } from 'vitest';
import { ask, type Person } from '../helpers/callers.ts';
import { ok, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, keyOf, read, sync } from './nodes.ts';
import { startProxied } from './proxied.ts';

test.each([
  ['a node', false],
  ['a service', true],
])(
  'what was edited and deleted here while %s that is added again deleted and restored it waits for a person',
  async (_, stranger) => {
    await using scene = await startProxied({ works: 1, proxy: { plain: false, stranger } });
    const { origin, mirror, proxy, curator, here, works } = scene;
    const id = works[0]?.id ?? '';
    await sync(mirror, here);
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    const { cid } = await remove(origin, curator, await read(origin, curator, id));
    ok(await ask(origin, curator, `POST /entities/${id}/restore`, { expect_tip: cid }));
    await update(mirror, here, await read(mirror, here, id), { properties: { edited: 'here' } });
    await remove(mirror, here, await read(mirror, here, id));
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, deleted: 0 });
    expect(await conflictsOf(mirror, here)).toMatchObject([{ id }]);
    expect((await ask(mirror, here, `GET /entities/${id}`)).status).toBe(404);
  },
);

const restore = async (node: TestNode, who: Person, id: string) => {
  const { cid } = ok<{ cid: string }>(await ask(node, who, `GET /entities/${id}/tip`));
  return ok(await ask(node, who, `POST /entities/${id}/restore`, { expect_tip: cid }));
};

test('what was deleted on both sides before a remote was added again with a filter is restored there with it', async () => {
  await using scene = await startProxied({ works: 1, proxy: { stranger: true } });
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const id = works[0]?.id ?? '';
  await sync(mirror, here);
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  await remove(origin, curator, await read(origin, curator, id));
  await remove(mirror, here, await read(mirror, here, id));
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), collections: [place.id] });
  await sync(mirror, here);
  await restore(mirror, here, id);
  expect(await sync(mirror, here)).toMatchObject({ restored: 1, conflicts: 0 });
  expect((await read(origin, curator, id)).cid).toBe((await read(mirror, here, id)).cid);
});

describe.each([
  ['a remote', false],
  ['a remote that was added again', true],
])('what was deleted and restored on both sides, at %s', (_, again) => {
  test.each(['there', 'here'])('and was deleted again %s waits for a person', async (side) => {
    await using scene = await startProxied({ works: 1, proxy: { stranger: true } });
    const { origin, mirror, proxy, curator, here, works } = scene;
    const id = works[0]?.id ?? '';
    await sync(mirror, here);
    if (again) ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    const sides = { there: [origin, curator], here: [mirror, here] } as const;
    for (const [node, who] of Object.values(sides)) {
      await remove(node, who, await read(node, who, id));
      await restore(node, who, id);
    }
    const [node, who] = side === 'here' ? sides.here : sides.there;
    await remove(node, who, await read(node, who, id));
    const { cid } = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${id}/tip`));
    if (again) await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    expect(await sync(mirror, here)).toMatchObject({ conflicts: 1, deleted: 0, restored: 0 });
    expect(ok(await ask(mirror, here, `GET /entities/${id}/tip`))).toMatchObject({ cid });
  });
});
