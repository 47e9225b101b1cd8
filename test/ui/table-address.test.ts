import { expect, test } from 'vitest';
import {
  type Condition,
  labelPart,
  labelPlace,
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
