import { maxDepth } from '../model/json-value.ts';
import { badRecord, maxRecordBytes, type Place, parseRecord, type SourceRecord, tooLong } from './record-place.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = 0x5b;
const close = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What may come next: the array's `[`, an element or `]`, an element, the rest of an element, nothing. */
type State = 'start' | 'first' | 'element' | 'inside' | 'end';

/** The objects of one JSON array, one in memory at a time. `line` counts elements. */
export async function* jsonArrayRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  const place: Place = { file, unit: 'element' };
  let state: State = 'start';
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;

  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const b = chunk[i];
      if (inText) {
        if (escaped) escaped = false;
        else if (b === backslash) escaped = true;
        else if (b === quote) inText = false;
        continue;
      }
      if (b === 0x20 || b === 0x0a || b === 0x0d || b === 0x09) continue;
      if (state === 'start') {
        if (b !== open) throw badRecord(place, line, 'the file is not a JSON array (one object a line is .ndjson)');
        state = 'first';
        continue;
      }
      if (state === 'end') throw badRecord(place, line, 'something follows the array');
      if (state !== 'inside') {
        if (b === close && state === 'first') {
          state = 'end';
          continue;
        }
        if (b === comma || b === close) throw badRecord(place, line, 'an element is missing');
        state = 'inside';
        start = i;
      }
      if (depth === 0 && (b === comma || b === close)) {
        if (size + i - start > maxRecordBytes) throw tooLong(place, line);
        yield parseRecord(Buffer.concat([...parts, chunk.subarray(start, i)]), place, line);
        parts = [];
        size = 0;
        line++;
        state = b === comma ? 'element' : 'end';
      } else if (b === quote) inText = true;
      else if (b === open || b === openBrace) {
        if (++depth > maxDepth) throw badRecord(place, line, `is nested deeper than ${maxDepth} levels`);
      } else if ((b === close || b === closeBrace) && --depth < 0)
        throw badRecord(place, line, 'a bracket is closed that was not opened');
    }
    if (state !== 'inside') continue;
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxRecordBytes) throw tooLong(place, line);
  }
  if (state !== 'end') throw badRecord(place, line, 'the file ends before its array does');
}
