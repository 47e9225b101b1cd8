import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from '../../src/server/model/iso-time.ts';

it('is what toISOString gives, whatever time came before', () => {
  const times = fc.oneof(
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.integer({ min: 1_800_000_000_000, max: 1_800_000_002_000 }),
    fc.double({ min: -5000, max: 5000, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 20 }), (list) => {
      for (const ms of list) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2000 },
  );
});
