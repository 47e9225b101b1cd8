import { ValidationError } from '../../src/server/errors.ts';
import type { Draft } from '../../src/server/exchange/draft.ts';
import type { MapContext } from '../../src/server/exchange/map-record.ts';
import { mapSource } from '../../src/server/exchange/map-source.ts';
import type { Mapping } from '../../src/server/exchange/mapping.ts';
import type { SourceRecord } from '../../src/server/exchange/record-place.ts';
import { readRecords } from '../../src/server/exchange/records.ts';
import type { TextEncoding } from '../../src/server/exchange/text-encoding.ts';
import { Steps } from '../../src/server/loop/steps.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';

/** A byte stream of the given pieces, cut further to at most `size` bytes a chunk. */
export async function* bytesOf(content: string | Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function recordsOf(
  content: string | Uint8Array,
  file: string,
  size?: number,
  encoding?: TextEncoding,
): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  for await (const { record } of readRecords(bytesOf(content, size), file, encoding)) records.push(record);
  return records;
}

/** The messages of the ValidationError that a read ends with, and how many records came before it. */
export async function refusal(
  source: AsyncIterable<Uint8Array>,
  file: string,
): Promise<{ before: number; message: string }> {
  let before = 0;
  try {
    for await (const _ of readRecords(source, file)) before++;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { before, message: error.issues.map((i) => i.message).join('\n') };
  }
  throw new Error(`${file} was read without an error, ${before} records`);
}

/** Each record's drafts. */
export async function* mapRecords(
  mapping: Mapping,
  records: AsyncIterable<SourceRecord>,
  context: MapContext,
): AsyncGenerator<{ source: SourceRecord; drafts: Draft[] }> {
  const steps = new Steps();
  for await (const source of records)
    yield { source, drafts: await steps.through(mapSource(mapping, source, context)) };
}
