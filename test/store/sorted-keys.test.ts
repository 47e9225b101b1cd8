import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ascending, inBoth } from '../../src/server/store/graph/sorted-keys.ts';

const keys = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });
const ordered = (list: number[]) => [...new Set(list)].sort((a, b) => a - b);

test('keys come in ascending order, each once', () => {
  fc.assert(
    fc.property(keys, (list) => {
      expect(ascending([...list])).toEqual(ordered(list));
    }),
  );
});

test('what two lists have in common is what sets say', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const both = ordered(a).filter((key) => b.includes(key));
      expect([...inBoth(ascending([...a]), ascending([...b]))]).toEqual(both);
      expect([...inBoth(ascending([...b]), ascending([...a]))]).toEqual(both);
    }),
  );
});
