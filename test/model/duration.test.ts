import { expect, test } from 'vitest';
import { duration } from '../../src/server/model/duration.ts';

test('a duration is said in the largest unit of which there are two, one second as one', () => {
  const said = [0, 1, 2, 119, 120, 7199, 7200, 172_799, 172_800].map(duration);
  expect(said).toEqual([
    ...['0 seconds', '1 second', '2 seconds', '119 seconds', '2 minutes'],
    ...['119 minutes', '2 hours', '47 hours', '2 days'],
  ]);
});
