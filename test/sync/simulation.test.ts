import fc from 'fast-check';
import { describe, test } from 'vitest';
import { nothingIsLost } from './sim/property.ts';

// 3 nodes and a remote, with everything that may befall them; `npm run sim -- --seeds 5000` plays more.
describe('whatever happens between nodes', () => {
  test.each([1, 2, 3, 4, 5])('nothing is lost and all agree in the end, seed %d', (seed) => {
    fc.assert(nothingIsLost(600), { numRuns: 200, seed });
  });
});
