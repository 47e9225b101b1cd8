import { expect, test } from 'vitest';
import { failureOf } from '../../src/renderer/src/api/failure.ts';

test('a failure says the reason that stands below the heading', () => {
  const body = { error: 'Entity not found', details: { reason: 'There is no such role' } };
  expect(failureOf(404, body)).toMatchObject({ kind: 'missing', message: 'Entity not found: There is no such role' });
  expect(failureOf(404, { error: 'Entity not found', details: { reason: 5 } }).message).toBe('Entity not found');
  expect(failureOf(500, undefined).message).toBe('HTTP 500');
});
