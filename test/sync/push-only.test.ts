import { expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { collection, create, ok, remove, update } from '../helpers/entities.ts';
import { addRemote, keyOf, lines, read, remoteOf, sync } from './nodes.ts';
import { startProxied } from './proxied.ts';

test.each([
  ['a node', false],
  ['a service', true],
])(
  'what was deleted here before %s that is only pushed to was added again is deleted there, too',
  async (_, stranger) => {
    await using scene = await startProxied({ proxy: { plain: false, stranger }, remote: { direction: 'push' } });
    const { origin, mirror, proxy, curator, here } = scene;
    const place = await collection(mirror, here);
    const make = () => create(mirror, here, { collection: place.id });
    const [first, second, edited, kept] = [await make(), await make(), await make(), await make()];
    expect(await sync(mirror, here)).toMatchObject({ created: 5 });
    await remove(mirror, here, await read(mirror, here, first.id));
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    for (const { id } of [second, edited]) await remove(mirror, here, await read(mirror, here, id));
    // Nothing is read from it, so that what was changed there since stays.
    await update(origin, curator, await read(origin, curator, edited.id), { properties: { n: 1 } });
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), direction: 'push' });
    const looked = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    const { push } = (lines(looked.text).at(-1) as { preview: { push: { id: string; intent: string }[] } }).preview;
    const deletions = push.flatMap(({ id, intent }) => (intent === 'delete' ? [id] : []));
    expect(new Set(deletions)).toEqual(new Set([first.id, second.id]));
    expect(await sync(mirror, here)).toMatchObject({ deleted: 2, conflicts: 0, refused: 0 });
    const statuses = [first, second, edited, kept].map(
      async ({ id }) => (await ask(origin, curator, `GET /entities/${id}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 200, 200]);
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ deleted: 0, updated: 0 });
    expect(proxy.calls.filter(({ path }) => /batch-get|tips/.test(path))).toEqual([]);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  },
);
