import { type Issue, ValidationError } from '../../../errors.ts';

/** Which bytes of the whole a body brings. `end` (exclusive) null: as many as come. */
export interface PartRange {
  start: number;
  end: number | null;
}

const contentRange = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/;

/**
 * The range that the headers of a PUT state: `Content-Range: bytes 0-99/200`, or `Upload-Offset: 100`; undefined where
 * they state none, and the body is the whole. @throws ValidationError
 */
export function partRange(
  headers: { range: string | null; offset: string | null; length: number | null },
  size: number,
): PartRange | undefined {
  const { range, offset, length } = headers;
  if (range !== null) return fromContentRange(range, length, size);
  if (offset === null) return undefined;
  if (!/^\d{1,15}$/.test(offset)) throw new ValidationError([issue('upload-offset', 'must be a number of bytes')]);
  return { start: Number(offset), end: null };
}

function fromContentRange(text: string, length: number | null, size: number): PartRange {
  const [, first, last, total] = contentRange.exec(text) ?? [];
  const wrong = (message: string) => new ValidationError([issue('content-range', message)]);
  if (first === undefined) throw wrong('must be like bytes 0-99/200');
  const [start, end] = [Number(first), Number(last) + 1];
  if (total !== '*' && Number(total) !== size) throw wrong(`the whole is ${size} bytes`);
  if (end <= start || end > size) throw wrong(`must lie within the ${size} bytes of the whole`);
  if (length !== null && length !== end - start) throw wrong(`${length} bytes come, not ${end - start}`);
  return { start, end };
}

function issue(header: string, message: string): Issue {
  return { path: [header], message };
}
