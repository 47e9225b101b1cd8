import { describe, expect, test } from 'vitest';
import { draftOf, pointer, schemaIssues } from '../../src/server/model/input-schema.ts';

const said = (schema: unknown) => schemaIssues(schema, ['input_schema']).map(({ path }) => path.slice(1).join('.'));

describe('a schema', () => {
  test.each([
    {},
    { type: 'object', properties: { lang: { type: 'string', pattern: '^[a-z]{2}$' } }, required: ['lang'] },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { a: { type: 'null' } },
      $ref: '#/definitions/a',
    },
    { $schema: 'http://json-schema.org/draft-06/schema#', const: 1, definitions: { a: { examples: [2] } } },
    { $schema: 'https://json-schema.org/draft-07/schema#', type: 'object' },
    { $schema: 'http://json-schema.org/draft/2020-12/schema', type: 'object' },
    { pattern: '^\\d{4}\\-\\d{2}$', patternProperties: { '^a\\-': { pattern: '^\\p{L}$' } } },
    { $schema: 'http://json-schema.org/draft-07/schema', if: true, else: false },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', $recursiveAnchor: true },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'integer' }], $defs: {} },
    { default: { pattern: '(' }, properties: { pattern: { pattern: 'a' } } },
    { description: 'keywords of others are left alone', 'x-order': 1, format: 'a format of mine' },
  ])('is taken: %j', (schema) => {
    expect(schemaIssues(schema, [])).toEqual([]);
  });

  test.each([
    [5, ''],
    [[], ''],
    [null, ''],
    [true, ''],
    [{ type: 'thing' }, 'type'],
    [{ properties: { a: { type: 5 } } }, 'properties.a.type'],
    [{ properties: { 'a/b~c': { minimum: 'x' } } }, 'properties.a/b~c.minimum'],
    [{ required: 'a' }, 'required'],
    [{ pattern: '(' }, 'pattern'],
    // Read without the flag u, this would ask for the letters of "p{Lu}".
    [{ pattern: '^\\p{Lu}+\\-\\d+$' }, 'pattern'],
    [{ patternProperties: { '[': {} } }, 'patternProperties.['],
    [{ anyOf: [{}, { items: { pattern: '*' } }] }, 'anyOf.1.items.pattern'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema'],
    [{ $schema: 'http://json-schema.org/draft-06/schema', exclusiveMinimum: true }, 'exclusiveMinimum'],
    [{ exclusiveMinimum: true }, 'exclusiveMinimum'],
    [{ $schema: 'https://evil.test/schema' }, '$schema'],
    [{ $schema: 5 }, '$schema'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: {} }, 'prefixItems'],
  ])('is refused: %j', (schema, path) => {
    expect(said(schema)).toContain(path);
  });

  test('that is large is refused before it is looked at', () => {
    expect(said({ enum: Array.from({ length: 5001 }, (_, i) => i) })).toEqual(['']);
    expect(said({ description: 'x'.repeat(100_001) })).toEqual(['']);
    expect(said({ properties: { ['x'.repeat(100_001)]: true } })).toEqual(['']);
    expect(said({ enum: Array.from({ length: 4000 }, (_, i) => i) })).toEqual([]);
  });

  test('that is wrong everywhere is told of in few words', () => {
    const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, { type: 'thing' }]));
    expect(said({ properties }).length).toBeLessThanOrEqual(20);
  });
});

test('the draft is that of $schema, else draft 7', () => {
  expect(draftOf({})).toBe('http://json-schema.org/draft-07/schema');
  expect(draftOf({ $schema: 'https://json-schema.org/draft/2020-12/schema#' })).toBe(
    'https://json-schema.org/draft/2020-12/schema',
  );
  expect(draftOf({ $schema: 'toString' })).toBeNull();
});

test('pointers are read as RFC 6901 says', () => {
  expect(pointer('')).toEqual([]);
  expect(pointer('/a/0/b~1c~0d/')).toEqual(['a', '0', 'b/c~d', '']);
});
