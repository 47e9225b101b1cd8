import { ValidationError } from '../errors.ts';
import { peek } from './peek.ts';
import { badRecord, type Place } from './record-place.ts';

/**
 * In what a text file is written, by the names of the Encoding Standard. Spreadsheets write a table in the one of their system
 * where they are not told otherwise.
 */
export const textEncodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253'] as const),
  ...(['iso-8859-2', 'iso-8859-15', 'macintosh', 'shift_jis', 'gb18030', 'big5', 'euc-kr'] as const),
];

export type TextEncoding = (typeof textEncodings)[number];

/**
 * The file as UTF-8, without the mark that it may begin with; that mark counts for more than `encoding`. What is said to be
 * UTF-8 is let through as it is. Memory is bounded by the chunks of the source. Throws a ValidationError that names the line of
 * what is no text in that encoding, and for a file whose first signs beyond ASCII are UTF-8: read as another one it would be other
 * text, without a word.
 */
export async function* inUtf8(
  source: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  file: string,
): AsyncGenerator<Uint8Array> {
  const { head, stream, close } = await peek(source, (bytes) => bytes.length >= 3);
  try {
    const [mark, length] = markOf(head) ?? [encoding, 0];
    const rest = skip(stream, length);
    if (mark === 'utf-8') yield* rest;
    else if (length > 0) yield* decoded(rest, mark, file);
    else if (mark.startsWith('utf-16')) yield* decoded(unlessOfBytes(rest, mark, file), mark, file);
    else yield* decoded(unlessUtf8(rest, mark, file), mark, file);
  } finally {
    await close();
  }
}

function markOf([first, second, third]: Uint8Array): [encoding: TextEncoding, length: number] | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return ['utf-8', 3];
  if (first === 0xff && second === 0xfe) return ['utf-16le', 2];
  if (first === 0xfe && second === 0xff) return ['utf-16be', 2];
  return undefined;
}

/** What comes before the first sign beyond ASCII is the same in both. @throws ValidationError where what follows is UTF-8 */
async function* unlessUtf8(
  source: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  file: string,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const from = firstBeyondAscii(next.value);
      yield next.value.subarray(0, from);
      if (from === next.value.length) continue;
      const { head, stream } = await peek(following(next.value.subarray(from), iterator), () => false);
      if (isPlainlyUtf8(head)) throw notIn(encoding, file);
      yield* stream;
      return;
    }
  } finally {
    await iterator.return?.();
  }
}

async function* following(first: Uint8Array, others: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

/** In UTF-16 the end of a line has a byte that is zero, which UTF-8 has none of. @throws ValidationError where there is no such */
async function* unlessOfBytes(
  source: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  file: string,
): AsyncGenerator<Uint8Array> {
  const { head, stream, close } = await peek(source, (bytes) => bytes.includes(0));
  try {
    if (head.includes(0x0a) && !head.includes(0) && isUtf8(head)) throw notIn(encoding, file);
    yield* stream;
  } finally {
    await close();
  }
}

function notIn(encoding: TextEncoding, file: string): ValidationError {
  return ValidationError.at([file], `${file}: is UTF-8 text, not ${encoding}`);
}

/** Its place, or the length where there is none. */
function firstBeyondAscii(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) > 0x7f) return i;
  return bytes.length;
}

/** Whether bytes, of which the last sign may be cut off, are UTF-8 with signs beyond ASCII, which hardly any other text is. */
function isPlainlyUtf8(bytes: Uint8Array): boolean {
  return firstBeyondAscii(bytes) < bytes.length && isUtf8(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

async function* decoded(
  source: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  file: string,
): AsyncGenerator<Uint8Array> {
  const place: Place = { file, unit: 'line' };
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let line = 1;
  const text = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      const [before = ''] = new TextDecoder(encoding).decode(bytes).split('\ufffd');
      line += lineBreaks(before);
      throw badRecord(place, line, `at or after this line are bytes that are no text in ${encoding}`);
    }
  };
  for await (const bytes of source) {
    const part = text(bytes);
    line += lineBreaks(part);
    yield Buffer.from(part);
  }
  text();
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

/** The same bytes from a place on. */
export async function* skip(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of source) {
    const cut = Math.min(left, chunk.length);
    left -= cut;
    if (cut < chunk.length) yield chunk.subarray(cut);
  }
}
