import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromJson } from '../../src/server/model/from-json.ts';

const before = '{"h":[],"\\\\":0}';

test('names with escapes are read as they are written, whatever was read before', () => {
  for (const name of ['"', '\n', '\u0000', '\\', '\ud800']) {
    fromJson(before);
    expect(fromJson(JSON.stringify({ h: 1, [name]: 2 }))).toEqual({ h: 1, [name]: 2 });
  }
  fromJson(before);
  expect(fromJson('{"h":1,"\\u540d" :2,"a\\/b":"\\":"}')).toEqual({ h: 1, 名: 2, 'a/b': '":' });
});

test('of two members of one name the last stands, in the place of the first', () => {
  const text = '{"a":1,"\\u0061":2,"\\n":3,"~":4,"b":5,"\\u000a":6,"~000a":7}';
  expect(Object.entries(fromJson(text) as object)).toEqual([
    ['a', 2],
    ['\n', 6],
    ['~', 4],
    ['b', 5],
    ['~000a', 7],
  ]);
});

test('a member named as the prototype is one', () => {
  const value = fromJson('{"\\u005f_proto__":{"a":1},"\\n":1}') as object;
  expect(Object.keys(value)).toEqual(['__proto__', '\n']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('what is no JSON is refused, deep or cut off', () => {
  for (const text of [
    '',
    '{"\\n"',
    '{"\\n":',
    '{"\\',
    '"\\',
    '{"\\q":1}',
    '{"a":1,}',
    "{'\\n':1}",
    '{"\\n" 1}',
    '\\"":',
  ])
    expect(() => fromJson(text), text).toThrow(SyntaxError);
  const deep = `${'{"\\n":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  expect(Object.keys(fromJson(deep) as object)).toEqual(['\n']);
});

test('every value is read as it was written', () => {
  const name = fc.string({ unit: fc.constantFrom(...'a"\\~\n\u0000é0/:, '), maxLength: 3 });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 6 }),
    ),
  }));
  const spaces = fc.constantFrom(0, 1, '\t');
  fc.assert(
    fc.property(value, spaces, (one, space) => {
      const written = JSON.stringify(one, null, space);
      expect(JSON.stringify(fromJson(written), null, space)).toBe(written);
    }),
    { numRuns: 3000 },
  );
});
