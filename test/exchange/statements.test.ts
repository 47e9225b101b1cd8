import { describe, expect, it } from 'vitest';
import { beyond, beyondRemembered, remembered, type Sayings, saidMore } from '../../src/server/exchange/statements.ts';
import type { JsonObject, Relationship } from '../../src/server/model/manifest.ts';

const peer = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const says = (properties: JsonObject, relationships: Relationship[] = []): Sayings => ({
  ...{ sourceId: '7', properties, relationships },
});

/** What is beyond, told from the source itself and from what is remembered of it. */
function both(stands: Sayings, other: Sayings) {
  const known = beyondRemembered(remembered(stands), other);
  expect(known).toEqual(beyond(stands, other));
  return known;
}

const ann = says({ id: 7, name: 'Ann', life: { born: 1724, died: [1806, 'c.'] }, label: 'Ann' }, [
  { predicate: 'school', peer, properties: { role: 'pupil', from: 1740 } },
]);

describe('what a source says beyond another', () => {
  it('is nothing where it says the same, or less, in any order', () => {
    expect(both(ann, ann)).toBeNull();
    expect(both(ann, says({ name: 'Ann' }))).toBeNull();
    expect(both(ann, says({}))).toBeNull();
    expect(both(ann, says({ life: { died: [1806, 'c.'], born: 1724 } }))).toBeNull();
    expect(both(ann, says({}, [{ predicate: 'school', peer, peer_label: 'X' }]))).toBeNull();
    expect(both(ann, says({ id: '7' }))).toBeNull();
    expect(both(ann, says({ note: null, place: '' }))).toBeNull();
  });

  it('is what it adds and what it says otherwise, by its names', () => {
    expect(both(ann, says({ id: 7, name: 'Anna', place: 'Bath' }))).toEqual(['name', 'place']);
    expect(both(ann, says({ life: { born: 1724, died: ['c.', 1806] } }))).toEqual(['life']);
    expect(both(ann, says({ born: false, died: 0 }))).toEqual(['born', 'died']);
    expect(both(ann, says({}, [{ predicate: 'teacher', peer }]))).toEqual(['teacher']);
    expect(both(ann, says({}, [{ predicate: 'school', peer, properties: { role: 'teacher' } }]))).toEqual(['school']);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, i]));
    expect(both(ann, says(many))).toHaveLength(5);
  });

  it('is no label that is the id or another property once more', () => {
    expect(both(ann, says({ label: '7' }))).toBeNull();
    expect(both(says({ id: 7, label: 'Zebra' }), says({ id: 7, label: '7' }))).toBeNull();
    expect(
      both(says({ id: 7, title: 'Zebra', name: 'A', label: 'Zebra' }), says({ name: 'A', label: 'A' })),
    ).toBeNull();
    expect(both(ann, says({ label: 'Anna' }))).toEqual(['label']);
    expect(both(says({ name: 'Ann', label: 'Ann' }), says({ label: 'Ann' }))).toBeNull();
  });

  it('of a hundred things and more is only that it is not the same', () => {
    const wide = (last: number) =>
      says(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`p${i}`, i || last])));
    const memory = remembered(wide(1));
    expect(memory).toHaveLength(5);
    expect(beyondRemembered(memory, wide(1))).toBeNull();
    expect(beyondRemembered(memory, wide(2))).toEqual([]);
    expect(beyondRemembered(memory, says({ label: '7' }))).toBeNull();
    expect([saidMore(memory, wide(1)), saidMore(memory, wide(2))]).toEqual([false, true]);
  });
});

it('a remembered source said more than another where something of it is not there', () => {
  const memory = remembered(says({ id: 7, name: 'Ann', label: 'Ann' }));
  expect(saidMore(memory, ann)).toBe(false);
  expect(saidMore(memory, says({ id: 7, name: 'Ann', label: 'A. B.' }))).toBe(false);
  expect(saidMore(memory, says({ id: 7 }))).toBe(true);
  expect(saidMore(remembered(says({ label: '7' })), says({ id: 7, label: 'Zebra' }))).toBe(false);
});
