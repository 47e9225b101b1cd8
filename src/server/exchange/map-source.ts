import { ValidationError } from '../errors.ts';
import type { Draft } from './draft.ts';
import { usableId } from './fields.ts';
import { type MapContext, mapRecord } from './map-record.ts';
import { defaultMapping, type Mapping } from './mapping.ts';
import type { SourceRecord } from './record-place.ts';

/** Which mapping is for a record. */
export type MappingOf = (source: SourceRecord) => Mapping;

/** Without a mapping file: a record that has a usable `id` is known by it, another one by its content. */
export function defaultMappingOf(type?: string): MappingOf {
  const byId = defaultMapping(true, type);
  const byContent = defaultMapping(false, type);
  return ({ record }) => (Object.hasOwn(record, 'id') && usableId(record.id) !== null ? byId : byContent);
}

/** A record's drafts, in steps. Throws what `mapRecord` throws, with the record's file and line before each message. */
export function* mapSource(
  mapping: Mapping,
  source: SourceRecord,
  context: MapContext,
): Generator<void, Draft[], undefined> {
  try {
    return yield* mapRecord(mapping, source.record, context);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(
      error.issues.map(({ path, message }) => ({ path, message: `${source.place}: ${message}` })),
    );
  }
}
