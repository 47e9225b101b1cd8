import { describe, expect, test } from 'vitest';
import type { Issue } from '../../src/server/errors.ts';
import { checks, type Source } from '../../src/server/http/check.ts';
import type { Models, Schema } from '../../src/server/http/schema.ts';

const models: Models = {
  Color: { dataType: 'refEnum', enums: ['red', 'blue'] },
  Id: {
    dataType: 'refAlias',
    type: { dataType: 'string', validators: { pattern: { value: '^[A-Z]+$', errorMsg: 'is no id' } } },
  },
  Link: {
    dataType: 'refObject',
    properties: {
      peer: { ref: 'Id', required: true },
      weight: { dataType: 'double', validators: { minimum: { value: 0 }, maximum: { value: 1 } } },
    },
    additionalProperties: true,
  },
  Body: {
    dataType: 'refObject',
    properties: {
      links: {
        dataType: 'array',
        array: { ref: 'Link' },
        validators: { maxItems: { value: 2 }, minItems: { value: 1 } },
      },
      groups: { dataType: 'array', array: { dataType: 'array', array: { ref: 'Link' } } },
      limit: { dataType: 'integer', default: 100, validators: { maximum: { value: 1000 } } },
      note: { dataType: 'union', subSchemas: [{ dataType: 'string' }, { dataType: 'enum', enums: [null] }] },
      color: { ref: 'Color' },
    },
    additionalProperties: true,
  },
  Removal: {
    dataType: 'refAlias',
    type: {
      dataType: 'union',
      subSchemas: [
        { dataType: 'array', array: { dataType: 'string' } },
        { dataType: 'nestedObjectLiteral', nestedProperties: {}, additionalProperties: { ref: 'Removal' } },
      ],
    },
  },
  Step: {
    dataType: 'refAlias',
    type: {
      dataType: 'union',
      subSchemas: [
        {
          dataType: 'nestedObjectLiteral',
          nestedProperties: { done: { dataType: 'enum', enums: [true], required: true } },
        },
        { dataType: 'nestedObjectLiteral', nestedProperties: { pass: { dataType: 'string', required: true } } },
      ],
    },
  },
};

function run(schema: Schema, value: unknown, source: Source = 'json'): { answer: unknown; issues: Issue[] } {
  const issues: Issue[] = [];
  const answer = checks(models, source)({ required: true, ...schema })(value, [], issues);
  return { answer, issues };
}

const issuesOf = (schema: Schema, value: unknown, source?: Source) => run(schema, value, source).issues;

describe('where and what', () => {
  test('paths are segments, also in lists of lists and after names with dots', () => {
    expect(issuesOf({ ref: 'Body' }, { links: [{ peer: 'A' }, { peer: 'b' }] })).toEqual([
      { path: ['links', 1, 'peer'], message: 'is no id' },
    ]);
    expect(issuesOf({ ref: 'Body' }, { groups: [[], [{ peer: 'A' }, {}]] })).toEqual([
      { path: ['groups', 1, 1, 'peer'], message: 'is required' },
    ]);
    const map = { dataType: 'nestedObjectLiteral', nestedProperties: {}, additionalProperties: { ref: 'Link' } };
    expect(issuesOf(map, { 'a.b': { peer: 1 } })).toEqual([{ path: ['a.b', 'peer'], message: 'must be a string' }]);
  });

  test.each<[string, Schema, unknown, string]>([
    ['missing', { ref: 'Body' }, undefined, 'is required'],
    ['null for an object', { ref: 'Body' }, null, 'must be an object'],
    ['a list for an object', { ref: 'Body' }, [], 'must be an object'],
    ['text for a number', { dataType: 'integer' }, '5', 'must be an integer'],
    ['a fraction', { dataType: 'integer' }, 1.5, 'must be an integer up to 2^53-1'],
    ['beyond 2^53', { dataType: 'integer' }, 2 ** 53, 'must be an integer up to 2^53-1'],
    [
      'a fraction between bounds',
      { dataType: 'integer', validators: { minimum: { value: 1 }, maximum: { value: 100 } } },
      5.5,
      'must be an integer from 1 up to 100',
    ],
    ['infinity', { dataType: 'double' }, Number.POSITIVE_INFINITY, 'must be a number'],
    ['a number for text', { dataType: 'string' }, 5, 'must be a string'],
    [
      'too short',
      { dataType: 'string', validators: { minLength: { value: 1 } } },
      '',
      'must have at least 1 character',
    ],
    [
      'too long',
      { dataType: 'string', validators: { maxLength: { value: 2 } } },
      'abc',
      'must have at most 2 characters',
    ],
    ['text for a boolean', { dataType: 'boolean' }, 'true', 'must be true or false'],
    ['one for a list', { dataType: 'array', array: { dataType: 'string' } }, 'a', 'must be a list'],
    ['no member', { ref: 'Color' }, 'green', 'must be one of "red", "blue"'],
    ['an object for a member', { ref: 'Color' }, { toString: 1 }, 'must be one of "red", "blue"'],
    ['a list for a member', { ref: 'Color' }, ['red'], 'must be one of "red", "blue"'],
  ])('%s', (_name, schema, value, message) => {
    expect(issuesOf(schema, value)).toEqual([{ path: [], message }]);
  });

  test('a union names the branch that came furthest, else every kind', () => {
    expect(issuesOf({ ref: 'Body' }, { note: 5 })).toEqual([
      { path: ['note'], message: 'must be a string, or must be null' },
    ]);
    expect(issuesOf({ ref: 'Step' }, { pass: 5 })).toEqual([{ path: ['done'], message: 'is required' }]);
    expect(issuesOf({ ref: 'Removal' }, { a: { b: [1] } })).toEqual([
      { path: ['a', 'b', 0], message: 'must be a string' },
    ]);
  });
});

describe('what comes out', () => {
  test('defaults go into a copy, everything else is the same', () => {
    const given = { links: [{ peer: 'A', extra: 1 }], more: { '/': 'x' } };
    const { answer, issues } = run({ ref: 'Body' }, given);
    expect(issues).toEqual([]);
    expect(answer).toEqual({ ...given, limit: 100 });
    expect(given).not.toHaveProperty('limit');
  });

  test('members called __proto__ and constructor stay data, and are checked', () => {
    const given = JSON.parse('{"__proto__": {"limit": 5}, "constructor": {"peer": 1}}');
    const { answer } = run({ ref: 'Body' }, given);
    expect(Object.getPrototypeOf(answer)).toBe(Object.prototype);
    expect(answer).toMatchObject({ limit: 100 });
    expect(Object.hasOwn(answer as object, '__proto__')).toBe(true);
    const map = { dataType: 'nestedObjectLiteral', nestedProperties: {}, additionalProperties: { ref: 'Link' } };
    expect(issuesOf(map, given).map((issue) => issue.path)).toEqual([
      ['__proto__', 'peer'],
      ['constructor', 'peer'],
    ]);
    expect(
      issuesOf(
        { dataType: 'nestedObjectLiteral', nestedProperties: { toString: { dataType: 'string', required: true } } },
        {},
      ),
    ).toEqual([{ path: ['toString'], message: 'is required' }]);
  });

  test('text of paths and queries becomes numbers, booleans and lists', () => {
    expect(run({ dataType: 'integer' }, '12', 'text').answer).toBe(12);
    expect(run({ dataType: 'double' }, '0.5', 'text').answer).toBe(0.5);
    expect(run({ dataType: 'boolean' }, 'false', 'text').answer).toBe(false);
    expect(run({ dataType: 'array', array: { dataType: 'string' } }, 'a', 'text').answer).toEqual(['a']);
    expect(run({ dataType: 'enum', enums: [1, 2] }, '2', 'text').answer).toBe(2);
    for (const text of ['', ' 1', '1e3', '0x10', '1.5', '99999999999999999999', 'NaN'])
      expect(issuesOf({ dataType: 'integer' }, text, 'text')).toHaveLength(1);
    for (const value of [['1', '2'], '1,5', 'Infinity', ''])
      expect(issuesOf({ dataType: 'double' }, value, 'text')).toHaveLength(1);
  });
});

describe('hostile sizes', () => {
  test('a recursive type is followed to a limit', () => {
    let deep: unknown = ['x'];
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(issuesOf({ ref: 'Removal' }, deep)).toMatchObject([{ message: expect.stringContaining('nested deeper') }]);
  });

  test('issues are counted, not piled up', () => {
    const links = Array.from({ length: 10_000 }, () => ({}));
    expect(issuesOf({ dataType: 'array', array: { ref: 'Link' } }, links)).toHaveLength(100);
  });

  test('a type that cannot be checked fails when routes are made', () => {
    expect(() => checks({}, 'json')({ dataType: 'datetime' })).toThrow('not supported');
  });
});
