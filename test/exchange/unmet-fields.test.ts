import { expect, test } from 'vitest';
import { ruleOf } from '../../src/server/exchange/map-record.ts';
import { parseMapping } from '../../src/server/exchange/mapping.ts';
import { UnmetFields } from '../../src/server/exchange/unmet-fields.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';

function unmet(json: object, ...records: JsonObject[]): string[] {
  const mapping = parseMapping(json);
  const fields = new UnmetFields();
  for (const record of records) {
    const rule = ruleOf(mapping, record);
    if (rule) fields.look(mapping, rule, record);
  }
  return fields.list().map(({ place, field }) => `${place}: ${field}`);
}

test('a field is met by any record that its rule fits, and by no other', () => {
  const json = {
    records: [
      {
        type: 'work',
        match: { field: 'kind', equals: 'work' },
        label: ['title', 'name'],
        properties: { only: ['year'] },
      },
      { type: 'note', match: { field: 'kind', equals: 'note' }, label: 'text' },
      { type: 'other', properties: { except: ['secret'], rename: { a: 'b' } } },
    ],
  };
  expect(unmet(json)).toEqual([]);
  const work = { kind: 'work', text: 'x' };
  expect(unmet(json, work)).toEqual(['records[0].label: title, name', 'records[0].properties.only: year']);
  expect(unmet(json, work, { kind: 'work', name: null }, { kind: 'work', year: 1 })).toEqual([]);
  expect(unmet(json, { title: 'T', year: 1 })).toEqual([
    'records[2].properties.except: secret',
    'records[2].properties.rename: a',
  ]);
});

test('what is inside a record is looked for where its path leads to something, however deep', () => {
  const person = {
    path: 'people',
    predicate: 'by',
    type: 'person',
    id: 'id',
    label: 'name',
    relationship_properties: ['role'],
  };
  const tree = { children: 'parts', predicate: 'in' };
  const nested = [{ ...person, nested: [{ path: 'place', predicate: 'at', type: 'place' }] }];
  const subject = { path: 'subject', predicate: 'about', type: 'subject', id: 'id', label: 'term', tree };
  const json = { records: [{ type: 'work', nested: [...nested, subject] }] };
  expect(unmet(json, { title: 'T' })).toEqual([
    'records[0].nested[0].path: people',
    'records[0].nested[1].path: subject',
  ]);
  const some: JsonObject = { people: [{ id: 1 }, { id: 2, role: 'engraver' }], subject: { id: 1, parts: [{ id: 2 }] } };
  expect(unmet(json, some)).toEqual([
    'records[0].nested[0].label: name',
    'records[0].nested[0].nested[0].path: place',
    'records[0].nested[1].label: term',
  ]);
  const more = { people: { id: 3, name: 'Ada', place: 'London' }, subject: { id: 1, parts: [{ id: 2, term: 'sea' }] } };
  expect(unmet(json, some, more)).toEqual([]);
  // Texts have no fields.
  expect(unmet(json, { people: 'Ada', subject: 'sea' })).toEqual([]);
});
