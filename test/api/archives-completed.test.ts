import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findTip } from '../../src/server/store/entities.ts';
import { chain } from '../../src/server/store/versions.ts';
import { cidOf, keptBy } from '../helpers/files.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { create, done, exported, imported, remove, update, type Written } from '../helpers/node-archives.ts';
import { inChunks, withArchive } from '../helpers/sample-archive.ts';

// Versions that come without moving a tip: those before the ones that are here.

const picture = Buffer.from('a picture');
const content = { picture: { cid: cidOf(picture), size: picture.length, content_type: 'image/png' } };

/** An entity with four versions, of which the first alone names a picture, and a deleted one, both in a collection. */
async function written(node: TestNode) {
  await keptBy(node).put(inChunks(picture, 100));
  const { id: collection } = await done(node, 'POST /collections', { label: 'People' });
  let ada = await create(node, 'Ada', { collection, properties: { label: 'Ada', content } });
  ada = await done<Written>(node, `PUT /entities/${ada.id}`, { expect_tip: ada.cid, properties_remove: ['content'] });
  for (const born of [1814, 1815]) ada = await update(node, ada, { born });
  const gone = await create(node, 'Gone', { collection });
  await remove(node, gone);
  return { collection, ada, gone };
}

const rootOf = (car: Uint8Array) => withArchive(car, async ({ cid }) => cid);
const sinceOf = (car: Uint8Array) => withArchive(car, async ({ delta }) => delta?.since);

test.each([
  { scope: 'all', moved: false },
  { scope: 'all', moved: true },
  { scope: 'collection', moved: false },
  { scope: 'collection', moved: true },
])(
  'a step since a checkpoint brings the versions that came before those of the base: $scope, moved: $moved',
  async ({ scope, moved }) => {
    await using origin = await startNode();
    await using keeper = await startNode();
    await using receiver = await startNode();
    const { collection, ada, gone } = await written(origin);
    const query = scope === 'all' ? '?history=all' : `?collection=${collection}`;
    await imported(keeper, (await exported(origin, '?history=tip')).car);
    // The bytes are here before the version that names them.
    await keptBy(keeper).put(inChunks(picture, 100));
    await delay(5);
    await create(keeper, 'beside');
    const base = await exported(keeper, query);
    expect((await imported(receiver, base.car)).partial_examples).toContainEqual({ id: ada.id, ver: 4 });

    await imported(keeper, (await exported(origin)).car);
    if (moved) await update(keeper, ada, { died: 1852 });
    const step = await exported(keeper, `${query}&since=${base.checkpoint}`);
    expect(await sinceOf(step.car)).toBe(await rootOf(base.car));
    await imported(receiver, step.car);
    expect(await historyOf(receiver, ada.id)).toEqual(await historyOf(keeper, ada.id));
    expect(await historyOf(receiver, gone.id)).toEqual([2, 1]);
    expect(await keptBy(receiver).size(cidOf(picture))).toBe(picture.length);
    // Nothing is brought twice.
    await create(keeper, 'later');
    const more = await exported(keeper, query);
    const rest = await exported(keeper, `${query}&since=${more.checkpoint}`);
    expect(await sinceOf(rest.car)).toBe(await rootOf(more.car));
    expect(rest.car.length).toBeLessThan(1000);
    // Beside these, every node has its own users.
    const people = `?collection=${collection}`;
    expect(await rootOf((await exported(receiver, people)).car)).toBe(
      await rootOf((await exported(keeper, people)).car),
    );
  },
);

/** The numbers of an entity's versions, newest first. */
async function historyOf(node: TestNode, id: string): Promise<number[]> {
  const store = await node.ctx.networks.get('main');
  const tip = store.read((db) => findTip(db, id)) ?? '';
  return store.read((db) => chain(db, tip, 100)).map(({ ver }) => ver);
}
