import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openWriter } from '../../src/server/store/connection.ts';
import { rebuildPending } from '../../src/server/store/remotes/pending.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { addRemote, keyOf, lines, read, sync } from './nodes.ts';
import { startProxied } from './proxied.ts';

/** What waits to be pushed, a line each: as it was kept from commit to commit, and as it is made anew. */
async function pendingIn(node: TestNode): Promise<{ kept: string[]; anew: string[] }> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'copy.db');
  const live = new Database(join(node.data, 'main', 'archeion.db'), { readonly: true });
  live.prepare('VACUUM INTO ?').run(file);
  live.close();
  const db = openWriter(file);
  const rows = () =>
    db
      .all<{ line: string }>(
        `SELECT r.name || ' ' || e.id AS line FROM push_pending p JOIN remote r ON r.key = p.remote
           JOIN entity e ON e.key = p.entity ORDER BY line`,
      )
      .map(({ line }) => line);
  const kept = rows();
  for (const { key } of db.all<{ key: number }>('SELECT key FROM remote')) rebuildPending(db, key);
  const anew = rows();
  db.close();
  return { kept, anew };
}

test('what waits to be pushed is the same from commit to commit as made anew', async () => {
  await using scene = await startProxied({ works: 6, mirror: { wait: async () => undefined } });
  await using museum = await startNode();
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const expectKept = async () => {
    const { kept, anew } = await pendingIn(mirror);
    expect(kept).toEqual(anew);
    return kept.length;
  };
  await sync(mirror, here);
  expect(await expectKept()).toBe(0);
  const [edited, gone, refused, clashing, lost, twin] = works as [Entity, Entity, Entity, Entity, Entity, Entity];
  for (const work of [edited, refused, clashing, lost]) await update(mirror, here, work, { properties: { n: 'here' } });
  await remove(mirror, here, gone);
  const made = await create(mirror, here, { collection: place.id });
  const loose = await create(mirror, here, {});
  expect(await expectKept()).toBe(7);

  await update(origin, curator, clashing, { properties: { n: 'there' } });
  await update(origin, curator, twin, { properties: { n: 'same' } });
  await update(mirror, here, twin, { properties: { n: 'same' } });
  proxy.fault = ({ method, path }) => {
    if (method === 'PUT' && path.includes(refused.id)) return { status: 403, body: { error: 'Not by you' } };
    if (path === `/entities/${lost.id}/tip`) return { status: 302 };
    return method === 'PUT' && path.includes(lost.id) ? 'lose' : undefined;
  };
  expect(lines((await ask(mirror, here, 'POST /node/remotes/origin/sync')).text).at(-1)).toHaveProperty('error');
  await expectKept();
  await update(mirror, here, await read(mirror, here, lost.id), { properties: { n: 4 } });
  await expectKept();

  // Another remote of some of it, which keeps to its own versions.
  const settings = { collections: [place.id], types: ['document'], direction: 'both', key: keyOf(operator(museum)) };
  await addRemote(mirror, here, { name: 'museum', url: museum.url, ...settings });
  await expectKept();
  await sync(mirror, here, 'museum');
  await expectKept();
  await update(museum, operator(museum), await read(museum, operator(museum), made.id), { properties: { n: 5 } });
  await update(mirror, here, await read(mirror, here, made.id), { properties: { n: 5 } });
  await expectKept();
  await sync(mirror, here, 'museum');
  proxy.fault = () => undefined;
  await sync(mirror, here);
  await sync(mirror, here, 'museum');
  await expectKept();

  const other = await collection(mirror, here, { label: 'Made here' });
  ok(await ask(mirror, here, 'PUT /node/remotes/museum', { collections: [place.id, other.id] }));
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  await update(mirror, here, await read(mirror, here, loose.id), { properties: { n: 6 } });
  expect(await expectKept()).toBeGreaterThan(0);
});
