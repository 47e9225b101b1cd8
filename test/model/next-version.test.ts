import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { applyUpdate, firstVersion, restored, type Stamp, tombstone } from '../../src/server/model/next-version.ts';

const stamp = (ts: string, note?: string): Stamp => ({
  schema: 'arke/eidos@v1',
  ts,
  edited_by: { user_id: 'ANN', method: 'manual' },
  note,
});
const [day1, day2, day3] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];

const first = firstVersion(
  {
    id: 'ID',
    type: 'letter',
    properties: { label: 'x', place: { city: 'Ghent' } },
    relationships: [
      { predicate: 'collection', peer: 'A' },
      { predicate: 'cites', peer: 'B', properties: { page: 1 } },
    ],
  },
  stamp(day1, 'made'),
);

describe('versions', () => {
  test('the first', () => {
    expect(first).toEqual({
      schema: 'arke/eidos@v1',
      id: 'ID',
      type: 'letter',
      created_at: day1,
      ver: 1,
      ts: day1,
      prev: null,
      properties: { label: 'x', place: { city: 'Ghent' } },
      relationships: [
        { predicate: 'collection', peer: 'A' },
        { predicate: 'cites', peer: 'B', properties: { page: 1 } },
      ],
      edited_by: { user_id: 'ANN', method: 'manual' },
      note: 'made',
    });
  });

  test('of several relationships with one key the last stands, in the first one’s place', () => {
    const [a, b] = [
      { predicate: 'in', peer: 'A' },
      { predicate: 'in', peer: 'B' },
    ];
    const relationships = [{ ...a, peer_label: 'old' }, b, { ...a, peer_label: 'new' }];
    const made = firstVersion({ id: 'ID', type: 'letter', properties: {}, relationships }, stamp(day1));
    expect(made.relationships).toMatchObject([{ ...a, peer_label: 'new' }, b]);
  });

  test('removals come first, then merges and additions', () => {
    const next = applyUpdate(
      first,
      'CID1',
      {
        properties_remove: ['label', 'place'],
        properties: { label: 'y', place: { street: 'Z' } },
        relationships_remove: [{ predicate: 'cites' }],
        relationships_add: [{ predicate: 'cites', peer: 'B' }],
      },
      stamp(day2),
    );
    expect(next).toEqual({
      ...{ schema: 'arke/eidos@v1', id: 'ID', type: 'letter', created_at: day1, ver: 2, ts: day2, prev: 'CID1' },
      properties: { label: 'y', place: { street: 'Z' } },
      relationships: [
        { predicate: 'collection', peer: 'A' },
        { predicate: 'cites', peer: 'B' },
      ],
      edited_by: { user_id: 'ANN', method: 'manual' },
    });
  });

  test('an update of nothing keeps all content, and the note is not carried along', () => {
    const next = applyUpdate(first, 'CID1', {}, stamp(day2));
    expect([next.properties, next.relationships]).toEqual([first.properties, first.relationships]);
    expect(next).not.toHaveProperty('note');
  });

  test('deleted and brought back', () => {
    const grave = tombstone(first, 'CID1', 'spam', stamp(day2));
    expect(grave).toMatchObject({
      ver: 2,
      prev: 'CID1',
      deleted: true,
      reason: 'spam',
      properties: {},
      relationships: [],
    });
    expect(tombstone(first, 'CID1', undefined, stamp(day2))).not.toHaveProperty('reason');
    const back = restored(first, grave, 'CID2', stamp(day3));
    expect(back).toMatchObject({ ver: 3, prev: 'CID2', created_at: day1, ts: day3 });
    expect([back.properties, back.relationships]).toEqual([first.properties, first.relationships]);
    expect(back).not.toHaveProperty('deleted');
    expect(back).not.toHaveProperty('reason');
  });

  test('along any chain the identity stays, ver counts up, prev links, and nothing is changed in place', () => {
    type Move = 'update' | 'delete' | 'restore';
    const moves = fc.array(fc.constantFrom<Move>('update', 'delete', 'restore'), { maxLength: 12 });
    fc.assert(
      fc.property(moves, (list) => {
        const chain: Manifest[] = [first];
        const texts = [JSON.stringify(first)];
        for (const move of list) {
          const tip = chain.at(-1) ?? first;
          const live = chain.findLast((m) => !m.deleted) ?? first;
          const cid = `CID${tip.ver}`;
          if (tip.deleted) chain.push(restored(live, tip, cid, stamp(day2)));
          else if (move === 'delete') chain.push(tombstone(tip, cid, undefined, stamp(day2)));
          else chain.push(applyUpdate(tip, cid, { properties: { n: tip.ver } }, stamp(day2)));
          texts.push(JSON.stringify(chain.at(-1)));
        }
        expect(chain.map((m) => JSON.stringify(m))).toEqual(texts);
        chain.forEach((m, i) => {
          expect(m).toMatchObject({ id: 'ID', type: 'letter', created_at: day1, ver: i + 1 });
          expect(m.prev).toBe(i === 0 ? null : `CID${i}`);
        });
      }),
    );
  });
});
