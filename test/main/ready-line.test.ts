import { describe, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/ready-line.ts';

describe('the ready line', () => {
  test('gives the address of the node', () => {
    expect(readyUrl('{"ready":{"url":"http://127.0.0.1:4747"}}')).toBe('http://127.0.0.1:4747');
  });

  test.each([
    '',
    'ready',
    'null',
    '[]',
    '{"ready":true}',
    '{"ready":{"url":7}}',
    '{"ready":{"url":"127.0.0.1"}}',
    '{"ready":{"url":"http://127.0.0.1:4747"}',
  ])('is not %j', (line) => {
    expect(readyUrl(line)).toBeNull();
  });
});
