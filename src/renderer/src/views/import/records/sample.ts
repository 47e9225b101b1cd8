/** What a file begins with, as text. */
export interface Sample {
  /** Without `.gz`. */
  name: string;
  text: string;
  /** Whether it is all of the file. */
  whole: boolean;
}

const most = 400_000;

/** Reads the beginning of a file, unpacked where it is packed. @throws Error where it cannot be */
export async function sampleOf(file: File): Promise<Sample> {
  const packed = /\.gz$/i.test(file.name);
  const bytes = packed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const reader = bytes.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    if (text.length <= most) continue;
    await reader.cancel();
    // No half of a sign that is two.
    return {
      name: file.name.replace(/\.gz$/i, ''),
      text: text.slice(0, most).replace(/[\uD800-\uDBFF]$/, ''),
      whole: false,
    };
  }
  return { name: file.name.replace(/\.gz$/i, ''), text, whole: true };
}
