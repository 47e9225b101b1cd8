import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withWrittenNames } from '../../src/renderer/src/json-names.ts';
import { fromJson } from '../../src/server/model/from-json.ts';
import { value } from '../helpers/odd-values.ts';

const parse = withWrittenNames(JSON.parse);

test('a name is read as it is written, whatever was read before', () => {
  parse('{"h":[],"\\\\":0}');
  expect(parse('{"h":1,"\\"":2}')).toEqual({ h: 1, '"': 2 });
  for (const one of fc.sample(value, 200)) {
    const text = JSON.stringify(one);
    if (!isDeepStrictEqual(parse(text), fromJson(text))) expect.fail(text);
  }
});

test('what is no JSON is refused, and a reviver is told of each name', () => {
  expect(() => parse('{"\\"":1,}')).toThrow(SyntaxError);
  const names: string[] = [];
  parse('{"\\"":{"b":1}}', (name, it) => {
    names.push(name);
    return it;
  });
  expect(names).toEqual(['b', '"', '']);
});
