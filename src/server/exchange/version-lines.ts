import { ValidationError } from '../errors.ts';
import type { JsonObject } from '../model/manifest.ts';
import type { SourceRecord } from './record-place.ts';

/**
 * The records, unless two that follow each other are versions of one entity, as lines of an export with its history are:
 * an import takes the first record of an id, so that each entity would come in its oldest version. Nothing of such an
 * entity is passed on. @throws ValidationError
 */
export async function* oneVersionEach(
  records: AsyncIterable<SourceRecord>,
  file: string,
): AsyncGenerator<SourceRecord, void, undefined> {
  let held: SourceRecord | undefined;
  try {
    for await (const source of records) {
      const before = held;
      held = undefined;
      if (before && areVersions(before.record, source.record)) throw historyIn(file, source);
      if (before) yield before;
      if (typeof source.record.cid === 'string') held = source;
      else yield source;
    }
  } catch (error) {
    if (held) yield held;
    throw error;
  }
  if (held) yield held;
}

function areVersions(a: JsonObject, b: JsonObject): boolean {
  return a.id === b.id && typeof b.cid === 'string' && (b.prev_cid === a.cid || a.prev_cid === b.cid);
}

function historyIn(file: string, { place, line }: SourceRecord): ValidationError {
  return ValidationError.at(
    [file, line],
    `${place}: is another version of the entity before it. These records are an export with its history, of which an import would keep the oldest version of each entity. Export into a CAR file instead (archeion export --out FILE.car) and take that in (archeion import-car FILE.car), or export these with --history tip`,
  );
}
