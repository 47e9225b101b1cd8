import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ValidationError } from '../../src/server/errors.ts';
import { readRecords } from '../../src/server/exchange/records.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { bytesOf } from './streams.ts';

/** What came of a table before it ended, or before its first row that is wrong. */
interface Outcome {
  records: JsonObject[];
  refused: boolean;
}

const lineEnd = /\r\n|\n|\r/y;
/** A cell in quotes, or one without: what follows it is no part of it. */
const quoted = /"((?:[^"]|"")*)"/y;
const bare = /[^",\r\n]*/y;

/** A table with commas, cell by cell, by what docs/exchange.md says. */
function expected(text: string): Outcome {
  const rows: string[][] = [];
  let refused = false;
  let at = 0;
  const taken = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < text.length && !refused) {
    if (taken(lineEnd)) continue;
    const cells: string[] = [];
    do {
      const cell = text[at] === '"' ? taken(quoted)?.[1]?.replaceAll('""', '"') : taken(bare)?.[0];
      refused = cell === undefined || (text[at] !== undefined && !/[,\r\n]/.test(text[at] as string));
      cells.push(cell ?? '');
    } while (!refused && text[at] === ',' && at++ < text.length);
    if (!refused) rows.push(cells);
  }
  const [header = [], ...others] = rows;
  const names = header.map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length) return { records: [], refused: true };
  const short = others.findIndex(({ length }) => length !== names.length);
  const whole = short === -1 ? others : others.slice(0, short);
  const records = whole.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] as string])));
  return { records, refused: refused || short !== -1 };
}

async function read(text: string, size: number): Promise<Outcome> {
  const records: JsonObject[] = [];
  try {
    for await (const { record } of readRecords(bytesOf(text, size), 'a.csv')) records.push(record);
    return { records, refused: false };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { records, refused: true };
  }
}

it('a table gives what stands in its cells, up to its first row that is wrong', async () => {
  const sign = fc.constantFrom('a', 'ü', ' ', '"', '""', ',', ';', '\t', '\n', '\r\n', '\r');
  const cells = fc.string({ unit: sign, maxLength: 20 });
  const header = fc.constantFrom('', 'a,b\n', '"a\n""",b\r\n', 'a , b\r');
  await fc.assert(
    fc.asyncProperty(header, cells, fc.integer({ min: 1, max: 9 }), async (names, rest, size) => {
      const text = names + rest;
      // Without a comma in the header, or with other signs that divide cells, it may be divided by something else.
      fc.pre(names !== '' || /^[\r\n]*[^\r\n";\t]*,[^\r\n";\t]*(?:[\r\n]|$)/.test(text));
      expect(await read(text, size)).toEqual(expected(text));
    }),
    { seed: 1, numRuns: 400 },
  );
});

it.each([
  ['id;Height, Width;Year\r\n1;1,50;1850\r\n2;2,5;1900\r\n', 'id'],
  ['id;Height, Width;Year\r\n1;1,50;1850', 'id'],
  ['id;Names, all;Year\n1;"x;y, z";1850\n', 'id'],
  ['id;Price, net\n1;1,50\n', 'id'],
  ['id,keywords; subjects\n1,a; b\n2,a\n', 'id'],
  ['id,keywords; subjects\n', 'none'],
  ['id\tHeight, Width\n1\t1,50\n', 'id'],
  ['sep=;\r\nid;a,b\r\n1;2,3\r\n', 'id'],
  ['sep=,\nid,a;b\n1,2;3;4\n', 'id'],
])('%j is divided by what its rows are divided by', async (text, name) => {
  const { records, refused } = await read(text, 7);
  expect(refused).toBe(false);
  for (const record of records) expect(record[name]).toMatch(/^\d$/);
});

it('keeps the numbers of lines where what divides the cells is told before the header', async () => {
  const [one] = await Array.fromAsync(readRecords(bytesOf('sep=;\r\nid;a\r\n1;2\r\n', 3), 'a.csv'));
  expect(one).toMatchObject({ record: { id: '1', a: '2' }, line: 3 });
});
