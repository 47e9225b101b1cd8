import { CsvError, parse } from 'csv-parse';
import type { ValidationError } from '../errors.ts';
import { mostPeeked, peek } from './peek.ts';
import {
  badRecord,
  maxRecordBytes,
  notUtf8,
  type Place,
  type SourceRecord,
  sourceRecord,
  tooLong,
} from './record-place.ts';
import { skip } from './text-encoding.ts';

const maxColumns = 10_000;
/** What may divide cells; where the table does not tell which, the first of these that stands in the header outside quotes. */
type Delimiters = readonly string[];
/** So many lines tell it. */
const tellingLines = 20;

/**
 * Rows below a header row, each cell a text, divided by commas, semicolons or tabs. Every row must have as many cells as the
 * header.
 */
export function csvRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  return tableRecords(source, file, [',', ';', '\t']);
}

/** The same, divided by tabs where nothing tells otherwise. */
export function tsvRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  return tableRecords(source, file, ['\t', ',', ';']);
}

async function* tableRecords(
  source: AsyncIterable<Uint8Array>,
  file: string,
  delimiters: Delimiters,
): AsyncGenerator<SourceRecord> {
  const beginning = firstLines();
  const { head, stream, close } = await peek(source, (bytes) => beginning.areIn(bytes));
  try {
    const lines = beginning.of(head);
    const [first = ''] = lines;
    const told = toldIn(first);
    // The end of that line stays, so that all others keep their numbers.
    if (told) yield* rowRecords(skip(stream, Buffer.byteLength(first)), file, told);
    else yield* rowRecords(stream, file, delimiterOf(lines, delimiters));
  } finally {
    await close();
  }
}

async function* rowRecords(
  source: AsyncIterable<Uint8Array>,
  file: string,
  delimiter: string,
): AsyncGenerator<SourceRecord> {
  const place: Place = { file, unit: 'line' };
  let header: string[] | null = null;
  for await (const { cells, line } of rowsOf(checkedText(source, place, delimiter), place, delimiter)) {
    if (header === null) header = headerOf(cells, place, line);
    else {
      const [own, wanted] = [cells.length, header.length];
      if (own !== wanted)
        throw badRecord(place, line, `does not have as many cells (${own}) as the header has columns (${wanted})`);
      const members = header.map((name, i) => [name, cells[i] ?? ''] as const);
      const size = members.reduce((sum, [, cell]) => sum + cell.length + 1, 0);
      yield sourceRecord(Object.fromEntries(members), place, line, size);
    }
  }
}

interface Row {
  cells: string[];
  line: number;
}

/** Rows in their order; those before a wrong one come before its error. */
async function* rowsOf(source: AsyncIterable<Buffer>, place: Place, delimiter: string): AsyncGenerator<Row> {
  const ready: Row[] = [];
  // Within quotes csv-parse takes \r\n for the ends of two lines.
  let twice = 0;
  let last = 0;
  const parser = parse({
    delimiter,
    // Not handed on to the stream, whose error would take along what had not been asked for.
    on_record: (cells: string[], { lines }) => {
      twice += cells.reduce((sum, cell) => sum + pairsIn(cell), 0);
      last = lines - twice;
      ready.push({ cells, line: last });
      return null;
    },
    skip_empty_lines: true,
    // It is looked at by who has the header.
    relax_column_count: true,
    max_record_size: maxRecordBytes,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  // Whoever writes is told.
  parser.on('error', () => undefined);
  const written = (part: Buffer | null) =>
    new Promise<Error | null>((resolve) => {
      const done = (error?: Error | null) => resolve(error ?? null);
      if (part) parser.write(part, done);
      else parser.end(done);
    });
  try {
    for await (const part of withEnd(source)) {
      const error = await written(part);
      yield* ready.splice(0);
      if (error instanceof CsvError) throw wrongRow(error, place, { twice, last });
      if (error) throw error;
    }
  } finally {
    parser.destroy();
  }
}

async function* withEnd<T>(source: AsyncIterable<T>): AsyncGenerator<T | null> {
  yield* source;
  yield null;
}

/** `last`: the line at which the last whole row ends, whence the rest of the file is one row where a quote stays open. */
function wrongRow(
  { code, lines, message }: CsvError,
  place: Place,
  { twice, last }: { twice: number; last: number },
): ValidationError {
  const line = typeof lines === 'number' ? lines - twice : 1;
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(place, line);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return badRecord(place, last + 1, quoteOpen);
  return badRecord(place, line, quotes.get(code) ?? message);
}

const quoteOpen =
  'has a quote that is closed nowhere: a cell that begins with one ends with one, and has each of its own twice ("12"" disc")';

const quotes = new Map<string, string>([
  [
    'INVALID_OPENING_QUOTE',
    'has a quote in a cell that does not begin with one: put the cell into quotes, and write each of its own twice ("12"" disc")',
  ],
  [
    'CSV_INVALID_CLOSING_QUOTE',
    'has more in a cell than what stands in quotes: write each quote within the cell twice ("12"" disc"), or close one that was left open before',
  ],
]);

/** How often \r\n stands in a text. */
function pairsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) count++;
  return count;
}

/** Seeks where lines with something in them end outside quotes, in bytes that grow at their end. */
function firstLines(): { areIn(bytes: Uint8Array): boolean; of(bytes: Uint8Array): string[] } {
  const ends: number[] = [];
  let at = 0;
  let quoted = false;
  let begun = false;
  const areIn = (bytes: Uint8Array): boolean => {
    for (; at < bytes.length && ends.length < tellingLines; at++) {
      const b = bytes[at];
      if (b === 0x22) quoted = !quoted;
      if (quoted || (b !== 0x0a && b !== 0x0d)) begun = true;
      else if (begun) {
        ends.push(at);
        begun = false;
      }
    }
    return ends.length === tellingLines;
  };
  const of = (bytes: Uint8Array): string[] => {
    // The last one may be cut off, unless that is all there is.
    const isWhole = begun && (ends.length === 0 || bytes.length < mostPeeked);
    const all = isWhole ? [...ends, at] : ends;
    return all.map((end, i) => Buffer.from(bytes.subarray(all[i - 1] ?? 0, end)).toString());
  };
  return { areIn, of };
}

/** What a line says that programs write before the header, for spreadsheets alone; undefined where it is the header. */
function toldIn(line: string): string | undefined {
  return /^\s*"?sep=([,;\t])"?\s*$/i.exec(line)?.[1];
}

/**
 * What divides the cells of a table that begins with these lines. A name in the header may have a comma in it where semicolons do: of
 * what stands there that counts by which each row has as many cells, if several do by which there are the most, or what has no blank
 * behind it.
 */
function delimiterOf([header = '', ...rows]: string[], delimiters: Delimiters): string {
  const cells = (line: string, one: string): number => line.replace(/"[^"]*"/g, '').split(one).length;
  const there = delimiters.filter((one) => cells(header, one) > 1);
  const fits = (one: string): boolean => rows.length > 0 && rows.every((row) => cells(row, one) === cells(header, one));
  const fitting = there.length > 1 ? there.filter(fits) : [];
  const isText = (one: string): number => Number(header.includes(`${one} `));
  const [best = there[0] ?? ','] = fitting.toSorted(
    (a, b) => cells(header, b) - cells(header, a) || isText(a) - isText(b),
  );
  return best;
}

function headerOf(cells: string[], place: Place, line: number): string[] {
  const names = cells.map((cell) => cell.trim());
  const empty = names.indexOf('');
  if (empty !== -1) throw badRecord(place, line, `column ${empty + 1} has no name in the header`);
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw badRecord(place, line, `the header has the column "${name}" twice`);
    seen.add(name);
  }
  return names;
}

/**
 * Lets through what is UTF-8 text in rows of bounded size: csv-parse would replace other bytes, and it counts neither
 * empty cells nor cells.
 */
async function* checkedText(
  source: AsyncIterable<Uint8Array>,
  place: Place,
  delimiter: string,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const row = rowLimits(place, delimiter);
  const text = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw badRecord(place, row.line(), `at or after this line is a byte that is ${notUtf8}`);
    }
  };
  for await (const bytes of source) {
    if (bytes.includes(0))
      throw badRecord(place, row.line(), 'at or after this line is a NUL byte: the file is not text');
    const part = Buffer.from(text(bytes));
    row.check(part);
    if (part.length > 0) yield part;
  }
  text();
}

/** Follows rows through quoted cells and throws where one has too many bytes or cells. */
function rowLimits(place: Place, delimiter: string): { check(bytes: Uint8Array): void; line(): number } {
  const between = delimiter.charCodeAt(0);
  let line = 1;
  let size = 0;
  let cells = 1;
  let quoted = false;
  const check = (bytes: Uint8Array): void => {
    for (const b of bytes) {
      size++;
      if (b === 0x0a) line++;
      if (b === 0x22) quoted = !quoted;
      else if (quoted) continue;
      else if (b === between) cells++;
      else if (b === 0x0a || b === 0x0d) {
        size = 0;
        cells = 1;
      }
      if (cells > maxColumns) throw badRecord(place, line, `has more than ${maxColumns} columns`);
    }
    if (size > maxRecordBytes) throw tooLong(place, line);
  };
  return { check, line: () => line };
}
