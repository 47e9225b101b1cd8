import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ValidationError } from '../errors.ts';

/** The bytes inside a gzip file. Throws a ValidationError where they are damaged or end early. */
export async function* gunzipped(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  pipeline(Readable.from(source), gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
    throw ValidationError.at([file], `${file}: can't be unpacked: ${message}`);
  }
}
