import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, Manifest, Relationship } from '../../src/server/model/manifest.ts';
import { collectionsOf } from '../../src/server/model/manifest.ts';
import { applyUpdate } from '../../src/server/model/next-version.ts';
import { contentHash } from '../../src/server/store/content-hash.ts';
import { deltasBetween } from '../../src/server/sync/delta.ts';

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const object: fc.Arbitrary<JsonObject> = fc.letrec<{ object: JsonObject; value: JsonObject[string] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.constant(null),
    fc.string(),
    fc.array(fc.integer(), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
})).object;

const relationship: fc.Arbitrary<Relationship> = fc.record(
  {
    predicate: fc.constantFrom('contains', 'in', 'collection'),
    peer: fc.constantFrom('p1', 'p2', 'p3'),
    peer_type: fc.constantFrom('document', 'folder'),
    peer_label: fc.constantFrom('one', 'two'),
    properties: object,
  },
  { requiredKeys: ['predicate', 'peer'] },
);
const relationships = fc.uniqueArray(relationship, { selector: (r) => `${r.predicate} ${r.peer}`, maxLength: 5 });
const manifest: fc.Arbitrary<Manifest> = fc.record({ properties: object, relationships }).map((content) => ({
  schema: 'arke/eidos@v1',
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  type: 'document',
  created_at: '2026-01-01T00:00:00.000Z',
  ver: 1,
  ts: '2026-01-01T00:00:00.000Z',
  prev: null,
  edited_by: { user_id: 'u', method: 'manual' },
  ...content,
}));

const stamp = { schema: 'arke/eidos@v1', ts: '', edited_by: { user_id: '', method: 'manual' as const } };

test('the bodies turn the one content into the other', () => {
  fc.assert(
    fc.property(manifest, manifest, (base, next) => {
      const made = deltasBetween(base, next).reduce((now, delta) => applyUpdate(now, '', delta, stamp), base);
      expect(contentHash(made)).toBe(contentHash(next));
    }),
    { numRuns: 2000 },
  );
});

test('what lies in a collection lies in one after each body, unless the only one is said anew', () => {
  fc.assert(
    fc.property(manifest, manifest, (base, next) => {
      const [before, after] = [collectionsOf(base), collectionsOf(next)];
      fc.pre(before.length > 0 && after.length > 0 && new Set([...before, ...after]).size > 1);
      let now = base;
      for (const delta of deltasBetween(base, next)) {
        now = applyUpdate(now, '', delta, stamp);
        expect(collectionsOf(now)).not.toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('equal contents need none', () => {
  fc.assert(
    fc.property(manifest, (it) => {
      expect(deltasBetween(it, structuredClone(it))).toEqual([]);
    }),
  );
});

test('no body removes what it also sets, so that it says the same in whatever order it is taken', () => {
  fc.assert(
    fc.property(manifest, manifest, (base, next) => {
      for (const delta of deltasBetween(base, next)) {
        const added = new Set((delta.relationships_add ?? []).map((r) => `${r.predicate} ${r.peer}`));
        expect((delta.relationships_remove ?? []).filter((r) => added.has(`${r.predicate} ${r.peer}`))).toEqual([]);
        if (!delta.properties_remove) continue;
        const removals = { properties_remove: delta.properties_remove };
        const merged = applyUpdate(applyUpdate(base, '', { properties: delta.properties }, stamp), '', removals, stamp);
        const removed = applyUpdate(
          applyUpdate(base, '', removals, stamp),
          '',
          { properties: delta.properties },
          stamp,
        );
        expect(contentHash(merged)).toBe(contentHash(removed));
      }
    }),
    { numRuns: 2000 },
  );
});

test('what would come to stand before the first collection is said anew after it, and nothing else', () => {
  const lies = (...peers: string[]) => ({
    ...(fc.sample(manifest, 1)[0] as Manifest),
    properties: {},
    relationships: peers.map((peer) => ({ predicate: 'collection', peer })),
  });
  const at = (peer: string) => ({ predicate: 'collection', peer });
  expect(deltasBetween(lies('A', 'C'), lies('B', 'A', 'C'))).toEqual([
    { relationships_add: [at('B')], relationships_remove: [at('A'), at('C')] },
    { relationships_add: [at('A'), at('C')] },
  ]);
  expect(deltasBetween(lies('A', 'B', 'C'), lies('B', 'A', 'C'))).toEqual([
    { relationships_remove: [at('A')] },
    { relationships_add: [at('A')] },
  ]);
  expect(deltasBetween(lies('A', 'C'), lies('B'))).toEqual([
    { relationships_add: [at('B')], relationships_remove: [at('A'), at('C')] },
  ]);
  expect(deltasBetween(lies('A', 'B', 'C'), lies('A', 'C', 'B'))).toEqual([]);
  const named = { ...lies('A'), relationships: [at('A'), { ...at('B'), peer_label: 'B' }] };
  expect(deltasBetween(named, lies('B', 'A'))).toEqual([
    { relationships_remove: [at('B')] },
    { relationships_add: [at('B')], relationships_remove: [at('A')] },
    { relationships_add: [at('A')] },
  ]);
});

test('a change of one property sends that property alone', () => {
  const base = { ...fc.sample(manifest, 1)[0], properties: { a: 1, b: { c: 1, d: 2 } }, relationships: [] } as Manifest;
  const next = { ...base, properties: { a: 1, b: { c: 3 } } };
  expect(deltasBetween(base, next)).toEqual([{ properties: { b: { c: 3 } }, properties_remove: { b: ['d'] } }]);
});

test('what another program wrote of a peer goes out only where it differs', () => {
  const odd = () => [
    { predicate: 'in', peer: 'p1', peer_label: { en: 'one' }, peer_type: ['folder'], properties: 'text' },
  ];
  const version = (n: number, relationships: unknown) => ({ properties: { n }, relationships }) as unknown as Manifest;
  expect(deltasBetween(version(1, odd()), version(2, odd()))).toEqual([{ properties: { n: 2 } }]);
  const said = { ...odd()[0], properties: { page: 4 } };
  const shown = { predicate: 'in', peer: 'p1', properties: { page: 4 } };
  expect(deltasBetween(version(1, odd()), version(1, [said]))).toEqual([{ relationships_add: [shown] }]);
  const named = { ...odd()[0], peer_label: 'One' };
  const label = { predicate: 'in', peer: 'p1', peer_label: 'One' };
  expect(deltasBetween(version(1, odd()), version(1, [named]))).toEqual([{ relationships_add: [label] }]);
});
