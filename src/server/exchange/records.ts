import { ValidationError } from '../errors.ts';
import { csvRecords } from './csv.ts';
import { gunzipped } from './gzip.ts';
import { jsonArrayRecords } from './json-array.ts';
import { ndjsonRecords } from './ndjson.ts';
import { peek, skip } from './peek.ts';
import type { SourceRecord } from './record-place.ts';
import { oneVersionEach } from './version-lines.ts';

type Reader = (source: AsyncIterable<Uint8Array>, file: string) => AsyncGenerator<SourceRecord>;

const readers: [ending: RegExp, reader: Reader][] = [
  [/\.(ndjson|jsonl)$/i, ndjsonRecords],
  [/\.json$/i, jsonArrayRecords],
  [/\.csv$/i, csvRecords],
];

/**
 * The records of a file: NDJSON (.ndjson, .jsonl), a JSON array (.json) or CSV (.csv), each also with .gz; the name
 * decides, else the first sign: NDJSON begins with `{`, an array with `[`, and whatever else is text is CSV. Memory is bounded
 * by one record, at most 32 MiB. Ends with a ValidationError naming file, line and reason at the first record that can't be
 * read or can't be stored exactly; errors of the source pass.
 */
export async function* readRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  const packed = await peek(source, (head) => head.length >= 2);
  try {
    const gzip = /\.gz$/i.test(file) || (packed.head[0] === 0x1f && packed.head[1] === 0x8b);
    yield* plainRecords(gzip ? gunzipped(packed.stream, file) : packed.stream, file);
  } finally {
    await packed.close();
  }
}

async function* plainRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  const { head, stream, close } = await peek(source, (bytes) => bytes.length >= 4 && firstSign(bytes) !== undefined);
  try {
    if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
      throw ValidationError.at([file], `${file}: is UTF-16 text; save it as UTF-8`);
    const reader = readers.find(([ending]) => ending.test(file.replace(/\.gz$/i, '')))?.[1] ?? sniffed(head, file);
    yield* oneVersionEach(reader(skip(stream, markLength(head)), file), file);
  } finally {
    await close();
  }
}

function markLength(head: Uint8Array): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

/** The first byte that is neither a byte-order mark nor white space. */
function firstSign(head: Uint8Array): number | undefined {
  return head.subarray(markLength(head)).find((b) => b !== 0x20 && b !== 0x0a && b !== 0x0d && b !== 0x09);
}

function sniffed(head: Uint8Array, file: string): Reader {
  if (head.includes(0))
    throw ValidationError.at([file], `${file}: is not text; NDJSON, a JSON array and CSV can be read`);
  const sign = firstSign(head);
  if (sign === 0x5b) return jsonArrayRecords;
  return sign === 0x7b ? ndjsonRecords : csvRecords;
}
