import { badRecord, maxRecordBytes, type Place, parseRecord, type SourceRecord, tooLong } from './record-place.ts';

/** One JSON object a line; empty lines are skipped. */
export async function* ndjsonRecords(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<SourceRecord> {
  const place: Place = { file, unit: 'line' };
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      if (size + end - start > maxRecordBytes) throw tooLong(place, line);
      const tail = chunk.subarray(start, end);
      yield* record(parts.length === 0 ? tail : Buffer.concat([...parts, tail]), place, line);
      parts = [];
      size = 0;
      line++;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxRecordBytes) throw tooLong(place, line);
  }
  yield* record(Buffer.concat(parts), place, line);
}

function* record(bytes: Buffer, place: Place, line: number): Generator<SourceRecord> {
  if (bytes.every((b) => b === 0x20 || b === 0x09 || b === 0x0d)) return;
  if (bytes.includes(0)) throw badRecord(place, line, 'holds a NUL byte');
  yield parseRecord(bytes, place, line);
}
