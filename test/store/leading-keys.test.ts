import { expect, test } from 'vitest';
import { leadingKeys, leadingOn } from '../../src/server/store/graph/graph-reads.ts';
import { fill, nodeId } from '../helpers/graphs.ts';
import { seeded } from '../helpers/seeded.ts';
import { openStore } from '../helpers/store.ts';

type Edge = [number, string, number];

test('those from which a relationship leads on are the same that are told when each is asked', async () => {
  await using opened = await openStore('here');
  const next = seeded(3);
  const any = (most: number) => Math.floor(next() * most);
  const edges = Array.from({ length: 60 }, (): Edge => [any(30), 'pq'.charAt(any(2)), any(30)]);
  await fill(opened, { size: 30, edges: edges.filter(([from]) => from > 2), collections: [5], missing: [0, 1, 2] });
  const ends = [{}, { types: ['t1'] }, { types: ['collection'] }, { ids: [nodeId(7)] }, { types: ['no'] }];
  const cases = (['outgoing', 'incoming', 'both'] as const).flatMap((direction) =>
    [undefined, ['p'], ['p', 'q'], ['no']].flatMap((predicates) =>
      ends.map((end) => ({ direction, predicates, ...end })),
    ),
  );
  let found = 0;
  for (const leading of cases) {
    const [keys, asked] = opened.store.read((db) => {
      const { sql, params } = leadingOn(db, leading);
      return [
        leadingKeys(db, leading),
        db.all<{ key: number }>(`SELECT key FROM entity e WHERE ${sql} ORDER BY key`, ...params),
      ];
    });
    expect(
      keys?.toSorted((a, b) => a - b),
      JSON.stringify(leading),
    ).toEqual(asked.map(({ key }) => key));
    found += asked.length;
  }
  expect(found).toBeGreaterThan(100);
});

test('those of which there are too many are not told', async () => {
  await using opened = await openStore('here');
  const edges = Array.from({ length: 5001 }, (_, i): Edge => [i + 1, 'p', 0]);
  await fill(opened, { size: 5002, edges, collections: [], missing: [] });
  const told = (direction: 'outgoing' | 'incoming') =>
    opened.store.read((db) => leadingKeys(db, { direction, predicates: ['p'] }));
  expect(told('outgoing')).toBe(null);
  expect(told('incoming')).toHaveLength(1);
});
