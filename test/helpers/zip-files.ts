import { text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** The files of a ZIP in their order, by path. */
export async function unzipped(zip: Uint8Array): Promise<Map<string, Buffer>> {
  const opened = await fromBufferPromise(Buffer.from(zip), { lazyEntries: true });
  const files = new Map<string, Buffer>();
  for await (const entry of opened.eachEntry())
    files.set(
      entry.fileName,
      Buffer.from(await text((await opened.openReadStreamPromise(entry)).setEncoding('latin1')), 'latin1'),
    );
  return files;
}

/** A ZIP of files, some perhaps twice. */
export async function zipOf(files: Iterable<[string, Buffer]>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, bytes] of files) zip.addBuffer(bytes, path, { compress: false });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
