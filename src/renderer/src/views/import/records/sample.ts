import { Failure } from '../../../api/failure.ts';
import type { components } from '../../../api/schema.d.ts';
import { refuseUnreadable } from '../../entity/files/refuse-unsendable.ts';

/** In what a text file is written. */
export type TextEncoding = components['schemas']['TextEncoding'];

/** What a file begins with, as text. */
export interface Sample {
  /** Without `.gz`. */
  name: string;
  text: string;
  /** Whether it is all of the file. */
  whole: boolean;
  /** The size of the file in bytes, and when it was saved last: what is chosen again may hold something else. */
  stamp: string;
  /** In what it was read. */
  encoding: TextEncoding;
  /** Whether nobody has said that, and neither has the file. */
  isGuess: boolean;
}

/** In bytes. */
const most = 400_000;
/** Of what is no Unicode: what spreadsheets write in western Europe and America. */
const likely: TextEncoding = 'windows-1252';

/**
 * Reads the beginning of a file, unpacked where it is packed: in what its mark says, or `chosen`, or in what it seems to be. What
 * is no Unicode seems to be in `others`, as other files were said to be. @throws Failure of kind `damaged` where it cannot be
 * unpacked, `unreadable` or DOMException where it cannot be read
 */
export async function sampleOf(file: File, chosen?: TextEncoding, others?: TextEncoding): Promise<Sample> {
  // As a stream it would give the error of bytes that cannot be unpacked.
  await refuseUnreadable(file);
  const { bytes, whole } = await beginningOf(file);
  const said = markOf(bytes) ?? chosen;
  const read = said ?? (isUtf8(bytes) ? 'utf-8' : (others ?? likely));
  return {
    name: file.name.replace(/\.gz$/i, ''),
    text: new TextDecoder(read).decode(bytes, { stream: !whole }),
    whole,
    stamp: `${file.size} ${file.lastModified}`,
    encoding: read,
    isGuess: said === undefined && read !== 'utf-8',
  };
}

async function beginningOf(file: File): Promise<{ bytes: Uint8Array; whole: boolean }> {
  const packed = /\.gz$/i.test(file.name);
  const reader = (packed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream()).getReader();
  const bytes = new Uint8Array(most);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(tellDamaged);
    if (done) return { bytes: bytes.subarray(0, length), whole: true };
    const part = value.subarray(0, most - length);
    bytes.set(part, length);
    length += part.length;
    if (part.length === value.length) continue;
    await reader.cancel();
    return { bytes, whole: false };
  }
}

/** Bytes that are none of gzip are a TypeError. */
function tellDamaged(error: unknown): never {
  throw error instanceof TypeError ? new Failure('damaged', error.message) : error;
}

/** What the mark says that a file may begin with. */
function markOf([first, second, third]: Uint8Array): TextEncoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

/** Whether bytes are UTF-8, as far as they go: the last sign may be cut off. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
