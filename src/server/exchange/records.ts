import { ValidationError } from '../errors.ts';
import { csvRecords, tsvRecords } from './csv.ts';
import { gunzipped } from './gzip.ts';
import { jsonArrayRecords } from './json-array.ts';
import { ndjsonRecords } from './ndjson.ts';
import { peek } from './peek.ts';
import type { SourceRecord } from './record-place.ts';
import { inUtf8, type TextEncoding } from './text-encoding.ts';
import { oneVersionEach } from './version-lines.ts';

type Reader = (source: AsyncIterable<Uint8Array>, file: string) => AsyncGenerator<SourceRecord>;

const readers: [ending: RegExp, reader: Reader][] = [
  [/\.(ndjson|jsonl)$/i, ndjsonRecords],
  [/\.json$/i, jsonArrayRecords],
  [/\.csv$/i, csvRecords],
  [/\.tsv$/i, tsvRecords],
];

/**
 * The records of a file: NDJSON (.ndjson, .jsonl), a JSON array (.json), CSV (.csv) or a table with tabs (.tsv), each also with
 * .gz; the name decides, else the first sign: NDJSON begins with `{`, an array with `[`, and whatever else is text is CSV. It is in `encoding`
 * unless it begins with a mark that says otherwise. Memory is bounded by one record, at most 32 MiB. Ends with a
 * ValidationError naming file, line and reason at the first record that can't be read or can't be stored exactly; errors of the
 * source pass.
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  file: string,
  encoding: TextEncoding = 'utf-8',
): AsyncGenerator<SourceRecord> {
  const packed = await peek(source, (head) => head.length >= 2);
  try {
    const gzip = /\.gz$/i.test(file) || (packed.head[0] === 0x1f && packed.head[1] === 0x8b);
    const plain = gzip ? gunzipped(packed.stream, file) : packed.stream;
    yield* plainRecords(inUtf8(plain, encoding, file), file);
  } finally {
    await packed.close();
  }
}

async function* plainRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  const { head, stream, close } = await peek(source, (bytes) => firstSign(bytes) !== undefined);
  try {
    const reader = readers.find(([ending]) => ending.test(file.replace(/\.gz$/i, '')))?.[1] ?? sniffed(head, file);
    yield* oneVersionEach(reader(stream, file), file);
  } finally {
    await close();
  }
}

/** The first byte that is no white space. */
function firstSign(head: Uint8Array): number | undefined {
  return head.find((b) => b !== 0x20 && b !== 0x0a && b !== 0x0d && b !== 0x09);
}

function sniffed(head: Uint8Array, file: string): Reader {
  if (head.includes(0))
    throw ValidationError.at([file], `${file}: is not text; NDJSON, a JSON array and CSV can be read`);
  const sign = firstSign(head);
  if (sign === 0x5b) return jsonArrayRecords;
  return sign === 0x7b ? ndjsonRecords : csvRecords;
}
