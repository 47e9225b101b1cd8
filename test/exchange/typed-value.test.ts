import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../src/server/errors.ts';
import { mapContext } from '../../src/server/exchange/map-record.ts';
import { parseMapping } from '../../src/server/exchange/mapping.ts';
import type { PropertyKind, RecordFile } from '../../src/server/exchange/mapping-file.ts';
import type { Json, JsonObject } from '../../src/server/model/manifest.ts';
import { mapped } from '../helpers/mapped.ts';

const collection = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

function drafts(rule: Partial<RecordFile>, record: JsonObject) {
  return mapped(parseMapping({ records: [{ type: 'work', ...rule }] }), record, mapContext('main', collection));
}

function made(value: Json, kind: PropertyKind): Json | undefined {
  return drafts({ properties: { as: { value: kind } } }, { value }).at(-1)?.properties.value;
}

function refusal(value: Json, kind: PropertyKind): string {
  try {
    made(value, kind);
  } catch (error) {
    if (error instanceof ValidationError) return error.issues[0]?.message ?? '';
    throw error;
  }
  return '';
}

describe('a property of a kind', () => {
  const good: [Json, PropertyKind, Json | undefined][] = [
    ['1929', 'number', 1929],
    [' -1.50 ', 'number', -1.5],
    ['0', 'number', 0],
    ['0.10000000000000001', 'number', 0.1],
    ['1e-3', 'number', 0.001],
    ['-0', 'number', 0],
    ['', 'number', undefined],
    [7, 'number', 7],
    ['Yes', 'boolean', true],
    ['0', 'boolean', false],
    [false, 'boolean', false],
    ['1901', 'date', '1901'],
    ['1901-03-04', 'date', '1901-03-04'],
    ['2020-02-29', 'date', '2020-02-29'],
    ['0000-02-29', 'date', '0000-02-29'],
    ['2016-12-31T23:59:60Z', 'date', '2016-12-31T23:59:60Z'],
    ['2020-01-01T23:59:59.5+05:30', 'date', '2020-01-01T23:59:59.5+05:30'],
    ['0.5', 'number', 0.5],
    [1901, 'date', '1901'],
    ['oil; canvas ;', 'list', ['oil', 'canvas']],
    ['oil|canvas; board', { list: '|' }, ['oil', 'canvas; board']],
    [' ; ', 'list', undefined],
    [12, 'text', '12'],
    ['{"a":[1]}', 'json', { a: [1] }],
    ['', 'text', ''],
    [null, 'number', null],
  ];
  it.each(good)('%j as %j is %j', (value, kind, expected) => {
    expect(made(value, kind)).toEqual(expected);
  });

  const bad: [Json, PropertyKind, RegExp][] = [
    ['c. 1850', 'number', /"value" is "c. 1850", which is not a number/],
    ['1e999', 'number', /not a number/],
    ['9007199254740993', 'number', /kept exactly/],
    ['3.14159265358979323846', 'number', /kept exactly: take it as a text/],
    ['1e-400', 'number', /kept exactly/],
    ['[3.14159265358979323846]', 'json', /kept exactly/],
    ['perhaps', 'boolean', /yes, no, true, false/],
    ['4 March 1901', 'date', /1901-03-04/],
    ['1901-13', 'date', /1901-03-04/],
    ['2020-02-31', 'date', /1901-03-04/],
    ['2021-02-29', 'date', /1901-03-04/],
    ['1900-02-29', 'date', /1901-03-04/],
    ['2020-01-01T25:61', 'date', /1901-03-04/],
    ['2020-01-01T23:60', 'date', /1901-03-04/],
    ['2020-01-01T23:59+24:00', 'date', /1901-03-04/],
    ['01067', 'number', /kept exactly: take it as a text/],
    ['-007.5', 'number', /kept exactly/],
    ['00', 'number', /kept exactly/],
    ['{', 'json', /not JSON/],
    ['[9007199254740993]', 'json', /kept exactly/],
    ['{"a":1,"a":2}', 'json', /kept exactly/],
  ];
  it.each(bad)('%j as %j is refused, with what it is', (value, kind, message) => {
    expect(refusal(value, kind)).toMatch(message);
  });

  it('stands below a path, under its new name, and empty texts are left out where that is wanted', () => {
    const properties = { as: { 'size.width': 'number' as const }, rename: { title: 'name' }, omit_empty: true };
    const [draft] = drafts({ properties }, { title: 'A', note: '', size: { width: '12', unit: 'mm' } });
    expect(draft?.properties).toEqual({ name: 'A', size: { width: 12, unit: 'mm' } });
  });

  it('may be one of a relationship', () => {
    const properties = { as: { year: 'number' as const, note: 'number' as const } };
    const makers = { path: 'makers', predicate: 'maker', type: 'person', id: 'name', properties };
    const rule = { id: 'no', nested: [{ ...makers, relationship_properties: ['year', 'note'] }] };
    const made = drafts(rule, { no: '7', makers: [{ name: 'Ada', year: '1929', note: '' }] });
    expect(made.at(-1)?.relationships[0]?.properties).toEqual({ year: 1929 });
  });

  it('of an unknown name is no mapping', () => {
    const mapping = { records: [{ type: 'work', properties: { as: { a: 'colour' } } }] };
    expect(() => parseMapping(mapping)).toThrow(ValidationError);
  });
});

describe('a cell that names other records', () => {
  const rule: Partial<RecordFile> = {
    id: 'no',
    nested: [
      { path: 'artist', predicate: 'artist', type: 'artist' },
      { path: 'materials', predicate: 'material', type: 'material', split: ';' },
      { path: 'part_of', predicate: 'part_of', type: 'work' },
    ],
  };

  it('becomes relationships, several where it is cut, none where it is empty', () => {
    const own = drafts(rule, { no: '7', artist: ' ', materials: 'oil; canvas;', part_of: '3' }).at(-1);
    expect(own?.relationships.map(({ predicate, peer_label }) => [predicate, peer_label])).toEqual([
      ['material', 'oil'],
      ['material', 'canvas'],
      ['part_of', '3'],
    ]);
  });

  it('leads to the record of the same kind that has this id', () => {
    const part = drafts(rule, { no: '7', part_of: '3' }).at(-1);
    const whole = drafts(rule, { no: '3' }).at(-1);
    expect(part?.relationships[0]?.peer).toBe(whole?.id);
  });
});
