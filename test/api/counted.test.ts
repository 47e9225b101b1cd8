import { expect, test } from 'vitest';
import { counted } from '../../src/server/commands/parts/counted.ts';

test.each([
  [0, 'entity', '0 entities'],
  [1, 'entity', '1 entity'],
  [2000, 'entity', '2,000 entities'],
  [1, 'signed head', '1 signed head'],
  [3, 'file', '3 files'],
])('%d of %s are said as %s', (n, noun, said) => expect(counted(n, noun)).toBe(said));
