/**
 * The JSON documents of bytes that have one a line, each as soon as it is there; blanks say that more is to come. A line ends at
 * `\n` alone: those of readline end also at U+2028 and U+2029, which stand as they are within the texts of JSON.
 */
export async function* jsonLines<T>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as T;
}
