import { fromJson } from '../../model/from-json.ts';

const newline = 10;

/**
 * The lines of bytes, each as soon as it is there; null for one of more than `most` bytes. A line ends at `\n` alone: those of
 * readline end also at U+2028 and U+2029, which stand as they are within the texts of JSON.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string | null> {
  let begun: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > most) begun = [];
    else begun.push(part);
  };
  const ended = () => {
    const line = length > most ? null : Buffer.concat(begun).toString();
    [begun, length] = [[], 0];
    return line;
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      yield ended();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield ended();
}

/** The JSON documents of bytes that have one a line; blanks say that more is to come. */
export async function* jsonLines<T>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  for await (const line of linesOf(bytes)) if (line !== null && line.trim() !== '') yield fromJson(line) as T;
}
