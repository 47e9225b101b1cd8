import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Relationship, relationshipKey } from '../../src/server/model/manifest.ts';
import { equalJson } from '../../src/server/model/properties.ts';
import {
  applyRelationships,
  type RelationshipAdd,
  type RelationshipRemove,
  sameRelationship,
  storedRelationship,
} from '../../src/server/model/relationships.ts';

const rel = (text: string, more: Partial<RelationshipAdd> = {}): RelationshipAdd => {
  const [predicate = '', peer = ''] = text.split(' ');
  return { predicate, peer, ...more };
};
const names = (list: Relationship[]) => list.map((r) => `${r.predicate} ${r.peer}`);

const predicate = fc.constantFrom('in', 'contains', 'cites');
const peer = fc.constantFrom('A', 'B', 'C', 'D');
const properties = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(1, 2, null));
const add: fc.Arbitrary<RelationshipAdd> = fc.record(
  { predicate, peer, peer_type: fc.constantFrom('file', 'folder'), peer_label: fc.string(), properties },
  { requiredKeys: ['predicate', 'peer'] },
);
const remove: fc.Arbitrary<RelationshipRemove> = fc.record({ predicate, peer }, { requiredKeys: ['predicate'] });
const current = fc.uniqueArray(add, { selector: relationshipKey, maxLength: 8 });
const covers = (r: Relationship) => (x: RelationshipRemove) =>
  x.predicate === r.predicate && (x.peer === undefined || x.peer === r.peer);

describe('applyRelationships', () => {
  const base = ['in A', 'cites B', 'cites C', 'contains D'].map((text) => rel(text));

  test('new ones go to the end, known ones stay where they were', () => {
    expect(names(applyRelationships(base, [], [rel('cites X'), rel('cites B')]))).toEqual([
      ...['in A', 'cites B', 'cites C', 'contains D', 'cites X'],
    ]);
  });

  test('removed and added in one body: in its place, without what it said before', () => {
    const before = [rel('in A', { properties: { old: 1 } }), rel('cites B')];
    expect(applyRelationships(before, [{ predicate: 'in' }], [rel('in A', { properties: { n: 2 } })])).toEqual([
      rel('in A', { properties: { n: 2 } }),
      rel('cites B'),
    ]);
  });

  test('a removal without a peer takes every one of that predicate', () => {
    expect(names(applyRelationships(base, [{ predicate: 'cites' }], []))).toEqual(['in A', 'contains D']);
    expect(names(applyRelationships(base, [{ predicate: 'cites', peer: 'C' }], []))).toEqual([
      ...['in A', 'cites B', 'contains D'],
    ]);
  });

  test('properties merge deep after properties_remove; copies of type and label are kept', () => {
    const before = [rel('in A', { peer_type: 'folder', peer_label: 'x', properties: { a: { b: 1, c: 2 }, d: 3 } })];
    const change = rel('in A', { peer_label: 'y', properties_remove: { a: ['b'] }, properties: { a: { e: 4 } } });
    expect(applyRelationships(before, [], [change])).toEqual([
      rel('in A', { peer_type: 'folder', peer_label: 'y', properties: { a: { c: 2, e: 4 }, d: 3 } }),
    ]);
  });

  test('the result has each key once, and exactly what was kept or added', () => {
    fc.assert(
      fc.property(current, fc.array(remove), fc.array(add), (before, gone, added) => {
        const keys = applyRelationships(before, gone, added).map(relationshipKey);
        const kept = before.filter((r) => !gone.some(covers(r)));
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(keys)).toEqual(new Set([...kept, ...added].map(relationshipKey)));
      }),
    );
  });

  test('those that stay keep their order, and those not named are the same', () => {
    fc.assert(
      fc.property(current, fc.array(remove), fc.array(add), (before, gone, added) => {
        const result = applyRelationships(before, gone, added);
        const old = before.map(relationshipKey);
        const places = result.map((r) => old.indexOf(relationshipKey(r))).filter((i) => i >= 0);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        const named = new Set(added.map(relationshipKey));
        for (const r of before)
          if (!named.has(relationshipKey(r)) && !gone.some(covers(r))) expect(result).toContain(r);
      }),
    );
  });

  test('adding the same again changes nothing', () => {
    fc.assert(
      fc.property(current, fc.array(add), (before, added) => {
        const once = applyRelationships(before, [], added);
        expect(applyRelationships(once, [], once)).toEqual(once);
      }),
    );
  });
});

test('unknown members are not stored', () => {
  const sent = { ...rel('in A', { properties_remove: ['x'] }), colour: 'red' };
  expect(storedRelationship(sent)).toEqual(rel('in A'));
  // What another program wrote in place of an object is not taken apart.
  for (const properties of ['text', [1], 7]) {
    const odd = { ...rel('in A'), properties } as unknown as Relationship;
    expect(storedRelationship(odd)).toEqual(odd);
  }
});

test('two of one key say the same when type, label and properties do', () => {
  const one = rel('in A', { peer_type: 'file', properties: { a: 1, b: 2 } });
  expect(sameRelationship(one, { ...one, properties: { b: 2, a: 1 } }, equalJson)).toBe(true);
  for (const other of [{ peer_type: 'folder' }, { peer_label: 'x' }, { properties: { a: 1 } }])
    expect(sameRelationship(one, { ...one, ...other }, equalJson)).toBe(false);
});
