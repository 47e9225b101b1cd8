import { ValidationError } from '../errors.ts';
import type { Draft } from './draft.ts';
import { type MapContext, mapRecord } from './map-record.ts';
import type { Mapping } from './mapping.ts';
import type { SourceRecord } from './record-place.ts';

/** Each record's drafts. Throws what `mapRecord` throws, with the record's file and line before each message. */
export async function* mapRecords(
  mapping: Mapping,
  records: AsyncIterable<SourceRecord>,
  context: MapContext,
): AsyncGenerator<{ source: SourceRecord; drafts: Draft[] }> {
  for await (const source of records) yield { source, drafts: mapOne(mapping, source, context) };
}

function mapOne(mapping: Mapping, source: SourceRecord, context: MapContext): Draft[] {
  try {
    return mapRecord(mapping, source.record, context);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(
      error.issues.map(({ path, message }) => ({ path, message: `${source.place}: ${message}` })),
    );
  }
}
