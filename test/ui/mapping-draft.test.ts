import { describe, expect, test } from 'vitest';
import {
  type Column,
  carried,
  mappedColumns,
  mappingOf,
  predicateOf,
  proposedDraft,
} from '../../src/renderer/src/views/import/records/mapping-draft.ts';
import { parseMapping } from '../../src/server/exchange/mapping.ts';

function column(name: string, looks: Column['looks'] = 'text', filled = 10, distinct: number | null = 10): Column {
  return { name, looks, filled, distinct, examples: [] };
}

const columns = [
  column('Accession No.', 'text'),
  column('Title', 'text', 10, 9),
  column('Year', 'number', 8, 5),
  column('Maker', 'text', 9, 3),
  column('Remarks', 'empty', 0, 0),
  column('size', 'object', 10, 10),
  column('size.width', 'number', 10, 10),
];

describe('a mapping made by hand', () => {
  test('begins with what the columns look like', () => {
    const draft = proposedDraft('Old Paintings.csv', columns, 10, true);
    expect(draft).toMatchObject({ type: 'old_painting', id: 'Accession No.', label: 'Title' });
    expect(draft.columns.Year).toMatchObject({ use: 'property', kind: 'number' });
    expect(draft.columns.Remarks).toMatchObject({ use: 'none' });
    expect(Object.keys(draft.columns)).not.toContain('size.width');
  });

  test('leaves no column out of which only the beginning is known', () => {
    const draft = proposedDraft('paintings.csv', columns, 10, false);
    expect(draft.columns.Remarks).toMatchObject({ use: 'property', name: 'Remarks', kind: '' });
    expect(mappingOf(draft).records).toMatchObject([{ properties: { as: { Year: 'number' }, omit_empty: true } }]);
    const [record] = mappingOf(proposedDraft('paintings.ndjson.gz', columns, 10, false)).records as object[];
    expect(record).toMatchObject({ properties: { as: { Year: 'number' } } });
    expect(record).not.toHaveProperty('properties.omit_empty');
  });

  test.each([
    ['stories.ndjson', 'story'],
    ['glass.csv', 'glass'],
    ['user.csv', 'record'],
    ['...csv', 'record'],
  ])('%s holds each a %s', (file, type) => {
    expect(proposedDraft(file, columns, 10, true).type).toBe(type);
  });

  test('becomes a mapping that the node takes', () => {
    const draft = proposedDraft(
      'works.csv',
      columns.filter(({ name }) => name !== 'Accession No.'),
      10,
      true,
    );
    const maker = draft.columns.Maker;
    if (maker) Object.assign(maker, { use: 'relationship', predicate: 'made_by', peerType: 'person', split: ';' });
    Object.assign(draft.columns.Year ?? {}, { name: 'made' });
    const mapping = mappingOf({ ...draft, id: '' });
    expect(mapping).toEqual({
      records: [
        {
          type: 'work',
          label: 'Title',
          properties: { except: ['Remarks'], rename: { Year: 'made' }, as: { Year: 'number' }, omit_empty: true },
          nested: [{ path: 'Maker', predicate: 'made_by', type: 'person', split: ';' }],
        },
      ],
    });
    expect(parseMapping(mapping).records).toHaveLength(1);
  });

  test('has columns whose names end in a dot as any other, also beside an object', () => {
    const table = [column('Inv.-Nr.'), column('Bez.'), column('Inv', 'object'), column('Inv.x')];
    expect(mappedColumns(table).map(({ name }) => name)).toEqual(['Inv.-Nr.', 'Bez.', 'Inv']);
    const draft = proposedDraft('stücke.csv', table, 10, true);
    expect(draft).toMatchObject({ id: 'Inv.-Nr.', label: 'Bez.' });
    Object.assign(draft.columns['Bez.'] ?? {}, { name: 'title', kind: 'text' });
    expect(parseMapping(mappingOf(draft)).records).toMatchObject([
      { id: { text: 'Inv.-Nr.' }, renamed: [{ path: { text: 'Bez.' }, name: 'title' }] },
    ]);
  });

  test('is carried over to other names by their places, with what was typed, and to no other number of columns', () => {
    const draft = proposedDraft('works.csv', [column('Nr.'), column('Maß'), column('Wert'), column('2020')], 10, true);
    Object.assign(draft.columns.Wert ?? {}, { use: 'none' });
    Object.assign(draft.columns['2020'] ?? {}, { name: 'year' });
    const other = carried({ ...draft, label: 'Maß' }, [column('Nr.'), column('Ma§'), column('Wërt'), column('2020')]);
    expect(other).toMatchObject({ id: 'Nr.', label: 'Ma§', names: ['Nr.', 'Ma§', 'Wërt', '2020'] });
    expect(other?.columns).toMatchObject({
      'Ma§': { use: 'property', name: 'Ma§', predicate: 'ma', peerType: 'ma' },
      Wërt: { use: 'none' },
      '2020': { name: 'year' },
    });
    expect(carried(draft, [column('Nr.'), column('Maß')])).toBe(null);
  });

  test('knows no id where none tells all records apart', () => {
    expect(proposedDraft('a.csv', [column('id', 'text', 10, 9)], 10, true).id).toBe('');
    expect(mappedColumns([column('a.b'), column('a.c')]).map(({ name }) => name)).toEqual(['a.b', 'a.c']);
  });

  test.each([
    ['Künstler (Name)', 'kunstler_name'],
    ['123', 'related_to'],
    ['collection', 'related_to'],
    ['作者', 'related_to'],
  ])('%s is related as %s', (name, predicate) => {
    expect(predicateOf(name)).toBe(predicate);
  });
});
