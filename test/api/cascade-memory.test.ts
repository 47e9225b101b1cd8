import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type CascadeNode, planCascade } from '../../src/server/resources/entities/cascade.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const home = 'home';
const wide = 1000;

/** An entity of the collection that leads to these. */
function node(id: string, peers: string[] = []): CascadeNode {
  const relationships = [{ predicate: 'collection', peer: home }, ...peers.map((peer) => ({ predicate: 'has', peer }))];
  const manifest = {
    ...{ schema: '', id, type: 'document', created_at: '', ver: 1, ts: '', prev: null, properties: {}, relationships },
    edited_by: { user_id: '', method: 'manual' as const },
  };
  return { id, type: 'document', deleted: false, collection: home, barred: false, manifest };
}

test('a plan of a cascade keeps nothing of what it has read', async () => {
  const children = Array.from({ length: wide }, (_, i) => `child ${i}`);
  const read: WeakRef<CascadeNode>[] = [];
  const kept: number[] = [];
  const plan = await planCascade(
    node('root', children),
    { collection: home, predicates: ['*'], maxDepth: 10 },
    (id) => {
      if (id === 'leaf') {
        gc();
        kept.push(read.filter((one) => one.deref() !== undefined).length);
        return node(id);
      }
      const child = node(id, id === children.at(-1) ? ['leaf'] : []);
      read.push(new WeakRef(child));
      return child;
    },
  );
  // Those that were read since the last turn of the event loop cannot be let go.
  expect(kept).toEqual([expect.any(Number)]);
  expect(kept[0]).toBeLessThan(100);
  expect(plan).toMatchObject({ traversed: wide + 2, maxDepth: 2 });
  expect(plan.reached.slice(-2)).toEqual([
    { id: children.at(-1), depth: 1 },
    { id: 'leaf', depth: 2 },
  ]);
});
