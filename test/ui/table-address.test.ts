import { expect, test } from 'vitest';
import {
  type Condition,
  labelPart,
  labelPlace,
  tableAddress,
  withLabel,
} from '../../src/renderer/src/views/collection/table-address.ts';

const contains = (value: string): Condition => ({ column: 'label', op: 'contains', value });
const year: Condition = { column: 'properties.year', op: 'is', value: '1802' };

test('the box above a table holds the first condition of the label, and leaves others of it alone', () => {
  const where = [year, contains('ship'), contains('sea')];
  expect([labelPlace(where), labelPart(where)]).toEqual([1, 'ship']);
  expect(withLabel(where, 'boat')).toEqual([contains('boat'), year, contains('sea')]);
  expect(withLabel([contains('ship'), year], '')).toEqual([year]);
  expect([labelPlace([year]), labelPart([year]), labelPart(undefined)]).toEqual([-1, '', '']);
  expect(withLabel(undefined, 'ship')).toEqual([contains('ship')]);
});

test('an address with more types or conditions than a table takes is not that of other rows', () => {
  const where = Array.from({ length: 21 }, (_, i) => contains(`ship ${i}`));
  const types = Array.from({ length: 101 }, (_, i) => `type ${i}`);
  expect(tableAddress({ where, types })).toEqual({ where, types });
  expect(tableAddress({ where: [...where, 'ship', { column: 'label', op: 'like' }], columns: [1] })).toEqual({ where });
});
