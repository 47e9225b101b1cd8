import { describe, expect, test } from 'vitest';
import { simulate } from './sim/simulation.ts';

// 3 nodes and a remote, with everything that may befall them; `npm run sim -- --seeds 5000` plays more.
describe('whatever happens between nodes', () => {
  test.each(Array.from({ length: 10 }, (_, i) => 1 + i * 100))(
    'seeds from %d on lose nothing and agree in the end',
    (first) => {
      for (let seed = first; seed < first + 100; seed++) expect(simulate(seed, 300).broken, `seed ${seed}`).toEqual([]);
    },
  );
});
