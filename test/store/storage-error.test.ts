import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { storing } from '../../src/server/store/storage-error.ts';

test('a quota that is used up is no fault of the program, and is said to be one', () => {
  const error = Object.assign(new Error('Unknown system error: write'), {
    ...{ code: 'Unknown system error', errno: -constants.errno.EDQUOT, syscall: 'write' },
  });
  const write = () => {
    throw error;
  };
  expect(() => storing(write)).toThrow(
    expect.objectContaining({
      code: 'STORAGE_FULL',
      reason: expect.stringMatching(/^The disk quota of the node's user/),
    }),
  );
});
