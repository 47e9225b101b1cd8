import { peek } from './peek.ts';
import { badRecord, type Place } from './record-place.ts';

/** In what a text file is written, by the names of the Encoding Standard. Spreadsheets write a table in the one of their system where they are not told otherwise. */
export const textEncodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253'] as const),
  ...(['iso-8859-2', 'iso-8859-15', 'macintosh', 'shift_jis', 'gb18030', 'big5', 'euc-kr'] as const),
];

export type TextEncoding = (typeof textEncodings)[number];

/**
 * The file as UTF-8, without the mark that it may begin with; that mark counts for more than `encoding`. What is said to be
 * UTF-8 is let through as it is. Memory is bounded by the chunks of the source. Throws a ValidationError that names the line of
 * what is no text in that encoding.
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
    yield* mark === 'utf-8' ? rest : decoded(rest, mark, file);
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
async function* skip(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of source) {
    const cut = Math.min(left, chunk.length);
    left -= cut;
    if (cut < chunk.length) yield chunk.subarray(cut);
  }
}
