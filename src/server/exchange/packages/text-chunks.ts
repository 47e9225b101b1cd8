import { Pace, turn } from '../../loop/pace.ts';

const chunkCharacters = 64 * 1024;

/** A long text that is made in parts, in UTF-8, in chunks of about 64 KiB; the event loop has its turns meanwhile. */
export async function* textChunks(
  parts: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pace = new Pace();
  let text = '';
  for await (const part of parts) {
    text += part;
    if (pace.step(part.length)) await turn();
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
