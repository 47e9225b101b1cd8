import { expect, test } from 'vitest';
import { killed } from './kills.ts';

// The built node is killed under a mixed load a few times; `npm run crash` does it a thousand times (docs/faults.md).

test('a node that is killed under load keeps every answer, and comes to the same as its peer', {
  timeout: 120_000,
}, async () => {
  let promises = 0;
  for await (const { seed, problems, promises: made } of killed([1, 2])) {
    promises += made;
    expect({ seed, problems }).toEqual({ seed, problems: [] });
  }
  expect(promises).toBeGreaterThan(20);
});
