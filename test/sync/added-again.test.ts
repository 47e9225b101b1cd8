import { expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { ok, remove, update } from '../helpers/entities.ts';
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
