import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of a package. */
export interface PackedFile {
  /** With slashes; only letters, digits, `.`, `_` and `-` between them. */
  path: string;
  chunks: AsyncIterable<Uint8Array>;
  /** Whether it becomes smaller by it. */
  compress: boolean;
}

/** A ZIP of files, each read when its turn comes; `time` stands as the time of them all. Holds a few chunks. */
export async function* zipped(
  files: AsyncGenerator<PackedFile, void, undefined>,
  time: Date,
): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  let current: Readable | null = null;
  const fail = (error: unknown) => void out.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  const feeding = (async () => {
    for await (const { path, chunks, compress } of files) {
      // Whoever leaves between two files ended neither of them; what is piped into a stream that is gone never ends.
      if (out.destroyed) return;
      current = Readable.from(chunks, { objectMode: false, highWaterMark: 256 * 1024 });
      zip.addReadStream(current, path, { compress, mtime: time, mode: 0o100644 });
      await finished(current);
    }
    zip.end();
  })();
  feeding.catch(fail);
  try {
    for await (const chunk of out) yield chunk as Uint8Array;
  } finally {
    out.destroy();
    (current as Readable | null)?.destroy();
    await feeding.catch(() => undefined);
  }
}
