import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonIssues, maxDepth, maxIssues } from '../../src/server/model/json-value.ts';

const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], 0 as unknown);

describe('jsonIssues', () => {
  test('what JSON stores exactly has none', () => {
    const fraction = fc.double({ min: -1e15, max: 1e15, noNaN: true });
    const text = fc.string({ unit: 'grapheme' });
    const exact = fc.object({
      key: text,
      values: [fc.maxSafeInteger(), fraction, text, fc.boolean(), fc.constant(null)],
    });
    fc.assert(fc.property(exact, (value) => jsonIssues(value, []).length === 0));
  });

  test.each([
    [2 ** 53, 'an integer beyond 2^53-1'],
    [-(2 ** 53), 'one below'],
    [1e300, 'a large one'],
    [JSON.parse('1e999'), 'one that no double holds'],
  ])('%d: %s', (value) => {
    expect(jsonIssues({ a: [value] }, ['properties'])).toMatchObject([{ path: ['properties', 'a', 0] }]);
  });

  test('the largest safe integer and every fraction are exact', () => {
    expect(jsonIssues([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.1, -0], [])).toEqual([]);
  });

  test('unpaired surrogates in values and names', () => {
    expect(jsonIssues({ a: 'x\ud800' }, []).map((i) => i.path)).toEqual([['a']]);
    expect(jsonIssues({ '\udc00': 1 }, ['p'])).toMatchObject([{ path: ['p'] }]);
    expect(jsonIssues('\u{1f600}', [])).toEqual([]);
  });

  test('nesting has an end, and the walk never runs out of stack', () => {
    expect(jsonIssues(nested(maxDepth), [])).toEqual([]);
    expect(jsonIssues(nested(maxDepth + 1), [])).toHaveLength(1);
    expect(jsonIssues(nested(100_000), [])).toHaveLength(1);
  });

  test('of a value that is wrong everywhere, so much is told and no more', () => {
    const wrong = Array.from({ length: 10_000 }, () => ({ '\ud800': '\ud800', list: [2 ** 60, 2 ** 60] }));
    const issues = jsonIssues(wrong, ['p']);
    expect(issues).toHaveLength(maxIssues);
    expect(issues[0]?.path).toEqual(['p', 0]);
    expect(issues[1]?.path).toEqual(['p', 0, '\ud800']);
    expect(issues[2]?.path).toEqual(['p', 0, 'list', 0]);
  });

  test('each thing that is wrong is told', () => {
    expect(jsonIssues([2 ** 60, 'x', { y: '\ud800' }], []).map((i) => i.path)).toEqual([[0], [2, 'y']]);
  });
});
