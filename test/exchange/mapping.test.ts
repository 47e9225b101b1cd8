import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../src/server/errors.ts';
import { defaultMapping, parseMapping, parseMappingText } from '../../src/server/exchange/mapping.ts';

function issuesOf(parse: () => unknown): [string, string][] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ValidationError) return error.issues.map((i) => [i.path.join('.'), i.message]);
    throw error;
  }
  return [];
}

const rule = { type: 'work', id: 'id' };
const nested = { path: 'makers', predicate: 'maker', type: 'person', id: 'id' };

describe('a mapping', () => {
  it('is read with its defaults', () => {
    const [record] = parseMapping({ records: [{ ...rule, nested: [nested] }] }).records;
    expect(record).toMatchObject({ type: 'work', kind: 'work', label: [], only: null, match: null });
    expect(record?.nested[0]).toMatchObject({ kind: 'person', predicate: 'maker', link: [], tree: null });
    expect(record?.omit.map((p) => p.text)).toEqual(['makers']);
  });

  it('of the Tate collection is valid, also with a byte-order mark', () => {
    const text = readFileSync(new URL('../fixtures/tate.mapping.json', import.meta.url), 'utf8');
    expect(parseMappingText(text).records.map((r) => r.type)).toEqual(['artwork', 'artist']);
    expect(parseMappingText(`\uFEFF${text}`)).toEqual(parseMappingText(text));
  });

  it('with a member twice is refused with its place, since one of the two would not count', () => {
    const twice = [
      ['{"records":[{"type":"work","id":"no","id":"id"}]}', 'records.0.id', 'records[0].id'],
      ['{"records":[],"records":[{"type":"work"}]}', 'records', 'records'],
    ] as const;
    for (const [text, path, place] of twice)
      expect(issuesOf(() => parseMappingText(text))).toEqual([
        [path, `mapping, ${place}: is there twice, of which one alone could be kept`],
      ]);
  });

  const wrong: [name: string, mapping: unknown, path: string, message: RegExp][] = [
    ['no object', [], '', /^mapping: /],
    ['no records', {}, 'records', /^mapping, records: /],
    ['an empty list', { records: [] }, 'records', /records/],
    ['an unknown member', { records: [{ ...rule, lable: 'x' }] }, 'records.0', /records\[0\]: .*lable/],
    ['an unknown inner member', { records: [{ ...rule, properties: { omit: [] } }] }, 'records.0.properties', /omit/],
    ['no type', { records: [{ id: 'id' }] }, 'records.0.type', /records\[0\]\.type: /],
    ['a long type', { records: [{ type: 'x'.repeat(101) }] }, 'records.0.type', /100/],
    ['the type user', { records: [{ type: 'user' }] }, 'records.0.type', /does not make/],
    ['an empty path', { records: [{ ...rule, id: '' }] }, 'records.0.id', /records\[0\]\.id: /],
    ['a label of another kind', { records: [{ ...rule, label: 5 }] }, 'records.0.label', /path or a list of paths/],
    [
      'a predicate with capitals',
      { records: [{ ...rule, nested: [nested, { ...nested, predicate: 'Maker' }] }] },
      'records.0.nested.1.predicate',
      /^mapping, records\[0\]\.nested\[1\]\.predicate: must be lower case/,
    ],
    [
      'the predicate collection',
      { records: [{ ...rule, nested: [{ ...nested, predicate: 'collection' }] }] },
      'records.0.nested.0.predicate',
      /choose another name/,
    ],
    [
      'an error deep inside',
      { records: [{ ...rule, nested: [{ ...nested, nested: [{ ...nested, tree: { children: 'c' } }] }] }] },
      'records.0.nested.0.nested.0.tree.predicate',
      /tree\.predicate/,
    ],
    [
      'except and only',
      { records: [{ ...rule, properties: { except: [], only: [] } }] },
      'records.0.properties',
      /either/,
    ],
    [
      'one name for two fields',
      { records: [{ ...rule, properties: { only: ['a.x', 'b.x'] } }] },
      'records.0.properties',
      /"x" to two/,
    ],
    [
      'one new name for two fields',
      { records: [{ ...rule, properties: { rename: { a: 'x', b: 'x' } } }] },
      'records.0.properties',
      /"x" to two/,
    ],
    [
      'a rename of what is not taken',
      { records: [{ ...rule, properties: { only: ['a'], rename: { b: 'x' } } }] },
      'records.0.properties.rename.b',
      /not among/,
    ],
    [
      'one kind with two types',
      { records: [{ ...rule, nested: [{ ...nested, kind: 'work' }] }] },
      'records.0.nested.0.type',
      /the kind "work" has the type "work" elsewhere/,
    ],
    ['a rule that is never reached', { records: [rule, rule] }, 'records.0', /leaves no record/],
  ];
  for (const [name, mapping, path, message] of wrong)
    it(`with ${name} is refused`, () => {
      const issues = issuesOf(() => parseMapping(mapping));
      expect(issues.map(([p]) => p)).toContain(path);
      expect(issues.map(([, m]) => m).join('\n')).toMatch(message);
    });

  it('that is no JSON, too large, or endlessly deep is refused', () => {
    expect(issuesOf(() => parseMappingText('{'))).toMatchObject([['', expect.stringMatching(/^mapping: is not JSON/)]]);
    expect(issuesOf(() => parseMappingText(' '.repeat(2_000_000)))[0]?.[1]).toMatch(/1 MiB/);
    const deep = `{"records":[${'{"type":"a","nested":['.repeat(5000)}${']}'.repeat(5000)}]}`;
    expect(issuesOf(() => parseMappingText(deep))[0]?.[1]).toMatch(/nested deeper/);
    const fairlyDeep = `${'{"type":"a","path":"a","predicate":"a","nested":['.repeat(98)}${']}'.repeat(98)}`;
    const text = `{"records":[{"type":"a","nested":[${fairlyDeep}]}]}`;
    expect(issuesOf(() => parseMappingText(text))).toEqual([]);
  });

  it('by default is one entity a record, by id or by hash', () => {
    expect(defaultMapping(true).records).toMatchObject([{ type: 'record', kind: 'record', id: { text: 'id' } }]);
    expect(defaultMapping(false, 'photo').records).toMatchObject([{ type: 'photo', id: null }]);
    expect(issuesOf(() => defaultMapping(true, ''))[0]?.[0]).toBe('records.0.type');
  });
});
