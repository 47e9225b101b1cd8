import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/server/exchange/columns.ts';
import { mapContext } from '../../src/server/exchange/map-record.ts';
import { parseMapping } from '../../src/server/exchange/mapping.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { mapped } from '../helpers/mapped.ts';

const collection = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

function looks(values: Json[], whole = true): string | undefined {
  return columnsOf(
    values.map((value) => ({ value })),
    whole,
  )[0]?.looks;
}

/** A value as the page would have it stored without anybody saying otherwise. @throws where that refuses it */
function stored(value: Json): Json | undefined {
  const kind = looks([value]) ?? '';
  const as = ['number', 'boolean', 'date'].includes(kind) ? { value: kind } : {};
  const mapping = parseMapping({ records: [{ type: 'work', properties: { as } }] });
  return mapped(mapping, { value }, mapContext('main', collection)).at(-1)?.properties.value;
}

describe('the columns of records', () => {
  it('are listed by whatever names they have, members of objects as far as a path can name them', () => {
    const record = { 'Inv.-Nr.': 'A1', 'a..b': 1, size: { w: 1, 'Nr.': 2 }, 'o.': { x: 1 }, '': 1 };
    expect(columnsOf([record], true).map(({ name }) => name)).toEqual(['Inv.-Nr.', 'a..b', 'size', 'size.w', 'o.']);
  });
});

describe('what a column looks like', () => {
  const found: [Json[], string][] = [
    [['1840', '-7', '0', '0.5', '1987.12', 3], 'number'],
    [['true', 'No'], 'boolean'],
    [['2020-01-01', ' 2020-02-29T10:00:00Z'], 'date'],
    [['a', '1840'], 'text'],
    [[null, ''], 'empty'],
  ];
  it.each(found)('%j: %s', (values, expected) => {
    expect(looks(values)).toBe(expected);
  });

  it('is no number with a point where others may follow, as 1987.10 behind 1987.9', () => {
    expect(looks(['1987.8', '1987.9'], false)).toBe('text');
    expect(looks(['1987', '1988', 0.5], false)).toBe('number');
  });

  it.each(['1987.10', '1.0', '0.00', '01067', '-0', '+5', '1E5', '1e-7', '5.', '.5', '0.10000000000000001'])(
    'is no number where one would lose how it is written: %s',
    (text) => {
      expect(looks(['1987.1', text])).toBe('text');
    },
  );

  it.each(['3.14159265358979323846', '9007199254740993', '12345678901234567'])(
    'is no number where none keeps it: %s',
    (text) => {
      expect(looks([text])).toBe('text');
    },
  );

  it.each(['2020-01-01 10:00:00', '2020-01-01/2020-02-01', '2020-01-01, approved', '2021-02-29', '2020-01-01T25:00'])(
    'is no date where the import takes it for none: %s',
    (text) => {
      expect(looks(['2020-01-01', text])).toBe('text');
      expect(stored(text)).toBe(text);
    },
  );

  it('is never a number that is another text again', () => {
    const numerals = fc.stringMatching(/^[-+]?\d{0,12}(\.\d{0,12})?([eE][-+]?\d{1,3})?$/);
    fc.assert(
      fc.property(numerals, (text) => {
        if (looks([text]) === 'number') expect(String(stored(text))).toBe(text);
      }),
    );
  });
});
